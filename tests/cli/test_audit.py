from __future__ import annotations

import json

import pytest

QUESTIONS = [
    "misclassified",
    "hallucinated",
    "primary_object",
    "properties",
    "relationships",
    "grammar",
    "awkward",
]


@pytest.fixture
def audit(tmp_path):
    """Four images: the system errs in the first two (relations), people in the last (wording)."""
    path = tmp_path / "audit.jsonl"
    rows = [
        {
            "image": str(image),
            "system": source,
            "rater": "ann",
            "aspect": question,
            "rating": int(
                (source == "m" and image < 2 and question == "relationships")
                or (source == "human" and image == 3 and question == "awkward")
            ),
        }
        for image in range(4)
        for source in ("m", "human")
        for question in QUESTIONS
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def preferences(tmp_path):
    path = tmp_path / "humanr.jsonl"
    rows = [
        {"image": str(image), "system": "m", "rater": "bob", "aspect": "preference", "rating": value}
        for image, value in enumerate([-0.6, -0.6, -0.2, -0.2])
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_rates_differences_and_the_explained_share(run, audit, preferences) -> None:
    found = run("judgments", "audit", audit, "--preferences", preferences, "--format", "json")
    assert found.code == 0
    rates = {(r["source"], r["question"]): r["rate"]["value"] for r in found.json["rates"]}
    assert rates["m", "relationships"] == rates["m", "any"] == 0.5
    assert rates["human", "awkward"] == rates["human", "any"] == 0.25
    assert found.json["differences"]["m"]["any"]["difference"] == 0.25
    # All pairs -0.4, the two without an error -0.2: half of it is explained.
    explained = found.json["explained"]["m"]
    assert (explained["all_pairs"], explained["without_errors"]) == pytest.approx((-0.4, -0.2))
    assert explained["share"]["value"] == pytest.approx(0.5)
    assert (explained["pairs"], explained["pairs_without_errors"]) == (4, 2)


def test_tables(run, audit, preferences) -> None:
    shown = run("judgments", "audit", audit, "--preferences", preferences).out
    assert "less human" in shown
    assert "HUMANr explained by errors" in shown
    assert "caution: fewer than 30 pairs without errors (m 2)" in shown
    assert "less human" in run("judgments", "audit", audit, "--format", "csv").out.splitlines()[0]


def test_what_is_no_audit_is_one_line(run, preferences, audit) -> None:
    found = run("judgments", "audit", preferences)
    assert found.code == 2
    assert 'no row has the aspect "misclassified"' in found.err
    assert "no row has the aspect" in run("judgments", "audit", audit, "--preferences", audit).err
