"""Every registered metric on the captions that models write today: long, marked up, of any script.

A metric answers within its bounds, or refuses in one line; it is never silent about what it left out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.corpus import MetricScores
from captious.errors import InputError, MissingDependencyError
from captious.metrics import Metric, known_metrics, resolve

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
OBJECTS = {"0": ["dog", "woman"], "1": ["bus"], "2": ["cat", "cat"]}


def ready(name: str) -> Metric:
    """The metric, or a skip that says what it lacks; images have a battery with tiny weights of their own."""
    metric = resolve(name)
    try:
        metric.ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    if "image" in metric.needs:
        pytest.skip("needs images")
    return metric


def scored(metric: Metric, captions: list[str], references: list[str]) -> MetricScores:
    """Scores against one reference each; two further images give document frequencies."""
    count = len(captions)
    corpus = Corpus.from_lists(
        [*captions, "a cat on a bed", "two birds in a tree"],
        [[text] for text in [*references, "a cat sleeps on a bed", "birds sit in a tree"]],
        image_ids=[str(place) for place in range(count + 2)],
        objects={str(place): OBJECTS[str(place % 3)] for place in range(count + 2)},
    )
    scores = captious.score(corpus, [metric])
    return scores[next(iter(scores))]


def assert_sane(metric: Metric, found: MetricScores) -> None:
    low, high = metric.bounds
    assert np.isfinite(found.values).all()
    assert (found.values >= low - 1e-6).all()  # cosines are of 32-bit numbers
    assert (found.values <= high + 1e-6).all()


@pytest.mark.parametrize("name", OURS)
def test_a_wrong_last_quarter_loses(name: str) -> None:
    metric = ready(name)
    if "references" not in metric.needs:
        pytest.skip("compares with no reference")
    found = scored(metric, [LONG, WRONG_END], [LONG, LONG])
    assert_sane(metric, found)
    right, wrong, *_ = found.values
    assert right > wrong if metric.higher_is_better else right < wrong


@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
@pytest.mark.parametrize("kind", UNUSUAL)
@pytest.mark.parametrize("name", OURS)
def test_unusual_texts_are_answered_or_refused_in_one_line(name: str, kind: str) -> None:
    metric = ready(name)
    text = UNUSUAL[kind]
    try:
        found = scored(metric, [text, "A dog runs."], [text, text])
    except InputError as refusal:
        assert "\n" not in str(refusal)
        assert name.partition("[")[0] in str(refusal) or "Shorten" in str(refusal)
        return
    assert_sane(metric, found)
    equal, other, *_ = found.values
    if "references" in metric.needs and kind != "emoji":  # which are no words to most tokenisers
        assert equal >= other if metric.higher_is_better else equal <= other


@pytest.mark.parametrize("name", OURS)
def test_beyond_its_tokens_a_metric_says_so(name: str) -> None:
    metric = ready(name)
    if metric.longest is None or metric.longest.unit != "tokens" or not hasattr(metric, "long"):
        pytest.skip("reads texts of any length, or refuses by words")
    for way in metric.longest.beyond:
        own = replace(metric, long=way)  # type: ignore[type-var]
        text = DOG * (metric.longest.most // 5)
        if way == "error":
            with pytest.raises(InputError, match="tokens more than the"):
                scored(own, [text], [text])
            continue
        found = scored(own, [text], [text])
        assert f"|long:{way}" in found.signature
        assert [note for note in found.notes if "had more tokens than the model reads" in note]


@pytest.mark.parametrize("kind", UNUSUAL)
def test_images_with_tiny_weights(kind: str, tiny, tmp_path: Path) -> None:
    """The family of CLIPScore on a model of the true layout with few numbers."""
    tiny.write_clip(tmp_path / "clip")
    paths = tiny.write_photographs(tmp_path / "images", 2)
    corpus = Corpus.from_lists(
        [UNUSUAL[kind], "a dog"],
        [[UNUSUAL[kind]], ["a dog"]],
        image_ids=[path.stem for path in paths],
        image_paths={path.stem: str(path) for path in paths},
    )
    for name in ("refclipscore", "refonlyc"):
        for way in ("truncate", "chunk"):
            own = f"{name}[encoder={tmp_path / 'clip'},long={way}]"
            found = captious.score(corpus, [own])[own]
            assert_sane(resolve(own), found)
            assert f"|long:{way}" in found.signature
            assert any("had more tokens than the model reads" in note for note in found.notes)
