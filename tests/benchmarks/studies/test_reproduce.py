from __future__ import annotations

import json
import re

import pytest
from scipy.stats import spearmanr

from captious.benchmarks.datasets.same_text import fold
from captious.benchmarks.studies.asked import Measured
from captious.benchmarks.studies.checks import Check, judge
from captious.benchmarks.studies.own import study
from captious.benchmarks.studies.reproduce import Reproduction, reproduce
from captious.benchmarks.studies.study import Printed, find_study
from captious.corpus import Corpus
from captious.engine import run_metrics
from captious.errors import InputError, UnknownNameError
from captious.metrics import resolve

CIDER = Printed("overall", "cider", "43.9", percent=True)


def _of(found: Reproduction, benchmark: str, of: str) -> dict[str, Check]:
    return {
        f"{c.printed.row}/{c.printed.column}": c
        for c in found.checks
        if (c.table.benchmark, c.table.of) == (benchmark, of)
    }


def test_the_human_rows_of_thumb_are_equal_on_the_first_release(thumb_study) -> None:
    """An independent audit: 18.84, 44.04, 86.80, SPICE 19.44; r with precision, recall and total."""
    metrics = [*_of(thumb_study, "thumb", "score").values(), *_of(thumb_study, "spice", "average").values()]
    scores = {c.printed.column: c for c in metrics if c.printed.row == "Human"}
    got = {name: round(100 * c.got, 2) for name, c in scores.items()}
    assert got == {"BLEU": 18.84, "ROUGE-L": 44.04, "CIDEr": 86.80, "SPICE": 19.44}
    with_human = _of(thumb_study, "thumb", "r_with") | _of(thumb_study, "spice", "r_with")
    r = {cell: c for cell, c in with_human.items() if not cell.endswith("fluency")}
    audited = {
        "CIDEr": [0.197, 0.115, 0.226],
        "BLEU": [0.136, 0.049, 0.136],
        "ROUGE-L": [0.163, 0.081, 0.176],
        "SPICE": [0.192, 0.092, 0.205],
    }
    for name, values in audited.items():
        own = [round(r[f"{name}/{aspect}"].got, 3) for aspect in ("precision", "recall", "total")]
        assert own == values
    human = [*scores.values(), *(c for c in r.values() if c.table.benchmark == "thumb")]
    assert {c.verdict for c in human} == {"equal"}


def test_the_later_release_is_beside(thumb_study) -> None:
    cider = _of(thumb_study, "thumb", "score")["Human/CIDEr"]
    # What coco-caption itself says of the later files.
    assert round(100 * cider.beside["later release"], 1) == 111.5
    assert "later release" in thumb_study.tables()[0].columns


def test_what_is_not_reproduced_of_thumb_is_known(thumb_study) -> None:
    failed = {
        (c.table.of, c.printed.row, c.printed.column): c.label for c in thumb_study.checks if _failed(c)
    }
    systems = ("Human", "VinVL-large", "VinVL-base", "Unified-VLP", "Up-Down")
    assert failed == {
        ("mean", "Human", "conciseness"): "misprint",
        ("examples", "VinVL-base on 276127", "precision"): "open",
        **{("count", "worst", system): "open" for system in systems},
    }
    assert thumb_study.holds


def _failed(check: Check) -> bool:
    return check.verdict == "not reproduced"


def test_five_references_are_not_compared_with_four(thumb_study) -> None:
    found = [c for c in thumb_study.checks if c.verdict == "not comparable"]
    assert len(found) == 6 and {c.printed.row for c in found} == {"RefCLIPS", "RefOnlyCLIPS"}
    assert all("five references" in c.note for c in found)


def test_columns_of_people_intervals_and_best_counts_are_equal(thumb_study) -> None:
    for of, n in (("mean", 30), ("reach", 10)):
        found = _of(thumb_study, "thumb", of)
        assert len(found) == n
        assert {c.verdict for c in found.values()} - {"not reproduced"} == {"equal"}
    best = [c for cell, c in _of(thumb_study, "thumb", "count").items() if cell.startswith("best")]
    assert [c.verdict for c in best] == ["equal"] * 5


def test_the_examples_of_tables_1_5_and_7_are_those_of_the_release(thumb_study) -> None:
    found = [c for c in thumb_study.checks if c.table.of == "examples"]
    assert len(found) == 15 * 4 + 18 * 4 + 5 * 3
    assert sum(c.verdict == "equal" for c in found) == len(found) - 1


def test_all_correlations_with_fluency_are_below_a_tenth(thumb_study) -> None:
    # Kasai et al. 2022, Table 4: "All metrics had correlations lower than 0.1 for fluency."
    fluency = [c for c in thumb_study.checks if c.printed.bound == "at_most"]
    assert len(fluency) == 12 and {c.verdict for c in fluency} == {"equal"}


def test_what_lacks_weights_or_photographs_names_the_command(thumb_study) -> None:
    skipped = {c.note for c in thumb_study.checks if c.verdict == "skipped"}
    assert any("captious get weights ViT-B-32/openai" in note or "--images DIR" in note for note in skipped)
    assert any("captious campaign create thumb" in note for note in skipped)


def test_the_last_line_counts_by_study(data) -> None:
    found = reproduce(["hessel2021", "cornia2020"], data)
    last = found.tables()[0].notes[-1]
    assert last.startswith("cornia2020: 5 equal, 0 near")
    assert "; hessel2021: " in last and "; all: " in last and "not reproduced" in last


def test_flickr8k_expert_and_karpathy_hold(data) -> None:
    found = reproduce(["flickr8k-expert", "coco-karpathy"], data)
    assert {c.table.benchmark for c in found.checks} == {"flickr8k-expert", "coco-karpathy"}
    for one in found.checks:
        assert one.verdict == "equal" or (one.verdict == "skipped" and "meteor" in one.note)
    # Scott et al. 2023, Table 3: kappa with 4 = 5 has a row too.
    assert any(c.printed.column == "kappa_4=5" and c.verdict == "equal" for c in found.checks)


def test_heads_are_skipped_with_the_command(data) -> None:
    found = reproduce(["flickr8k-cf", "composite"], data)
    assert {c.verdict for c in found.checks} == {"skipped"}
    assert all("captious get benchmarks" in c.note for c in found.checks)
    # Nothing was checked, so nothing was reproduced.
    assert not found.holds


@pytest.mark.long
def test_pascal_50s_with_one_five_and_48_references(data) -> None:
    found = reproduce("pascal-50s", data)
    assert found.holds
    assert all(c.label == "open" for c in found.checks if _failed(c))
    wmd = next(c for c in found.checks if (c.printed.row, c.table.of) == ("wmd_best", "accuracy, 5"))
    assert wmd.verdict == "equal"


@pytest.mark.long
def test_everything_at_once(data) -> None:
    found = reproduce((), data)
    failed = [c for c in found.checks if _failed(c)]
    assert found.holds and len(failed) <= 10 and all(c.label for c in failed)
    assert all(c.note for c in found.checks if c.verdict == "skipped")


def test_missing_data_are_skipped_with_the_command(tmp_path) -> None:
    found = reproduce(["thumb"], tmp_path)
    assert {c.verdict for c in found.checks} == {"skipped"}
    assert "mscoco_THumB-1.0.jsonl: there is no such file" in found.checks[0].note
    assert "captious get benchmarks thumb" in found.checks[0].note


def test_no_data_anywhere_is_skipped(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("CAPTIOUS_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert {c.verdict for c in reproduce().checks} == {"skipped"}


def test_another_copy_of_the_data_is_told(data, tmp_path) -> None:
    (tmp_path / "coco_karpathy").mkdir()
    captions = {str(number): ["a dog runs"] * 5 for number in range(3)}
    (tmp_path / "coco_karpathy" / "reference_captions.json").write_text(json.dumps(captions))
    found = reproduce("humanr", tmp_path)
    held = [c for c in found.checks if c.table.measure == "held out" and c.got is not None]
    assert held and all("another copy than the one that the study names" in c.note for c in held)


@pytest.mark.parametrize(
    ("printed", "got", "verdict"),
    [
        # Printed 43.9: from 43.85 to 43.95.
        (CIDER, 0.43851, "equal"),
        (CIDER, 0.4384, "not reproduced"),
        (Printed("worst", "Human", "65", percent=False), 65, "equal"),
        (Printed("worst", "Human", "65", percent=False), 73, "not reproduced"),
        # A bound: 0.95 or more, however much more; 0.1 or less.
        (Printed("a", "r", "0.95", percent=False, bound="at_least"), 0.99, "equal"),
        (Printed("a", "r", "0.95", percent=False, bound="at_least"), 0.9499, "not reproduced"),
        (Printed("a", "r", "0.1", percent=False, bound="at_most"), 0.05, "equal"),
        (Printed("a", "r", "0.1", percent=False, bound="at_most"), 0.11, "not reproduced"),
        # Of other data it is no failure.
        (CIDER._replace(label="not comparable", said="four"), 0.43, "not comparable"),
        (CIDER._replace(label="not comparable", said="four"), 0.439, "equal"),
    ],
)
def test_verdicts(printed, got, verdict) -> None:
    assert judge(printed, Measured(got))[0] == verdict


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
    found, note = judge(CIDER, Measured(0.43, low, high, "by the weather"))
    assert found == verdict
    assert f"by the weather: {100 * low:.2f} to {100 * high:.2f}" in note


def test_a_known_cause_widens_the_range() -> None:
    printed = CIDER._replace(spread=0.9, cause="by the parser")
    assert judge(printed, Measured(0.43)) == ("near", "by the parser: 42.10 to 43.90")
    assert judge(printed._replace(spread=0.8), Measured(0.43))[0] == "not reproduced"


def test_a_failure_that_is_not_known_is_a_no() -> None:
    table = find_study("hessel2021").tables[0]
    open_one = CIDER._replace(label="open", said="why is unknown")

    def checked(printed: Printed, got: float) -> Check:
        verdict, note = judge(printed, Measured(got))
        return Check("mine", table, printed, got, verdict, note, {})

    met, failed, known = checked(CIDER, 0.439), checked(CIDER, 0.3), checked(open_one, 0.3)
    assert not Reproduction([met, failed]).holds
    assert Reproduction([met, known]).holds
    assert not Reproduction([known]).holds  # nothing was met
    assert Reproduction([met, known]).counted().endswith("1 not reproduced (1 open), 0 skipped")


def test_an_unknown_name_and_a_wrong_option() -> None:
    for name in (["thum"], "thum"):
        with pytest.raises(UnknownNameError, match='Did you mean "thumb"'):
            reproduce(name)
    with pytest.raises(InputError, match="option of thumb"):
        reproduce("iicr", leaked="drop")


def test_composite_is_checked_on_all_and_on_captions_of_systems(tmp_path) -> None:
    """Made-up ratings in the shape of the whole file: three candidates of systems, one by people."""
    references = ["a dog runs in the park", "the dog is running", "a brown dog"]
    rated = [("a cat asleep", 5, True), ("a dog runs in the bus", 1, False), ("a dog runs in", 2, False)]
    rated.append(("a dog", 4, False))
    lines = [
        json.dumps(
            {
                "subset": "coco",
                "image": f"{image}.jpg",
                "candidate": candidate,
                "relevance": rating,
                "thoroughness": rating,
                "references": references,
                "human": human,
            }
        )
        for image in range(4)
        for candidate, rating, human in rated
    ]
    (tmp_path / "composite").mkdir()
    (tmp_path / "composite" / "composite.jsonl").write_text("\n".join(lines))
    found = reproduce("composite", tmp_path)
    own = _of(found, "composite", "spearman, systems")
    # ROUGE-L: 5/6 both ways; P 1 and R 2/3 for the other two alike. Ranks 3 1.5 1.5 against 1 2 3:
    # (1 x -1 - 0.5 x 0 - 0.5 x 1) / sqrt(1.5 x 2) = -sqrt(3) / 2. The caption by a person, which no
    # reference equals, is left out.
    for aspect in ("relevance", "thoroughness"):
        assert own[f"rouge_l/{aspect}"].got == pytest.approx(-(3**0.5) / 2)
    assert own["rouge_l/relevance"].verdict == "not reproduced"
    assert _of(found, "composite", "kendall_c")["relevance/rouge_l"].got is not None


def test_the_whole_composite_without_human_references_and_thoroughness(tmp_path, data) -> None:
    """The head as a whole file: references that no candidate equals, no field `human`, one aspect."""
    lines = (data / "formats" / "composite.head.jsonl").read_text().splitlines()
    rows = [json.loads(line) | {"subset": "coco"} for line in lines]
    said = {(row["image"], fold(row["candidate"])) for row in rows}
    for row in rows:
        row["references"] = [text for text in row["references"] if (row["image"], fold(text)) not in said]
    (tmp_path / "composite").mkdir()
    (tmp_path / "composite" / "composite.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = reproduce("composite", tmp_path)
    own = _of(found, "composite", "spearman, systems")
    assert all(own[f"{name}/relevance"].got is not None for name in ("bleu1", "cider", "spice"))
    assert own["bleu1/thoroughness"].note == "the data have no aspect thoroughness"
    # Three candidates an image, of which a person wrote the first: Spearman over the other 40.
    systems = [row for place, row in enumerate(rows) if place % 3]
    corpus = Corpus.from_lists([r["candidate"] for r in systems], [r["references"] for r in systems])
    bleu = resolve("bleu1")
    (run,) = run_metrics(corpus, [bleu])
    scores = [bleu.corpus_score(one) for one in run.statistics]
    assert own["bleu1/relevance"].got == pytest.approx(
        spearmanr(scores, [r["relevance"] for r in systems]).statistic
    )


def test_a_study_of_ones_own(tmp_path) -> None:
    rows = [
        {"image": str(n), "system": "a", "caption": f"{n} dogs", "rating": n % 3, "references": ["two dogs"]}
        for n in range(6)
    ]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "mine.yaml").write_text(
        "paper: Mine 2026\ndata: {judged: {judgments: mine.jsonl}}\n"
        "tables:\n- {table: Table 1, measure: mean, data: judged, columns: overall, rows: {a: 1.00}}\n"
        "- {table: Table 2, measure: mean, data: judged, columns: overall, rows: {a: 1.10}}\n"
    )
    found = reproduce(str(tmp_path / "mine.yaml"), tmp_path)
    assert [(c.study, c.got, c.verdict) for c in found.checks] == [
        ("mine", 1.0, "equal"),
        ("mine", 1.0, "not reproduced"),
    ]
    assert not found.holds


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("measure: mena", 'mine: Table 1: unknown measure "mena". Did you mean "mean"'),
        ("measure: mean, nedes: overall", 'unknown option "nedes". Did you mean "needs"'),
        ("measure: accuracy", 'accuracy needs the option "references"'),
        ("measure: accuracy, references: five", 'references: "five" is no whole number above 0'),
        ("measure: interval, level: 0", 'level: "0" is no number above 0'),
        ("measure: mean, metrics: x", 'unknown option "metrics"'),
        ("measure: score, human: without", "human and subset are choices of a benchmark, and judged is"),
    ],
)
def test_a_wrong_option_is_one_line(tmp_path, given, said) -> None:
    (tmp_path / "mine.jsonl").write_text('{"image": "1", "caption": "a dog", "rating": 1}\n')
    (tmp_path / "mine.yaml").write_text(
        "data: {judged: {judgments: mine.jsonl}}\n"
        f"tables:\n- {{table: Table 1, {given}, data: judged, columns: bleu1, rows: {{a: 1.00}}}}\n"
    )
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        reproduce(str(tmp_path / "mine.yaml"), tmp_path)
    assert "\n" not in str(caught.value)


def test_a_metric_that_does_not_exist_is_told_before_anything_is_computed(tmp_path) -> None:
    own = (
        "data: {judged: {judgments: not-there.jsonl}}\nmetrics: {ROUGE: rogue_l}\n"
        "tables:\n- {table: Table 1, measure: score, data: judged, columns: ROUGE, rows: {a: 1.00}}\n"
    )
    (tmp_path / "mine.yaml").write_text(own)
    judged = tmp_path / "final.jsonl"
    judged.write_text('{"image": "1", "caption": "a dog", "rating": 1}\n')
    for run in (reproduce, study):
        with pytest.raises(InputError, match=r'mine: Table 1: unknown metric "rogue_l"\. Did you mean'):
            run(str(tmp_path / "mine.yaml"), tmp_path)


def test_a_metric_by_another_spelling_of_its_name(tmp_path) -> None:
    (tmp_path / "final.jsonl").write_text(
        '{"image": "1", "caption": "a dog", "references": ["a dog"], "system": "a", "rating": 1}\n'
    )
    (tmp_path / "mine.yaml").write_text(
        "data: {judged: {judgments: final.jsonl}}\nmetrics: {ROUGE: ROUGE-L}\n"
        "tables:\n- {table: Table 1, measure: score, data: judged, columns: ROUGE, rows: {a: 100},"
        " percent: yes}\n"
    )
    path = str(tmp_path / "mine.yaml")
    assert [check.verdict for check in reproduce(path, tmp_path).checks] == ["equal"]
    assert study(path, tmp_path).found[0].cells == {("a", "ROUGE"): 1.0}


def test_data_without_a_part_are_skipped_and_the_rest_is_checked(tmp_path, data) -> None:
    """The head of Composite has no captions of COCO, the sample of VICR none of Flickr8k."""
    for folder, name, source in (
        ("composite", "composite.jsonl", "formats/composite.head.jsonl"),
        ("vicr", "VICR.csv", "vicr_sample/VICR_Sample250.csv"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).symlink_to(data / source)
    found = reproduce(["composite", "iicr"], tmp_path)
    assert _of(found, "composite", "kendall_c")["relevance/rouge_l"].got is not None
    assert "unknown subset" in _of(found, "composite", "spearman, systems")["bleu1/relevance"].note
    assert any(check.note == "vicr/VICR.csv has no captions of flickr_g." for check in found.checks)
    assert any(check.table.title == "Table 3, CocoG" and check.got is not None for check in found.checks)


def test_a_study_in_another_encoding_is_refused(tmp_path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"\xff\xfe\x00paper")
    with pytest.raises(InputError, match=r"mine\.yaml: ") as caught:
        reproduce(str(path), tmp_path)
    assert "\n" not in str(caught.value)
