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
        metavar="FILE...",
        help="Captions to explain: one file per system. Optional if --judgments contains the captions.",
        show_default=False,
    ),
]
References = Annotated[
    list[Path] | None,
    typer.Option(
        "--references",
        "-r",
        metavar="FILE...",
        help="References. Optional for vifidel and clipscore.",
        show_default=False,
    ),
]
Metrics = Annotated[
    str,
    typer.Option(
        "--metrics",
        "-m",
        metavar="LIST",
        help="spice, vifidel, wmd, clipscore, mcipscore, pacscore, or any that reads no images, such as "
        "cider; options go in brackets. Default: vifidel with --objects, else spice.",
        show_default=False,
    ),
]
JudgmentsFile = Annotated[
    Path | None,
    typer.Option(
        "--judgments",
        metavar="FILE",
        help="Human judgments; their precision and recall are shown beside those of spice.",
    ),
]
Image = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="ID",
        help="Explain the captions of this image. Default: the caption with the lowest score.",
    ),
]
Near = Annotated[
    float | None,
    typer.Option(
        "--near",
        metavar="NUMBER",
        min=-1,
        max=1,
        help="Cosine above which two words count as the same thing. Default: 0.6. Does not change scores.",
    ),
]


def explain(
    candidates: Candidates = None,
    references: References = None,
    images: options.Images = None,
    objects: options.Objects = None,
    metrics: Metrics = "",
    image: Image = None,
    system: Annotated[
        str | None, typer.Option("--system", metavar="NAME", help="Explain only this system.")
    ] = None,
    name: options.Names = None,
    judgments: JudgmentsFile = None,
    near: Near = None,
    long: options.Long = None,
    any_language: options.AnyLanguage = False,
    download: options.Download = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
    form: Annotated[
        ExplainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = ExplainFormat.table,
) -> None:
    """Show why a caption got its score.

    Shows matched tuples (spice), moved words (vifidel, wmd), important words and regions (clipscore), what
    is wrong and where (chair and others), or what is lost without each word (cider and others).

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
        objects,
    )
    if image is None:
        note("no --id given: explaining the caption with the lowest score.")
    found = [
        one
        for metric in inputs.metrics(
            metrics or explaining.usual_metric(corpus), None, corpus, long, any_language
        )
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
                f"an SVG file shows one caption, but {len(found)} would be explained. "
                "Choose one with --id and --system, or use --format html."
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
