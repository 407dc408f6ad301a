"""What a run does to a block: the functions that an engine calls, here or on another machine.

Each takes the `Work`, which is the same for all, and one item; what it has to say is small, and
what it makes is written to the run's folder. Nothing depends on which process runs it, or when.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import IntArray
from captious.corpus.readers import Rows
from captious.corpus.readers.names import roles_of
from captious.corpus.shards import ShardedCorpus
from captious.corpus.shards.blocks import Block, Layout, lay_out, read
from captious.corpus.shards.join import read_bucket, sorted_keys, write_candidates, write_references
from captious.engine.run import statistics_of
from captious.engine.shards.folder import Folder
from captious.engine.shards.parts import PartWriter
from captious.metrics import Batch, Metric
from captious.metrics.base import refuse_too_long
from captious.metrics.languages import refuse_languages

KEYS, JOIN, DROPPED, SHOWN = "work/keys", "work/join", "work/dropped", "work/shown"


class Piece(NamedTuple):
    """What is scored at a time: a block of a shard, or a bucket of candidates and references."""

    number: int
    key: str
    part: str
    rows: int
    block: Block | None = None
    bucket: int = -1


class Receipt(NamedTuple):
    """The result of a scored piece: captions, bytes of its part."""

    rows: int
    size: int


@dataclass(frozen=True)
class Work:
    """Everything that is the same for all blocks; `joined` are the files of a join, by kind."""

    corpus: ShardedCorpus
    metrics: dict[str, Metric]
    folder: Folder
    resamples: int = 0
    seed: int = 0
    knowledge: dict[str, Any] = field(default_factory=dict)
    candidate_files: tuple[str, ...] = ()
    reference_files: tuple[str, ...] = ()
    buckets: int = 0


def look_at(work: Work, item: tuple[str, int]) -> Layout:
    """The layout of a shard of candidates or of references."""
    kind, number = item
    shard = (work.corpus.shards if kind == "candidates" else work.corpus.references)[number]
    return lay_out(shard, number, work.corpus.block_rows)


def write_keys(work: Work, item: tuple[int, Block, bool]) -> int:
    """Keys of a block's captions: system and image, or, for documents, image and references."""
    number, block, documents = item
    keys: list[str] = []
    places: list[int] = []
    for rows, corpus in work.corpus.batches(block):
        images = [corpus.image_ids[i] for i in corpus.image_of.tolist()]
        if documents:
            own = [*corpus.references, []]
            texts = ("\x1f".join(own[i]) for i in corpus.references_of.tolist())
        else:
            texts = (corpus.systems[i] for i in corpus.system_of.tolist())
        keys += [f"{image}\x1e{text}" for image, text in zip(images, texts, strict=True)]
        places += _places(rows)
    kind = "documents" if documents else "captions"
    work.folder.write(f"{KEYS}/{kind}-{number:06d}", sorted_keys(keys, np.array(places, dtype=np.int64)))
    return len(keys)


def write_bucket_file(work: Work, item: tuple[str, int, Block, str]) -> int:
    """A block of candidates or references by bucket of its images' ids."""
    kind, _, block, name = item
    if work.folder.exists(name):
        return 0
    with work.folder.writing(name) as path:
        if kind == "candidates":
            shard = work.corpus.shards[block.shard]
            rows = read(shard, block, work.corpus.batch_rows)
            return write_candidates(rows, block.shard, shard.system, work.buckets, path)
        rows = read(work.corpus.references[block.shard], block, work.corpus.batch_rows)
        return write_references(rows, work.buckets, path)


def collect(work: Work, piece: Piece) -> dict[str, Any]:
    """What a piece contributes to the knowledge of every metric that is corpus-wide."""
    found: dict[str, list[Any]] = {}
    wide = {name: metric for name, metric in work.metrics.items() if metric.corpus_wide}
    for corpus, new in _with_documents(work, piece):
        whole, first = Batch(corpus), None
        for name, metric in wide.items():
            if metric.counts_documents and not new.all():
                first = first or Batch(corpus.select(new))
                found.setdefault(name, []).append(metric.collect(first))
            else:
                found.setdefault(name, []).append(metric.collect(whole))
    return {name: _gathered(wide[name], parts) for name, parts in found.items()}


def _gathered(metric: Metric, parts: list[Any]) -> Any:
    return metric.merge(parts) if len(parts) > 1 else parts[0]


def score_piece(work: Work, piece: Piece) -> Receipt:
    """Score the captions of a piece and write its part."""
    writer = PartWriter(work.metrics, work.resamples, work.seed, piece.key)
    with work.folder.writing(piece.part, durable=True) as path:
        for corpus in corpora(work, piece):
            refuse_too_long(corpus, list(work.metrics.values()))
            refuse_languages(corpus, work.metrics.values())
            batch = Batch(corpus)
            for name, metric in work.metrics.items():
                knowledge = work.knowledge.get(name)
                if not metric.corpus_wide:
                    own = metric.collect(batch)
                    writer.collected(name, own)
                    knowledge = metric.merge([own])
                metric.check(corpus, knowledge)
                writer.add(name, statistics_of(metric, batch, knowledge))
            writer.write(path, batch.corpus)
        rows = writer.close()
        return Receipt(rows, path.stat().st_size)


def corpora(work: Work, piece: Piece) -> Iterator[Corpus]:
    """The captions of a piece, a batch at a time, without those that are dropped."""
    for corpus, _ in _with_rows(work, piece):
        yield corpus


def _with_rows(work: Work, piece: Piece) -> Iterator[tuple[Corpus, IntArray]]:
    """Batches of a piece with the place of each caption in its shard."""
    dropped: dict[int, IntArray] = {}
    if piece.block is None:
        corpus, places = read_bucket(piece.bucket, work.candidate_files, work.reference_files)
        keep = np.ones(len(corpus), dtype=bool)
        rows = np.array([row for _, row in places], dtype=np.int64)
        shard_of = np.array([shard for shard, _ in places], dtype=np.int64)
        for shard in np.unique(shard_of).tolist():
            gone = read_rows(work.folder, DROPPED, shard)
            keep[shard_of == shard] = ~np.isin(rows[shard_of == shard], gone)
        yield _kept(corpus, keep), rows[keep]
        return
    dropped[piece.block.shard] = read_rows(work.folder, DROPPED, piece.block.shard)
    for rows_read, corpus in work.corpus.batches(piece.block):
        rows = np.array(_places(rows_read), dtype=np.int64)
        keep = ~np.isin(rows, dropped[piece.block.shard])
        yield _kept(corpus, keep), rows[keep]


def _kept(corpus: Corpus, keep: Any) -> Corpus:
    return corpus if keep.all() else corpus.select(keep)


def _with_documents(work: Work, piece: Piece) -> Iterator[tuple[Corpus, Any]]:
    """Batches, and which captions show an image that no earlier row has shown."""
    for corpus, rows in _with_rows(work, piece):
        new = np.ones(len(corpus), dtype=bool)
        if piece.block is not None:
            new &= ~np.isin(rows, read_rows(work.folder, SHOWN, piece.block.shard))
        yield corpus, new


def read_rows(folder: Folder, kind: str, shard: int) -> IntArray:
    """Rows of a shard that were noted under a kind."""
    name = f"{kind}-{shard:06d}"
    if not folder.exists(name):
        return np.zeros(0, dtype=np.int64)
    return np.frombuffer(folder.read(name), dtype="<i8")


def _places(rows: Rows) -> list[int]:
    numbers = rows.places.numbers
    return list(numbers) if numbers is not None else list(range(1, len(rows) + 1))


def has_references(layout: Layout) -> bool:
    """Whether the rows of a shard hold references."""
    return "references" in layout.roles or "references" in roles_of(layout.roles)
