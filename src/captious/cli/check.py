"""`captious check`: what is wrong with captions before they are scored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from captious.cli import options
from captious.cli.output import Format


def check(
    candidates: options.Candidates,
    references: Annotated[
        list[Path] | None,
        typer.Option("--references", "-r", help="Files with the references.", show_default=False),
    ] = None,
    name: options.Names = None,
    images: options.Images = None,
    objects: options.Objects = None,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="Code of a finding that is fine; several, or with commas."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Let notes count as wrong, not only warnings.")
    ] = False,
    fix: Annotated[
        Path | None,
        typer.Option(
            "--fix", help="Write the candidates normalised as THumB asks: a file, or a folder for several."
        ),
    ] = None,
    csv_safe: options.CsvSafe = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """List what is wrong with captions, references, images and objects.

    Exit code 0: nothing wrong; 1: errors or warnings; 2: a file cannot be read.

    Example: captious check --candidates m2.json --references captions_val.json --allow lower-case
    """
    from captious.cli.output import emit, note
    from captious.corpus.check import check as run

    allowed = [code.strip() for text in allow or [] for code in text.split(",") if code.strip()]
    _refuse_unknown(allowed)
    report = run(candidates, references or [], names=name, images=images, objects=objects)
    if fix is not None:
        from captious.corpus.fix import fix_files

        for path, changed in fix_files(candidates, fix).items():
            note(f"wrote {path} (captions changed: {changed:,}).")
    emit(report.tables(allow=allowed), report.to_dict(), form, csv_safe=csv_safe)
    if report.wrong(strict=strict, allow=allowed):
        raise typer.Exit(1)


def _refuse_unknown(codes: list[str]) -> None:
    from captious.corpus.checks.codes import CODES
    from captious.errors import UnknownNameError

    for code in codes:
        if code not in CODES:
            raise UnknownNameError("finding", code, CODES)
