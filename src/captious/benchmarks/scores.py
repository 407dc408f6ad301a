"""Scores of a benchmark's examples, by our metrics or by others', and its examples as rows for these."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.corpus import Corpus, Findings
from captious.corpus.columns import FloatArray
from captious.engine import Progress, run_metrics
from captious.errors import CaptiousWarning, InputError
from captious.metrics import Asked, Metric, resolve_all
from captious.metrics.languages import warn_of_texts


def example_rows(data: RatedExamples | Preferences) -> dict[str, list[Any]]:
    """Columns of all examples that the protocol scores, with the ids that files of scores name them by.

    Where the protocol draws references, an example has a row for each `draw`.

    >>> from captious.benchmarks.protocol import Protocol, rated_examples
    >>> from captious.corpus import Corpus
    >>> corpus = Corpus.from_lists(["a dog", "a cat"], [["dog"], ["cat"]])
    >>> list(example_rows(rated_examples(Protocol("mine"), corpus, {"overall": [[4], [1]]}, ["a", "b"])))
    ['id', 'image', 'caption', 'references']
    """
    corpora = data.corpora if isinstance(data, Preferences) else [data.corpus]
    first = corpora[0]
    examples = [example for corpus in corpora for example in corpus]
    columns: dict[str, list[Any]] = {"id": data.keys() * len(corpora)}
    if len(corpora) > 1:
        columns["draw"] = [draw for draw, corpus in enumerate(corpora) for _ in range(len(corpus))]
    columns["image"] = [one.image_id for one in examples]
    if len(first.systems) > 1:
        columns["system"] = [one.system for one in examples]
    columns["caption"] = [one.caption for one in examples]
    if len(first.references):
        columns["references"] = [one.references for one in examples]
    if first.image_paths is not None:
        columns["image_path"] = [one.image_path for one in examples]
    if first.objects is not None:
        columns["objects"] = [one.objects for one in examples]
    return columns


@dataclass(frozen=True, eq=False)
class BenchmarkScores:
    """The scores of each metric, one row per draw of references.

    `arrays[metric]` is `(draws, examples)`; higher is always better. NaN marks images that the metric
    could not read. `findings` are those of metrics that say where a caption is wrong, of benchmarks whose
    raters did: example `i` is row `i` of the corpus.
    """

    arrays: dict[str, FloatArray]
    signatures: dict[str, str]
    findings: dict[str, Findings] = field(default_factory=dict)

    def join(self, other: BenchmarkScores) -> BenchmarkScores:
        """Both, refusing a name that is in both."""
        twice = sorted(self.signatures.keys() & other.signatures.keys())
        if twice:
            raise InputError(
                f'metric "{twice[0]}" is both computed here and in the file of scores. '
                "Rename its column, or leave it out of --metrics."
            )
        return BenchmarkScores(
            self.arrays | other.arrays, self.signatures | other.signatures, self.findings | other.findings
        )


def metrics_for(specifications: Asked | Sequence[Asked], documents: str) -> dict[str, Metric]:
    """Metrics by the name they were asked for, with the protocol's documents for CIDEr.

    >>> metrics_for("cider", "examples")["cider"].documents
    'examples'
    """
    found = {}
    for name, metric in resolve_all(specifications).items():
        metric.ready()
        options = {field.name for field in fields(metric)}
        open_choice = "documents" in options and "documents=" not in name.replace(" ", "")
        found[name] = replace(metric, documents=documents) if open_choice else metric  # type: ignore[call-arg]
    return found


def compute_scores(
    data: RatedExamples | Preferences,
    metrics: Mapping[str, Metric],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    unread: bool = False,
) -> BenchmarkScores:
    """Run the metrics over the benchmark's examples, once for each draw of references.

    With `unread` an image that a metric cannot read leaves NaN; otherwise it is an error. Of a benchmark
    whose raters marked places the metrics' findings are kept too, where they give any.
    """
    corpora = data.corpora if isinstance(data, Preferences) else [data.corpus]
    _require_references(data.protocol.name, metrics, corpora[0])
    warn_of_texts(metrics.values(), corpora[0])
    draws: dict[str, list[FloatArray]] = {name: [] for name in metrics}
    signatures: dict[str, str] = {}
    findings: dict[str, Findings] = {}
    marked = isinstance(data, RatedExamples) and data.findings is not None
    for corpus in corpora:
        runs = run_metrics(corpus, list(metrics.values()), jobs=jobs, progress=progress, findings=marked)
        for (name, metric), run in zip(metrics.items(), runs, strict=True):
            values = metric.example_scores(run.statistics)
            if not (unread and "image" in metric.needs):
                _require_finite(name, values, corpus)
            draws[name].append(values if metric.higher_is_better else -values)
            if name not in signatures:  # every draw has the same captions
                for line in metric.notes(corpus, run.knowledge):
                    warnings.warn(line, CaptiousWarning, stacklevel=2)
            signatures[name] = metric.signature(corpus, run.knowledge)
            if run.found is not None:
                findings[name] = Findings.from_places(corpus, name, run.found).on(corpus)
    return BenchmarkScores({name: np.stack(rows) for name, rows in draws.items()}, signatures, findings)


def _require_references(benchmark: str, metrics: Mapping[str, Metric], corpus: Corpus) -> None:
    needy = next((name for name, one in metrics.items() if "references" in one.needs), None)
    if needy is not None and len(corpus) and not corpus.reference_counts.any():
        raise InputError(
            f"{benchmark} has no references, but {needy} needs them. Add a column `references` (exports of "
            "campaigns that were created with references have one), choose metrics that need none, or give "
            "scores computed elsewhere with --scores FILE."
        )


def _require_finite(name: str, values: FloatArray, corpus: Corpus) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        example = corpus.example(int(bad[0]))
        raise InputError(
            f"{name} has no score for {len(bad)} examples, the first of image "
            f'"{example.image_id}". Leave out the metric or those examples.'
        )
