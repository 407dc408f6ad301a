"""`captious explain`: why a caption got its score, as text or as a picture."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from captious.corpus import Corpus, Judgments
    from captious.corpus.columns import FloatArray
    from captious.explanation import AnyExplanation
    from captious.tables import Table


class ExplainFormat(StrEnum):
    """How an explanation is shown."""

    table = "table"
    json = "json"
    csv = "csv"
    latex = "latex"
    markdown = "markdown"
    svg = "svg"
    html = "html"


Candidates = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidates",
        "-c",
        help="Captions, one or several files. May be left out where the judgments hold the captions.",
        show_default=False,
    ),
]
References = Annotated[
    list[Path] | None,
    typer.Option(
        "--references", "-r", help="File with the references; vifidel can do without.", show_default=False
    ),
]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        "-m",
        help="spice, vifidel, wmd, clipscore, mcipscore or pacscore, with options in brackets.",
    ),
]
JudgmentsFile = Annotated[
    Path | None,
    typer.Option("--judgments", help="Human judgments; precision and recall stand beside those of spice."),
]
Image = Annotated[
    str | None,
    typer.Option(
        "--id", help="Image whose captions to explain; without it the caption with the lowest score."
    ),
]
Near = Annotated[
    float | None,
    typer.Option(
        "--near",
        min=-1,
        max=1,
        help="Cosine from which two words are taken to speak of one thing, by default 0.6; changes no score.",
    ),
]


def explain(
    candidates: Candidates = None,
    references: References = None,
    images: options.Images = None,
    objects: options.Objects = None,
    metrics: Metrics = "vifidel",
    image: Image = None,
    system: Annotated[str | None, typer.Option("--system", help="Only this system.")] = None,
    name: options.Names = None,
    judgments: JudgmentsFile = None,
    near: Near = None,
    long: options.Long = None,
    download: options.Download = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write here.")] = None,
    form: Annotated[
        ExplainFormat, typer.Option("--format", "-f", help="How to show it.")
    ] = ExplainFormat.table,
) -> None:
    """Show why a caption got its score: what moved where, which tuples matched, what carries it.

    Example: captious explain --candidates m2.json --references refs.json --metrics spice
    --id 391895
    """
    from captious import explanation as explaining
    from captious.cli import inputs
    from captious.cli.judged import judged_corpus
    from captious.cli.output import note

    corpus, judged = judged_corpus(
        candidates,
        references,
        judgments,
        images,
        lambda files: inputs.load(files, references, name, images, objects),
        "explain",
    )
    if image is None:
        note("no --id was given, so this is the caption with the lowest score.")
    found = [
        one
        for metric in inputs.metrics(metrics, None, corpus, long)
        for one in explaining.explain(
            corpus,
            metric,
            image_id=image,
            system=system,
            near=explaining.NEAR if near is None else near,
            judged=_means(judged, corpus),
        )
    ]
    _write(_rendered(found, form), out)


def _means(judgments: Judgments | None, corpus: Corpus) -> dict[str, FloatArray]:
    from captious.report.study import lay

    return lay(judgments, corpus, "", "", "").means if judgments is not None else {}


def _write(text: str, out: Path | None) -> None:
    from captious.cli.output import note
    from captious.files import atomically

    if out is None:
        print(text, end="")
        return
    with atomically(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    note(f"wrote {out}")


def _rendered(found: list[AnyExplanation], form: ExplainFormat) -> str:
    from captious.errors import InputError
    from captious.explanation import page, picture
    from captious.explanation.tables import explanation_tables
    from captious.tables.text import to_csv, to_latex, to_markdown
    from captious.tables.values import to_json

    if form is ExplainFormat.json:
        return to_json([one.to_dict() for one in found]) + "\n"
    if form is ExplainFormat.svg:
        if len(found) != 1:
            raise InputError(
                f"{len(found)} captions are to be explained, and an SVG file shows one. "
                "Name one with --id and --system, or take --format html."
            )
        return picture(found[0])
    if form is ExplainFormat.html:
        return page(found)
    writers: dict[ExplainFormat, Callable[[Table], str]] = {
        ExplainFormat.csv: to_csv,
        ExplainFormat.latex: to_latex,
        ExplainFormat.markdown: to_markdown,
        ExplainFormat.table: str,
    }
    return "\n".join(writers[form](table) for one in found for table in explanation_tables(one))
