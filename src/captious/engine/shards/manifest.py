"""The manifest: what was scored, with what, and which parts hold the scores. Written last, whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from captious._version import __version__
from captious.engine.shards.folder import Folder
from captious.engine.shards.log import Done
from captious.engine.shards.result import ShardedScores
from captious.engine.shards.survey import Plan
from captious.errors import InputError

MANIFEST = "manifest.json"
FORMAT = "captious-sharded-scores-1"
FILTERED = "captious-filtered-1"


def write_manifest(folder: Folder, plan: Plan, result: ShardedScores, parts: list[Done]) -> None:
    """Write the manifest; nothing in it depends on when or where the run was."""
    work = plan.work
    shards = [
        {"address": work.corpus.shards[i].address, "digest": layout.digest, "rows": layout.rows}
        for i, layout in sorted(plan.layouts.items())
    ]
    references = [
        {"address": work.corpus.references[i].address, "digest": layout.digest, "rows": layout.rows}
        for i, layout in sorted(plan.reference_layouts.items())
    ]
    content = {
        "format": FORMAT,
        "version": __version__,
        "rows": result.rows,
        "metrics": {
            name: {"signature": result[name].signature, "options": repr(metric)}
            for name, metric in work.metrics.items()
        },
        "resamples": work.resamples,
        "seed": work.seed,
        "level": result.scores.level,
        **result.scores.to_dict(),
        "set_aside": [one._asdict() for one in result.set_aside],
        "candidates": shards,
        "references": references,
        "parts": [{"file": one.part, "rows": one.rows} for one in parts],
    }
    folder.write(MANIFEST, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n", durable=True)


def finished_before(folder: Folder) -> dict[str, Any] | None:
    """The manifest of a run that has scored everything here; none where blocks were set aside."""
    found = read_manifest(folder) if folder.exists(MANIFEST) else None
    return None if found is None or found["set_aside"] else found


def read_manifest(folder: Folder, formats: Sequence[str] = (FORMAT,)) -> dict[str, Any]:
    """The manifest of a finished run of one of these formats."""
    if not folder.exists(MANIFEST):
        raise InputError(
            f"{folder.address}: contains no finished scores (no {MANIFEST}). "
            "Score the shards with --out, or run the same command again to finish it."
        )
    try:
        content = orjson.loads(folder.read(MANIFEST))
    except orjson.JSONDecodeError:
        content = None
    if not isinstance(content, dict) or content.get("format") not in formats:
        raise InputError(f"{folder.file(MANIFEST)}: was not written by `captious score --out`.")
    return content
