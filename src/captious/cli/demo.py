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
import tempfile
from importlib.util import find_spec
from typing import TYPE_CHECKING

from captious.cli.output import emit, note, progress_bar
from captious.errors import MissingDependencyError

if TYPE_CHECKING:
    from captious.benchmarks.rater_agreement.report import AgreementReport
    from captious.corpus import Corpus, Judgments, Scores
    from captious.learn import Trained


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


# `captious demo --loop`: captions, metrics, human judgments, agreement, and a metric that learns from them.
# Half of the sample's images train the metric; the report shows the other half, which it has not seen.


NAME = "learned"
SPLIT = (0.5, 0.0, 0.5)
# Of these the ones that can run here become features; few, since 48 captions teach few weights.
FEATURES = ("cider", "rouge_l", "meteor", "spice", "vcr_precision", "vcr_recall", "sentsim.mean")
CAMPAIGN_NOTE = (
    "The judgments come from three simulated raters: the sample's own judgments with noise added. "
    "They are not data from human raters. The metric called learned was trained on other images."
)


def close_the_loop(out: Path, form: Format) -> None:
    """Score, judge, agree, learn, and put the learned metric beside the others."""
    from captious.benchmarks.rater_agreement.report import agreement_report

    _require()
    export, folder = out / "campaign", out / NAME
    corpus = _sample()
    note(
        f"1. {len(corpus)} captions of {len(corpus.systems)} systems for {len(corpus.image_ids)} photographs"
    )
    judgments = _campaign(export)
    note(f"2. a simulated campaign collected {len(judgments)} judgments: {export / 'judgments.jsonl'}")
    agreement = agreement_report(judgments, resamples=options.DEFAULT_RESAMPLES)
    alpha = agreement.coefficients["alpha_ordinal"].value
    note(f"3. agreement of the raters: Krippendorff's alpha (ordinal) {alpha:.2f}")
    trained = _train(corpus, judgments, folder)
    note(f"4. trained the metric in {folder} on half of the images; see {folder / 'card.md'}")
    _show(corpus, judgments, trained, out, form, agreement)


def _require() -> None:
    missing = [package for package in ("sqlalchemy", "sklearn") if find_spec(package) is None]
    if missing:
        raise MissingDependencyError(f"the loop needs {' and '.join(missing)}", "demo,web,learn")


def _sample() -> Corpus:
    from captious.corpus.load import load_corpus
    from captious.data import demo_files

    sample = demo_files()
    return load_corpus(sample.systems, [sample.references], images=sample.images, objects=sample.objects)


def _campaign(export_folder: Path) -> Judgments:
    from captious.campaigns.exchange.export import export
    from captious.campaigns.simulate.demo import finished_campaign
    from captious.campaigns.store.database import Database
    from captious.corpus.judged import read_judgments

    with tempfile.TemporaryDirectory() as home, Database.open(Path(home) / "loop.db") as db:
        campaign = finished_campaign(db)
        export(db, campaign, export_folder, formats=["jsonl"])
    return read_judgments(export_folder / "judgments.jsonl").judgments


def _train(corpus: Corpus, judgments: Judgments, folder: Path) -> Trained:
    from captious.learn import Settings, TrainingData, train
    from captious.learn.models import Ridge
    from captious.learn.rated import rated_set

    rated = rated_set(
        "campaign", corpus, judgments, judgments.places_in(corpus), scale=(0.0, 1.0), shares=SPLIT
    )
    settings = Settings(NAME, FEATURES, learner=Ridge(), skip_missing=True)
    with progress_bar() as progress:
        return train(TrainingData((rated,)), settings, folder, overwrite=True, progress=progress, note=note)


def _show(
    corpus: Corpus,
    judgments: Judgments,
    trained: Trained,
    out: Path,
    form: Format,
    agreement: AgreementReport,
) -> None:
    import numpy as np

    from captious import scoring
    from captious.learn import tables
    from captious.metrics.learned import load_metric

    report = trained.report
    unseen = {report.data.images[row] for row in report.split.test.tolist()}
    rows = [row for row, image in enumerate(report.data.images) if image in unseen]
    held_out = corpus.select(np.array(rows)).compact()
    names = scoring.available_metrics(frozenset({"references", "objects", "image"}))
    with progress_bar() as progress:
        scores = scoring.score(
            held_out,
            [*names, load_metric(str(trained.folder))],
            resamples=options.DEFAULT_RESAMPLES,
            progress=progress,
        )
    note(f"5. {len(held_out)} captions of {len(unseen)} images that were not used to train {NAME}")
    shown = [
        scores.table(),
        agreement.table(),
        *tables.figure_tables(report),
        tables.comparison_table(report),
    ]
    payload = {"agreement": agreement.to_dict(), "scores": scores.to_dict(), "learned": report.to_dict()}
    emit(shown, payload, form)
    note(report.verdict)
    _write(scores, judgments, out)


def _write(scores: Scores, judgments: Judgments, out: Path) -> None:
    try:
        from captious.report import write_report

        written = write_report(
            scores,
            out / "report.html",
            judgments=judgments,
            judgments_label="simulated verdicts",
            judgments_note=CAMPAIGN_NOTE,
            title="The captious loop",
        )
    except MissingDependencyError as error:
        note(f"no report written: {error}")
        return
    note(f"wrote {written.page} ({written.size / 1e6:.1f} MB); open it in a browser")
