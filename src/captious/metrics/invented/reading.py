"""A caption as `invented` reads it: words with their places, sentences, clauses, and the things it names.

It reads words by a table of forms (`words`) and cuts clauses at punctuation and before words that begin one,
because the parser alone would take longer than everything else together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from captious.metrics.invented.words import COLOURS, FURTHER, NUMBERS, Lexicon, Word
from captious.text.scene_graph.discourse_words import NO_OBJECTS, NO_OBJECTS_ALONE
from captious.text.stop_words import ENGLISH, word_list

# A word keeps its combining marks; everything else that is no space is a mark of punctuation.
_TOKEN = re.compile(r"[^\W_](?:[\w'’-]|[\u0300-\u036f])*|[^\s\w]")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_FEWEST = 3  # words of a clause before a word may begin the next
_BEGINS = word_list(
    """
    while with where which who making adding creating giving indicating suggesting including providing
    surrounded ranging likely possibly
    """
)
_AFTER_AND = word_list("the there one another they is are it he she some")
_BEFORE = word_list("a an the this that these those his her its their some several many few no another")
_LONGEST_PHRASE = 5  # words


class Mention(NamedTuple):
    """A thing that a caption names: the words of its phrase, its name, and what is said of it."""

    first: int
    last: int
    name: str
    row: int  # of the table of words, or -1
    kind: int  # number of CHAIR's class, or -1
    modifies: bool  # "tennis" of "tennis court"
    plural: bool
    number: int  # the word that says how many, or -1
    colours: tuple[int, ...]  # words


@dataclass(slots=True)
class Reading:
    """A caption read: words, and ranges of words for sentences and clauses."""

    caption: str
    words: list[str]
    starts: list[int]
    ends: list[int]
    known: list[Word]
    sentences: list[range]
    clauses: list[range]
    mentions: list[Mention]

    def place(self, words: range) -> tuple[int, int]:
        """The code points of a range of words."""
        return self.starts[words[0]], self.ends[words[-1]]


def read(caption: str, table: Lexicon) -> Reading:
    """Read a caption.

    >>> from captious.metrics.invented.words import lexicon
    >>> found = read("A red dog sits, and there are two street lights.", lexicon())
    >>> [found.caption[slice(*found.place(one))] for one in found.clauses]
    ['A red dog sits', 'and there are two street lights']
    >>> [(one.name, table.classes[one.kind]) for table in [lexicon()] for one in found.mentions]
    [('dog', 'dog'), ('street light', 'traffic light')]
    """
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    sentences: list[range] = []
    cuts: set[int] = set()  # words before which punctuation stands
    begin = 0
    for stop, after in [(one.start(), one.end()) for one in _SENTENCE_END.finditer(caption)] + [
        (len(caption),) * 2
    ]:
        first = len(words)
        for token in _TOKEN.finditer(caption, begin, stop):
            text = token.group()
            if text[0].isalnum():
                words.append(text.lower().replace("’", "'"))
                starts.append(token.start())
                ends.append(token.end())
            elif text in ",;:—–":
                cuts.add(len(words))
        if len(words) > first:
            sentences.append(range(first, len(words)))
        begin = after
    known = [table.word(word.removesuffix("'s")) for word in words]
    clauses = [clause for one in sentences for clause in _clauses(one, words, known, cuts)]
    mentions = _mentions(words, known, clauses, table)
    return Reading(caption, words, starts, ends, known, sentences, clauses, mentions)


def _clauses(sentence: range, words: list[str], known: list[Word], cuts: set[int]) -> list[range]:
    found: list[range] = []
    first = sentence.start
    for place in sentence:
        after = words[place + 1] if place + 1 < sentence.stop else ""
        long = place - first >= _FEWEST
        word = words[place]
        begins = long and (
            word in _BEGINS
            or (word == "as" and after not in ("well", "if"))
            or (word == "and" and bool(after) and (after in _AFTER_AND or known[place + 1].verb))
        )
        # A single word before a comma ("Additionally,") belongs to what follows, unless it is a thing.
        if place > first and (begins or (place in cuts and (place - first > 1 or known[first].noun))):
            found.append(range(first, place))
            first = place
    return [*found, range(first, sentence.stop)]


def _mentions(words: list[str], known: list[Word], clauses: list[range], table: Lexicon) -> list[Mention]:
    found = []
    for clause in clauses:
        place = clause.start
        while place < clause.stop:
            word = known[place]
            last = place
            name = word.lemma
            if (
                place + 1 < clause.stop
                and (pair := f"{words[place]} {known[place + 1].lemma}") in table.class_of
            ):
                name, last = pair, place + 1
            elif not word.noun:
                place += 1
                continue
            kind = table.numbers.get(table.class_of.get(name, ""), -1)
            following = known[last + 1] if last + 1 < clause.stop else None
            modifies = following is not None and following.noun and not words[last].endswith("'s")
            acts = modifies and kind >= 0 and following is not None and following.acts
            modifies = modifies and not acts
            if (
                name not in NO_OBJECTS
                and not (name in NO_OBJECTS_ALONE and not modifies)
                and name not in COLOURS
            ):
                first, number, colours = _phrase(words, known, clause.start, place)
                determined = words[first] in _BEFORE or number >= 0 or known[last].plural or modifies
                if not (table.knows(words[last]) or kind >= 0 or determined):
                    place = last + 1  # "is serene": a form that no reference has, and no sign of a noun
                    continue
                row = table.rows.get(name, -1) if last > place else word.row
                found.append(
                    Mention(
                        first,
                        last,
                        name,
                        row,
                        -1 if modifies else kind,
                        modifies,
                        known[last].plural,
                        number,
                        colours,
                    )
                )
            place = last + 2 if acts else last + 1
    return found


def _phrase(words: list[str], known: list[Word], start: int, noun: int) -> tuple[int, int, tuple[int, ...]]:
    """The first word of the phrase before a noun, the number in it, and its colours."""
    first, number, colours = noun, -1, []
    for place in range(noun - 1, max(start, noun - _LONGEST_PHRASE) - 1, -1):
        word = words[place]
        if word in NUMBERS or word.isdecimal():
            number = place
        elif word in COLOURS:
            colours.append(place)
        elif word in _BEFORE:
            return place, number, tuple(colours)
        elif word in FURTHER:
            pass
        elif word == "and" and words[place - 1] in COLOURS and colours:
            continue
        elif word in ENGLISH or known[place].verb or word.endswith("ing"):
            break
        first = place
    return first, number, tuple(colours)
