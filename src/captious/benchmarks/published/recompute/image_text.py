"""Published values of metrics that look at images: what they need, and how they are measured.

They need weights and photographs that captious does not carry. Whoever asks for one of these by
name and lacks something is told all that is missing at once, with the commands that get it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from captious.benchmarks.data_files.locate import MissingDataError
from captious.benchmarks.datasets.flickr8k import load_crowdflower, load_expert
from captious.benchmarks.datasets.own_file import load_own_file
from captious.benchmarks.datasets.thumb import load_thumb
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.protocol import RatedExamples
from captious.benchmarks.published.measurements import Measurements, Recompute, ReproductionRequest
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.benchmarks.selection.extra_inputs import with_images
from captious.corpus.images import find_images
from captious.errors import InputError, MissingDependencyError
from captious.metrics import resolve

THUMB_ASPECTS = ("precision", "recall", "total")


class Figure(NamedTuple):
    """A kind of published value: on which judgments, of which photographs, by which coefficient.

    `photographs` is the folder below the data folder where they are looked for unless `--images`
    names another; `aspects` is empty where the protocol's own aspect is meant.
    """

    measure: str
    load: Callable[[Path], RatedExamples]
    coefficient: str
    photographs: str
    aspects: tuple[str, ...] = ()


def _own(name: str) -> Callable[[Path], RatedExamples]:
    def load(folder: Path) -> RatedExamples:
        path = folder / "vcrscore" / f"{name}.jsonl"
        if not path.is_file():
            raise MissingDataError(
                f"{path}: there is no such file. The judgments of Ruiz et al. are their authors' to give; "
                "save them as rows of image, caption, references and rating."
            )
        return load_own_file(path)

    return load


def _thumb(folder: Path) -> RatedExamples:
    return load_thumb(folder, human="without")


EXPERT = Figure("flickr8k-expert kendall_c", load_expert, "kendall_c", "flickr8k/images")
CROWDFLOWER = Figure("flickr8k-cf kendall_b", load_crowdflower, "kendall_b", "flickr8k/images")
THUMB = Figure("thumb pearson", _thumb, "pearson", "thumb/images", THUMB_ASPECTS)
OWN = Figure("vcrscore own spearman", _own("own"), "spearman", "vcrscore/images")
EXTERNAL = Figure("vcrscore external spearman", _own("external"), "spearman", "vcrscore/images")


def recompute(asked: ReproductionRequest, metrics: Sequence[str], figures: Sequence[Figure]) -> Measurements:
    """Every figure that can be measured here; `MissingDependencyError` where the weights lack."""
    lacking = []
    for name in metrics:
        try:
            resolve(name).ready()
        except MissingDependencyError as error:
            lacking.append(error.typed)
    measured = Measurements()
    for figure in figures:
        try:
            data = _data(asked, figure)
        except (MissingDataError, InputError) as error:
            measured.skipped[f"{figure.measure}/"] = error.typed
            continue
        if not lacking:
            _measure(asked, figure, data, metrics, measured)
    if lacking:
        also = f" (also missing: {' '.join(measured.skipped.values())})" if measured.skipped else ""
        raise MissingWeightsError("; ".join(dict.fromkeys(lacking)) + also)
    return measured


class MissingWeightsError(InputError):
    """Weights that a published value was computed with are not here; says all that is missing."""


def _data(asked: ReproductionRequest, figure: Figure) -> RatedExamples:
    """The judgments with all their photographs; a published value is of all of them."""
    data = figure.load(asked.data)
    folder = asked.images or asked.data / figure.photographs
    if not folder.is_dir():
        raise MissingDataError(
            f"{folder}: there is no such folder of the photographs of {data.protocol.name}. "
            "Name it: --images DIR"
        )
    images = sorted({data.corpus.image_ids[place] for place in data.corpus.image_of.tolist()})
    absent = sum(path is None for path in find_images(folder, images))
    if absent:
        raise MissingDataError(
            f"{folder}: {absent:,} of the {len(images):,} photographs of {data.protocol.name} are not in it. "
            "Name a folder that holds all: --images DIR"
        )
    found = with_images(data, folder)
    assert isinstance(found, RatedExamples)
    return found


def _measure(
    asked: ReproductionRequest,
    figure: Figure,
    data: RatedExamples,
    metrics: Sequence[str],
    measured: Measurements,
) -> None:
    chosen = metrics_for(list(metrics), data.protocol.documents)
    scores = compute_scores(data, chosen, progress=asked.progress)
    for aspect in figure.aspects or (data.protocol.aspect,):
        settings = MetaSettings(aspect=aspect, coefficients=(figure.coefficient,), resamples=0)
        for name, found in evaluate(data, scores, settings).results.items():
            measured.values[f"{figure.measure}/{name}/{aspect}"] = found[figure.coefficient].value
    measured.remarks[f"{figure.measure}/"] = "; ".join(scores.signatures.values())


def recompute_clipscore(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021, and Kasai et al. 2022 on THumB."""
    return recompute(asked, ["clipscore"], [EXPERT, THUMB])


def recompute_refclipscore(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021, and Kasai et al. 2022 on THumB, with RefOnlyC."""
    return recompute(asked, ["refclipscore", "refonlyc"], [EXPERT, THUMB])


def recompute_pac(asked: ReproductionRequest) -> Measurements:
    """Sarto et al. 2023."""
    return recompute(asked, ["pacscore"], [EXPERT, CROWDFLOWER])


def recompute_mcip(asked: ReproductionRequest) -> Measurements:
    """Ruiz et al. 2024, Table 11."""
    return recompute(asked, ["mcipscore", "mcipscore_ref"], [OWN, EXTERNAL])


def recompute_vilt(asked: ReproductionRequest) -> Measurements:
    """Ruiz et al. 2024, Table 11."""
    return recompute(asked, ["vilt"], [OWN, EXTERNAL])


IMAGE_TEXT: dict[str, Recompute] = {
    "clipscore": recompute_clipscore,
    "refclipscore": recompute_refclipscore,
    "pac-s": recompute_pac,
    "mcip": recompute_mcip,
    "vilt": recompute_vilt,
}
