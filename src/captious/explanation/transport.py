"""A score taken apart as the plan that moved objects to words.

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
from captious.corpus.columns import FloatArray
from captious.metrics.word_space import NEAR, Transported
from captious.text.tokens import token_table

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


def explain_plan(
    corpus: Corpus,
    row: int,
    moved: Transported,
    score: float,
    names: tuple[str, str, str],
    near: float = NEAR,
) -> Explanation:
    """A solved plan in the words of its example; `names` are metric, signature and tokeniser."""
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
        sources=_words(
            lines,
            moved.sources,
            moved.source_weights,
            moved.source_penalties,
            moved.targets,
            moved.cosines,
            near,
        ),
        targets=_words(
            columns,
            moved.targets,
            moved.target_weights,
            moved.target_penalties,
            moved.sources,
            moved.cosines.T,
            near,
        ),
        flows=[
            Flow(
                moved.sources[i],
                moved.targets[j],
                float(flows[i, j]),
                float(moved.costs[i, j]),
                float(moved.cosines[i, j]),
            )
            for i in lines
            for j in columns
            if flows[i, j] > _TRACE
        ],
        without_vector=moved.left_out,
    )


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
            Word(texts[i], float(shares[i]), penalty, others[nearest], similarity, similarity >= near)
        )
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
