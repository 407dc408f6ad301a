"""What can be tried of `captious demo` without scoring the whole sample."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_a_file_in_the_place_of_the_folder_is_refused_before_any_work(run, tmp_path: Path) -> None:
    taken = tmp_path / "report"
    taken.write_text("mine")
    found = run("demo", "--out", taken)
    assert found.code == 2
    assert found.err == f"error: {taken}: is a file. Name a folder for the report.\n"
    assert taken.read_text() == "mine"


def test_files_are_copied_and_can_be_scored(run, tmp_path: Path) -> None:
    assert run("demo", "--files", tmp_path / "sample").code == 0
    sample = tmp_path / "sample"
    found = run(
        "score",
        "--candidates",
        *sorted((sample / "systems").glob("*.json")),
        "--references",
        sample / "references.json",
        "--metrics",
        "bleu4,cider",
        "--resamples",
        0,
        "--format",
        "json",
    )
    assert list(found.json["systems"]) == ["cuckoo", "dodo", "heron", "magpie"]
    assert run("demo", "--files", sample).code == 2


@pytest.mark.long
def test_the_loop_closes_on_the_sample(run, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    found = run("demo", "--loop", "--out", tmp_path / "loop", "--format", "json")
    assert found.code == 0, found.err
    assert set(found.json["scores"]["systems"]) == {"heron", "magpie", "cuckoo", "dodo"}
    assert 0.5 < found.json["agreement"]["coefficients"]["alpha_ordinal"]["value"] < 1
    learned = {row["metric"]: row for row in found.json["learned"]["test"]}
    assert learned["learned"]["n"] == 48  # half of 24 images, four systems
    assert set(learned) > {"cider", "rouge_l"}
    page = (tmp_path / "loop" / "report.html").read_text()
    assert "learned" in page
    assert "simulated raters" in page
    assert (tmp_path / "loop" / "learned" / "card.md").is_file()
