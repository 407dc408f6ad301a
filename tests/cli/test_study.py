from __future__ import annotations

import json

import pytest


@pytest.fixture
def judged(tmp_path):
    rows = [
        {
            "image": str(n),
            "system": system,
            "caption": f"{n} dogs run" + " far" * (n % 3),
            "references": ["two dogs run far"],
            "rater": "x",
            "aspect": aspect,
            "rating": (n + len(system) + len(aspect)) % 5,
        }
        for n in range(6)
        for system in ("m", "people")
        for aspect in ("precision", "recall", "total")
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_a_papers_tables_on_ones_own_judgments(run, judged) -> None:
    found = run("study", "thumb", "--data", judged, "--human", "people", "--format", "json")
    assert found.code == 0
    tables = {table["table"]: table for table in found.json["tables"]}
    values = {(v["row"], v["column"]): v["value"] for v in tables["Table 2, human"]["values"]}
    assert set(values) == {(s, a) for s in ("m", "people") for a in ("precision", "recall", "total")}
    # m, precision: (n + 1 + 9) mod 5 for n = 0 … 5 is 0 1 2 3 4 0.
    assert values["m", "precision"] == pytest.approx(10 / 6)
    assert "Table 3" in run("study", "thumb", "--data", judged, "--human", "people").out


def test_which_captions_are_human_must_be_said(run, judged) -> None:
    found = run("study", "thumb", "--data", judged)
    assert found.code == 2 and found.err.count("\n") == 1
    assert "--human SYSTEM (there are m, people), or give --human none" in found.err


def test_an_unknown_study(run, judged) -> None:
    found = run("study", "thum", "--data", judged)
    assert found.code == 2 and 'Did you mean "thumb"?' in found.err
