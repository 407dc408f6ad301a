"""Run a training and print what it found, the same way for every recipe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.learn import Settings, TrainingData


def train_and_print(
    data: TrainingData,
    settings: Settings,
    out: Path | None,
    overwrite: bool,
    form: Format,
    *,
    by_set: bool = False,
) -> None:
    """Train, write the folder, print the tables; `by_set` prints Table 11's layout first."""
    from captious.cli.output import emit, note, progress_bar
    from captious.learn import tables, train

    for line in settings.notes:
        note(line)
    folder = out or Path(settings.name)
    try:
        with progress_bar() as progress:
            trained = train(data, settings, folder, overwrite=overwrite, progress=progress, note=note)
    except KeyboardInterrupt:
        note("stopped; run the same command again to resume")
        raise
    report = trained.report
    shown = [tables.layout_of_table_11(report)] if by_set else []
    shown += list(tables.figure_tables(report))
    if report.comparisons:
        shown.append(tables.comparison_table(report))
    if report.importance:
        shown.append(tables.importance_table(report))
    if report.curve:
        shown.append(tables.curve_table(report))
    shown.append(tables.calibration_table(report))
    emit(shown, report.to_dict(), form)
    note(report.verdict)
    if report.worse_than_mean:
        note(report.worse_than_mean)
    name = folder if folder.is_absolute() or str(folder).startswith(".") else f"./{folder}"
    note(f"wrote {folder} (see card.md in it); score with --metrics {name}")


def train_each_and_print(
    data: TrainingData,
    settings: Settings,
    pools: dict[str, list[str]],
    out: Path | None,
    overwrite: bool,
    form: Format,
) -> None:
    """Train a model of each data set and pool into folders of `out`, and print all on all test parts."""
    from captious.cli.output import emit, note, progress_bar
    from captious.learn.grid import train_each

    for line in settings.notes:
        note(line)
    folder = out or Path(settings.name)
    try:
        with progress_bar() as progress:
            grid, trained = train_each(
                data.sets, pools, settings, folder, overwrite=overwrite, progress=progress, note=note
            )
    except KeyboardInterrupt:
        note("stopped; run the same command again with --overwrite to resume")
        raise
    emit([grid.table()], grid.to_dict(), form)
    for name, one in trained.items():
        if one.report.worse_than_mean:
            note(f"model {name}: {one.report.worse_than_mean}")
    note(f"wrote {', '.join(str(one.folder) for one in trained.values())} (see card.md in each)")


def pools_typed(given: Sequence[str]) -> dict[str, list[str]]:
    """Pools of data sets as they are typed.

    >>> pools_typed(["iicr16k=flickrg+cocog"])
    {'iicr16k': ['flickrg', 'cocog']}
    """
    from captious.errors import InputError

    found = {}
    for text in given:
        name, _, sets = text.partition("=")
        if not name.replace("-", "_").isidentifier() or len(sets.split("+")) < 2:
            raise InputError(f'--pool "{text}": write NAME=SET+SET, such as iicr16k=flickrg+cocog.')
        found[name] = sets.split("+")
    return found
