"""A part: the scores of one block as a Parquet file, with the sums of its statistics in the footer.

Columns are those of `--items`: system, image_id, caption, one for each metric and its details. A
metric that is not a mean of its examples' scores has a further column `NAME.statistics`, so that the
score of any set of captions can be had from the file. The footer holds, by system, summed
statistics as they are and under the weights of the Poisson bootstrap: the corpus's scores are a
matter of reading footers.

What metrics note is kept as JSON, never a pickle: loading one can run whatever code its author put there.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.readers.tables import parquet_errors
from captious.corpus.shards.places import opened
from captious.errors import InputError
from captious.metrics import Metric
from captious.stats.poisson import poisson_sums, text_hashes

_CLASS, _TUPLE = "class", "tuple"


def to_plain(value: Any) -> Any:
    """A value as JSON holds it.

    >>> from captious.metrics.image_notes import Noted
    >>> from_plain(to_plain((1, [Noted(images=2)])))
    (1, [Noted(images=2, broken={}, texts=0, tokens=0)])
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [to_plain(own) for own in value]
    names = getattr(value, "_fields", None) or (
        [own.name for own in fields(value)] if is_dataclass(value) else None
    )
    if names is not None:
        kind = f"{type(value).__module__}:{type(value).__name__}"
        return {_CLASS: kind, "fields": {name: to_plain(getattr(value, name)) for name in names}}
    if isinstance(value, tuple):
        return {_TUPLE: [to_plain(own) for own in value]}
    if isinstance(value, Mapping):
        return {"dict": [[key, to_plain(own)] for key, own in value.items()]}
    raise InputError(
        f"a metric collected {type(value).__name__}, which cannot be saved with the scores. "
        "Let it collect numbers, texts, lists, dicts and dataclasses."
    )


def from_plain(value: Any) -> Any:
    """The value that `to_plain` turned into JSON; only records of metrics' modules are made again."""
    if isinstance(value, list):
        return [from_plain(own) for own in value]
    if not isinstance(value, dict):
        return value
    if _TUPLE in value:
        return tuple(map(from_plain, value[_TUPLE]))
    if "dict" in value:
        return {key: from_plain(own) for key, own in value["dict"]}
    module, _, name = value[_CLASS].partition(":")
    kind = getattr(import_module(module), name) if module.startswith("captious.metrics.") else None
    if not (isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields"))):
        raise InputError(f'the scores contain an unknown record type ("{value[_CLASS]}").')
    return kind(**{key: from_plain(own) for key, own in value["fields"].items()})


FOOTER = "captious"
STATISTICS = ".statistics"


def is_mean(metric: Metric) -> bool:
    """Whether a metric's scores tell its statistics: score and 1, or nothing where there is no score."""
    own = type(metric)
    return (
        own.corpus_score is Metric.corpus_score
        and own.example_scores is Metric.example_scores
        and own.statistics is Metric.statistics
    )


@dataclass
class Sums:
    """Summed statistics of some captions of one system: as they are, by resample, and how many are scored."""

    total: FloatArray
    drawn: FloatArray
    scored: int = 0

    def __iadd__(self, other: Sums) -> Sums:
        self.total = self.total + other.total
        self.drawn = self.drawn + other.drawn
        self.scored += other.scored
        return self


@dataclass
class Footer:
    """What a part says of itself: captions, fewest and most references, sums by system and metric."""

    key: str
    rows: int = 0
    references: tuple[int, int] | None = None
    sums: dict[str, dict[str, Sums]] = field(default_factory=dict)
    collected: dict[str, list[Any]] = field(default_factory=dict)


class PartWriter:
    """Writes a part batch by batch; `add` each metric's statistics, then `write` the batch."""

    def __init__(self, metrics: Mapping[str, Metric], resamples: int, seed: int, key: str) -> None:
        self.metrics, self.resamples, self.seed = metrics, resamples, seed
        self.footer = Footer(key)
        self._batch: dict[str, FloatArray] = {}
        self._writer: Any = None

    def collected(self, name: str, part: Any) -> None:
        """Keep what a metric noted of a batch."""
        if part is not None:
            self.footer.collected.setdefault(name, []).append(part)

    def add(self, name: str, statistics: FloatArray) -> None:
        """Keep a metric's statistics of the batch."""
        self._batch[name] = statistics

    def write(self, path: Path, corpus: Corpus) -> None:
        """Write the batch."""
        from pyarrow import parquet

        table = _table(corpus, self.metrics, self._batch)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(path, table.schema, compression="zstd")
        self._writer.write_table(table)
        self._sum(corpus)
        self._batch = {}

    def _sum(self, corpus: Corpus) -> None:
        self.footer.rows += len(corpus)
        counts = corpus.reference_counts
        if len(counts):
            low, high = int(counts.min()), int(counts.max())
            before = self.footer.references or (low, high)
            self.footer.references = min(low, before[0]), max(high, before[1])
        hashes = text_hashes(corpus.image_ids)[:, 0]
        joined = np.hstack(list(self._batch.values()))
        ends = np.cumsum([own.shape[1] for own in self._batch.values()])[:-1]
        for place, system in enumerate(corpus.systems):
            rows = np.flatnonzero(corpus.system_of == place)
            if not len(rows):
                continue
            drawn = np.zeros((0, joined.shape[1]))
            if self.resamples:
                drawn = poisson_sums(hashes[corpus.image_of[rows]], joined[rows], self.resamples, self.seed)
            totals = np.split(joined[rows].sum(axis=0), ends)
            draws = np.split(drawn, ends, axis=1)
            own = self.footer.sums.setdefault(system, {})
            for (name, statistics), total, by_draw in zip(self._batch.items(), totals, draws, strict=True):
                values = self.metrics[name].example_scores(statistics[rows])
                found = Sums(total, by_draw, int(np.count_nonzero(~np.isnan(values))))
                if name in own:
                    own[name] += found
                else:
                    own[name] = found

    def close(self) -> int:
        """Write the footer; returns how many captions the part holds."""
        if self._writer is None:
            raise InputError("the block contains no captions. Check that it is the right file.")
        self._writer.add_key_value_metadata({FOOTER: _footer_text(self.footer)})
        self._writer.close()
        return self.footer.rows


def read_footer(address: str) -> Footer:
    """What a part says of itself."""
    from pyarrow import parquet

    with opened(address) as file, parquet_errors(address):
        found = (parquet.ParquetFile(file).metadata.metadata or {}).get(FOOTER.encode())
    if found is None:
        raise InputError(f"{address}: was not written by captious score. Score the shards again.")
    return _footer_of(found)


def _table(corpus: Corpus, metrics: Mapping[str, Metric], batch: Mapping[str, FloatArray]) -> Any:
    import pyarrow as arrow

    columns: dict[str, Any] = {
        "system": arrow.array(corpus.systems, arrow.string()).take(arrow.array(corpus.system_of)),
        "image_id": arrow.array(corpus.image_ids, arrow.string()).take(arrow.array(corpus.image_of)),
        "caption": arrow.array(corpus.captions, arrow.string()),
    }
    for name, statistics in batch.items():
        metric = metrics[name]
        columns[name] = arrow.array(metric.example_scores(statistics))
        columns |= {f"{name}.{part}": arrow.array(own) for part, own in metric.details(statistics).items()}
        if not is_mean(metric):
            flat = arrow.array(np.ascontiguousarray(statistics).reshape(-1))
            columns[name + STATISTICS] = arrow.FixedSizeListArray.from_arrays(flat, statistics.shape[1])
    return arrow.table(columns)


def _footer_text(footer: Footer) -> str:
    arrays = []
    shapes: dict[str, dict[str, Any]] = {}
    for system, own in footer.sums.items():
        for name, sums in own.items():
            shapes.setdefault(system, {})[name] = [len(sums.total), len(sums.drawn), sums.scored]
            arrays += [sums.total, sums.drawn.reshape(-1)]
    flat = np.concatenate(arrays).astype("<f8").tobytes() if arrays else b""
    head = {
        "key": footer.key,
        "rows": footer.rows,
        "references": footer.references,
        "sums": shapes,
        "collected": {name: to_plain(parts) for name, parts in footer.collected.items()},
        "numbers": base64.b85encode(zlib.compress(flat, 1)).decode(),
    }
    return orjson.dumps(head).decode()


def _footer_of(text: bytes) -> Footer:
    head = orjson.loads(text)
    flat = np.frombuffer(zlib.decompress(base64.b85decode(head["numbers"])), dtype="<f8")
    sums: dict[str, dict[str, Sums]] = {}
    at = 0
    for system, own in head["sums"].items():
        for name, (width, draws, scored) in own.items():
            end = at + width * (draws + 1)
            total, drawn = flat[at : at + width], flat[at + width : end].reshape(draws, width)
            sums.setdefault(system, {})[name] = Sums(total, drawn, scored)
            at = end
    collected = {name: from_plain(parts) for name, parts in head["collected"].items()}
    references = tuple(head["references"]) if head["references"] else None
    return Footer(head["key"], head["rows"], references, sums, collected)
