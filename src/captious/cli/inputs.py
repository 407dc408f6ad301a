"""From what was typed to a corpus and metrics, the same way in every command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from captious.cli.output import note
from captious.corpus import Corpus
from captious.corpus.load import load_with_notes
from captious.groups import GROUPS, expand
from captious.metrics import Metric, resolve, resolve_all, split_list
from captious.metrics.scripts import script_notes


def load(
    candidates: Sequence[Path],
    references: Sequence[Path] | None,
    names: Sequence[str] | None,
    images: Path | None = None,
    objects: Path | None = None,
    common: bool = False,
    duplicates: str = "error",
) -> Corpus:
    """Load what was named on the command line, and say what a reader should know of it."""
    loaded = load_with_notes(
        candidates,
        references or None,
        names=names,
        images=images,
        objects=objects,
        common=common,
        duplicates=duplicates,  # type: ignore[arg-type]  # load_with_notes refuses what is unknown
    )
    for line in loaded.notes:
        note(line)
    return loaded.corpus


def metrics(text: str, df: Path | None = None, corpus: Corpus | None = None) -> list[str | Metric]:
    """The metrics that were asked for, groups by their members, or every classic one that can run."""
    chosen = expand(text or "classic", corpus, frequencies=df is not None)
    for name, why in chosen.left_out.items():
        note(f"{name} is left out: {why}")
    wanted = chosen.metrics
    if corpus is not None:
        for line in script_notes(resolve_all(wanted), corpus.captions):
            note(line)
    if df is None:
        return wanted
    wanted = [_with_table(str(name), df) for name in wanted]
    if not any(isinstance(metric, Metric) for metric in wanted):
        note(f"--df {df} is not used: none of these metrics has document frequencies, as cider has.")
    return wanted


def refuse_unknown(text: str) -> None:
    """Refuse a wrong metric before files are read."""
    named = [name for name in split_list(text) if name not in GROUPS]
    if named:
        resolve_all(named)


def _with_table(name: str, df: Path) -> str | Metric:
    """The metric with its document frequencies from a file, where it uses any."""
    from dataclasses import fields, replace

    metric = resolve(name)
    if "df" in {field.name for field in fields(metric)}:  # type: ignore[arg-type]
        return replace(metric, df=str(df))  # type: ignore[type-var]
    return name
