"""The model card of a trained metric: data, protocol, figures, licence, limits (Mitchell et al. 2019)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from captious._version import __version__
from captious.learn import tables
from captious.learn.report import Report
from captious.metrics.learned.features import parse_features
from captious.metrics.learned.folder import SPLIT
from captious.tables.text import to_markdown


def card_json(report: Report) -> str:
    """The card for programs."""
    return json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n"


def card_markdown(report: Report) -> str:
    """The card for people."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    settings, (low, high) = report.settings, report.data.scale
    seeds = f", mean of {settings.seeds} seeds" if settings.seeds > 1 else ""
    yield f"# {settings.name}\n"
    yield f"A caption metric, trained with captious. It predicts a rating from {low:g} to {high:g}.\n"
    yield f"- **Model:** `{settings.learner.described()}`{seeds}"
    yield f"- **Features:** {', '.join(f'`{name}`' for name in report.features)}"
    for one in report.missing:
        yield f"- **Missing feature:** `{one.name}`: {one.why}"
    yield f"- **Licence:** {settings.licence or 'not stated by its trainer'}"
    yield from (f"- {line}" for line in settings.notes)
    yield "\n## Data\n"
    yield to_markdown(tables.data_table(report))
    yield from (f"- {one.name}: {one.licence}" for one in report.data.sets if one.licence)
    yield "The data are split by image: no image is in two parts. The target is the mean rating of a caption."
    if report.left_out:
        yield f"{report.left_out:,} captions were left out because a feature has no value for them."
    yield from _protocol(report)
    yield from _figures(report)
    yield from _limits(report)


def _protocol(report: Report) -> Iterator[str]:
    settings = report.settings
    yield "\n## Protocol\n"
    for one in report.data.sets:
        yield f"- {one.name}: split by {one.parts.source}; every image and its part is in `{SPLIT}`."
    folds = f"{len(report.folds)} folds of whole images" if report.folds else "none"
    yield f"- Cross-validation: {folds}. Fits: {settings.seeds}, from seed {settings.seed} on."
    yield f"- Intervals: {settings.resamples:,} bootstrap resamples of whole images."
    yield (
        f"- Tests: {settings.trials:,} permutations that exchange whole images, Holm-corrected, on "
        f"{tables.TITLES[settings.main]}; Williams' test on Pearson's r."
    )
    yield f"- Version: captious {__version__}."


def _figures(report: Report) -> Iterator[str]:
    settings = report.settings
    yield "\n## Results on the test part\n"
    if settings.refit:
        yield (
            "These results are those of the model fitted on the training part. The model in this folder was "
            "then fitted again on all data.\n"
        )
    yield from map(to_markdown, tables.figure_tables(report))
    yield f"{report.verdict}\n"
    if report.worse_than_mean:
        yield f"**{report.worse_than_mean}**\n"
    if report.comparisons:
        yield to_markdown(tables.comparison_table(report))
    if report.folds:
        said = ", ".join(
            f"{tables.TITLES[name]} {mean:.3f} (sd {spread:.3f})"
            for name, (mean, spread) in report.fold_summary().items()
        )
        yield f"Cross-validation over {len(report.folds)} folds of training images: {said}.\n"
    if len(report.seeds) > 1:
        mean = sum(report.seeds) / len(report.seeds)
        listed = ", ".join(f"{value:.3f}" for value in report.seeds)
        yield f"Test {tables.TITLES[settings.main]} of each seed alone: {listed}; mean {mean:.3f}.\n"
    if report.importance:
        yield to_markdown(tables.importance_table(report))
    if report.curve:
        yield to_markdown(tables.curve_table(report))
    yield to_markdown(tables.calibration_table(report))


def _limits(report: Report) -> Iterator[str]:
    sets = ", ".join(one.name for one in report.data.sets)
    needs = frozenset[str]().union(*(feature.needs for feature in parse_features(report.features)))
    sees = "uses the image through its features" if needs & {"image", "objects"} else "does not use the image"
    yield "## Limits\n"
    yield f"- It learned what the raters of {sets} rewarded, with their biases, and nothing else."
    yield "- Captions in other languages, of other length or of other kinds of image were not tested."
    yield f"- It {sees}."
    yield "- On captions or references that were used to train it, its scores are too optimistic."
    yield f"\nSeed {report.settings.seed}. The same data, settings and versions give the same metric."
