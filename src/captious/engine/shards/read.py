"""Read what a run over shards wrote: the corpus's values, and some captions with their statistics.

A page, a test of two systems or a scatter plot need no hundred million captions. `sampled` keeps the
captions of some images, chosen by a hash of the image id: the same images for every system, the
same in every run. Values of the whole corpus come from the sums in the parts' footers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from captious.corpus import Corpus, MetricScores, Scores
from captious.corpus.columns import FloatArray
from captious.corpus.readers.tables import parquet_errors
from captious.corpus.shards.places import opened
from captious.engine.shards.folder import Folder
from captious.engine.shards.manifest import read_manifest
from captious.engine.shards.parts import STATISTICS, is_mean, read_footer
from captious.engine.shards.result import Totals, corpus_score
from captious.errors import InputError, UnknownNameError
from captious.metrics import Metric, resolve
from captious.stats.poisson import NAME, text_hashes

SAMPLE_IMAGES = 20_000
PAGE_IMAGES = 2_000
BATCH_ROWS = 1 << 15


@dataclass(frozen=True)
class Sampled:
    """Scores whose corpus values are of all captions, and whose examples are of some images."""

    scores: Scores
    totals: Totals
    share: float

    @property
    def note(self) -> str:
        """What a reader must know of the sample; empty where all captions are in it."""
        if self.share >= 1:
            return ""
        corpus = self.scores.corpus
        return (
            f"scores and intervals cover all {self.totals.rows:,} captions; examples, charts and counts "
            f"cover a sample of {len(corpus.image_ids):,} images ({len(corpus):,} captions), "
            "chosen by a hash of their ids."
        )

    def for_page(self) -> Scores:
        """The scores with the note on the sample under every table."""
        if not self.note:
            return self.scores
        metrics = {
            name: replace(one, notes=(*one.notes, self.note)) for name, one in self.scores.metrics.items()
        }
        return replace(self.scores, metrics=metrics)


def sampled(
    place: str | os.PathLike[str], images: int = SAMPLE_IMAGES, metrics: list[str] | None = None
) -> Sampled:
    """The scores that `captious score --out` wrote: `metrics` of them, of about `images` images."""
    folder = Folder(str(place).removeprefix("file://"))
    manifest = read_manifest(folder)
    names = _chosen(list(manifest["metrics"]), metrics)
    known = {name: _metric(name) for name in names}
    files = [folder.file(part["file"]) for part in manifest["parts"]]
    totals = Totals.of((read_footer(file) for file in files), {})
    share = min(1.0, images * len(totals.sums) / max(1, totals.rows))
    corpus, statistics = _examples(files, known, share)
    found = {
        name: _metric_scores(name, metric, manifest, totals, statistics[name])
        for name, metric in known.items()
    }
    return Sampled(Scores(corpus, found, manifest["level"], NAME), totals, share)


def score_batches(place: str | os.PathLike[str]) -> Iterator[Any]:
    """All captions and scores in a folder that `captious score --out` wrote, a batch at a time."""
    from pyarrow import parquet

    folder = Folder(str(place).removeprefix("file://"))
    for part in read_manifest(folder)["parts"]:
        address = folder.file(part["file"])
        with opened(address) as file, parquet_errors(address):
            table = parquet.ParquetFile(file)
            wanted = [name for name in table.schema_arrow.names if not name.endswith(STATISTICS)]
            yield from table.iter_batches(BATCH_ROWS, columns=wanted, use_threads=False)


def _chosen(there: list[str], metrics: list[str] | None) -> list[str]:
    for name in metrics or ():
        if name not in there:
            raise UnknownNameError("metric of the scores", name, there)
    return metrics or there


def _metric(name: str) -> Metric:
    """The metric that turns sums into scores; its options do not matter for that."""
    return resolve(name.partition("[")[0])


def _metric_scores(
    name: str, metric: Metric, manifest: dict[str, Any], totals: Totals, statistics: FloatArray
) -> MetricScores:
    entries = [own[name] for own in manifest["systems"].values() if name in own]
    return MetricScores(
        name=name,
        signature=manifest["metrics"][name]["signature"],
        values=metric.example_scores(statistics),
        statistics=statistics,
        systems={
            system: corpus_score(metric, own[name], manifest["level"]) for system, own in totals.sums.items()
        },
        metric=metric,
        percent=metric.percent,
        title=metric.title,
        notes=tuple(entries[0].get("notes", ())) if entries else (),
    )


def _examples(
    files: list[str], metrics: dict[str, Metric], share: float
) -> tuple[Corpus, dict[str, FloatArray]]:
    import pyarrow as arrow

    texts: dict[str, list[str]] = {"image_id": [], "system": [], "caption": []}
    numbers: dict[str, list[FloatArray]] = {name: [] for name in metrics}
    for batch in _batches(files, metrics):
        ids = batch.column("image_id").to_pylist()
        keep = np.flatnonzero(_in_sample(ids, share))
        own = batch.take(arrow.array(keep))
        for name, column in texts.items():
            column.extend(own.column(name).to_pylist())
        for name, metric in metrics.items():
            numbers[name].append(_statistics(own, name, metric))
    if not texts["caption"]:
        raise InputError("the scores contain no captions of the sample. Sample more images.")
    corpus = Corpus.from_lists(texts["caption"], image_ids=texts["image_id"], systems=texts["system"])
    return corpus, {name: np.concatenate(parts) for name, parts in numbers.items()}


def _in_sample(ids: list[str], share: float) -> Any:
    if share >= 1:
        return np.ones(len(ids), dtype=bool)
    # The second number: the first decides the bootstrap's weights.
    return text_hashes(ids)[:, 1] < np.uint64(int(share * 2**64))


def _statistics(batch: Any, name: str, metric: Metric) -> FloatArray:
    if not is_mean(metric):
        column = batch.column(name + STATISTICS)
        width = column.type.list_size
        return np.asarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(-1, width)
    values = batch.column(name).to_numpy(zero_copy_only=False)
    known = ~np.isnan(values)
    return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=1)


def _batches(files: list[str], metrics: dict[str, Metric]) -> Iterator[Any]:
    from pyarrow import parquet

    wanted = ["image_id", "system", "caption"]
    wanted += [name if is_mean(metric) else name + STATISTICS for name, metric in metrics.items()]
    for address in files:
        with opened(address) as file, parquet_errors(address):
            yield from parquet.ParquetFile(file).iter_batches(BATCH_ROWS, columns=wanted, use_threads=False)
