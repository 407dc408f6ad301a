"""VCRScore (section 3.3): gradient boosting over the pool's precision and recall, ViLT and MCIP-ref.

The released model takes three inputs in this order: what its program calls recall (and computes as the
precision, times 100, of words cut at white space), the ViLT score, the MCIP-ref score. `released=True`
asks for these; the default is the paper's text, whose regressor has precision and recall.
"""

from __future__ import annotations

from collections.abc import Sequence

from captious.learn.data import RatedSet, TrainingData
from captious.learn.models import GradientBoosting, Learner
from captious.learn.settings import Settings
from captious.metrics.learned.features import parse_feature

NAME = "vcrscore"
PAPER = ("vcr_precision", "vcr_recall", "vilt", "mcipscore_ref")
RELEASED = ("vcr_recall[variant=released]", "vilt", "mcipscore_ref")
# Table 11's rows, under our names.
BESIDE = (
    "bleu4",
    "rouge_l",
    "meteor",
    "spice",
    "cider",
    "bertscore",
    "clipscore",
    "refclipscore",
    "mcipscore",
    "mcipscore_ref",
    "bertgrammar",
    "vilt",
)
POOL = "EData"  # VCRScore, Table 11: the data sets of others together
OWN_SHARES = (0.3, 0.0, 0.7)  # VCRScore, 4.1: its own 600 captions
EXTERNAL_SHARES = (0.7, 0.0, 0.3)  # and the data sets of others


def vcrscore_data(sets: Sequence[RatedSet], *, drop_zero: bool = False) -> TrainingData:
    """All data sets normalised to 0-1; with `drop_zero` without the captions that score 0 (4.1)."""
    normal = [one.normalised() for one in sets]
    return TrainingData(tuple(one.without_lowest() for one in normal) if drop_zero else tuple(normal))


def vcrscore_settings(
    data: TrainingData,
    *,
    released: bool = False,
    features: tuple[str, ...] = (),
    learner: Learner | None = None,
    drop_zero: bool = False,
) -> Settings:
    """The recipe for these data: which of its features there can be here, and what stands beside."""
    wanted = features or (RELEASED if released else PAPER)
    notes = []
    if any(one.corpus.objects is None for one in data.sets):
        wanted = tuple(_without_objects(name) for name in wanted)
        notes.append("Not every data set has objects: the pool contains only the references' words.")
    if drop_zero:
        notes.append("Captions with only the lowest rating of the scale were left out (VCRScore, 4.1).")
    return Settings(
        name=NAME,
        recipe=NAME,
        features=wanted,
        beside=tuple(name for name in BESIDE if name not in wanted and not _missing(name, data)),
        learner=learner or GradientBoosting(),
        skip_missing=True,
        main="spearman",
        notes=tuple(notes),
    )


def _without_objects(name: str) -> str:
    head, bracket, options = name.partition("[")
    if not head.startswith("vcr_"):
        return name
    return f"{head}[objects=none{',' + options if bracket else ']'}"


def _missing(name: str, data: TrainingData) -> bool:
    feature = parse_feature(name)
    return any(feature.missing(one.corpus) for one in data.sets)
