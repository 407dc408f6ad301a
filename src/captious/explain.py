"""`explain`: why a caption got its score, as the plan that moved objects to words.

`vifidel` moves the objects in the image to the words of the caption, `wmd` the words of a
reference. The cheapest plan makes the score: what went where, how much of it, at what cost, and
which objects and words have nothing near them on the other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.errors import InputError, UnknownNameError
from captious.metrics import Batch, Metric, resolve
from captious.metrics.vifidel import Vifidel
from captious.metrics.wmd import WordMovers
from captious.metrics.word_space import Transported
from captious.text.tokens import token_table

EXPLAINED = ("vifidel", "wmd")
# Cosines of GloVe from which two words are taken to speak of one thing: person and man have .79,
# bus and street .55. It sorts words for the reader and does not change any score.
NEAR = 0.6
_TRACE = 1e-9  # flows below are rounding of the solver


@dataclass(frozen=True)
class Flow:
    """A share of the whole that went from `source` to `target`; `share` x `cost` is its part."""

    source: str
    target: str
    share: float
    cost: float
    similarity: float

    @property
    def part(self) -> float:
        """What this flow adds to the distance."""
        return self.share * self.cost


@dataclass(frozen=True)
class Word:
    """An object or a word: how much of its side it is, and what is nearest on the other side."""

    text: str
    share: float
    penalty: float | None
    nearest: str
    similarity: float
    met: bool


@dataclass(frozen=True)
class Explanation:
    """One example's score taken apart."""

    metric: str
    signature: str
    image_id: str
    system: str
    caption: str
    reference: str | None
    score: float
    distance: float
    near: float
    sources: list[Word]
    targets: list[Word]
    flows: list[Flow]
    without_vector: list[str]

    @property
    def unmatched(self) -> list[str]:
        """Objects, or words of the reference, that no word of the caption is near to."""
        return [word.text for word in self.sources if not word.met]

    @property
    def unsupported(self) -> list[str]:
        """Words of the caption that are near to no object, or to no word of the reference."""
        return [word.text for word in self.targets if not word.met]

    @property
    def of_objects(self) -> bool:
        """Whether objects were moved rather than words of a reference."""
        return self.reference is None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        found = asdict(self)
        found["flows"] = [asdict(flow) | {"part": flow.part} for flow in self.flows]
        return found | {"unmatched": self.unmatched, "unsupported": self.unsupported}


def explain(
    corpus: Corpus,
    metric: str | Metric = "vifidel",
    *,
    image_id: str | None = None,
    system: str | None = None,
    near: float = NEAR,
) -> list[Explanation]:
    """Explanations of every caption of an image; without `image_id`, of the lowest score.

    >>> corpus = Corpus.from_lists(
    ...     ["a dog on a beach"], objects={"0": ["dog", "frisbee", "frisbee"]})
    >>> found = explain(corpus)[0]
    >>> found.unmatched, found.unsupported
    (['frisbee'], ['beach'])
    """
    chosen = resolve(metric) if isinstance(metric, str) else metric
    if not isinstance(chosen, (Vifidel, WordMovers)):
        raise InputError(
            f"{chosen.name} moves no words, so there is no plan to show. "
            f"Ask for {' or '.join(EXPLAINED)}."
        )
    chosen.ready()
    batch = Batch(corpus)
    knowledge: Any = chosen.merge([chosen.collect(batch)])  # type: ignore[list-item]
    chosen.check(corpus, knowledge)
    scores = chosen.score_examples(batch, knowledge)
    rows = _rows(corpus, scores, image_id, system)
    signature = chosen.signature(corpus, knowledge)
    return [
        _explanation(
            corpus, row, chosen.lay_out(batch, knowledge, row), float(scores[row]),
            (chosen.name, signature, chosen.tokeniser), near,
        )
        for row in rows
    ]  # fmt: skip


def _rows(
    corpus: Corpus, scores: FloatArray, image_id: str | None, system: str | None
) -> list[int]:
    """Rows of the examples that were asked for."""
    if not len(corpus):
        raise InputError("the corpus has no captions to explain.")
    rows: IntArray = np.arange(len(corpus)) if system is None else corpus.rows_of(system)
    if image_id is None:
        # A score of 0 has no plan: there is nothing to move.
        movable = rows[scores[rows] > 0]
        return [int(movable[np.argmin(scores[movable])])] if len(movable) else rows[:1].tolist()
    if image_id not in corpus.image_ids:
        raise UnknownNameError("image", image_id, corpus.image_ids[:1000])
    place = corpus.image_ids.index(image_id)
    found: list[int] = rows[corpus.image_of[rows] == place].tolist()
    if not found:
        raise InputError(f'image "{image_id}": there is no caption by {system}.')
    return found


def _explanation(
    corpus: Corpus, row: int, moved: Transported, score: float, names: tuple[str, str, str],
    near: float,
) -> Explanation:  # fmt: skip
    example = corpus.example(row)
    metric, signature, tokeniser = names
    flows = moved.plan.flows
    columns = _reading_order(example.caption, moved.targets, tokeniser)
    if moved.reference is None:
        lines = _uncrossed_order(flows, columns)
    else:
        lines = _reading_order(moved.reference, moved.sources, tokeniser)
    return Explanation(
        metric=metric,
        signature=signature,
        image_id=example.image_id,
        system=example.system,
        caption=example.caption,
        reference=moved.reference,
        score=score,
        distance=moved.plan.cost,
        near=near,
        sources=_words(lines, moved.sources, moved.source_weights, moved.source_penalties,
                       moved.targets, moved.cosines, near),
        targets=_words(columns, moved.targets, moved.target_weights, moved.target_penalties,
                       moved.sources, moved.cosines.T, near),
        flows=[
            Flow(moved.sources[i], moved.targets[j], float(flows[i, j]),
                 float(moved.costs[i, j]), float(moved.cosines[i, j]))
            for i in lines for j in columns if flows[i, j] > _TRACE
        ],
        without_vector=moved.left_out,
    )  # fmt: skip


def _words(
    order: Sequence[int],
    texts: list[str],
    shares: FloatArray,
    penalties: FloatArray | None,
    others: list[str],
    cosines: FloatArray,
    near: float,
) -> list[Word]:
    found = []
    for i in order:
        nearest = int(cosines[i].argmax())
        similarity = min(float(cosines[i, nearest]), 1.0)
        penalty = float(penalties[i]) if penalties is not None else None
        found.append(
            Word(texts[i], float(shares[i]), penalty, others[nearest], similarity,
                 similarity >= near)
        )  # fmt: skip
    return found


def _reading_order(text: str, words: list[str], tokeniser: str) -> list[int]:
    """Places of the words in the order in which the text says them."""
    said = {word: place for place, word in reversed(list(enumerate(_tokens(text, tokeniser))))}
    return sorted(range(len(words)), key=lambda i: said.get(words[i], len(said)))


def _tokens(text: str, tokeniser: str) -> list[str]:
    return token_table([text], tokeniser).words(0)


def _uncrossed_order(flows: FloatArray, columns: list[int]) -> list[int]:
    """Objects from left to right as the words that they went to."""
    places = np.empty(len(columns))
    places[columns] = np.arange(len(columns))
    centres = (flows @ places) / np.maximum(flows.sum(axis=1), _TRACE)
    order: list[int] = np.argsort(centres, kind="stable").tolist()
    return order
