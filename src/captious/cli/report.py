"""`captious report`: one page with tables, charts and examples."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from captious.cli import options

if TYPE_CHECKING:
    from captious.corpus import Corpus, Scores
    from captious.metrics import Asked
    from captious.report.write import Written

NO_EXPLANATION = "none"


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


Out = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="HTML file to write.")]
Candidates = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidates",
        "-c",
        metavar="FILE...",
        help="Captions to score: one file per system. Optional if --judgments contains the captions.",
    ),
]
JudgmentsFile = Annotated[
    Path | None, typer.Option("--judgments", metavar="FILE", help="Human judgments of the captions.")
]
FindingsFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--findings",
        metavar="FILE",
        help="Findings of raters or metrics in these captions, shown in colour; repeatable. The page's "
        "metrics show theirs too.",
    ),
]
JudgmentsLabel = Annotated[
    str,
    typer.Option(
        "--judgments-label",
        metavar="TEXT",
        help='Name of the judgments on the page, such as "ratings by 3 students".',
    ),
]
JudgmentsNote = Annotated[
    str, typer.Option("--judgments-note", metavar="TEXT", help="Note about the judgments, shown on the page.")
]
Aspect = Annotated[
    str, typer.Option("--aspect", metavar="NAME", help="Main judged aspect. Default: total or overall.")
]
Coefficient = Annotated[
    Correlation, typer.Option("--correlation", help="Correlation coefficient; kendall is tau-b.")
]
ImageMode = Annotated[
    Images,
    typer.Option(
        "--image-mode",
        help="Embed images in the page, copy them beside it, or link to the originals; "
        "auto embeds up to 8 MB.",
    ),
]
Explain = Annotated[
    str,
    typer.Option(
        "--explain",
        metavar="LIST",
        help="Metrics to explain caption by caption, or none. Default: spice, vifidel and wmd if they are "
        "among the metrics. clipscore is possible too, but slow.",
    ),
]
MostExplained = Annotated[
    int, typer.Option("--explained", metavar="N", min=0, help="Captions to explain per metric.")
]
Charts = Annotated[
    Path | None,
    typer.Option("--charts", metavar="DIR", help="Also write every chart as SVG, PDF, PNG and .vl.json."),
]
Title = Annotated[str, typer.Option("--title", metavar="TEXT", help="Title of the page.")]


def report(
    out: Out,
    references: options.OptionalReferences = None,
    candidates: Candidates = None,
    name: options.Names = None,
    metrics: options.Metrics = "",
    images: options.Images = None,
    objects: options.Objects = None,
    judgments: JudgmentsFile = None,
    findings: FindingsFiles = None,
    judgments_label: JudgmentsLabel = "judgments",
    judgments_note: JudgmentsNote = "",
    aspect: Aspect = "",
    correlation: Coefficient = Correlation.kendall,
    image_mode: ImageMode = Images.auto,
    explain: Explain = "",
    explained: MostExplained = 20,
    charts: Charts = None,
    title: Title = "",
    df: options.DocumentFrequencies = None,
    long: options.Long = None,
    any_language: options.AnyLanguage = False,
    system_encoder: options.SystemEncoders = None,
    download: options.Download = False,
    common: options.Common = False,
    resamples: options.Resamples = options.DEFAULT_RESAMPLES,
    level: options.Level = options.DEFAULT_LEVEL,
    seed: options.Seed = options.DEFAULT_SEED,
    jobs: options.Jobs = 1,
    scores: options.ShardedScores = "",
) -> None:
    """Write an HTML report on systems, metrics and judgments.

    The page works offline.

    Example: captious report --candidates m2.json vinvl.json --references refs.json
    --images photos --judgments ratings.jsonl --out report.html
    """
    from captious.cli import inputs
    from captious.cli.judged import judged_corpus
    from captious.corpus.finding_files import read_findings
    from captious.corpus.finding_formats import holds_findings
    from captious.files import check_folder, check_output
    from captious.report import write_report

    named = inputs.known(metrics)
    if charts:
        check_folder(charts)
    check_output(out, [*(candidates or []), *(references or []), *([judgments] if judgments else [])])
    if scores:
        inputs.refuse_beside_scores(
            candidates=candidates,
            references=references,
            judgments=judgments,
            name=name,
            images=images,
            objects=objects,
            df=df,
            long=long,
            system_encoder=system_encoder,
            common=common,
        )
        _of_shards(scores, out, metrics, charts, title, level, resamples, seed)
        return
    corpus, judged = judged_corpus(
        candidates,
        references,
        judgments,
        images,
        lambda files: inputs.load(files, references, name, images, objects, common),
        "report on",
        objects,
    )
    corpus = inputs.with_encoders(corpus, system_encoder or [])
    wanted = inputs.metrics(named, df, corpus, long, any_language)
    marked = [*(findings or []), *([judgments] if judgments and holds_findings(judgments) else [])]
    parts = [read_findings(path) for path in marked]
    written = write_report(
        _scored(corpus, wanted, resamples, level, seed, jobs),
        out,
        judgments=judged,
        findings=parts[0].merge(*parts[1:]) if parts else None,
        judgments_label=judgments_label,
        judgments_note=judgments_note,
        aspect=aspect,
        correlation=correlation,
        image_mode=image_mode,
        title=title or out.stem,
        charts=charts,
        explain=_asked(explain),
        most_explained=explained,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    _say(written, charts)


def _of_shards(
    scores: str,
    out: Path,
    metrics: str,
    charts: Path | None,
    title: str,
    level: float,
    resamples: int,
    seed: int,
) -> None:
    """A page of sharded scores: the values of all captions, charts and examples of a sample."""
    from captious.cli.inputs import words
    from captious.cli.output import note
    from captious.engine.shards.read import PAGE_IMAGES, sampled
    from captious.report import write_report

    found = sampled(scores, PAGE_IMAGES, words(metrics) or None)
    if found.note:
        note(found.note)
    written = write_report(
        found.for_page(),
        out,
        title=title or out.stem,
        charts=charts,
        explain=[],
        level=level,
        resamples=resamples,
        seed=seed,
    )
    _say(written, charts)


def _scored(
    corpus: Corpus, metrics: list[Asked], resamples: int, level: float, seed: int, jobs: int
) -> Scores:
    import warnings

    from captious import scoring
    from captious.cli.output import progress_bar
    from captious.errors import CaptiousWarning
    from captious.metrics import resolve_all

    draws: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
    marks = any(one.gives_findings for one in resolve_all(metrics).values())
    with warnings.catch_warnings(), progress_bar() as progress:
        warnings.filterwarnings("ignore", "no findings are given by", CaptiousWarning)
        return scoring.score(corpus, metrics, **draws, jobs=jobs, progress=progress, findings=marks)


def _asked(explain: str) -> list[str] | None:
    """Metrics that were named, an empty list for `none`; None where nothing was said."""
    from captious.metrics import split_list

    if explain == NO_EXPLANATION:
        return []
    return split_list(explain) if explain else None


def _say(written: Written, charts: Path | None) -> None:
    from captious.cli.output import note

    if written.charts:
        note(f"wrote {len(written.charts):,} charts to {charts}")
    typer.echo(f"{written.page} ({written.size / 1e6:.1f} MB)")
