"""`captious report`: one page with tables, charts and examples."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options

if TYPE_CHECKING:
    from captious.corpus import Corpus, Judgments


class Correlation(StrEnum):
    """Coefficients between metrics and judgments; `kendall` is tau-b."""

    pearson = "pearson"
    spearman = "spearman"
    kendall = "kendall"
    kendall_c = "kendall_c"


class Images(StrEnum):
    """Where the photographs of the page are."""

    auto = "auto"
    embed = "embed"
    beside = "beside"
    link = "link"


def report(
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")],
    references: options.References,
    candidates: Annotated[
        list[Path] | None,
        typer.Option("--candidates", "-c", help="Captions, one or several files. May be left out "
                     "where the judgments hold the captions."),
    ] = None,
    name: options.Names = None,
    metrics: options.Metrics = "",
    images: options.Images = None,
    objects: options.Objects = None,
    judgments: Annotated[
        Path | None, typer.Option("--judgments", help="Human judgments of the captions.")
    ] = None,
    judgments_label: Annotated[
        str, typer.Option("--judgments-label", help='What to call them: "ratings by 3 students".')
    ] = "judgments",
    judgments_note: Annotated[
        str, typer.Option("--judgments-note", help="What a reader must know of them.")
    ] = "",
    aspect: Annotated[
        str, typer.Option("--aspect", help="Judged aspect that stands for the whole caption; "
                          "by default total or overall.")
    ] = "",
    correlation: Annotated[
        Correlation, typer.Option("--correlation", help="Coefficient; kendall is tau-b.")
    ] = Correlation.kendall,
    image_mode: Annotated[
        Images, typer.Option("--image-mode", help="Put photographs into the page, beside it, or "
                             "link the originals; auto embeds up to 8 MB.")
    ] = Images.auto,
    charts: Annotated[
        Path | None,
        typer.Option("--charts", help="Folder for every chart as SVG, PDF, PNG and .vl.json."),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Heading of the page.")] = "",
    df: options.DocumentFrequencies = None,
    common: options.Common = False,
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
) -> None:  # fmt: skip
    """Write a page about systems, metrics and judgments that works offline.

    Example: captious report --candidates m2.json vinvl.json --references refs.json
    --images photos --judgments ratings.jsonl --out report.html
    """
    from captious import scoring
    from captious.cli import inputs
    from captious.cli.output import note, progress_bar
    from captious.files import check_output
    from captious.report import write_report

    inputs.refuse_unknown(metrics)
    out.parent.mkdir(parents=True, exist_ok=True)
    check_output(out, [*(candidates or []), *references, *([judgments] if judgments else [])])
    wanted = inputs.metrics(metrics, df)
    judged, own = _judgments(judgments, references, with_captions=not candidates)
    if candidates:
        corpus = inputs.load(candidates, references, name, images, objects, common)
    else:
        corpus = _of_judgments(own, judgments, images)
    with progress_bar() as progress:
        scores = scoring.score(
            corpus, wanted, resamples=resamples, level=level, seed=seed, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    written = write_report(
        scores, out, judgments=judged, judgments_label=judgments_label,
        judgments_note=judgments_note, aspect=aspect, correlation=correlation,
        image_mode=image_mode, title=title or out.stem, charts=charts, level=level,
        resamples=resamples, seed=seed,
    )  # fmt: skip
    if written.charts:
        note(f"wrote {len(written.charts):,} charts to {charts}")
    typer.echo(f"{written.page} ({written.size / 1e6:.1f} MB)")


def _judgments(
    path: Path | None, references: list[Path], *, with_captions: bool
) -> tuple[Judgments | None, Corpus | None]:
    from captious.corpus.judged import read_judgments

    if path is None:
        return None, None
    return read_judgments(path, references=references if with_captions else None)


def _of_judgments(corpus: Corpus | None, judgments: Path | None, images: Path | None) -> Corpus:
    """The captions that the judgments hold, where no candidates were given."""
    from dataclasses import replace

    from captious.corpus.images import find_images
    from captious.errors import InputError

    if judgments is None:
        raise InputError("there is nothing to report on. Give --candidates.")
    if corpus is None:
        raise InputError(f"{judgments}: holds no captions. Give them with --candidates.")
    if images is None:
        return corpus
    return replace(corpus, image_paths=find_images(images, corpus.image_ids))
