"""Run a training and print what it found, the same way for every recipe."""

from __future__ import annotations

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
    name = folder if folder.is_absolute() or str(folder).startswith(".") else f"./{folder}"
    note(f"wrote {folder} (see card.md in it); score with --metrics {name}")
