from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from captious.benchmarks import agreement
from captious.benchmarks.rater_agreement.report import agreement_report
from captious.corpus import Judgments
from captious.corpus.judged import read_judgments
from captious.errors import InputError, StatisticsError, UnknownNameError


def _judgments(matrix, **more) -> Judgments:
    rows = [(i, r, v) for i, own in enumerate(matrix) for r, v in enumerate(own) if v == v]  # noqa: PLR0124
    return Judgments.from_columns(
        images=[f"i{i}" for i, _, _ in rows],
        raters=[f"r{r}" for _, r, _ in rows],
        values=[v for _, _, v in rows],
        **more,
    )


def test_flickr8k_experts(data) -> None:
    judgments = read_judgments(data / "flickr8k" / "ExpertAnnotations.txt").judgments
    report = agreement_report(judgments, virtual=True)
    found = {name: round(value.value, 3) for name, value in report.coefficients.items()}
    assert (report.items, report.ratings) == (5822, 17_466)
    matrix = judgments.matrix("overall").T
    for scale in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(matrix, level_of_measurement=scale)
        assert report.coefficients[f"alpha_{scale}"].value == pytest.approx(expected, abs=1e-9)
    assert found["fleiss_kappa"] == 0.517
    assert found["kendall_w"] == 0.856
    assert report.virtual is not None and report.virtual.w.mean == pytest.approx(
        report.coefficients["kendall_w"].value
    )
    assert "numbered slots" in report.notes[0]


def test_vicr_has_more_agreement_where_4_and_5_are_one(data) -> None:
    judgments = read_judgments(data / "vicr_sample" / "VICR_Sample250.csv").judgments
    report = agreement_report(judgments, merged={5: 4})
    assert report.ratings == 1118
    plain, merged = (report.coefficients[name].value for name in ("fleiss_kappa", "fleiss_kappa_merged"))
    # Scott et al. 2023, Table 3: kappa rises in every data set of five categories.
    assert merged > plain
    assert any("items that every rater rated" in note for note in report.notes)


def test_pairs_and_the_odd_one_out() -> None:
    report = agreement_report(_judgments([[1, 1, 4], [2, 2, 1], [4, 3, 2], [4, 4, 3]]))
    assert [(pair.a, pair.b) for pair in report.pairs] == [("r0", "r1"), ("r0", "r2"), ("r1", "r2")]
    # r0 and r1 are equal on three of four items.
    assert report.pairs[0].percent == 0.75
    best = max(report.left_out, key=lambda name: report.left_out[name].alpha_without.value)
    assert best == "r2"


def test_two_stages_of_the_same_raters() -> None:
    first = [[1, 2], [3, 3], [5, 4], [2, 2]]
    second = [[1, 2], [3, 3], [5, 5], [2, 1]]
    one, two = _judgments(first), _judgments(second)
    both = Judgments.from_columns(
        images=[j.keys[i][0] for j in (one, two) for i in j.example_of.tolist()],
        raters=[j.raters[i] for j in (one, two) for i in j.rater_of.tolist()],
        values=np.concatenate([one.values, two.values]),
        stages=["1"] * 8 + ["2"] * 8,
    )
    report = agreement_report(both)
    assert report.stages is not None
    # r0 gave the same ratings twice.
    assert report.stages.raters[0].alpha.value == 1.0
    assert report.stages.raters[1].same == 0.5
    assert report.raters == ["r0 (1)", "r1 (1)", "r0 (2)", "r1 (2)"]
    assert report.to_dict()["stages"]["raters"]["r0"]["same"] == 1.0


def test_nameless_raters_become_slots() -> None:
    judgments = Judgments.from_columns(images=list("aabb"), values=[1, 2, 3, 3])
    report = agreement_report(judgments)
    assert report.raters == ["1", "2"]
    assert report.pairs[0].percent == 0.5


def test_a_rater_who_rates_twice_is_refused() -> None:
    judgments = Judgments.from_columns(images=list("aab"), raters=list("xxy"), values=[1, 2, 3])
    with pytest.raises(InputError, match='rater "x" rates a caption of image "a" twice'):
        agreement_report(judgments)


def test_one_rater_is_too_few() -> None:
    judgments = Judgments.from_columns(images=list("ab"), raters=list("xx"), values=[1, 2])
    with pytest.raises(InputError, match="has only one rater"):
        agreement_report(judgments)


def test_several_aspects_must_be_chosen_from(data) -> None:
    judgments = read_judgments(data / "thumb" / "mscoco_THumB-1.0.jsonl").judgments
    with pytest.raises(InputError, match="several aspects: precision, recall"):
        agreement_report(judgments)
    with pytest.raises(UnknownNameError, match='Did you mean "precision"'):
        agreement_report(judgments, aspect="precison")


def test_ratings_outside_the_scale_are_refused() -> None:
    with pytest.raises(StatisticsError, match="is 9, outside the scale 1 to 5"):
        agreement_report(_judgments([[1, 2], [9, 3]]), scale=(1, 5))


def test_ratings_that_never_vary_have_a_reason_and_no_value() -> None:
    report = agreement_report(_judgments([[3, 3], [3, 3]]))
    for name in ("fleiss_kappa", "alpha_ordinal", "kendall_w", "icc_single"):
        value = report.coefficients[name]
        assert np.isnan(value.value) and value.reason
    assert report.coefficients["percent_agreement"].value == 1.0


def test_intervals_draw_whole_images() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 30)
    matrix = np.clip(truth[:, None] + rng.integers(-1, 2, (30, 3)), 1, 5)
    report = agreement_report(_judgments(matrix), resamples=200)
    alpha = report.coefficients["alpha_ordinal"]
    assert alpha.low < alpha.value < alpha.high and alpha.resamples == 200


def test_many_raters_are_not_paired() -> None:
    rng = np.random.default_rng(1)
    report = agreement_report(_judgments(rng.integers(1, 6, (10, 41))))
    assert report.pairs == [] and report.left_out == {}
    assert "41 raters: pairs and leave-one-out are left out" in report.notes


def test_the_command_says_how_many_were_only_confirmed() -> None:
    rows = [
        {"image": str(at), "rater": rater, "stage": stage, "rating": 5}
        for at in range(4)
        for rater, stage in (("r1", "first"), ("r2", "second"))
    ]
    notes = agreement(rows, resamples=0).notes
    assert any("4 of 4 ratings of stage second are those of stage first again" in note for note in notes)
