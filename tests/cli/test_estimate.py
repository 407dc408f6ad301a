"""`captious estimate` on the bundled sample, as a user would run it."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

import captious
from captious.errors import CaptiousWarning

DEMO = Path(str(resources.files("captious") / "data" / "demo"))
SYSTEMS = sorted((DEMO / "systems").glob("*.json"))
GIVEN = ["--candidates", *SYSTEMS, "--references", DEMO / "references.json"]


@pytest.fixture
def rows() -> list[dict]:
    """The sample's judgments of every second image."""
    found = [json.loads(line) for line in (DEMO / "judgments.jsonl").read_text().splitlines()]
    return [row for row in found if int(row["image"]) % 2 and row["aspect"] == "precision"]


@pytest.fixture
def rated(tmp_path: Path, rows: list[dict]) -> Path:
    path = tmp_path / "rated.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_means_with_a_metric_beside_them(run, rated: Path, rows: list[dict]) -> None:
    found = run("estimate", rated, *GIVEN, "--metrics", "cider", "--format", "json").json
    own = [row["value"] for row in rows if row["system"] == "dodo"]
    dodo = found["mean"]["dodo"]
    assert dodo["human"]["value"] == pytest.approx(sum(own) / len(own))
    assert (dodo["n_rated"], dodo["n"]) == (12, 24)
    assert 0 < dodo["ppi"]["cider"]["ratio"] <= 1
    assert dodo["ppi"]["cider"]["low"] < dodo["ppi"]["cider"]["value"] < dodo["ppi"]["cider"]["high"]
    assert len(found["differences"]) == 6
    assert {row["metric"] for row in found["correlation"]} == {"cider"}


def test_scores_of_a_file_give_the_same_as_scoring(run, rated: Path, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    assert run("score", *GIVEN, "--metrics", "rouge_l", "--items", items).code == 0
    scored = run("estimate", rated, "--scores", items, "--format", "json").json
    computed = run("estimate", rated, *GIVEN, "--metrics", "rouge_l", "--format", "json").json
    assert scored["mean"] == computed["mean"]
    assert run("estimate", rated, "--scores", items, "--metrics", "spice").code == 2


def test_several_metrics_are_used_alone_and_together(run, rated: Path) -> None:
    found = run("estimate", rated, *GIVEN, "--metrics", "cider,rouge_l", "--format", "json").json
    assert list(found["mean"]["dodo"]["ppi"]) == ["cider", "rouge_l"]  # 12 ratings are too few for a fit
    captions = {"m2": {str(n): "a dog" for n in range(60)}}
    judged = [{"image": str(n), "system": "m2", "rating": n % 5} for n in range(0, 60, 2)]
    scores = [{"image": str(n), "system": "m2", "one": n % 3, "two": n % 5} for n in range(60)]
    both = captious.estimate(judged, captions, scores=scores).to_dict()["mean"]["m2"]["ppi"]
    assert list(both) == ["one", "two", "all metrics"]
    assert both["all metrics"]["ratio"] < both["one"]["ratio"]


def test_a_useless_metric_is_said_not_to_help(tmp_path: Path) -> None:
    captions = {"m2": {str(n): "a dog" for n in range(40)}}
    judged = [{"image": str(n), "system": "m2", "rating": n % 5} for n in range(0, 40, 2)]
    scores = [{"image": str(n), "system": "m2", "mine": n // 20} for n in range(40)]
    found = captious.estimate(judged, captions, scores=scores)
    assert found.verdicts() == ["mine does not help: rate as many captions as without it."]


@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
def test_what_is_rated_must_be_among_the_captions(run, rated: Path, tmp_path: Path) -> None:
    strangers = tmp_path / "strangers.jsonl"
    strangers.write_text(json.dumps({"image": "1", "system": "emu", "rating": 3}))
    found = run("estimate", strangers, *GIVEN, "--metrics", "cider")
    assert found.code == 2
    assert 'image "1" by system "emu"' in found.err
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"image": "1", "system": "dodo", "caption": "No such words.", "rating": 3}))
    assert '"No such words." was rated, but its caption is' in run("estimate", other, *GIVEN).err
    assert "Give --candidates, or --scores" in run("estimate", rated).err
    both = tmp_path / "both.jsonl"
    rows = [{"image": "1", "system": "dodo", "rating": 3, "aspect": "recall"}]
    rows += [{"image": "1", "system": "emu", "rating": 3, "aspect": "precision"}]
    both.write_text("\n".join(map(json.dumps, rows)))
    found = run("estimate", both, *GIVEN, "--metrics", "cider", "--aspect", "precision")
    assert (found.code, "none of the captions has a rating of precision" in found.err) == (2, True)


def test_images_may_be_spelled_otherwise_and_what_a_group_leaves_out_is_said(
    run, rows: list[dict], tmp_path: Path
) -> None:
    plain, spelled = tmp_path / "plain.jsonl", tmp_path / "spelled.jsonl"
    plain.write_text("\n".join(map(json.dumps, rows)))
    other = [row | {"image": f"COCO_val2014_{int(row['image']):012}.jpg"} for row in rows]
    spelled.write_text("\n".join(map(json.dumps, other)))
    first, second = (
        run("estimate", path, *GIVEN, "--metrics", "cider", "-f", "json").json for path in (plain, spelled)
    )
    assert first == second
    captions = captious.load_corpus(SYSTEMS[0])
    with pytest.warns(CaptiousWarning) as said:
        captious.estimate([row for row in rows if row["system"] == "cuckoo"], captions, "free")
    assert any("left out: no images were given" in str(one.message) for one in said)


def test_captions_that_were_not_given_are_left_out_with_a_note(rows: list[dict]) -> None:
    captions = captious.load_corpus(SYSTEMS[0], DEMO / "references.json")
    with pytest.warns(CaptiousWarning, match="36 rated captions are not among the captions"):
        found = captious.estimate(rows, captions, "rouge_l")
    assert [row.systems for row in found.means] == [("cuckoo",)]
    assert not found.differences


def test_few_ratings_and_full_ratings_come_with_a_caution(run, tmp_path: Path, rows: list[dict]) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(json.dumps(row) for row in rows if row["image"] in (1, 3, 5)))
    assert (
        "dodo: of 3 ratings the intervals are somewhat too narrow"
        in run("estimate", few, *GIVEN, "--metrics", "cider").out
    )
    found = run("estimate", DEMO / "judgments.jsonl", *GIVEN, "--metrics", "cider", "--aspect", "recall")
    assert "all 24 captions are rated, so that a metric adds nothing" in found.out
    whole = run(
        "estimate", DEMO / "judgments.jsonl", *GIVEN, "-m", "cider", "--aspect", "recall", "-f", "json"
    ).json
    for row in whole["differences"]:
        assert row["human"]["value"] == row["ppi"]["value"]
    two = tmp_path / "two.jsonl"
    two.write_text("\n".join(json.dumps(row) for row in rows if row["image"] in (1, 3)))
    assert run("estimate", two, *GIVEN, "--metrics", "cider", "--format", "json").json["correlation"] == []
