"""Meta-evaluation: a benchmark's captions are scored, and each metric is judged by the humans."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from captious.arguments import check_arguments
from captious.benchmarks.meta_evaluation import published, tables
from captious.benchmarks.meta_evaluation.correlations import correlations
from captious.benchmarks.meta_evaluation.preference import accuracies
from captious.benchmarks.meta_evaluation.result import INTERVALS, MetaResult, MetaSettings, Value
from captious.benchmarks.meta_evaluation.score_files import read_scores
from captious.benchmarks.meta_evaluation.spans import span_measures
from captious.benchmarks.protocol import SPANS, Preferences, RatedExamples
from captious.benchmarks.registry import CHOICES, load_benchmark
from captious.benchmarks.scores import BenchmarkScores, compute_scores, metrics_for
from captious.benchmarks.selection.extra_inputs import ExtraInputs
from captious.benchmarks.selection.parts import groups_of, part_of
from captious.benchmarks.selection.seen_images import without_seen_images, without_unread_images
from captious.corpus import Corpus, Judgments
from captious.corpus.given import Given
from captious.corpus.readers.memory import is_path
from captious.engine import Progress
from captious.errors import CaptiousWarning, InputError, UnknownNameError
from captious.groups import expand, usual
from captious.metrics import Asked, find
from captious.metrics.registry import is_folder
from captious.tables import Shown, Table

if TYPE_CHECKING:
    import pandas as pd


def benchmark_scores(
    data: RatedExamples | Preferences,
    metrics: Sequence[Asked],
    file: Given | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> BenchmarkScores:
    """The scores of our metrics on a benchmark, and of others' metrics in a file or a table.

    With one, a name that is no metric of ours is a column of it; where no such name is given,
    all its columns are taken. Images that a metric cannot read have NaN: `without_unread_images`
    leaves them out.
    """
    if file is None:
        return _computed(data, metrics, jobs, progress)
    ours = _ours(metrics)
    theirs = [name for name in metrics if isinstance(name, str) and name not in ours]
    computed = _computed(data, ours, jobs, progress) if ours else BenchmarkScores({}, {})
    return computed.join(read_scores(file, data, theirs or None))


def _ours(asked: Sequence[Asked]) -> list[Asked]:
    return [
        one
        for one in asked
        if not isinstance(one, str) or is_folder(one) or find(one.partition("[")[0]) is not None
    ]


def _computed(
    data: RatedExamples | Preferences, asked: Sequence[Asked], jobs: int, progress: Progress | None
) -> BenchmarkScores:
    metrics = metrics_for(asked, data.protocol.documents)
    return compute_scores(data, metrics, jobs=jobs, progress=progress, unread=True)


def evaluate(
    data: RatedExamples | Preferences, scores: BenchmarkScores, settings: MetaSettings | None = None
) -> MetaResult:
    """Compare every metric's scores with the benchmark's human judgments.

    >>> import numpy as np
    >>> from captious.benchmarks.protocol import Protocol, rated_examples
    >>> from captious.corpus import Corpus
    >>> corpus = Corpus.from_lists(["a", "b", "c", "d"], [["a"]] * 4)
    >>> data = rated_examples(Protocol("mine"), corpus, {"overall": [[1], [2], [3], [4]]}, list("abcd"))
    >>> mine = BenchmarkScores({"mine": np.array([[1.0, 3.0, 2.0, 4.0]])}, {"mine": "mine"})
    >>> found = evaluate(data, mine, MetaSettings(coefficients=("pearson",), resamples=0))
    >>> round(found.results["mine"]["pearson"].value, 3)
    0.8
    """
    settings = settings or MetaSettings()
    if not (scores.arrays or scores.findings):
        raise InputError("no metric to evaluate. Name one with --metrics, or give --scores FILE.")
    if settings.interval not in INTERVALS:
        raise UnknownNameError("interval", settings.interval, INTERVALS)
    if isinstance(data, Preferences):
        return accuracies(data, scores, settings)
    if (settings.aspect or data.protocol.aspect) == SPANS:
        return span_measures(data, scores, settings)
    return correlations(data, scores, settings)


def evaluate_aspects(
    loaded: RatedExamples | Preferences, scores: BenchmarkScores, aspects: list[str], settings: MetaSettings
) -> list[MetaResult]:
    """One result for each aspect that was asked for, or one for the protocol's own."""
    if not aspects:
        return [evaluate(loaded, scores, settings)]
    return [evaluate(loaded, scores, replace(settings, aspect=aspect)) for aspect in aspects]


def evaluate_parts(
    loaded: RatedExamples | Preferences,
    scores: BenchmarkScores,
    column: str,
    aspects: list[str],
    settings: MetaSettings,
) -> dict[str, list[MetaResult]]:
    """Results for each value of a column, by the scores that the captions have among all."""
    if isinstance(loaded, Preferences):
        raise InputError(f"--by: {loaded.protocol.name} has its own categories. Leave it out.")
    found = {}
    for value, rows in groups_of(loaded, column).items():
        if len(rows) > 1:
            data, own = part_of(loaded, scores, rows)
            found[value] = evaluate_aspects(data, own, aspects, settings)
    if not found:
        raise InputError(f"--by {column}: no value has two captions, but a correlation needs at least two.")
    return found


@dataclass(frozen=True, repr=False)
class MetaResults(Shown):
    """The result of `meta`: one result per aspect, and per value of a column if `by` is given."""

    results: list[MetaResult]
    by: str = ""
    parts: dict[str, list[MetaResult]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> dict[str, Value]:
        """The coefficients of a metric, of the first aspect."""
        found = self.results[0].results
        if metric not in found:
            raise UnknownNameError("metric", metric, found)
        return found[metric]

    def tables(self) -> list[Table]:
        """The protocol, then a table for each aspect, then differences and parts."""
        return [*tables.tables(self.results), *tables.by_value(self.by, self.parts)]

    def table(self) -> Table:
        """The table of coefficients; `tables()` starts with the protocol."""
        return self.tables()[1]

    def latex_tables(self) -> list[Table]:
        """The tables for a paper, with the protocol in comments."""
        return [*tables.latex_tables(self.results), *tables.by_value(self.by, self.parts)]

    def to_latex(self) -> str:
        """The tables in LaTeX, with the protocol in comments."""
        return "\n".join(table.to_latex() for table in self.latex_tables())

    def long_table(self) -> Table:
        """A row for each aspect, metric and coefficient."""
        return tables.long_table(self.results)

    def published(self) -> Table:
        """These values beside those that papers print for the same protocol, sorted; a table with a chart."""
        return published.beside(self.results)

    def figure(self, path: str | PathLike[str]) -> None:
        """Draw `published()` as an .svg, .png or .pdf file."""
        from captious.charts.drawn import figure_of
        from captious.charts.render import save

        save(figure_of(self.published()), Path(path))

    def to_pandas(self) -> pd.DataFrame:
        """A row for each aspect, metric and coefficient, with its interval."""
        return self.long_table().to_pandas().reset_index()

    def to_dict(self) -> dict[str, Any]:
        """The first result's shape; several aspects and parts stand beside it."""
        return _payload(self.results, self.parts)


def meta(
    benchmark: Given,
    metrics: Asked | Sequence[Asked] | None = None,
    *,
    data: str | PathLike[str] | None = None,
    scores: Given | None = None,
    aspects: str | Sequence[str] = (),
    settings: MetaSettings | None = None,
    objects: str | PathLike[str] | None = None,
    images: str | PathLike[str] | None = None,
    reference_count: int | None = None,
    where: str | Sequence[str] = (),
    by: str = "",
    unseen: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    **choices: str | None,
) -> MetaResults:
    """Correlate metrics with human judgments, under a benchmark's named protocol.

    `benchmark` is a benchmark's name, a file of judgments or a table of them in memory; `data` the
    folder of the benchmark data. `metrics` are names, metrics or functions of your own. `scores` is a file
    or a table of scores computed elsewhere, whose rows have the ids of `captious get rows` or an image
    and a caption; its other columns may be named in `metrics`. `settings` says coefficients, level, interval
    and draws where the protocol's own are not wanted; `choices` are the benchmark's (`human`, `leaked`,
    `release`, `subset`). `where` keeps the rows of your own file with `column=value`; `by` gives the result
    for each value of a column too. A metric that was trained on some of the images is refused; with
    `unseen` these images are left out, for all metrics.

    >>> given = [("A dog.", 5), ("A cat.", 1), ("A dog runs.", 4), ("A hat.", 2)]
    >>> rows = [{"image": str(n), "caption": text, "references": ["A dog runs."], "rating": rating}
    ...     for n, (text, rating) in enumerate(given)]
    >>> found = meta(rows, ["rouge_l"], settings=MetaSettings(coefficients=("pearson",), resamples=0))
    >>> round(found["rouge_l"]["pearson"].value, 2)
    0.83
    """
    check_arguments(meta, locals())
    for key in choices:
        if key in MetaSettings.__annotations__ and key not in CHOICES:
            raise InputError(f"{key} is of the settings. Give settings=captious.MetaSettings({key}=…).")
        if key not in CHOICES:
            own = (name for name in meta.__annotations__ if name not in ("choices", "return"))
            raise UnknownNameError("argument of meta", key, [*own, *CHOICES])
    if isinstance(benchmark, Judgments):
        raise InputError("judgments alone have no references. Give the file or table that they come from.")
    aspects, where = ([one] if isinstance(one, str) else one for one in (aspects, where))
    settings = settings or MetaSettings()
    given = ExtraInputs(_path(objects), _path(images), reference_count)
    named = str(benchmark) if is_path(benchmark) else benchmark
    loaded = load_benchmark(named, _path(data), given, where=where, by=by, **choices)
    corpus = loaded.corpora[0] if isinstance(loaded, Preferences) else loaded.corpus
    wanted = expand(_asked(metrics, scores, corpus), corpus)
    for line in wanted.reasons():
        warnings.warn(line, CaptiousWarning, stacklevel=2)
    loaded = without_seen_images(
        loaded, wanted.metrics if scores is None else _ours(wanted.metrics), drop=unseen
    )
    found = benchmark_scores(loaded, wanted.metrics, scores, jobs=jobs, progress=progress)
    loaded, found = without_unread_images(loaded, found)
    results = evaluate_aspects(loaded, found, list(aspects), settings)
    parts = evaluate_parts(loaded, found, by, list(aspects), settings) if by else {}
    return MetaResults(results, by, parts, tuple(loaded.notes))


def _asked(
    metrics: Asked | Sequence[Asked] | None, scores: object, corpus: Corpus
) -> Asked | Sequence[Asked]:
    """With a file of scores a name may be a column of it, and none means all its columns."""
    if metrics is None or (isinstance(metrics, Sequence) and not len(metrics)):
        return "" if scores is not None else usual(corpus)
    return metrics


def _path(given: str | PathLike[str] | None) -> Path | None:
    return None if given is None else Path(given)


def _payload(results: list[MetaResult], parts: dict[str, list[MetaResult]]) -> dict[str, Any]:
    found = results[0].to_dict()
    if len(results) > 1:
        found["aspects"] = {result.protocol["aspect"]: result.to_dict()["results"] for result in results}
    if parts:
        found["by"] = {value: _payload(own, {}) for value, own in parts.items()}
    return found
