"""What a run would cost: shards and rows as they are, time by metric from a timed sample."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from captious.corpus.shards import ShardedCorpus
from captious.corpus.shards.blocks import lay_out
from captious.corpus.shards.places import size_of
from captious.engine.run import statistics_of
from captious.errors import CaptiousError
from captious.metrics import Batch, Metric
from captious.stats.poisson import poisson_sums, text_hashes
from captious.tables import Number, Shown, Table

SAMPLE_ROWS = 2_000
SHARED = "tokens"
INTERVALS = "intervals"


@dataclass(frozen=True)
class Estimate(Shown):
    """Seconds a caption by step, from `sample` captions; what there is to do, and what cannot be read."""

    shards: int
    rows: int
    size: int
    blocks: int
    sample: int
    seconds: dict[str, float]
    jobs: int
    unreadable: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """Seconds of the whole run, over all processes."""
        return sum(self.seconds.values()) * self.rows

    def tables(self) -> list[Table]:
        """A row for each step."""
        rows: list[list[Any]] = [
            [name, Number(own * 1e6, f"{own * 1e6:,.1f}"), Number(own * self.rows, duration(own * self.rows))]
            for name, own in self.seconds.items()
        ]
        all_of_it = sum(self.seconds.values())
        rows.append(["together", Number(all_of_it * 1e6, f"{all_of_it * 1e6:,.1f}"), duration(self.total)])
        processes = f" with {self.jobs} processes" if self.jobs > 1 else ""
        note = (
            f"{self.rows:,} captions in {self.shards:,} shards ({self.size / 1e9:,.2f} GB), "
            f"{self.blocks:,} blocks; timed on {self.sample:,} captions.\n"
            f"About {duration(self.total / self.jobs)}{processes}, if the other captions are similar."
        )
        return [Table("", ["step", "µs a caption", "time for all"], rows, note)]

    def to_dict(self) -> dict[str, Any]:
        """Raw values, in seconds."""
        return {
            "shards": self.shards,
            "rows": self.rows,
            "bytes": self.size,
            "blocks": self.blocks,
            "sample": self.sample,
            "seconds_a_caption": self.seconds,
            "seconds": self.total / self.jobs,
            "jobs": self.jobs,
            "unreadable": list(self.unreadable),
        }


def estimate(
    corpus: ShardedCorpus, metrics: Mapping[str, Metric], *, resamples: int = 0, jobs: int = 1
) -> Estimate:
    """Look at every shard, score a sample, and say what all would take; nothing is written."""
    rows = blocks = size = 0
    bad = []
    for number, shard in enumerate(corpus.shards):
        try:
            layout = lay_out(shard, number, corpus.block_rows)
        except CaptiousError as error:
            bad.append(error.typed)
            continue
        rows, blocks, size = rows + layout.rows, blocks + len(layout.blocks), size + size_of(shard.address)
    clock = time.perf_counter()
    sample = corpus.sample(SAMPLE_ROWS)
    seconds = {"reading": time.perf_counter() - clock}
    batch = Batch(sample)
    if any("references" in metric.needs for metric in metrics.values()):
        clock = time.perf_counter()
        batch.tokens()
        seconds[SHARED] = time.perf_counter() - clock
    widths = 0
    for name, metric in metrics.items():
        clock = time.perf_counter()
        knowledge = metric.merge([metric.collect(batch)])
        widths += statistics_of(metric, batch, knowledge).shape[1]
        seconds[name] = time.perf_counter() - clock
    if resamples:
        import numpy as np

        clock = time.perf_counter()
        hashes = text_hashes(sample.image_ids)[:, 0][sample.image_of]
        poisson_sums(hashes, np.ones((len(sample), max(1, widths))), resamples, 0)
        seconds[INTERVALS] = time.perf_counter() - clock
    each = {name: own / len(sample) for name, own in seconds.items()}
    return Estimate(len(corpus.shards), rows, size, blocks, len(sample), each, jobs, tuple(bad))


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(12.3), duration(600), duration(200_000)
    ('12 s', '10 min', '55.6 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:,.1f} h"
