"""Metrics of papers as settings of the trainer: VCRScore and the rating model.

VCRScore (Ruiz et al. 2024, section 3.3) is gradient boosting over the pool's precision and recall, ViLT and
MCIP-ref. The released model takes three inputs in this order: what its program calls recall (and computes as
the precision, times 100, of words cut at white space), the ViLT score, the MCIP-ref score. `released=True`
asks for these; the default is the paper's text, whose regressor has precision and recall.

The rating model (Scott et al. 2023, 3.4) is joint embeddings, two hidden layers, one rating. The paper takes
ViLBERT's image and caption embeddings, 2,048 numbers; any embedding by name serves in their place. It trains
from scratch with five seeds and reports the mean of their Kendall's tau-c; here that mean is in the card, and
the saved metric is the mean of the five networks' predictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from captious.corpus.splits import PAPER_SHARES
from captious.learn.data import RatedSet, TrainingData
from captious.learn.models import GradientBoosting, Learner, Mlp
from captious.learn.settings import Settings
from captious.metrics.learned.embeddings import PROVIDERS
from captious.metrics.learned.features import parse_feature

RATING = "rating"
RATING_SHARES = PAPER_SHARES
RATING_SEEDS = 5
# In the order of trust: the paper's own, then what may stand in for it.
EMBEDDINGS = ("vilbert.joint", "clip.joint", "sentence.interaction", "words.interaction")
# Scott et al. 2023, 3.4. How features are scaled it does not say.
RATING_MODEL = Mlp(
    hidden="1024x64",
    dropout=0.8,
    rate=1e-5,
    decay=0.99,
    every=15,
    epochs=4000,
    batch=256,
    patience=0,
    standardise=True,
)
# Minutes on a processor: a rate a hundred times as large, and an end where nothing is learned any more.
QUICK = replace(RATING_MODEL, rate=1e-3, epochs=400, patience=30)


def rating_settings(
    data: TrainingData, *, features: tuple[str, ...] = (), learner: Mlp = RATING_MODEL
) -> Settings:
    """The recipe for these data."""
    chosen, notes = (features, ()) if features else _first_ready(data)
    return Settings(
        name=RATING,
        recipe=RATING,
        features=chosen,
        learner=learner,
        folds=0,
        seeds=RATING_SEEDS,
        calibrate=False,
        curve=(),
        main="kendall_c",
        notes=notes,
    )


def _first_ready(data: TrainingData) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The best embedding that can be had here, and why not a better one."""
    notes: list[str] = []
    for name in EMBEDDINGS:
        if name.partition(".")[0] not in PROVIDERS:
            notes.append(f"Missing embedding: {name} is not in this version.")
            continue
        reasons = (parse_feature(name).missing(one.corpus) for one in data.sets)
        why = next((reason for reason in reasons if reason), "")
        if not why:
            return (name,), tuple(notes)
        notes.append(f"Missing embedding: {name}: {why}")
    return EMBEDDINGS[-1:], tuple(notes)


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
