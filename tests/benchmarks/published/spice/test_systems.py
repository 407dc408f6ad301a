from __future__ import annotations

import numpy as np
import pytest

from captious.benchmarks.published.measurements import Measurements
from captious.benchmarks.published.spice.golden import read_items
from captious.benchmarks.published.spice.items import SETS
from captious.benchmarks.published.spice.systems import SYSTEM_KEYS, in_order, measure_systems


def test_the_golden_scores_give_the_published_figures(data, golden) -> None:
    """With the official scores in place of ours, what is printed in the papers comes out."""
    items, measured = SETS["thumb"](data), Measurements()
    official = read_items(golden, "thumb")
    scores = np.array([official[key].f for key in items.keys])
    measure_systems("thumb", "THumB", items, scores, scores, data, measured)
    found = {key: round(value, 3) for key, value in measured.values.items()}
    # Kasai et al. 2022, Tables 2 and 4; Human as SPICE 1.0 gives it for the released captions.
    assert found == {
        "average/Up-Down/SPICE": 0.21,
        "average/Unified-VLP/SPICE": 0.243,
        "average/VinVL-base/SPICE": 0.256,
        "average/VinVL-large/SPICE": 0.264,
        "official_average/Human/SPICE": 0.237,
        "order/THumB/pairs of systems": 10,
        "r_without/SPICE/precision": pytest.approx(0.26, abs=0.005),
        "r_without/SPICE/recall": pytest.approx(0.15, abs=0.005),
        "r_without/SPICE/total": pytest.approx(0.30, abs=0.005),
    }
    assert all(key.startswith(SYSTEM_KEYS["thumb"]) for key in measured.values)


def test_experts_agree_with_the_golden_scores_as_published(data, golden) -> None:
    items, measured = SETS["flickr8k_expert"](data), Measurements()
    official = read_items(golden, "flickr8k_expert")
    scores = np.array([official[key].f for key in items.keys])
    measure_systems("flickr8k_expert", "Flickr8k-Expert", items, scores, scores, data, measured)
    # Hessel et al. 2021: 44.9.
    assert measured.values["kendall_c/overall/spice"] == pytest.approx(0.449, abs=0.0005)
    assert all(key.startswith(SYSTEM_KEYS["flickr8k_expert"]) for key in measured.values)


def test_systems_that_change_places_are_seen() -> None:
    assert in_order({"a": 1, "b": 2}, {"a": 2, "b": 1}) == 0
    assert in_order({"a": 1, "b": 1}, {"a": 2, "b": 1}) == 0
