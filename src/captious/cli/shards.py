"""`captious score --out`: shards of any size, on this machine or on many."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.corpus.shards import ShardedCorpus
    from captious.metrics import Asked


class EngineChoice(StrEnum):
    """Where shards are scored."""

    local = "local"
    ray = "ray"


Out = Annotated[
    str,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Score shards block by block and write per-caption scores to this folder or address (s3://…). "
        "Run the same command again to resume.",
    ),
]
Engine = Annotated[
    EngineChoice, typer.Option("--engine", help="Score shards on this machine or on a Ray cluster.")
]
Address = Annotated[
    str,
    typer.Option(
        "--address", metavar="URL", help="Ray cluster: ray://host:10001 or auto. Default: start a local one."
    ),
]
BlockRows = Annotated[int, typer.Option("--block", metavar="N", min=1, help="Captions per block of shards.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Count shards and rows and estimate the time, without scoring.")
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace scores of other shards or metrics in --out.")
]
DEFAULT_BLOCK = 1 << 17


def is_sharded(candidates: Sequence[str], out: str, engine: EngineChoice, dry_run: bool) -> bool:
    """Whether shards are meant: a folder, a pattern or an address, or an option that only shards have."""
    from captious.corpus.shards.places import holds_shards

    return bool(out or dry_run or engine is not EngineChoice.local or any(map(holds_shards, candidates)))


def refuse_without_shards(overwrite: bool, address: str, block: int) -> None:
    """Refuse options that only shards use."""
    from captious.errors import InputError

    unused = {
        "--overwrite": ("--out", overwrite),
        "--address": ("--engine ray", address),
        "--block": ("--out", block != DEFAULT_BLOCK),
    }
    for option, (needed, given) in unused.items():
        if given:
            raise InputError(f"{option} only works with {needed}. Leave it out.")


def opened(
    candidates: Sequence[str],
    references: Sequence[str] | None,
    names: Sequence[str] | None,
    duplicates: str,
    block: int,
    others: dict[str, Any],
) -> ShardedCorpus:
    """The shards that were named; options that only make sense in memory are refused."""
    from captious.corpus.shards import open_shards
    from captious.errors import InputError

    mend = {
        "--images": 'Give each row its image in a column "image_path".',
        "--objects": 'Give each row its objects in a column "objects".',
        "--items": "The scores of each caption are written to --out.",
        "--common": "Remove the other images first.",
        "--server": "Score shards on this machine.",
        "--system-encoder": "Leave it out.",
        "--baseline": "Use captious compare --scores.",
        "--cite": "Leave it out.",
        "--fail-under": "Read the JSON of the result.",
        "--worst": "Sort the scores of --out.",
    }
    for option, given in others.items():
        if given:
            raise InputError(f"{option} does not work with shards. {mend[option]}")
    return open_shards(
        candidates,
        references,
        names=names,
        duplicates=duplicates,  # type: ignore[arg-type]  # refused there
        block_rows=block,
    )


def score(
    corpus: ShardedCorpus,
    metrics: list[Asked],
    out: str,
    engine: EngineChoice,
    address: str,
    form: Format,
    csv_safe: bool,
    **draws: Any,
) -> None:
    """Score shards, print the corpus's values, and exit with 1 where something was set aside."""
    from captious import scoring
    from captious.cli.output import emit, note, progress_bar
    from captious.corpus import score_tables

    with progress_bar() as progress:
        found = scoring.score(
            corpus, metrics, out=out or None, engine=engine.value, address=address, progress=progress, **draws
        )
    for line in [*found.notes, *score_tables.unscored_lines(found.scores)]:
        note(line)
    shown = score_tables.score_rows(found.scores) if form is Format.csv else found.tables()
    emit(shown, found.to_dict(), form, csv_safe=csv_safe)
    again = f" ({found.reused:,} of them from an earlier run)" if found.reused else ""
    note(f"scores of {found.rows:,} captions{again} written to {out}")
    for one in found.set_aside:
        named = "" if one.reason.startswith(one.what) else f"{one.what}: "
        note(f"set aside: {named}{one.reason}")
    if found.set_aside:
        raise typer.Exit(1)


def dry_run(corpus: ShardedCorpus, metrics: list[Asked], resamples: int, jobs: int, form: Format) -> None:
    """Say what there is and what it would cost."""
    from captious.cli.output import emit, note
    from captious.engine.shards.estimate import estimate
    from captious.metrics import resolve_all

    found = estimate(corpus, resolve_all(metrics), resamples=resamples, jobs=jobs)
    emit(found.tables(), found.to_dict(), form)
    for line in found.unreadable:
        note(f"cannot be read: {line}")
