"""`captious data check`: what is wrong with captions before they are scored."""

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
        typer.Option("--references", "-r", metavar="FILE...", help="References.", show_default=False),
    ] = None,
    name: options.Names = None,
    images: options.Images = None,
    objects: options.Objects = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow", metavar="CODES", help="Findings to accept, by code; separate several with commas."
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 for notes too, not only for errors and warnings.")
    ] = False,
    fix: Annotated[
        Path | None,
        typer.Option(
            "--fix",
            metavar="PATH",
            help="Write normalised candidates (as in THumB) to this file, or to a folder for several files.",
        ),
    ] = None,
    csv_safe: options.CsvSafe = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Find problems in captions, references, images and objects.

    Exit codes: 0 no problems, 1 errors or warnings, 2 a file cannot be read.

    Example: captious data check --candidates m2.json --references captions_val.json --allow lower-case
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


BETWEEN_CAPTIONS = (
    "no-references",
    "no-candidates",
    "systems-differ",
    "leaked",
    "repeated",
    "fewer-references",
    "loose-ids",
    "no-image",
    "broken-image",
    "no-objects",
)


def _refuse_unknown(codes: list[str]) -> None:
    from captious.errors import UnknownNameError

    for code in codes:
        if code not in known_codes():
            raise UnknownNameError("finding", code, known_codes())


def known_codes() -> tuple[str, ...]:
    """The codes of all findings."""
    from captious.corpus.checks.structure import PROBLEMS
    from captious.corpus.checks.texts import CANDIDATE_CHECKS, REFERENCE_CHECKS

    return (*PROBLEMS, *(check.code for check in (*CANDIDATE_CHECKS, *REFERENCE_CHECKS)), *BETWEEN_CAPTIONS)
