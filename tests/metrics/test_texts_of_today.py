"""Every registered metric on the captions that models write today: long, marked up, of any script.

A metric answers within its bounds, or refuses in one line; it is never silent about what it left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.corpus import MetricScores
from captious.errors import InputError
from captious.metrics import Metric, known_metrics, resolve
from captious.metrics.base import most_words

SENTENCES = [
    "A young woman in a yellow coat walks two small dogs across a wet street.",
    "Behind her, a red bus waits at the traffic light next to an old brick church.",
    "On the left, three men sit on a wooden bench and read the morning newspaper.",
    "A child holds a blue balloon and points at a pigeon on the roof of a parked car.",
    "The shop window shows loaves of bread, cakes with cherries, and a large glass jar of honey.",
    "Snow covers the branches of the trees, and the sky above the houses is grey.",
    "A cyclist with a heavy backpack stops at the crossing and looks at his telephone.",
    "Near the corner a vendor sells hot chestnuts from a cart with a striped umbrella.",
]
OTHERS = [
    "Several zebras drink from a muddy river while a crocodile floats nearby.",
    "An astronaut repairs the wing of a silver satellite far above the ocean.",
    "Two surfers carry their boards along the tropical beach at sunset.",
]
LAST = [
    "An old man with a white beard feeds seven ducks beside the frozen fountain.",
    "Green shutters frame a window where a grey cat sleeps between two flower pots.",
    "A banner above the entrance announces a concert with violins on Sunday evening.",
]
LONG = " ".join([*SENTENCES * 2, *SENTENCES[:2], *LAST * 2])  # 330 words
WRONG_END = " ".join([*SENTENCES * 2, *SENTENCES[:2], *OTHERS * 2])
DOG = "a dog runs on the beach . "
UNUSUAL = {
    "doubled": LONG + " " + LONG,
    "unknown": "xqzzv grblph " * 40,
    "emoji": "🐕 🏖️ 👩‍👩‍👧 " * 30,
    "mixed": "A dog 狗 собака كلب หมา runs, läuft und 走る on the beach. " * 10,
    "markdown": "# Scene\n\n- **three sheep**\n- *a dog*\n\n1. `grass`\n2. [sky](http://a.b)\n\n|a|b|\n|-|-|\n",
    "one word": "dog" * 100,
    "ten thousand words": DOG * 1429,
}
OURS = [name for name, metric in known_metrics().items() if metric.__module__.startswith("captious.")]
OBJECTS = ["woman", "dog", "bus", "man", "child", "pigeon", "bread", "snow", "cat", "duck", "violin"]
WORSE_END = " ".join([*SENTENCES * 2, *SENTENCES[:2], "He eat an zebra of and teh a apples. " * 12])
LEARNED = ("vcrscore", "rating")  # read long texts as their features do
FORM = ("alttext",)  # judge the form alone, of any content
Runnable = Callable[[str], Metric]
Scored = Callable[[Metric, list[str], str], MetricScores]


@pytest.fixture
def scored(photograph_paths: dict[str, str]) -> Scored:
    """Scores of captions of one image against its reference; two further images give document frequencies."""

    def score(metric: Metric, captions: list[str], reference: str) -> MetricScores:
        ids = ["0"] * len(captions) + ["1", "2"]
        corpus = Corpus.from_lists(
            [*captions, "a cat on a bed", "two birds in a tree"],
            [*[[reference]] * len(captions), ["a cat sleeps on a bed"], ["birds sit in a tree"]],
            image_ids=ids,
            image_paths={one: photograph_paths[one] for one in ids},
            objects=dict.fromkeys(ids, OBJECTS),
        )
        scores = captious.score(corpus, [metric])
        return scores[next(iter(scores))]

    return score


def assert_sane(metric: Metric, found: MetricScores) -> None:
    low, high = metric.bounds
    assert np.isfinite(found.values).all()
    assert (found.values >= low - 1e-6).all()  # cosines are of 32-bit numbers
    assert (found.values <= high + 1e-6).all()


def with_windows(metric: Metric) -> Metric:
    """The metric as it reads long texts whole."""
    return replace(metric, long="chunk") if hasattr(metric, "long") else metric  # type: ignore[type-var]


def compares(metric: Metric) -> bool:
    """Whether a caption equal to its reference has the best score."""
    return "references" in metric.needs and "image" not in metric.needs


@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
@pytest.mark.parametrize("name", [one for one in OURS if one not in FORM])
def test_a_wrong_last_quarter_loses(name: str, runnable: Runnable, scored: Scored) -> None:
    metric = with_windows(runnable(name))
    knows = {"references", "objects"} & metric.needs or name.startswith("amber_")
    wrong = WRONG_END if knows else WORSE_END
    found = scored(metric, [LONG, wrong], LONG)
    assert_sane(metric, found)
    right, wrong, *_ = found.values if metric.higher_is_better else -found.values
    if "image" in metric.needs and name != "vlm_judge":
        assert right != wrong  # tiny weights know nothing of images, but read the last quarter
    else:
        assert right > wrong


@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("name", OURS)
def test_unusual_texts_are_answered_or_refused_in_one_line(
    name: str, kind: str, runnable: Runnable, scored: Scored
) -> None:
    metric = runnable(name)
    text = UNUSUAL[kind]
    try:
        found = scored(metric, [text, "A dog runs."], text)
    except InputError as refusal:
        assert "\n" not in str(refusal)
        assert metric.name in str(refusal) or "Shorten" in str(refusal)
        return
    assert_sane(metric, found)
    assert ("|markup:captions" in found.signature) is (kind == "markdown")
    equal, other, *_ = found.values if metric.higher_is_better else -found.values
    if compares(metric) and kind != "emoji":  # which are no words to most tokenisers
        assert equal >= other - 1e-6


@pytest.mark.parametrize("name", OURS)
def test_saying_everything_twice_gains_nothing(name: str, runnable: Runnable, scored: Scored) -> None:
    metric = with_windows(runnable(name))
    if not compares(metric):
        return
    once, twice, *_ = scored(metric, [LONG, f"{LONG} {LONG}"], LONG).values
    assert twice <= once + 1e-6 if metric.higher_is_better else twice >= once - 1e-6


@pytest.mark.parametrize("name", OURS)
def test_beyond_its_tokens_a_metric_says_so(name: str, runnable: Runnable, scored: Scored) -> None:
    metric = runnable(name)
    if metric.longest is None or metric.longest.unit == "words":
        return
    text = DOG * (metric.longest.most // 5)
    for way in metric.longest.beyond:
        own = metric if name in LEARNED else replace(metric, long=way)  # type: ignore[type-var]
        if way == "error":
            with pytest.raises(InputError, match="tokens more than the"):
                scored(own, [text], text)
            continue
        found = scored(own, [text], text)
        assert name in LEARNED or f"|long:{way}" in found.signature
        told = [note for note in found.notes if "had more tokens than the model reads" in note]
        assert told or name == "rating"  # whose embedding is always the mean of the windows


@pytest.mark.parametrize("name", [one for one in OURS if most_words(resolve(one)) is not None])
def test_a_limit_in_words_is_kept(name: str, runnable: Runnable, scored: Scored) -> None:
    metric = runnable(name)
    most = most_words(metric) or 0
    text = DOG * (most // 7 + 1)
    with pytest.raises(InputError, match=f"{name}: .* at most {most:,} are allowed"):
        scored(metric, [text], text)
