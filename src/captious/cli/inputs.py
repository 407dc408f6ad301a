"""From what was typed to a corpus and metrics, the same way in every command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from captious.cli.output import note
from captious.corpus import Corpus
from captious.corpus.load import load_with_notes
from captious.metrics import Metric, resolve, resolve_all, split_list
from captious.scoring import CLASSIC, missing_for


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
    """The metrics that were asked for, or every classic one that can run here."""
    names = split_list(text) if text else _classic_here()
    if not text and df is None and corpus is not None and len(corpus.references) == 1:
        names = [name for name in names if name != "cider"]
        note("cider is left out: one image has no document frequencies. Give a table with --df.")
    if df is None:
        return list(names)
    wanted = [_with_table(name, df) for name in names]
    if not any(isinstance(metric, Metric) for metric in wanted):
        note(f"--df {df} is not used: none of these metrics has document frequencies, as cider has.")
    return wanted


def refuse_unknown(text: str) -> None:
    """Refuse a wrong metric before files are read."""
    if text:
        resolve_all(split_list(text))


def _classic_here() -> list[str]:
    ready = []
    for name in CLASSIC:
        missing = missing_for(name)
        if missing:
            note(f"{name} is left out: {missing}")
        else:
            ready.append(name)
    return ready


def _with_table(name: str, df: Path) -> str | Metric:
    """The metric with its document frequencies from a file, where it uses any."""
    from dataclasses import fields, replace

    metric = resolve(name)
    if "df" in {field.name for field in fields(metric)}:  # type: ignore[arg-type]
        return replace(metric, df=str(df))  # type: ignore[type-var]
    return name
