"""What marked captions teach: where in a caption, in which words and beside what models invent.

A sentence is described by its place, its claims and their evidence, and its words (one and two at a time, as
they are and with things, numbers and colours replaced by what is known of them). A ridge regression predicts
how much of it is marked, and a logistic curve, fitted to predictions for images that were left out, turns
that into the probability that raters mark any of it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile

from captious.corpus.columns import FloatArray
from captious.errors import InputError
from captious.files import atomically
from captious.metrics.invented.evidence import (
    PLACES,
    VAGUE_PLACES,
    Claim,
    Evidence,
    by_sentence,
    sentence_wrong,
)
from captious.metrics.invented.reading import Mention, Reading
from captious.metrics.invented.words import COLOURS, NUMBERS, Lexicon
from captious.text.parser.load import pack_names, unpack_names
from captious.text.stop_words import word_list

_SEVERAL = {
    "multiple": 3, "several": 3, "various": 3, "many": 5, "numerous": 5, "few": 3, "couple": 2, "both": 2,
}  # fmt: skip
_LISTS = {
    "places": PLACES | VAGUE_PLACES | {"side"},
    "hedges": word_list(
        "possibly likely appears appear seems seem may might suggesting indicating perhaps probably suggests"
    ),
    "further": word_list("additionally addition other another also third"),
    "mood": word_list(
        "overall atmosphere mood sense adding creating making ambiance feeling contributing touch"
    ),
    "seen": word_list(
        "visible seen scattered placed located positioned situated parked spotted found background"
    ),
    "pronouns": word_list("they it he she them both"),
    "others": word_list("one another some others"),
    "colours": COLOURS,
}
_LIKELY, _UNLIKELY = 0.3, -0.7  # log odds of a word beyond the usual


class Sentence(NamedTuple):
    """A sentence as numbers and as n-grams."""

    values: dict[str, float]
    grams: frozenset[str]


def describe(one: Reading, claims: Sequence[Claim], known: Evidence, table: Lexicon) -> list[Sentence]:
    """Every sentence of a caption."""
    own = by_sentence(one, claims)
    wrong = [sentence_wrong(several) for several in own]
    absent = [sum(claim.kind == "object" and claim.wrong >= 0.5 for claim in several) for several in own]
    mentions: list[list[Mention]] = [[] for _ in one.sentences]
    number = 0
    for mention in one.mentions:
        while mention.first >= one.sentences[number].stop:
            number += 1
        mentions[number].append(mention)
    named: set[str] = set()
    count = len(one.sentences)
    found = []
    for place, sentence in enumerate(one.sentences):
        words = [one.words[word] for word in sentence]
        things = mentions[place]
        doubtful = {claim.first: claim.wrong for claim in own[place] if claim.kind == "object"}
        classes = [mention for mention in things if mention.kind >= 0]
        free = [mention for mention in things if mention.kind < 0]
        usual, odds = [], []
        for word in (one.known[at] for at in sentence):
            if known.differ is not None and word.row >= 0 and (word.noun or word.verb):
                usual.append(float(known.differ[word.row]))
        for mention in free:
            if known.differ is not None and mention.row >= 0:
                odds.append(float(known.differ[mention.row]))
        said = [NUMBERS.get(word) or _SEVERAL.get(word, 0) for word in words]
        held = set(words)
        values = {
            "number": float(place),
            "share before": place / max(1, count - 1),
            "sentences": float(count),
            "to the end": float(count - place),
            "words before": float(sentence.start),
            "words before, share": sentence.start / max(1, len(one.words)),
            "words of the caption": float(len(one.words)),
            "words": float(len(words)),
            "clauses": float(sum(clause.start in sentence for clause in one.clauses)),
            "wrong": wrong[place],
            "absent": float(absent[place]),
            "absent before": float(sum(absent[:place])),
            "absent in all": float(sum(absent)),
            "absent just before": float(absent[place - 1]) if place else 0.0,
            "absent just after": float(absent[place + 1]) if place + 1 < count else 0.0,
            "present": float(sum(doubtful[mention.first] < 0.5 for mention in classes)),
            "free": float(sum(not mention.modifies for mention in free)),
            "modifiers": float(sum(mention.modifies for mention in free)),
            "unknown": float(sum(mention.row < 0 for mention in free)),
            "new classes": float(sum(mention.name not in named for mention in classes)),
            "new things": float(sum(mention.name not in named for mention in free)),
            "least usual thing": min(odds, default=0.0),
            "least usual word": min(usual, default=0.0),
            "mean word": sum(usual) / len(usual) if usual else 0.0,
            "highest number": float(max(said, default=0)),
            "there": float("there" in held),
            "classes of the image": float(known.classes.sum()) if known.classes is not None else 0.0,
            **{name: float(len(held & listed)) for name, listed in _LISTS.items()},
        }  # fmt: skip
        named |= {mention.name for mention in things}
        found.append(Sentence(values, frozenset(_grams(one, sentence, things, doubtful, known))))
    return found


def _grams(
    one: Reading, sentence: range, things: Sequence[Mention], doubtful: dict[int, float], known: Evidence
) -> Iterable[str]:
    words = [one.words[word] for word in sentence]
    yield from words
    yield from map(" ".join, pairwise(words))
    told: dict[int, str] = {}
    skipped: set[int] = set()
    for mention in things:
        if mention.modifies:
            continue
        many = "s" if mention.plural else ""
        if mention.kind >= 0:
            sort = "absent" if doubtful.get(mention.first, 0.0) >= 0.5 else "present"
        else:
            odds = float(known.differ[mention.row]) if known.differ is not None and mention.row >= 0 else 0.0
            sort = "likely" if odds > _LIKELY else "unlikely" if odds < _UNLIKELY else "thing"
        told[mention.last] = f"<{sort}>{many}"
        if " " in mention.name:
            skipped.add(mention.last - 1)
    shown = []
    for at in sentence:
        word = one.words[at]
        if at in skipped:
            continue
        if word in COLOURS:
            shown.append("<colour>")
        elif word in NUMBERS or word in _SEVERAL:
            shown.append("<number>")
        else:
            shown.append(told.get(at, one.known[at].lemma if one.known[at].noun else word))
    yield from (f"={word}" for word in shown)
    yield from (f"={first} {second}" for first, second in pairwise(shown))


@dataclass(frozen=True)
class Prior:
    """A prior: the means and scales of values, weights of values and n-grams, the curve, and its card."""

    names: list[str]
    means: FloatArray
    scales: FloatArray
    grams: list[str]
    weights: FloatArray  # of values, then of n-grams
    intercept: float
    slope: float
    offset: float
    threshold: float  # of the probability
    card: dict[str, Any]
    images: frozenset[str]
    digest: str = ""

    def shares(self, sentences: Sequence[Sentence]) -> FloatArray:
        """The predicted share of each sentence that is marked."""
        rows = matrix(
            sentences, self.names, self.means, self.scales, {gram: n for n, gram in enumerate(self.grams)}
        )
        return np.asarray(rows @ self.weights + self.intercept, dtype=np.float64)

    def probabilities(self, sentences: Sequence[Sentence]) -> FloatArray:
        """The probability that some of each sentence is marked."""
        return np.asarray(
            1 / (1 + np.exp(-(self.slope * self.shares(sentences) + self.offset))), dtype=np.float64
        )


VALUE_WEIGHT, GRAM_WEIGHT = 0.25, 0.5  # how far ridge lets a value and an n-gram speak


def matrix(
    sentences: Sequence[Sentence],
    names: Sequence[str],
    means: FloatArray,
    scales: FloatArray,
    grams: dict[str, int],
) -> FloatArray:
    """Rows of a regression: standardised values, cut at three deviations, and which n-grams occur."""
    rows = np.zeros((len(sentences), len(names) + len(grams)))
    values = np.array([[one.values[name] for name in names] for one in sentences]).reshape(
        len(sentences), len(names)
    )
    rows[:, : len(names)] = VALUE_WEIGHT * np.clip((values - means) / scales, -3, 3)
    for row, one in enumerate(sentences):
        rows[row, [len(names) + grams[gram] for gram in one.grams if gram in grams]] = GRAM_WEIGHT
    return rows


class Fitted(NamedTuple):
    """A regression before its curve is known."""

    names: list[str]
    means: FloatArray
    scales: FloatArray
    grams: list[str]
    weights: FloatArray
    intercept: float

    def predict(self, sentences: Sequence[Sentence]) -> FloatArray:
        """Predicted shares."""
        return Prior(*self, 1.0, 0.0, 0.5, {}, frozenset()).shares(sentences)


def fit(sentences: Sequence[Sentence], shares: FloatArray, penalty: float = 20.0, fewest: int = 4) -> Fitted:
    """Ridge regression of the marked shares; n-grams of fewer than `fewest` sentences are left out."""
    names = list(sentences[0].values)
    values = np.array([[one.values[name] for name in names] for one in sentences])
    means, scales = values.mean(0), values.std(0)
    scales[scales < 1e-9] = 1.0
    counts = Counter(gram for one in sentences for gram in one.grams)
    grams = sorted(gram for gram, count in counts.items() if count >= fewest)
    rows = matrix(sentences, names, means, scales, {gram: number for number, gram in enumerate(grams)})
    centre = rows.mean(0)
    rows -= centre
    mean = float(shares.mean())
    # The dual: as many unknowns as sentences, of which there are fewer than n-grams.
    dual = np.linalg.solve(rows @ rows.T + penalty * np.eye(len(rows)), shares - mean)
    weights = rows.T @ dual
    return Fitted(names, means, scales, grams, weights, mean - float(centre @ weights))


def save_prior(path: Path, prior: Prior) -> None:
    """Write a prior as plain arrays."""
    notes = {
        "kind": "invented-prior",
        "names": prior.names,
        "numbers": [prior.intercept, prior.slope, prior.offset, prior.threshold],
        "card": prior.card,
        "images": sorted(prior.images),
    }
    with atomically(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            columns=np.stack([prior.means, prior.scales]),
            weights=prior.weights,
            grams=pack_names(prior.grams),
            notes=np.frombuffer(json.dumps(notes).encode(), dtype=np.uint8),
        )


def read_prior(path: Path) -> Prior:
    """Read what `save_prior` wrote; no code in the file is run."""
    wrong = InputError(
        f"{path}: contains no prior. Make one with: captious train invented --findings FILE --out {path}"
    )
    try:
        with np.load(path, allow_pickle=False) as stored:
            if not isinstance(stored, NpzFile):
                raise wrong
            notes = json.loads(stored["notes"].tobytes())
            means, scales = stored["columns"]
            intercept, slope, offset, threshold = notes["numbers"]
            return Prior(
                names=notes["names"],
                means=means,
                scales=scales,
                grams=unpack_names(stored["grams"]),
                weights=stored["weights"],
                intercept=intercept,
                slope=slope,
                offset=offset,
                threshold=threshold,
                card=notes["card"],
                images=frozenset(notes["images"]),
                digest=hashlib.sha256(path.read_bytes()).hexdigest()[:8],
            )
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file. Make one with: captious train invented --findings FILE --out {path}"
        ) from None
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, TypeError):
        raise wrong from None


def opened_prior(path: Path) -> Prior:
    """The prior in a file, read again only if the file has changed since."""
    return _opened(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=4)
def _opened(path: Path, changed: int) -> Prior:
    return read_prior(path)
