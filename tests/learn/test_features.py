"""Features are computed once, and those that cannot be had are named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from captious.errors import CaptiousWarning, InputError
from captious.files import cache_folder
from captious.learn import RatedSet, TrainingData
from captious.learn.features import choose_features, compute_features
from captious.metrics.learned.features import parse_features

Rated = Callable[..., RatedSet]


def stored() -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (cache_folder() / "features").glob("*.npy")}


def test_a_second_run_computes_only_what_is_new(rated: Rated) -> None:
    data = TrainingData((rated(5),))
    first = compute_features(data, parse_features(["bleu1", "rouge_l"]))
    before = stored()
    assert len(before) == 2
    again = compute_features(data, parse_features(["rouge_l", "bleu2"]))
    after = stored()
    assert len(after) == 3
    assert {path: after[path] for path in before} == before
    np.testing.assert_array_equal(again.rows[:, 0], first.rows[:, 1])


def test_other_captions_are_other_features(rated: Rated) -> None:
    one = rated(5)
    compute_features(TrainingData((one,)), parse_features(["bleu1"]))
    captions = ["a dog", *one.corpus.captions[1:]]
    changed = replace(one, corpus=replace(one.corpus, captions=captions))
    compute_features(TrainingData((changed,)), parse_features(["bleu1"]))
    assert len(stored()) == 2


def test_a_damaged_cache_costs_time_and_never_the_answer(rated: Rated) -> None:
    data = TrainingData((rated(5),))
    first = compute_features(data, parse_features(["bleu1"]))
    for path in stored():
        path.write_bytes(b"half")
    np.testing.assert_array_equal(compute_features(data, parse_features(["bleu1"])).rows, first.rows)


def test_a_missing_feature_is_refused_or_named(rated: Rated) -> None:
    data = TrainingData((rated(5),))
    with pytest.raises(InputError, match=r"features are missing: vcr_recall \(needs objects"):
        choose_features(["bleu1", "vcr_recall"], data, skip_missing=False)
    features, missing = choose_features(["bleu1", "vcr_recall"], data, skip_missing=True)
    assert [one.name for one in features] == ["bleu1"]
    assert [one.name for one in missing] == ["vcr_recall"]


def test_less_is_better_is_turned_round_where_features_are_compared(rated: Rated) -> None:
    data = TrainingData((rated(5),))
    table = compute_features(data, parse_features(["wmd", "words.caption"]))
    np.testing.assert_array_equal(table.column(0), table.features[0].sign * table.rows[:, 0])
    assert table.column(1) is None
    assert table.rows.shape[1] == 51


def test_a_language_that_a_feature_is_weaker_in_is_told(rated: Rated) -> None:
    one = rated(5)
    german = ["Ein brauner Hund rennt über die Wiese und bellt."] * len(one.corpus)
    data = TrainingData((replace(one, corpus=replace(one.corpus, captions=german)),))
    with pytest.warns(CaptiousWarning, match="spice: captions are German"):
        compute_features(data, parse_features(["spice"]))
