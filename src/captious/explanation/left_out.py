"""Which words carry a score: each is left out, and the rest of the caption scored again.

For metrics of text that have no drawing of their own and mark no places, such as CIDEr and BLEU. What the
metric knows of the corpus (document frequencies) stays that of the whole corpus. The losses need not add up
to the score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from captious.corpus import Corpus
from captious.explanation.occlusion import Covered
from captious.metrics import Batch, Metric
from captious.tables import Cell, Table

COLUMNS = ["word", "score without it", "loss"]


@dataclass(frozen=True)
class LeftOutExplanation:
    """A caption's words, each with the score without it."""

    metric: str
    signature: str
    system: str
    image_id: str
    caption: str
    score: float
    words: list[Covered]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "metric": self.metric,
            "signature": self.signature,
            "system": self.system,
            "image_id": self.image_id,
            "caption": self.caption,
            "score": self.score,
            "words": [word._asdict() for word in self.words],
        }


def explain_left_out(
    corpus: Corpus, rows: Sequence[int], metric: Metric, scores: Sequence[float], signature: str
) -> Iterator[LeftOutExplanation]:
    """Score some examples again without each of their words."""
    knowledge: Any = metric.merge([metric.collect(Batch(corpus))])
    for row, score in zip(rows, scores, strict=True):
        example = corpus.example(row)
        words = example.caption.split()
        rest = [" ".join([*words[:place], *words[place + 1 :]]) for place in range(len(words))]
        same = corpus.select(np.full(len(words), row, dtype=np.int64))
        values: list[float] = []
        if words:
            values = metric.score_examples(Batch(replace(same, captions=rest)), knowledge).tolist()
        found = [Covered(word, value, score - value) for word, value in zip(words, values, strict=True)]
        yield LeftOutExplanation(
            metric.name, signature, example.system, example.image_id, example.caption, score, found
        )


def left_out_table(one: LeftOutExplanation) -> Table:
    """A row for each word, in the order of the caption."""
    rows: list[list[Cell]] = [[word.name, word.without, word.loss] for word in one.words]
    title = f"{one.metric} {one.score:.4f}, {one.system}, image {one.image_id}: {one.caption}"
    return Table(title, COLUMNS, rows, one.signature)


def left_out_in_words(one: LeftOutExplanation) -> str:
    """The table as a sentence, the greatest loss first.

    >>> words = [Covered("a", 0.5, 0.1), Covered("dog", 0.2, 0.4)]
    >>> left_out_in_words(LeftOutExplanation("cider", "", "m", "7", "a dog", 0.6, words))
    'Drop in the score without each word: dog +0.400, a +0.100.'
    """
    said = [f"{word.name} {word.loss:+.3f}" for word in sorted(one.words, key=lambda word: -word.loss)]
    return f"Drop in the score without each word: {', '.join(said)}."
