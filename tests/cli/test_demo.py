"""What can be tried of `captious demo` without scoring the whole sample."""

from __future__ import annotations

from pathlib import Path


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
