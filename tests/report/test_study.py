from __future__ import annotations

import numpy as np
import pytest

from captious import Corpus, Judgments, score
from captious.errors import InputError, UnknownNameError
from captious.report.study import make_study, method_of, number_text


@pytest.fixture(scope="module")
def scores():
    corpus = Corpus.from_lists(
        ["a cat", "a dog", "a red cat", "dogs"],
        [["a cat"], ["two dogs"], ["a cat"], ["two dogs"]],
        image_ids=["1", "2", "1", "2"],
        systems=["a", "a", "b", "b"],
    )
    return score(corpus, ["bleu1"])


def _judged(aspect_values: dict[str, float], image: str = "1", system: str = "a") -> Judgments:
    n = len(aspect_values)
    return Judgments.from_columns(
        images=[image] * n,
        systems=[system] * n,
        aspects=list(aspect_values),
        values=list(aspect_values.values()),
    )


def test_total_of_thumb_is_the_mean_of_two_scales_plus_penalties(scores) -> None:
    judged = _judged({"precision": 5, "recall": 4, "fluency": -0.5, "conciseness": 0})
    study = make_study(scores, judged)
    # (5 + 4) / 2 - 0.5 + 0 = 4
    assert study.judged is not None
    assert study.judged.main == "total"
    assert study.judged.means["total"].tolist()[0] == 4
    assert np.isnan(study.judged.means["total"][1:]).all()


def test_a_judged_total_is_not_computed_again(scores) -> None:
    study = make_study(scores, _judged({"precision": 5, "recall": 5, "total": 1}))
    assert study.judged is not None
    assert not study.judged.derived
    assert study.judged.means["total"][0] == 1


def test_ids_in_another_spelling_meet(scores) -> None:
    judged = _judged({"overall": 3}, image="COCO_val2014_000000000001.jpg")
    study = make_study(scores, judged)
    assert study.judged is not None
    assert study.judged.means["overall"][0] == 3


def test_judgments_of_other_captions_are_refused(scores) -> None:
    with pytest.raises(InputError, match='image "7", system "a"'):
        make_study(scores, _judged({"overall": 3}, image="7"))


def test_unknown_aspect_names_the_nearest(scores) -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "precision"'):
        make_study(scores, _judged({"precision": 3}), aspect="precison")


def test_systems_stand_in_the_order_of_the_judgments(scores) -> None:
    judged = Judgments.from_columns(images=["1", "1"], systems=["a", "b"], values=[2, 5])
    assert make_study(scores, judged).systems == ["b", "a"]


def test_stages_are_averaged_but_agreement_uses_the_first(scores) -> None:
    judged = Judgments.from_columns(
        images=["1"] * 3,
        systems=["a"] * 3,
        raters=["x", "y", "x"],
        stages=["first", "first", "second"],
        values=[2, 4, 5],
    )
    study = make_study(scores, judged)
    assert study.judged is not None
    assert study.judged.means["overall"][0] == pytest.approx(11 / 3)
    assert study.judged.ratings["overall"][0].tolist() == [2, 4]
    assert study.judged.stage == "first"


def test_unknown_coefficient() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "spearman"'):
        method_of("spearmann")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.125, 2, "0.13"), (-0.125, 2, "−0.13"), (-0.001, 2, "0.00"), (12.25, 1, "12.3")],
)
def test_halves_go_away_from_zero_as_in_the_browser(value, digits, text) -> None:
    assert number_text(value, digits) == text
