"""What speaks for and against what a caption says: objects, references, and which words go together.

A claim gets the probability that it is wrong if right and wrong were equally likely before. Nothing here
was learnt from marked captions: the rates are those of true captions of COCO
(`training/invented/evidence.py`), and a claim that no evidence touches is as likely to be right as one of
its alternatives.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray
from captious.corpus.objects import split_source
from captious.metrics.invented.reading import Mention, Reading
from captious.metrics.invented.words import FURTHER, NUMBERS, SEVERAL, Lexicon
from captious.text.stop_words import word_list
from captious.text.synsets import wordnet

OBJECT, ATTRIBUTE, COUNT, RELATION = "object", "attribute", "count", "relation"
# Where in the picture something is: as likely wrong as right where nothing is known of it.
PLACES = word_list("left right center centre middle top bottom corner closer farther further nearer edge end")
# Nearly everything that is not the subject is in the background: wrong once in four times.
VAGUE_PLACES = word_list("background foreground distance front behind beside near nearby next scattered")
_HALF, _QUARTER = 0.5, 0.25
_NEAR = 4  # words between two things that are related
_THEY = word_list("they these those both")
UNCONFIRMED = "nothing confirms it"
UNUSUAL = "seldom with these objects"
_UNUSUAL_BELOW = -2.0  # log odds
_SOME = 0  # of a plural without a number
_REFERENCES = 4  # beside the one that uses a word, when `alone` was counted
# References name what stands out: of what is true, a detailed caption names a quarter more. Set by hand.
_STANDS_OUT = 0.75
_UNKNOWN_ALONE = 0.9  # of a word that COCO's references do not use


# Of two of these only one is true of the same two things.
_PREPOSITIONS = {
    "on": "on", "onto": "on", "atop": "on", "under": "under", "underneath": "under", "beneath": "under",
    "below": "under", "above": "above", "over": "above", "inside": "in", "behind": "behind",
    "beside": "beside",
}  # fmt: skip
SPATIAL = frozenset(_PREPOSITIONS.values())


class Claim(NamedTuple):
    """Words that say one thing, of which kind, how likely it is wrong, and what speaks against it."""

    first: int
    last: int
    kind: str
    wrong: float
    evidence: str = ""


class Evidence(NamedTuple):
    """What is known of an image."""

    classes: NDArray[np.bool_] | None  # CHAIR's classes that the objects name; None without objects
    counts: dict[int, int] | None  # of each class, where some label is given more than once
    names: frozenset[str]  # labels, and words of references
    synsets: frozenset[str]
    named: frozenset[int]  # classes that references name
    references: int
    colours: dict[str, frozenset[str]]  # that references give to a thing, by its name or class
    numbers: dict[str, frozenset[int]]
    places: frozenset[str]  # words for places that references use
    relations: dict[tuple[str, str], frozenset[str]]  # prepositions and verbs between two things
    differ: FloatArray | None  # log odds of each word of the table beyond the usual


def evidence_of(objects: Sequence[str] | None, references: Sequence[Reading], table: Lexicon) -> Evidence:
    """The evidence about an image from its objects, if they are known, and the references of a caption."""
    labels = [split_source(label)[1].strip().lower() for label in objects or ()]
    held = [table.numbers[table.class_of[label]] for label in labels if label in table.class_of]
    classes = counts = differ = None
    if objects is not None:
        classes = np.zeros(len(table.classes), dtype=np.bool_)
        classes[held] = True
        differ = table.odds(classes)[1]
        if len(set(labels)) < len(labels):
            counts = {number: held.count(number) for number in set(held)}
    mentions = [mention for one in references for mention in one.mentions]
    names = {*labels, *(word.lemma for one in references for word in one.known)}
    names |= {mention.name for mention in mentions}
    colours: dict[str, set[str]] = defaultdict(set)
    numbers: dict[str, set[int]] = defaultdict(set)
    for one in references:
        for mention in one.mentions:
            for key in keys_of(mention):
                colours[key] |= {one.words[place] for place in mention.colours}
                if mention.number >= 0:
                    numbers[key].add(said_number(one.words[mention.number]))
                else:
                    numbers[key].add(_SOME if mention.plural else 1)
    relations: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in references:
        for first, second, _, word in related(one):
            relations[key_of(first), key_of(second)].add(word)
    return Evidence(
        classes=classes,
        counts=counts,
        names=frozenset(names),
        synsets=frozenset(_synsets(names)),
        named=frozenset(mention.kind for mention in mentions if mention.kind >= 0),
        references=len(references),
        colours={key: frozenset(found) for key, found in colours.items() if found},
        numbers={key: frozenset(found) for key, found in numbers.items()},
        places=frozenset(word for one in references for word in one.words if word in PLACES | VAGUE_PLACES),
        relations={pair: frozenset(found) for pair, found in relations.items()},
        differ=differ,
    )


def claims(one: Reading, known: Evidence, table: Lexicon) -> list[Claim]:
    """What a caption says and how likely each is wrong: of each thing, then of places in the picture."""
    found: list[Claim] = []
    for mention in one.mentions:
        wrong, why = thing(mention, known, table)
        found.append(Claim(mention.first, mention.last, OBJECT, wrong, why))
        if wrong < _HALF:
            found += _said_of(one, mention, known, table)
    found += [*_placed(one, known), *_relations(one, known, table)]
    return [*found, *_said_of_them(one, by_sentence(one, found))]


def sentence_wrong(claims: Sequence[Claim]) -> float:
    """How likely it is that some claim of a sentence is wrong: 1 - prod (1 - p)."""
    return 1.0 - math.prod(1.0 - claim.wrong for claim in claims)


def by_sentence(one: Reading, claims: Sequence[Claim]) -> list[list[Claim]]:
    """The claims of each sentence, in the order of their words."""
    found: list[list[Claim]] = [[] for _ in one.sentences]
    number = 0
    for claim in sorted(claims):
        while claim.first >= one.sentences[number].stop:
            number += 1
        found[number].append(claim)
    return found


def keys_of(mention: Mention) -> Iterable[str]:
    """What a thing may be called elsewhere: its name, and the number of its class."""
    return (mention.name,) if mention.kind < 0 else (mention.name, f"#{mention.kind}")


def thing(mention: Mention, known: Evidence, table: Lexicon) -> tuple[float, str]:
    """How likely it is that the thing is not there."""
    if mention.kind >= 0 and known.classes is not None:
        if known.classes[mention.kind] or mention.kind in known.named:
            return 0.0, ""
        return 1 / (1 + table.rates["absent"]), f"no {table.classes[mention.kind]} among the objects"
    named = mention.kind in known.named or mention.name in known.names
    if named or not wordnet().of(mention.name).isdisjoint(known.synsets):
        return 0.0, ""
    if known.references:
        return _STANDS_OUT * (1 - _unnamed(mention, known.references, table)), "in no reference"
    if known.differ is not None and mention.row >= 0 and known.differ[mention.row] < _UNUSUAL_BELOW:
        return _STANDS_OUT * table.rates["unusual"], UNUSUAL
    return 0.0, ""


def _unnamed(mention: Mention, references: int, table: Lexicon) -> float:
    """How likely it is that so many references do not name a thing that is there."""
    if mention.row < 0:
        return _UNKNOWN_ALONE
    share = min(1.0, math.log(references) / math.log(_REFERENCES))
    return float(table.lacking[mention.row] ** (1 - share) * table.alone[mention.row] ** share)


def _said_of(one: Reading, mention: Mention, known: Evidence, table: Lexicon) -> Iterable[Claim]:
    """Colours and numbers that other evidence gives otherwise."""
    theirs: frozenset[str] = frozenset().union(
        *(known.colours.get(key, frozenset()) for key in keys_of(mention))
    )
    if mention.colours and theirs:
        for place in mention.colours:
            if one.words[place] not in theirs:
                wrong = 1 / (1 + table.rates["colour"])
                yield Claim(place, place, ATTRIBUTE, wrong, f"references: {', '.join(sorted(theirs))}")
    right: frozenset[int] = frozenset().union(
        *(known.numbers.get(key, frozenset()) for key in keys_of(mention))
    )
    if known.counts is not None and mention.kind in known.counts:
        right |= {known.counts[mention.kind]}
    for place in range(mention.first, mention.last + 1):
        # One more, or an open number, of what may be one.
        if right <= {1} and (one.words[place] in FURTHER or one.words[place] in SEVERAL):
            wrong = _HALF if one.words[place] in FURTHER else _QUARTER
            yield Claim(place, place, COUNT, wrong, UNCONFIRMED)
    said = said_number(one.words[mention.number]) if mention.number >= 0 else 1
    counted = right - {1, _SOME}
    if said > 1 and counted and said not in right:
        wrong = 1 / (1 + table.rates["number"])
        yield Claim(
            mention.number, mention.last, COUNT, wrong, f"counted: {', '.join(map(str, sorted(counted)))}"
        )
    elif said > 1 and right == {1} and known.references > 1:
        wrong = 1 / (1 + table.rates["singular"])
        yield Claim(mention.number, mention.last, COUNT, wrong, "references: one")
    elif said > 2 and said not in right:
        yield Claim(mention.number, mention.last, COUNT, 1 - 2 / said, UNCONFIRMED)


def _placed(one: Reading, known: Evidence) -> Iterable[Claim]:
    """Places in the picture of which no reference speaks."""
    for place, word in enumerate(one.words):
        if word in known.places:
            continue
        if word in PLACES:
            yield Claim(place, place, RELATION, _HALF, UNCONFIRMED)
        elif word in VAGUE_PLACES:
            yield Claim(place, place, RELATION, _QUARTER, UNCONFIRMED)


def _relations(one: Reading, known: Evidence, table: Lexicon) -> Iterable[Claim]:
    """Prepositions that contradict those of references, and subjects exchanged with objects."""
    if not known.relations:
        return
    for first, second, place, word in related(one):
        pair = (key_of(first), key_of(second))
        theirs, turned = (known.relations.get(way, frozenset()) for way in (pair, pair[::-1]))
        others = theirs & SPATIAL
        said = word in SPATIAL
        if word not in theirs and ((said and others) or (word in turned and pair[0] != pair[1])):
            wrong = 1 / (1 + table.rates["relation"])
            start = place if said else first.first
            yield Claim(
                start, second.last, RELATION, wrong, f"references: {', '.join(sorted(others or turned))}"
            )


def _said_of_them(one: Reading, claims: Sequence[Sequence[Claim]]) -> Iterable[Claim]:
    """Sentences that begin with "They": as wrong as the sentence before, of whose things they speak."""
    before: Claim | None = None
    for sentence, own in zip(one.sentences, claims, strict=True):
        said = list(own)
        if before and one.words[sentence.start] in _THEY:
            kind = before.kind if before.kind == OBJECT else RELATION
            said.append(before._replace(first=sentence.start, last=sentence.stop - 1, kind=kind))
            yield said[-1]
        most = max(said, key=lambda claim: claim.wrong, default=None)
        before = most._replace(wrong=sentence_wrong(said)) if most else None


def related(one: Reading) -> Iterable[tuple[Mention, Mention, int, str]]:
    """Neighbouring things of a clause with the preposition, or else the verb, between them."""
    heads = [mention for mention in one.mentions if not mention.modifies]
    clause_of = {word: number for number, clause in enumerate(one.clauses) for word in clause}
    for first, second in pairwise(heads):
        if clause_of[first.first] != clause_of[second.first]:
            continue
        between = range(first.last + 1, second.first)
        spatial = [place for place in between if one.words[place] in _PREPOSITIONS]
        acting = [place for place in between if one.known[place].acts]
        if len(spatial) == 1 and len(between) <= _NEAR:
            yield first, second, spatial[0], _PREPOSITIONS[one.words[spatial[0]]]
        elif acting and not spatial and len(between) <= _NEAR:
            yield first, second, acting[0], one.known[acting[0]].lemma


def key_of(mention: Mention) -> str:
    """The class of a thing, or else its name."""
    return f"#{mention.kind}" if mention.kind >= 0 else mention.name


def said_number(word: str) -> int:
    """The number that a word says, or 0."""
    return NUMBERS.get(word) or (int(word) if word.isdecimal() else 0)


def _synsets(names: Iterable[str]) -> Iterable[str]:
    table = wordnet()
    return (synset for name in names for synset in table.of(name))
