from __future__ import annotations

import pytest

from captious.benchmarks.measurements import Measurements, ReproductionRequest
from captious.benchmarks.published import published_values
from captious.benchmarks.recompute import thumb_elsewhere
from captious.benchmarks.reproduce import Reproduction, check, reproduce
from captious.errors import UnknownNameError


def _entry(benchmark, key):
    return next(e for e in published_values() if (e.benchmark, e.key) == (benchmark, key))


@pytest.fixture(scope="module")
def thumb_checks(data, golden) -> Reproduction:
    return reproduce(["thumb"], data)


def test_nothing_of_thumb_differs(thumb_checks) -> None:
    differing = [c.published.key for c in thumb_checks.checks if c.verdict == "differs"]
    assert differing == []
    assert thumb_checks.holds
    assert thumb_checks.count("skipped") == 0


def test_the_human_columns_hold_but_for_one_slip(thumb_checks) -> None:
    means = [c for c in thumb_checks.checks if c.published.key.startswith("mean/")]
    assert len(means) == 30
    others = {c.published.key: c.verdict for c in means if c.verdict != "holds"}
    assert others == {"mean/Human/conciseness": "explained"}
    slip = next(c for c in means if c.verdict == "explained")
    # Two captions lose 0.5 each, of 500: 0.002, where the paper prints 0.02.
    assert slip.got == pytest.approx(2 * 0.5 / 500)


def test_intervals_best_counts_and_table_4_without_human_hold(thumb_checks) -> None:
    for prefix, n in (("reach/", 10), ("count/best/", 5), ("r_without/", 9), ("r_elsewhere/CLIPS", 3)):
        found = [c.verdict for c in thumb_checks.checks if c.published.key.startswith(prefix)]
        assert found == ["holds"] * n, prefix


def test_machine_averages_hold(thumb_checks) -> None:
    rows = [c for c in thumb_checks.checks if c.published.key.startswith("score/")]
    assert {c.verdict for c in rows if c.published.row != "Human"} == {"holds"}
    assert {c.verdict for c in rows if c.published.row == "Human"} == {"explained"}


def test_flickr8k_expert_and_karpathy_hold(data) -> None:
    found = reproduce(["flickr8k-expert", "coco-karpathy"], data)
    others = [c for c in found.checks if c.published.column != "meteor"]
    assert {c.verdict for c in others} == {"holds"}
    for meteor in (c for c in found.checks if c.published.column == "meteor"):
        assert meteor.verdict in ("holds", "skipped")
        assert meteor.verdict != "skipped" or meteor.note == "needs captious[meteor]"


def test_heads_are_skipped_with_the_reason(data) -> None:
    found = reproduce(["flickr8k-cf", "composite"], data)
    assert {c.verdict for c in found.checks} == {"skipped"}
    assert all("head" in c.note for c in found.checks)
    # Nothing was checked, so nothing was reproduced.
    assert not found.holds


@pytest.mark.long
def test_pascal_50s_is_met_within_a_point(data) -> None:
    found = reproduce(["pascal-50s"], data)
    assert {c.verdict for c in found.checks} <= {"holds", "near", "skipped"}


def test_missing_data_are_skipped(tmp_path) -> None:
    found = reproduce(["thumb"], tmp_path)
    assert {c.verdict for c in found.checks} == {"skipped"}
    assert "mscoco_THumB-1.0.jsonl: there is no such file" in found.checks[0].note


def test_no_data_anywhere_is_skipped(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("CAPTIOUS_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert {c.verdict for c in reproduce().checks} == {"skipped"}


def test_scores_by_others_are_skipped_where_there_are_none(thumb, tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("CAPTIOUS_GOLDEN", raising=False)
    measured = Measurements()
    thumb_elsewhere(ReproductionRequest(tmp_path), thumb, measured)
    found = check(_entry("thumb", "r_elsewhere/CLIPS/total"), measured)
    assert found.verdict == "skipped"
    assert "no thumb/scores_by_others.csv.gz" in found.note


@pytest.mark.parametrize(
    ("benchmark", "key", "got", "verdict"),
    [
        # Printed 43.9: from 43.85 to 43.95.
        ("flickr8k-expert", "kendall_c/overall/cider", 0.43851, "holds"),
        ("flickr8k-expert", "kendall_c/overall/cider", 0.4384, "differs"),
        # Printed .75, one point either way.
        ("pascal-50s", "accuracy/all/bleu4", 0.7403, "near"),
        ("pascal-50s", "accuracy/all/bleu4", 0.7397, "differs"),
        # Printed 65, the released data give 73.
        ("thumb", "count/worst/Human", 73, "explained"),
        ("thumb", "count/worst/Human", 74, "differs"),
        ("thumb", "count/worst/Human", 65, "holds"),
        # A bound: 0.95 or more, however much more.
        ("spice", "item_r/THumB/Pearson r", 0.95, "holds"),
        ("spice", "item_r/THumB/Pearson r", 1.0, "holds"),
        ("spice", "item_r/THumB/Pearson r", 0.9499, "differs"),
    ],
)
def test_verdicts(benchmark, key, got, verdict) -> None:
    assert check(_entry(benchmark, key), Measurements({key: got})).verdict == verdict


def test_a_reason_for_one_metric_is_told_for_that_metric() -> None:
    measured = Measurements({}, {"": "no data", "kendall_c/overall/meteor": "needs captious[meteor]"})
    found = check(_entry("flickr8k-expert", "kendall_c/overall/meteor"), measured)
    assert (found.verdict, found.note) == ("skipped", "needs captious[meteor]")


def test_what_holds_may_have_a_remark() -> None:
    key = "item_r/THumB/Pearson r"
    measured = Measurements({key: 0.97}, remarks={"item_r/": "2,500 items"})
    assert check(_entry("spice", key), measured).note == "2,500 items"


def test_an_unknown_benchmark() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "thumb"'):
        reproduce(["thum"])
