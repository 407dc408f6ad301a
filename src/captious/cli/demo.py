"""`captious demo`: everything at once on a small bundled sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.output import Format
from captious.errors import InputError

if TYPE_CHECKING:
    from captious.corpus import Scores

JUDGMENTS_NOTE = (
    "The authors of captious wrote these judgments to demonstrate the report. "
    "They are not data from human raters."
)


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the report.")] = Path(
        "demo-report"
    ),
    files: Annotated[
        Path | None,
        typer.Option("--files", metavar="DIR", help="Only copy the sample files to this new folder."),
    ] = None,
    loop: Annotated[
        bool,
        typer.Option("--loop", help="Also run a simulated campaign and train a metric on its judgments."),
    ] = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Score the bundled sample and write a report.

    Runs every metric that is installed.

    Example: captious demo --out demo-report
    """
    if files:
        _copy(files)
        return
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file. Name a folder for the report.")
    if loop:
        from captious.cli.demo_loop import close_the_loop

        close_the_loop(out, form)
        return
    from captious import scoring
    from captious.cli.output import emit, progress_bar
    from captious.corpus.load import load_corpus
    from captious.data import demo_files

    sample = demo_files()
    corpus = load_corpus(sample.systems, [sample.references], images=sample.images, objects=sample.objects)
    names = scoring.available_metrics(frozenset({"references", "objects", "image"}))
    with progress_bar() as progress:
        scores = scoring.score(corpus, names, resamples=options.DEFAULT_RESAMPLES, progress=progress)
    emit(scores.table(), scores.to_dict(), form)
    _report(scores, sample.judgments, out)


def _copy(folder: Path) -> None:
    import shutil

    from captious.cli.output import note
    from captious.data import demo_path

    if folder.exists():
        raise InputError(f"{folder}: already exists. Name a new folder.")
    shutil.copytree(demo_path(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    note(f"copied the sample to {folder}")


def _report(scores: Scores, judgments: Path, out: Path) -> None:
    from captious.cli.output import note
    from captious.corpus.judged import read_judgments
    from captious.errors import MissingDependencyError

    try:
        from captious.report import write_report

        out.mkdir(parents=True, exist_ok=True)
        written = write_report(
            scores,
            out / "report.html",
            judgments=read_judgments(judgments).judgments,
            judgments_label="illustrative judgments",
            judgments_note=JUDGMENTS_NOTE,
            title="The captious demo",
        )
    except MissingDependencyError as error:
        note(f"no report written: {error}")
        return
    note(f"wrote {written.page} ({written.size / 1e6:.1f} MB); open it in a browser")
