from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAPTIOUS_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_the_list_tells_licence_page_and_what_is_here(run, tmp_path: Path) -> None:
    found = run("get", "benchmarks", "--format", "json").json
    assert {one["state"] for one in found.values()} == {"missing"}
    assert found["thumb"]["page"] == "https://github.com/jungokasai/THumB"
    folder = tmp_path / "home" / "captious" / "benchmarks"
    assert found["foils"]["folder"] == str(folder)
    (folder / "thumb").mkdir(parents=True)
    (folder / "thumb" / "mscoco_references.jsonl").write_text("{}")
    listed = run("get", "benchmarks")
    assert listed.code == 0
    assert "part" in next(line for line in listed.out.splitlines() if "thumb" in line)


def test_where_a_file_belongs_and_that_it_is_not_there(run, tmp_path: Path) -> None:
    done = run("get", "benchmarks", "--where", "nebula", "--data", tmp_path)
    assert done.code == 1
    assert f"{tmp_path}/nebula/nebula_test.json" in done.out
    assert run("get", "benchmarks", "--where").code == 0  # a list of all is no question


def test_what_only_a_person_can_get_is_told_without_a_network(run) -> None:
    done = run("get", "benchmarks", "flickr8k-expert")
    assert done.code == 1
    assert "Ask for the data by the form on the page" in done.out
    assert "https://forms.illinois.edu/" in done.err
    assert run("get", "benchmarks", "nonesuch").code == 2
