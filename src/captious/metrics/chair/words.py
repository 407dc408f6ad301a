"""The objects that a caption mentions, as the program of CHAIR reads it (Rohrbach et al. 2018).

That program cuts a caption into words with NLTK, takes each for a noun whose singular `pattern.en` gives,
joins some pairs of words, and looks the result up in a list of 80 objects of MSCOCO and their synonyms
(`synonyms.txt`, from github.com/LisaAnne/Hallucination, BSD 2-Clause). Its habits are kept: the singular of
"bus" is "bu" and that of "ties" is "ty", so that neither counts, and an entry of the list with a second
blank before it (" motor bike") is never met. Only what can change the mentions is done here, for each piece
of text between two blanks; words of no interest are the empty text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain, pairwise
from typing import NamedTuple

from captious.text.places import lowered
from captious.text.remembered import Remembered

_PAIRS = """
motor bike, motor cycle, air plane, traffic light, street light, traffic signal, stop light, fire hydrant,
stop sign, parking meter, suit case, baseball bat, baseball glove, wine glass, hot dog, cell phone,
mobile phone, teddy bear, hair drier, potted plant, laptop computer, home plate, train track
"""
_ANIMALS = "bird, cat, dog, horse, sheep, cow, elephant, bear, zebra, giraffe, animal, cub"
PAIRS = {
    **{pair: pair for pair in _PAIRS.strip().replace("\n", " ").split(", ")},
    # The baby of "baby bird" is no person, nor is the passenger of "passenger train".
    **{f"{age} {animal}": animal for age in ("baby", "adult") for animal in _ANIMALS.split(", ")},
    **{f"passenger {vehicle}": vehicle for vehicle in ("jet", "train")},
    "bow tie": "tie",
    "toilet seat": "toilet",
    "wine glas": "wine glass",  # the singular of "glass" there
}
_PIECE = re.compile(r"\S+")
# What NLTK's tokeniser makes a token of wherever it stands. A colon or comma before a digit stays.
_MARKS = re.compile(
    r"\.{2,}|--|[\u2012-\u2015]|''|[:,](?!\d)|[;@#$%&?!*\[\](){}<>«“‘„`»”’\"]"
    r"|(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)"
)
_CLITIC = re.compile(r"(?<=[^'])(?:'(?:s|m|d|ll|re|ve)?|n't)$")
# A full stop is a token at the end of a sentence: before a blank, or one of these.
_AFTER_SENTENCE = re.compile(r"$|[)\";}\]*:@'({\[!?’”»]")
_IRREGULAR = {
    "men": "man", "people": "person", "children": "child", "geese": "goose", "oxen": "ox", "kine": "cow",
}  # fmt: skip
_UNCHANGED = ("collies", "doggies", "scissors")
_ENDINGS = tuple(
    (re.compile(ending), singular)
    for ending, singular in (
        (r"([ml])ice$", r"\1ouse"),
        (r"(o|bus|x|ch|ss|sh)es$", r"\1"),
        (r"([^aeiouy]|qu)ies$", r"\1y"),
        (r"([aeo]l|[lr])ves$", r"\1f"),
        (r"([aeo])ves$", r"\1ve"),
        (r"([nlw]i)ves$", r"\1fe"),
        (r"s$", ""),
    )
)


class Mention(NamedTuple):
    """An object in a caption: the word that names it, the object, and the first and last of its tokens."""

    word: str
    object: str
    first: int
    last: int


@cache
def synonyms() -> dict[str, str]:
    """The object of MSCOCO that each word of the list names."""
    text = (files("captious.metrics.chair") / "synonyms.txt").read_text(encoding="utf-8")
    lines = (line.strip().split(", ") for line in text.splitlines())
    return {word: words[0] for words in lines for word in words}


def singular(word: str) -> str:
    """The singular of a word that the list may hold, as `pattern.en` forms it.

    >>> [singular(word) for word in ("puppies", "glasses", "glass", "women", "bus")]
    ['puppy', 'glass', 'glas', 'woman', 'bu']
    """
    if word.endswith(_UNCHANGED):
        return word
    for plural, one in _IRREGULAR.items():
        if word.endswith(plural):
            return word.removesuffix(plural) + one
    for ending, one in _ENDINGS:
        if ending.search(word):
            return ending.sub(one, word)
    return word


def mentions(caption: str) -> list[Mention]:
    """The objects that a caption mentions, in order, as often as it does.

    >>> [(one.word, one.object) for one in mentions("Two puppies near a hot dog stand, and a baby cow.")]
    [('puppy', 'dog'), ('hot dog', 'hot dog'), ('cow', 'cow')]
    """
    tokens = list(chain.from_iterable(map(_PIECES.__getitem__, caption.lower().split())))
    known = synonyms()
    found: list[Mention] = []
    words = set()
    free = 0
    for place, token in enumerate(tokens):
        if not token or place < free:
            continue
        pair = PAIRS.get(f"{token} {tokens[place + 1]}") if place + 1 < len(tokens) else None
        word, last = (pair, place + 1) if pair else (token, place)
        free = last + 1
        words.add(word)
        if (named := known.get(word)) is not None:
            found.append(Mention(word, named, place, last))
    if "seat" in words and "toilet" in words:  # the seat of a toilet is no chair
        return [one for one in found if one.word != "seat"]
    return found


def places(caption: str, found: Sequence[Mention]) -> list[tuple[int, int]]:
    """Where each of a caption's mentions begins and ends, in code points of the caption as it is.

    >>> caption = "😀 A Hot  Dog's"
    >>> [caption[start:end] for start, end in places(caption, mentions(caption))]
    ['Hot  Dog']
    """
    wanted = {token for one in found for token in (one.first, one.last)}
    at: dict[int, tuple[int, int]] = {}
    token = 0
    for match in _PIECE.finditer(caption):
        piece, of = lowered(match[0])
        after = token + len(_PIECES[piece])
        if not wanted.isdisjoint(range(token, after)):
            for number, (first, last) in enumerate(_cut(piece), token):
                at[number] = match.start() + of[first], match.start() + of[last - 1] + 1
        token = after
    return [(at[one.first][0], at[one.last][1]) for one in found]


def objects_of(label: str) -> frozenset[str]:
    """The objects of MSCOCO that a label of an object or a detector names.

    >>> sorted(objects_of("dining table")), sorted(objects_of("Houseplant")), sorted(objects_of("window"))
    (['dining table'], ['potted plant'], [])
    """
    plain = re.sub(r"[\s_-]+", " ", label).strip().lower()
    named = synonyms().get(plain)
    return frozenset([named]) if named else frozenset(one.object for one in mentions(plain))


class _Pieces(Remembered[str, tuple[str, ...]]):
    """The singulars of the tokens in a piece between blanks; the empty text for those of no interest."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        wanted = _interesting()
        found = (singular(piece[start:end]) for start, end in _cut(piece))
        self[piece] = tokens = tuple(word if word in wanted else "" for word in found)
        return tokens


_PIECES = _Pieces()


@cache
def _interesting() -> frozenset[str]:
    return frozenset(synonyms()) | {word for pair in PAIRS for word in pair.split()}


def _cut(piece: str) -> Iterator[tuple[int, int]]:
    """Where the tokens of a piece in lower case begin and end, as far as objects are among them."""
    start = 0
    for mark in _MARKS.finditer(piece):
        yield from _word(piece, start, mark.start())
        yield mark.span()
        start = mark.end()
    yield from _word(piece, start, len(piece))


def _word(piece: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A stretch between marks, its full stop and what is written together with it after an apostrophe."""
    if start == end:
        return
    stop = piece[end - 1] == "." and bool(_AFTER_SENTENCE.match(piece, end))
    last = end - 1 if stop else end
    clitic = _CLITIC.search(piece, start, last)
    middle = clitic.start() if clitic and clitic.start() > start else last
    cuts = (start, middle, last, end)
    yield from ((a, b) for a, b in pairwise(cuts) if a < b)
