"""Score shards: look at them, gather what metrics must know, score block by block, add up.

Every step is made of items that can be done in any order and on any machine; what is finished is
in the log, and what is in the log is not done again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from captious.corpus.shards import ShardedCorpus
from captious.corpus.shards.places import is_address
from captious.engine.shards.folder import Folder
from captious.engine.shards.knowledge import gather
from captious.engine.shards.local import Failure
from captious.engine.shards.log import LOG, Done, add_to_log, read_log
from captious.engine.shards.manifest import MANIFEST, finished_before, write_manifest
from captious.engine.shards.parts import read_footer
from captious.engine.shards.result import ShardedScores, Totals, scores_of
from captious.engine.shards.survey import Engine, Plan, SetAside, piece_name, survey
from captious.engine.shards.work import Piece, Work, score_piece
from captious.errors import InputError
from captious.metrics import Metric
from captious.progress import ASIDE, Report

OURS = (LOG, MANIFEST, "scores", "work", ".lock", f"{LOG}.lines")

_SAMPLE = 100  # captions whose languages and markup signatures tell


def score_shards(
    corpus: ShardedCorpus,
    metrics: Mapping[str, Metric],
    out: str | os.PathLike[str],
    engine: Engine,
    *,
    resamples: int = 0,
    level: float = 0.95,
    seed: int = 0,
    overwrite: bool = False,
    progress: Report | None = None,
) -> ShardedScores:
    """Score every caption of the shards; the captions' scores are written to the folder `out`.

    Run again after an interruption, it does what is left. A block that fails three times is set
    aside with its reason. The manifest is written when all that can be scored is. Finished scores
    of shards or metrics that this run leaves out are not removed unless `overwrite` says so.
    """
    folder = Folder.at(out)
    _refuse_other_folder(folder)
    for metric in metrics.values():
        metric.prepare(progress)
    with _alone(folder):
        if not overwrite:
            _refuse_to_lose(folder, corpus, metrics)
        try:
            work = Work(corpus, dict(metrics), folder, resamples, seed)
            plan = gather(survey(work, engine, progress), engine, progress)
            return _scored(plan, engine, level, progress)
        finally:
            engine.close()


def _scored(plan: Plan, engine: Engine, level: float, progress: Report | None) -> ShardedScores:
    folder, work = plan.work.folder, plan.work
    before = finished_before(folder)
    folder.remove(MANIFEST)  # what stands there is of a run before, until this one is done
    log = {key: done for key, done in read_log(folder).items() if _is_whole(folder, done)}
    left = [piece for piece in plan.pieces if piece.key not in log]
    reused = sum(log[piece.key].rows for piece in plan.pieces if piece.key in log)
    bad: dict[int, SetAside] = {}
    told = _Told(progress, left)
    for piece, found in engine.each(score_piece, work, left):
        if isinstance(found, Failure):
            bad[piece.number] = SetAside(piece_name(plan, piece), found.reason)
        else:
            log[piece.key] = Done(piece.part, found.rows, found.size)
            add_to_log(folder, piece.key, log[piece.key])
        told(piece)
    parts = [log[piece.key] for piece in plan.pieces if piece.number not in bad]
    aside = (*plan.set_aside, *(bad[number] for number in sorted(bad)))
    if not parts:
        raise InputError(f"no block could be scored. The first: {aside[0].reason}")
    totals = Totals.of((read_footer(folder.file(one.part)) for one in parts), work.metrics)
    result = ShardedScores(
        scores=scores_of(totals, work.metrics, work.knowledge, level, work.corpus.sample(_SAMPLE).captions),
        out=folder.address,
        rows=totals.rows,
        reused=reused,
        set_aside=aside,
        notes=(*plan.notes, *_replaced(before, parts)),
    )
    _clear(folder, parts)
    write_manifest(folder, plan, result, parts)
    if not result.set_aside:
        folder.remove("work")
    return result


class _Told:
    """Tells of captions and shards that this run has done; what was there before does not count."""

    def __init__(self, progress: Report | None, pieces: list[Piece]) -> None:
        self.progress, self.done, self.total = progress, 0, sum(piece.rows for piece in pieces)
        self.left = Counter(_shard(piece) for piece in pieces)
        self.shards = len(self.left)
        self._say()

    def __call__(self, piece: Piece) -> None:
        self.done += piece.rows
        self.left[_shard(piece)] -= 1
        self._say()

    def _say(self) -> None:
        if self.progress:
            ended = self.shards - sum(1 for count in self.left.values() if count)
            self.progress(f"captions{ASIDE}{ended:,} of {self.shards:,} shards", self.done, self.total)


def _shard(piece: Piece) -> int:
    return piece.bucket if piece.block is None else piece.block.shard


def _is_whole(folder: Folder, done: Done) -> bool:
    if is_address(folder.address):
        return folder.exists(done.part)
    path = Path(folder.file(done.part))
    return path.is_file() and path.stat().st_size == done.size


def _clear(folder: Folder, parts: list[Done]) -> None:
    """Remove parts of other settings or shards, or half written: the folder holds what the manifest names."""
    named = {one.part for one in parts}
    for name in folder.names("scores"):
        if name not in named:
            folder.remove(name)


def _refuse_other_folder(folder: Folder) -> None:
    """Refuse to write among files that are not ours."""
    if is_address(folder.address):
        return
    others = [own.name for own in Path(folder.address).iterdir() if own.name not in OURS]
    if others:
        raise InputError(
            f"{folder.address}: contains other files ({min(others)}). Give --out an empty or new folder."
        )


def _refuse_to_lose(folder: Folder, corpus: ShardedCorpus, metrics: Mapping[str, Metric]) -> None:
    """Refuse to remove finished scores that this run does not work out again."""
    before = finished_before(folder)
    if before is None:
        return
    given = {shard.address for shard in corpus.shards}
    lost = [one["address"] for one in before["candidates"] if one["address"] not in given]
    lost += [name for name in before["metrics"] if name not in metrics]
    if lost:
        more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        systems, names = (", ".join(before[what]) for what in ("systems", "metrics"))
        raise InputError(
            f"{folder.address}: contains finished scores of {systems} ({before['rows']:,} captions; {names})."
            f" This run would drop {lost[0]}{more}.",
            python="Name another folder, or use overwrite=True to replace them.",
            command="Name another --out, or use --overwrite to replace them.",
        )


def _replaced(before: dict[str, Any] | None, parts: list[Done]) -> list[str]:
    """A line on finished scores whose place new ones take."""
    kept = {one.part for one in parts}
    gone = sum(part["rows"] for part in (before or {"parts": []})["parts"] if part["file"] not in kept)
    if not gone:
        return []
    return [f"replaced the scores of {gone:,} captions by an earlier run with other shards or options."]


@contextmanager
def _alone(folder: Folder) -> Iterator[None]:
    """No two runs write to one folder. The lock goes with the process, however it ends."""
    if is_address(folder.address):
        yield
        return
    import fcntl

    with (Path(folder.address) / ".lock").open("w") as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"{folder.address}: another run is writing there. Wait for it, or give another folder."
            ) from None
        yield
    (Path(folder.address) / ".lock").unlink(missing_ok=True)
