"""`write_report`: scores and judgments in, one HTML file out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from captious.charts.render import export, require_libraries
from captious.corpus import Corpus, Findings, Judgments, Scores
from captious.errors import CaptiousWarning, InputError, UnknownNameError
from captious.files import atomically, check_folder
from captious.report.correlations import best_metric
from captious.report.explained import MOST_EXPLAINED, explanation_panels, marked_panels
from captious.report.explorer import Fragments, make_explorer
from captious.report.figures import make_figures
from captious.report.page import render_page
from captious.report.photographs import ImageMode, Photograph, photographs
from captious.report.study import DEFAULT_LABEL, make_study
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED

DEFAULT_TITLE = "Image captions, scored"


class Written(NamedTuple):
    """What a report wrote: the page, how large it is, and the charts for papers."""

    page: Path
    size: int
    charts: list[Path]


def write_report(
    scores: Scores,
    out: str | PathLike[str],
    *,
    judgments: Judgments | None = None,
    findings: Findings | None = None,
    judgments_label: str = DEFAULT_LABEL,
    judgments_note: str = "",
    aspect: str = "",
    correlation: str = "kendall",
    image_mode: str = "auto",
    title: str = DEFAULT_TITLE,
    charts: str | PathLike[str] | None = None,
    explanations: Fragments | None = None,
    explain: Sequence[str] | None = None,
    most_explained: int = MOST_EXPLAINED,
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Written:
    """Write one self-contained HTML page about scores and, if given, judgments.

    - `judgments_label` names the judgments in the page's first lines ("ratings by 3 students"),
      `judgments_note` is a note about them; both are shown as text.
    - `findings` are places that raters or metrics marked in these captions. With those of the scores, if
      they have any, they are shown in each caption.
    - `aspect` is the main judged aspect; by default "total" or "overall", or THumB's total from
      its parts (Kasai et al. 2022).
    - `correlation` is "pearson", "spearman", "kendall" (tau-b), "kendall_c" or "kendall_weighted".
    - `image_mode`: "embed" the images, put them "beside" the page, "link" the originals, or "auto".
    - `charts`: a folder for every chart as SVG, PDF, PNG and Vega-Lite specification.
    - `explanations`: title -> one HTML fragment for each caption of the corpus, shown with it.
      Plain text is escaped; HTML must come as `markupsafe.Markup`.
    - `explain`: metrics of the scores whose plans or scene graphs are shown, by default all that
      have any. `most_explained` captions of each have them: the metric's best and worst, and
      those that the page opens with.

    >>> import captious, tempfile
    >>> from captious.report import write_report
    >>> corpus = captious.Corpus.from_lists(
    ...     ["a red bus", "two dogs"], [["a red bus on a street"], ["two dogs play"]])
    >>> scores = captious.score(corpus, ["bleu1", "rouge_l"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_report(scores, f"{folder}/report.html", title="Two captions")
    ...     text = written.page.read_text()
    >>> "<title>Two captions</title>" in text
    True
    """
    require_libraries()
    page, mode = _page(out), _mode(image_mode)
    if charts is not None:
        check_folder(Path(charts))
    study = make_study(
        scores,
        judgments,
        label=judgments_label,
        note=judgments_note,
        aspect=aspect,
        method=correlation,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    figures = make_figures(study)
    shown = _photographs(scores.corpus, page, mode)
    explorer = make_explorer(study, shown, best_metric(figures.matrix))
    panels = explanation_panels(study, explorer.opening_rows, explain, most_explained)
    if findings is not None:
        _say_what_is_elsewhere(findings, scores.corpus)
    marked = [one for one in (scores.found, findings) if one is not None]
    explorer = explorer.with_panels(
        {**marked_panels(scores.corpus, marked), **(explanations or {}), **panels}
    )
    beside = any(one and not one.src.startswith("data:") for one in shown)
    content = render_page(study, figures, explorer, title=title, beside=beside, findings=marked).encode()
    with atomically(page) as temporary:
        temporary.write_bytes(content)
    drawn = export(figures.all, Path(charts)) if charts is not None else []
    return Written(page, len(content), drawn)


def _page(out: str | PathLike[str]) -> Path:
    page = Path(out)
    if page.is_dir():
        raise InputError(f"{page}: is a folder. Name the file to write, for example report.html.")
    return page


def _photographs(corpus: Corpus, page: Path, mode: ImageMode) -> list[Photograph | None]:
    page.parent.mkdir(parents=True, exist_ok=True)
    return photographs(corpus.image_paths or [None] * len(corpus.image_ids), page, mode)


def _mode(name: str) -> ImageMode:
    for mode in ImageMode:
        if name == mode:
            return mode
    raise UnknownNameError("image mode", name, list(ImageMode))


def _say_what_is_elsewhere(findings: Findings, corpus: Corpus) -> None:
    """Refuse findings that are all in other captions; warn of some."""
    each = (places or [] for rows in findings.places_in(corpus).values() for places in rows)
    strangers = len(findings) - sum(map(len, each))
    if strangers <= 0:  # a caption that two systems wrote counts for both
        return
    if strangers == len(findings):
        raise InputError(
            "none of the findings is in these captions. Give the captions that they were found in."
        )
    said = f"{strangers:,} of {len(findings):,} findings are in other captions and are left out."
    warnings.warn(said, CaptiousWarning, stacklevel=3)
