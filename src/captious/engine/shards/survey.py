"""A first look at all shards: what can be read, how it is cut, and which rows come again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from captious.corpus.shards.blocks import Block, Layout, Shard
from captious.corpus.shards.join import Repeat, repeats
from captious.engine.shards.local import Do, Failure
from captious.engine.shards.log import digest_of, identity
from captious.engine.shards.work import (
    DROPPED,
    JOIN,
    KEYS,
    SHOWN,
    Piece,
    Work,
    has_references,
    look_at,
    read_rows,
    write_bucket_file,
    write_keys,
)
from captious.errors import InputError
from captious.progress import Report

_FLUSH = 1 << 20  # rows that are kept in memory before they are written


class Engine(Protocol):
    """Where items are done: `each` yields every item with what came of it, in any order."""

    name: str

    def each(self, do: Do, work: Any, items: Any) -> Iterator[tuple[Any, Any]]:
        """Each item with what `do` returned, or with a `Failure`."""

    def close(self) -> None:
        """End what is still running."""


class SetAside(NamedTuple):
    """A shard or block that could not be scored, and why."""

    what: str
    reason: str


@dataclass(frozen=True)
class Plan:
    """What there is to score: pieces in order, and what was set aside or passed over before."""

    work: Work
    pieces: list[Piece]
    layouts: dict[int, Layout]
    reference_layouts: dict[int, Layout]
    set_aside: list[SetAside] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Captions in the shards that can be read."""
        return sum(layout.rows for layout in self.layouts.values())

    @property
    def digest(self) -> str:
        """The hash of all that is read."""
        both = (self.layouts, self.reference_layouts)
        return digest_of(*([one[i].digest for i in sorted(one)] for one in both))


def survey(work: Work, engine: Engine, progress: Report | None = None) -> Plan:
    """Look at every shard, refuse second captions, join references, and cut all into pieces."""
    plan = _layouts(work, engine, progress)
    if not any(layout.blocks for layout in plan.layouts.values()):
        first = plan.set_aside[0].reason if plan.set_aside else "the shards contain no captions."
        raise InputError(first)
    if work.corpus.references and not plan.reference_layouts:
        of_references = {shard.address for shard in work.corpus.references}
        reasons = [one.reason for one in plan.set_aside if one.what in of_references]
        raise InputError(reasons[0] if reasons else "the reference shards contain no rows.")
    plan = _with_references(plan)
    blocks = [block for i in sorted(plan.layouts) for block in plan.layouts[i].blocks]
    if work.corpus.duplicates != "all":
        _find_duplicates(plan, blocks, engine)
    if not work.corpus.references and _counts_documents(work):
        _find_shown(plan, blocks, engine)
    return _joined(plan, engine) if work.corpus.references else _by_block(plan, blocks)


def _layouts(work: Work, engine: Engine, progress: Report | None) -> Plan:
    corpus = work.corpus
    items = [("candidates", i) for i in range(len(corpus.shards))]
    items += [("references", i) for i in range(len(corpus.references))]
    found: dict[str, dict[int, Layout]] = {"candidates": {}, "references": {}}
    bad: dict[tuple[str, int], SetAside] = {}
    notes: dict[tuple[str, int], str] = {}
    for done, (item, layout) in enumerate(engine.each(look_at, work, items)):
        if progress:
            progress("shards", done, len(items))
        kind, number = item
        address = getattr(corpus, "shards" if kind == "candidates" else "references")[number].address
        if isinstance(layout, Failure):
            bad[item] = SetAside(address, layout.reason)
        elif not layout.rows:
            notes[item] = f"{address}: has no rows."
        else:
            found[kind][number] = layout
    ordered = [bad[item] for item in items if item in bad]
    return Plan(
        work, [], found["candidates"], found["references"], ordered, [notes[i] for i in sorted(notes)]
    )


def _with_references(plan: Plan) -> Plan:
    """Without shards that lack the references that a metric needs; refused where all of them do."""
    needing = [name for name, one in plan.work.metrics.items() if "references" in one.needs]
    without = [i for i, layout in sorted(plan.layouts.items()) if not has_references(layout)]
    if not needing or not without or plan.work.corpus.references:
        return plan
    bad = [
        SetAside(plan.work.corpus.shards[i].address, _lacks_references(plan, i, needing[0])) for i in without
    ]
    if len(bad) == len(plan.layouts):
        raise InputError(bad[0].reason)
    kept = {i: layout for i, layout in plan.layouts.items() if i not in without}
    return replace(plan, layouts=kept, set_aside=[*plan.set_aside, *bad])


def _lacks_references(plan: Plan, shard: int, metric: str) -> str:
    return (
        f"{plan.work.corpus.shards[shard].address}: {metric} needs references, but there is no column "
        '"references". Add it, or give reference shards with --references.'
    )


def _counts_documents(work: Work) -> bool:
    return any(one.corpus_wide and one.counts_documents for one in work.metrics.values())


def _find_duplicates(plan: Plan, blocks: list[Block], engine: Engine) -> None:
    first: Repeat | None = None
    count = 0
    spill = _Spill(plan.work, DROPPED, blocks)
    for repeat in _repeats(plan, blocks, engine, documents=False):
        count += 1
        if first is None or repeat < first:
            first = repeat
        if plan.work.corpus.duplicates == "first":
            spill.add(repeat)
    spill.write()
    if first is None:
        return
    if plan.work.corpus.duplicates == "error":
        here, there = (_place(plan, blocks, *at) for at in ((first.block, first.row), first[2:]))
        raise InputError(
            f"{here}: a second caption for the same image (the first is at {there}); {count:,} in all. Keep "
            'one for each image, or open them with --duplicates "first" or "all".'
        )
    plan.notes.append(f"{count:,} repeated captions (same system and image) were left out.")


def _find_shown(plan: Plan, blocks: list[Block], engine: Engine) -> None:
    spill = _Spill(plan.work, SHOWN, blocks)
    for repeat in _repeats(plan, blocks, engine, documents=True):
        spill.add(repeat)
    spill.write()


def _repeats(plan: Plan, blocks: list[Block], engine: Engine, *, documents: bool) -> Iterator[Repeat]:
    kind = "documents" if documents else "captions"
    read = []
    items = [(i, block, documents) for i, block in enumerate(blocks)]
    for (number, _, _), found in engine.each(write_keys, plan.work, items):
        if isinstance(found, Failure):  # it will fail again when it is scored, and be set aside then
            plan.work.folder.remove(f"{KEYS}/{kind}-{number:06d}")
        else:
            read.append(number)
    read.sort()
    folder = plan.work.folder
    for repeat in repeats(
        lambda i, begin, end: folder.read_range(f"{KEYS}/{kind}-{read[i]:06d}", begin, end), len(read)
    ):
        yield Repeat(read[repeat.block], repeat.row, read[repeat.first_block], repeat.first_row)
    folder.remove(KEYS)


class _Spill:
    """Rows by shard, in memory until there are many, then in one file per shard."""

    def __init__(self, work: Work, kind: str, blocks: list[Block]) -> None:
        self.work, self.kind, self.blocks = work, kind, blocks
        self.rows: dict[int, list[int]] = defaultdict(list)
        self.kept = 0
        for name in work.folder.names("work"):
            if name.startswith(f"{kind}-"):
                work.folder.remove(name)

    def add(self, repeat: Repeat) -> None:
        self.rows[self.blocks[repeat.block].shard].append(repeat.row)
        self.kept += 1
        if self.kept >= _FLUSH:
            self.write()

    def write(self) -> None:
        for shard, rows in self.rows.items():
            before = read_rows(self.work.folder, self.kind, shard)
            together = np.sort(np.concatenate([before, np.array(rows, dtype=np.int64)]))
            self.work.folder.write(f"{self.kind}-{shard:06d}", together.astype("<i8").tobytes())
        self.rows.clear()
        self.kept = 0


def _place(plan: Plan, blocks: list[Block], block: int, row: int) -> str:
    shard: Shard = plan.work.corpus.shards[blocks[block].shard]
    unit = "row" if shard.address.lower().endswith(".parquet") else "line"
    return f"{shard.address}: {unit} {row}"


def _by_block(plan: Plan, blocks: list[Block]) -> Plan:
    work = plan.work
    settings = _settings(plan)
    pieces = []
    counts: dict[int, int] = defaultdict(int)
    for number, block in enumerate(blocks):
        gone = read_rows(work.folder, DROPPED, block.shard)
        inside = gone[(gone > block.first) & (gone <= block.first + block.rows)]
        digest = plan.layouts[block.shard].digest
        key = digest_of(
            settings, digest, block.first, block.rows, work.corpus.shards[block.shard].system, inside.tolist()
        )
        part = f"scores/part-{block.shard:05d}-{counts[block.shard]:05d}-{key[:12]}.parquet"
        counts[block.shard] += 1
        pieces.append(Piece(number, key, part, block.rows - len(inside), block))
    return replace(plan, pieces=pieces)


def _joined(plan: Plan, engine: Engine) -> Plan:
    """Candidates and references by bucket, and a piece for each bucket."""
    buckets = max(1, -(-plan.rows // plan.work.corpus.batch_rows))
    folder = f"{JOIN}-{digest_of(plan.digest, buckets)[:12]}"
    items = []
    for kind, layouts in (("candidates", plan.layouts), ("references", plan.reference_layouts)):
        blocks = [block for i in sorted(layouts) for block in layouts[i].blocks]
        items += [(kind, i, block, f"{folder}/{kind}-{i:06d}.arrow") for i, block in enumerate(blocks)]
    work = replace(plan.work, buckets=buckets)
    bad = [
        SetAside(_block_name(work, kind, block), found.reason)
        for (kind, _, block, _), found in engine.each(write_bucket_file, work, items)
        if isinstance(found, Failure)
    ]
    failed = [name for _, _, _, name in items if not work.folder.exists(name)]
    files = {
        kind: tuple(work.folder.file(name) for own, _, _, name in items if own == kind and name not in failed)
        for kind in ("candidates", "references")
    }
    work = replace(work, candidate_files=files["candidates"], reference_files=files["references"])
    settings, whole = _settings(plan), digest_of(plan.digest, failed, work.corpus.duplicates)
    systems = [shard.system for shard in work.corpus.shards]
    keys = [digest_of(settings, whole, systems, buckets, bucket) for bucket in range(buckets)]
    pieces = [
        Piece(i, key, f"scores/part-{i:05d}-{key[:12]}.parquet", plan.rows // buckets, bucket=i)
        for i, key in enumerate(keys)
    ]
    return replace(plan, work=work, pieces=pieces, set_aside=[*plan.set_aside, *sorted(bad)])


def _block_name(work: Work, kind: str, block: Block) -> str:
    shards = work.corpus.shards if kind == "candidates" else work.corpus.references
    return f"{shards[block.shard].address}, rows {block.first + 1:,} to {block.first + block.rows:,}"


def piece_name(plan: Plan, piece: Piece) -> str:
    """What a piece is called where it is set aside."""
    if piece.block is None:
        return f"bucket {piece.bucket + 1} of {len(plan.pieces)}"
    return _block_name(plan.work, "candidates", piece.block)


def _settings(plan: Plan) -> str:
    """Everything besides a block's own content that its scores depend on."""
    work = plan.work
    wide = any(metric.corpus_wide for metric in work.metrics.values())
    return digest_of(
        [identity(name, metric) for name, metric in work.metrics.items()],
        [work.resamples, work.seed if work.resamples else 0, work.corpus.batch_rows],
        [plan.digest, work.corpus.duplicates] if wide else [],
    )


def renamed(part: str, key: str) -> str:
    """A part's name under another key.

    >>> renamed("scores/part-00001-00002-aaaaaaaaaaaa.parquet", "b" * 32)
    'scores/part-00001-00002-bbbbbbbbbbbb.parquet'
    """
    return f"{part.rpartition('-')[0]}-{key[:12]}.parquet"
