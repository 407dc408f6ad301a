"""The rating model of Scott et al. 2023 (3.4): joint embeddings, two hidden layers, one rating.

The paper takes ViLBERT's image and caption embeddings, 2,048 numbers; any embedding by name serves
in their place. It trains from scratch with five seeds and reports the mean of their Kendall's tau-c;
here that mean is in the card, and the saved metric is the mean of the five networks' predictions.
"""

from __future__ import annotations

from dataclasses import replace

from captious.corpus.splits import PAPER_SHARES
from captious.learn.data import TrainingData
from captious.learn.models import Mlp
from captious.learn.settings import Settings
from captious.metrics.learned.embeddings import PROVIDERS
from captious.metrics.learned.features import parse_feature

NAME = "rating"
SHARES = PAPER_SHARES
SEEDS = 5
# In the order of trust: the paper's own, then what may stand in for it.
EMBEDDINGS = ("vilbert.joint", "clip.joint", "sentence.interaction", "words.interaction")
# Scott et al. 2023, 3.4. How features are scaled it does not say.
PAPER = Mlp(
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
QUICK = replace(PAPER, rate=1e-3, epochs=400, patience=30)


def rating_settings(data: TrainingData, *, features: tuple[str, ...] = (), learner: Mlp = PAPER) -> Settings:
    """The recipe for these data."""
    chosen, notes = (features, ()) if features else _first_ready(data)
    return Settings(
        name=NAME,
        recipe=NAME,
        features=chosen,
        learner=learner,
        folds=0,
        seeds=SEEDS,
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
