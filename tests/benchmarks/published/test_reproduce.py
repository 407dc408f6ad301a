from __future__ import annotations

import json

import pytest

from captious.benchmarks.published.measurements import Measurements, ReproductionRequest
from captious.benchmarks.published.recompute.thumb import thumb_elsewhere
from captious.benchmarks.published.reproduce import Reproduction, check, reproduce
from captious.benchmarks.published.values import published_values
from captious.errors import UnknownNameError


def _entry(benchmark, key):
    return next(e for e in published_values() if (e.benchmark, e.key) == (benchmark, key))


@pytest.fixture(scope="module")
def thumb_checks(data, golden) -> Reproduction:
    return reproduce(["thumb"], data)


def _verdicts(found: Reproduction, prefix: str) -> dict[str, str]:
    return {c.published.key: c.verdict for c in found.checks if c.published.key.startswith(prefix)}


def test_what_is_not_reproduced_of_thumb_is_known(thumb_checks) -> None:
    failed = {c.published.key for c in thumb_checks.checks if c.verdict == "not reproduced"}
    assert failed == {
        "mean/Human/conciseness",
        *(f"score/Human/{metric}" for metric in ("BLEU", "ROUGE-L", "CIDEr")),
        *(f"count/worst/{s}" for s in ("Human", "VinVL-large", "VinVL-base", "Unified-VLP", "Up-Down")),
        "r_with/CIDEr/recall",
        "r_with/ROUGE-L/precision",
        *(
            f"r_elsewhere/{m}/{a}"
            for m in ("RefCLIPS", "RefOnlyCLIPS")
            for a in ("precision", "recall", "total")
        ),
    }
    assert thumb_checks.holds
    assert thumb_checks.count("skipped") == 0
    assert all(c.note for c in thumb_checks.checks if c.verdict == "not reproduced")


def test_the_human_columns_are_equal_but_for_one_slip(thumb_checks) -> None:
    means = [c for c in thumb_checks.checks if c.published.key.startswith("mean/")]
    assert len(means) == 30
    (slip,) = (c for c in means if c.verdict != "equal")
    # Two captions lose 0.5 each, of 500: 0.002, where the paper prints 0.02.
    assert slip.got == pytest.approx(2 * 0.5 / 500)


def test_intervals_best_counts_and_table_4_without_human_are_equal(thumb_checks) -> None:
    for prefix, n in (("reach/", 10), ("count/best/", 5), ("r_without/", 12), ("r_elsewhere/CLIPS", 4)):
        assert list(_verdicts(thumb_checks, prefix).values()) == ["equal"] * n, prefix


def test_all_correlations_with_fluency_are_below_a_tenth(thumb_checks) -> None:
    # Kasai et al. 2022, Table 4: "All metrics had correlations lower than 0.1 for fluency."
    fluency = [c for c in thumb_checks.checks if c.published.column == "fluency" and c.published.at_most]
    assert len(fluency) == 11
    assert {c.verdict for c in fluency} == {"equal"}


def test_the_fifth_caption_gives_bleu_as_printed_with_human(thumb_checks) -> None:
    # An independent audit: BLEU .14 .05 .14, and Human at 19.9, 46.0 and 93.4.
    bleu = _verdicts(thumb_checks, "r_with/BLEU")
    assert set(bleu.values()) == {"equal"}
    got = {c.published.key: c.got for c in thumb_checks.checks if c.published.key.startswith("score/Human")}
    assert [round(100 * value, 1) for value in got.values()] == [19.9, 46.0, 93.4]


def test_machine_averages_are_equal(thumb_checks) -> None:
    rows = [c for c in thumb_checks.checks if c.published.key.startswith("score/")]
    assert {c.verdict for c in rows if c.published.row != "Human"} == {"equal"}


def test_leaks_can_be_kept(data) -> None:
    found = reproduce(["thumb"], data, leaked="keep")
    # What coco-caption itself says of these files.
    cider = next(c for c in found.checks if c.published.key == "score/Human/CIDEr")
    assert round(100 * cider.got, 1) == 111.5


def test_flickr8k_expert_and_karpathy_hold(data) -> None:
    found = reproduce(["flickr8k-expert", "coco-karpathy"], data)
    others = [c for c in found.checks if c.published.column != "meteor"]
    assert {c.verdict for c in others} == {"equal"}
    for meteor in (c for c in found.checks if c.published.column == "meteor"):
        assert meteor.verdict in ("equal", "skipped")
        assert meteor.verdict != "skipped" or meteor.note == "needs captious[meteor]"


def test_heads_are_skipped_with_the_reason(data) -> None:
    found = reproduce(["flickr8k-cf", "composite"], data)
    assert {c.verdict for c in found.checks} == {"skipped"}
    assert all("head" in c.note for c in found.checks)
    # Nothing was checked, so nothing was reproduced.
    assert not found.holds


@pytest.mark.long
def test_pascal_50s_with_one_five_and_48_references(data) -> None:
    found = reproduce(["pascal-50s"], data)
    assert found.holds
    verdicts = _verdicts(found, "accuracy, 48/")
    assert {verdict for key, verdict in verdicts.items() if key.endswith("/all")} <= {"equal", "skipped"}
    assert len(found.checks) == 75


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
        ("flickr8k-expert", "kendall_c/overall/cider", 0.43851, "equal"),
        ("flickr8k-expert", "kendall_c/overall/cider", 0.4384, "not reproduced"),
        ("thumb", "count/worst/Human", 65, "equal"),
        ("thumb", "count/worst/Human", 73, "not reproduced"),
        # A bound: 0.95 or more, however much more; 0.1 or less.
        ("spice", "item_r/THumB/Pearson r", 0.95, "equal"),
        ("spice", "item_r/THumB/Pearson r", 1.0, "equal"),
        ("spice", "item_r/THumB/Pearson r", 0.9499, "not reproduced"),
        ("thumb", "r_without/BLEU/fluency", 0.05, "equal"),
        ("thumb", "r_without/BLEU/fluency", 0.11, "not reproduced"),
    ],
)
def test_verdicts(benchmark, key, got, verdict) -> None:
    assert check(_entry(benchmark, key), Measurements({key: got})).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        # Printed 43.9, measured 43.0: near where the measured reason reaches 43.85, else not.
        (0.43, 0.4386, "near"),
        (0.43, 0.4384, "not reproduced"),
        (0.42, 0.43, "not reproduced"),
    ],
)
def test_near_only_where_the_measured_reason_reaches_the_printed_value(low, high, verdict) -> None:
    key = "kendall_c/overall/cider"
    measured = Measurements({key: 0.43})
    measured.vary(key, (low, high), "by the weather")
    found = check(_entry("flickr8k-expert", key), measured)
    assert found.verdict == verdict
    assert "by the weather" in found.note
    assert check(_entry("flickr8k-expert", key), Measurements({key: 0.43})).verdict == "not reproduced"


def test_a_failure_that_is_not_known_is_a_no() -> None:
    key = "kendall_c/overall/cider"
    met = check(
        _entry("flickr8k-expert", "kendall_c/overall/bleu1"), Measurements({"kendall_c/overall/bleu1": 0.323})
    )
    failed = check(_entry("flickr8k-expert", key), Measurements({key: 0.3}))
    known = check(_entry("thumb", "count/worst/Human"), Measurements({"count/worst/Human": 73}))
    assert not Reproduction([met, failed]).holds
    assert Reproduction([met, known]).holds
    assert not Reproduction([known]).holds  # nothing was met


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
    with pytest.raises(UnknownNameError, match='Did you mean "thumb"'):
        reproduce("thum")


def test_composite_is_checked_on_all_and_on_captions_of_systems(tmp_path) -> None:
    """Made-up ratings in the shape of the whole file: three candidates of systems, one by people."""
    references = ["a dog runs in the park", "the dog is running", "a brown dog"]
    rated = [("a dog runs in the bus", 1), ("a dog runs in", 2), ("a dog", 4), (references[0], 5)]
    lines = [
        json.dumps(
            {
                "subset": "coco",
                "image": f"{image}.jpg",
                "candidate": candidate,
                "relevance": rating,
                "thoroughness": rating,
                "references": references,
            }
        )
        for image in range(4)
        for candidate, rating in rated
    ]
    (tmp_path / "composite").mkdir()
    (tmp_path / "composite" / "composite.jsonl").write_text("\n".join(lines))
    found = {c.published.key: c for c in reproduce(["composite"], tmp_path).checks}
    # ROUGE-L: 5/6 both ways; P 1 and R 2/3 for the other two alike. Ranks 3 1.5 1.5 against 1 2 3:
    # (1 x -1 - 0.5 x 0 - 0.5 x 1) / sqrt(1.5 x 2) = -sqrt(3) / 2. The caption by people is left out.
    for aspect in ("relevance", "thoroughness"):
        assert found[f"spearman, systems/rouge_l/{aspect}"].got == pytest.approx(-(3**0.5) / 2)
    assert found["spearman, systems/rouge_l/relevance"].verdict == "not reproduced"
    assert found["kendall_c/relevance/rouge_l"].got is not None
