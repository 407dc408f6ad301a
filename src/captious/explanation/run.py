"""`explain`: choose captions and explain their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from captious.arguments import check_arguments
from captious.charts.marked_text import MARKED_CSS
from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.given import Given
from captious.errors import InputError, UnknownNameError
from captious.explanation.left_out import LeftOutExplanation, explain_left_out, left_out_table
from captious.explanation.marked import MarkedExplanation, marked_picture
from captious.explanation.occlusion import explain_occlusion
from captious.explanation.scene import GraphExplanation, explain_graphs
from captious.explanation.svg import AnyExplanation, picture
from captious.explanation.tables import explanation_tables
from captious.explanation.transport import explain_plan
from captious.metrics import Asked, Batch, Metric, resolve
from captious.metrics.clip import ClipScore
from captious.metrics.languages import refuse_languages, warn_of_texts
from captious.metrics.spice import Spice
from captious.metrics.vifidel import Vifidel
from captious.metrics.wmd import WordMovers
from captious.metrics.word_space import NEAR
from captious.scoring import as_corpus
from captious.tables import Shown, Table
from captious.tables.html import to_html

if TYPE_CHECKING:
    import pandas as pd

BY_IMAGE = ("clipscore", "mcipscore", "pacscore")
EXPLAINED = ("spice", "vifidel", "wmd", *BY_IMAGE)
_DRAWN = (Spice, Vifidel, WordMovers, ClipScore)


def can_explain(metric: str) -> bool:
    """Whether a metric, named with or without options, can be explained.

    >>> can_explain("wmd[agg=worst]"), can_explain("cider")
    (True, False)
    """
    return metric.partition("[")[0] in EXPLAINED


class Explanations(list[AnyExplanation], Shown):
    """Explanations, one per caption; a notebook draws them."""

    __repr__ = Shown.__repr__  # and not the list's

    def tables(self) -> list[Table]:
        """Return the tables of each explanation, the most important first."""
        return [table for one in self for table in explanation_tables(one)]

    def to_pandas(self) -> pd.DataFrame:
        """A row for each line of each explanation's first table: a flow, a tuple, a word."""
        from captious.tables.frames import data_frame

        firsts = [(one, explanation_tables(one)[0]) for one in self]
        names = ["image_id", "system", *(firsts[0][1].columns if firsts else ())]
        rows = [[one.image_id, one.system, *table.values(row)] for one, table in firsts for row in table.rows]
        return data_frame(rows, names)

    def _repr_html_(self) -> str:
        drawn = (
            f"<style>{MARKED_CSS}</style>{marked_picture(one)}"
            if isinstance(one, MarkedExplanation)
            else to_html(left_out_table(one))
            if isinstance(one, LeftOutExplanation)
            else picture(one, f"explanation-{place}")
            for place, one in enumerate(self)
        )
        return "\n".join(f"<div>{one}</div>" for one in drawn)


def explain(
    corpus: Corpus | Given,
    metric: Asked | None = None,
    *,
    references: Given | None = None,
    image_id: str | int | None = None,
    system: str | None = None,
    near: float = NEAR,
    judged: Mapping[str, FloatArray] | None = None,
) -> Explanations:
    """Explain the scores of all captions of an image, or of the caption with the lowest score.

    Without `metric`, it is vifidel if the corpus has objects, else spice.
    `corpus` is a `Corpus`, or captions and `references` as for `load_corpus`. `judged` maps aspects to mean
    judgments of all captions (NaN if there are none); they are shown beside SPICE's precision and recall.

    >>> corpus = Corpus.from_lists(
    ...     ["a dog on a beach"], objects={"0": ["dog", "frisbee", "frisbee"]})
    >>> found = explain(corpus)[0]
    >>> found.unmatched, found.unsupported
    (['frisbee'], ['beach'])
    """
    check_arguments(explain, locals())
    corpus = as_corpus(corpus, references)
    image_id = None if image_id is None else str(image_id)
    for aspect, column in (judged or {}).items():
        if len(column) != len(corpus):
            counted = f"{len(column):,} values for {len(corpus):,} captions"
            raise InputError(f'judged: "{aspect}" has {counted}; give one for each.')
    chosen = _explainable(metric or usual_metric(corpus))
    chosen.ready()
    if isinstance(chosen, ClipScore) and image_id is not None:  # no need to look at every other image
        asked = _rows(corpus, np.zeros(len(corpus)), image_id, system, lowest_may_be_zero=True)
        corpus = corpus.select(np.array(asked, dtype=np.int64))
    refuse_languages(corpus, [chosen])
    warn_of_texts([chosen], corpus)
    batch = Batch(corpus)
    knowledge: Any = chosen.merge([chosen.collect(batch)])
    chosen.check(corpus, knowledge)
    scores = chosen.score_examples(batch, knowledge)
    may_be_zero = not isinstance(chosen, (Vifidel, WordMovers))
    worth = scores if chosen.higher_is_better else -scores
    rows = _rows(corpus, worth, image_id, system, lowest_may_be_zero=may_be_zero)
    signature = chosen.signature(corpus, knowledge)
    found = explain_rows(corpus, chosen, rows, scores=scores, signature=signature, near=near, judged=judged)
    return Explanations(found)


def usual_metric(corpus: Corpus) -> str:
    """The metric that is explained if none is named: vifidel if there are objects, else spice."""
    return "spice" if corpus.objects is None else "vifidel"


def explain_rows(
    corpus: Corpus,
    metric: Asked,
    rows: Sequence[int],
    *,
    scores: FloatArray,
    signature: str,
    near: float = NEAR,
    judged: Mapping[str, FloatArray] | None = None,
) -> list[AnyExplanation]:
    """Explanations of some examples whose `scores` are known; only these are computed again."""
    chosen = _explainable(metric)
    if isinstance(chosen, Spice):
        return list(_graphs(corpus, chosen, rows, signature, judged or {}))
    if isinstance(chosen, ClipScore):
        own = [float(scores[row]) for row in rows]
        return list(explain_occlusion(corpus, rows, chosen, own, signature))
    if not (isinstance(chosen, _DRAWN) or chosen.gives_findings):
        return list(explain_left_out(corpus, rows, chosen, [float(scores[row]) for row in rows], signature))
    part = corpus.select(np.array(rows, dtype=np.int64)).compact()
    batch = Batch(part)
    knowledge: Any = chosen.merge([chosen.collect(batch)])
    if not isinstance(chosen, (Vifidel, WordMovers)):
        return list(_marked(part, chosen, [float(scores[row]) for row in rows], signature))
    names = (chosen.name, signature, chosen.tokeniser)
    return [
        explain_plan(part, place, chosen.lay_out(batch, knowledge, place), float(scores[row]), names, near)
        for place, row in enumerate(rows)
    ]


def _explainable(metric: Asked) -> Metric:
    chosen = resolve(metric)
    if isinstance(chosen, _DRAWN) or chosen.gives_findings or "image" not in chosen.needs:
        return chosen
    raise InputError(
        f"{chosen.name} cannot be explained. Use {', '.join(BY_IMAGE)}, or a metric that reads no images."
    )


def _marked(
    corpus: Corpus, metric: Metric, scores: Sequence[float], signature: str
) -> Iterator[MarkedExplanation]:
    """The findings of all examples of a corpus."""
    batch = Batch(corpus)
    found = metric.findings(batch, metric.merge([metric.collect(batch)]))
    for row, (places, score) in enumerate(zip(found, scores, strict=True)):
        example = corpus.example(row)
        yield MarkedExplanation(
            metric.name, signature, example.system, example.image_id, example.caption, score, places or ()
        )


def _graphs(
    corpus: Corpus, metric: Spice, rows: Sequence[int], signature: str, judged: Mapping[str, FloatArray]
) -> list[GraphExplanation]:
    examples = [corpus.example(row) for row in rows]
    texts = dict.fromkeys(text for example in examples for text in (example.caption, *example.references))
    tuples = dict(zip(texts, metric.tuples_of(list(texts)), strict=True))
    return [
        explain_graphs(
            tuples[example.caption],
            [tuples[text] for text in example.references],
            example,
            (metric.name, signature),
            judged=_judged_row(judged, row),
        )
        for row, example in zip(rows, examples, strict=True)
    ]


def _judged_row(judged: Mapping[str, FloatArray], row: int) -> dict[str, float]:
    values = {aspect: float(column[row]) for aspect, column in judged.items()}
    return {aspect: value for aspect, value in values.items() if not np.isnan(value)}


def _rows(
    corpus: Corpus, scores: FloatArray, image_id: str | None, system: str | None, *, lowest_may_be_zero: bool
) -> list[int]:
    """Rows of the examples that were asked for."""
    if not len(corpus):
        raise InputError("the corpus has no captions to explain.")
    rows: IntArray = np.arange(len(corpus)) if system is None else corpus.rows_of(system)
    if image_id is None:
        # A plan's score of 0 has nothing to show: there was nothing to move.
        rows = rows[~np.isnan(scores[rows])]
        shown = rows if lowest_may_be_zero else rows[scores[rows] > 0]
        return [int(shown[np.argmin(scores[shown])])] if len(shown) else rows[:1].tolist()
    if image_id not in corpus.image_ids:
        raise UnknownNameError("image", image_id, corpus.image_ids[:1000])
    place = corpus.image_ids.index(image_id)
    found: list[int] = rows[corpus.image_of[rows] == place].tolist()
    if not found:
        raise InputError(f'image "{image_id}": there is no caption by {system}.')
    return found
