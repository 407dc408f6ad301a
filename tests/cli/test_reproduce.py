from __future__ import annotations

import json
import shutil


def test_all_holds_and_exit_0(run, data) -> None:
    found = run("reproduce", "flickr8k-expert", "--data", data, "--format", "json")
    assert found.code == 0
    assert found.json["holds"] is True and found.json["counts"]["differs"] == 0
    cider = next(c for c in found.json["checks"] if c["column"] == "cider")
    assert (cider["expected"], cider["verdict"]) == (0.439, "holds")
    assert round(cider["got"], 3) == 0.439


def test_the_table_shows_expected_got_and_verdict(run, data) -> None:
    found = run("reproduce", "flickr8k-expert", "--data", data)
    line = next(line for line in found.out.splitlines() if " cider " in line)
    assert "43.9" in line and "43.89" in line and "holds" in line
    assert "Hessel et al. 2021" in found.out


def test_a_changed_judgment_differs_and_exit_1(run, data, tmp_path) -> None:
    folder = tmp_path / "thumb"
    shutil.copytree(data / "thumb", folder)
    path = folder / "mscoco_THumB-1.0.jsonl"
    path.chmod(0o644)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["SYS"] == "Human":
            row["P"] = 3.0
    folder.chmod(0o755)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = run("reproduce", "thumb", "--data", tmp_path, "--format", "json")
    assert found.code == 1
    differing = {(c["row"], c["column"]) for c in found.json["checks"] if c["verdict"] == "differs"}
    assert ("Human", "precision") in differing


def test_missing_data_are_skipped_not_failed_with_a_traceback(run, tmp_path) -> None:
    found = run("reproduce", "thumb", "--data", tmp_path)
    assert found.code == 1  # nothing was checked, so the answer is not yes
    assert "skipped" in found.out and "there is no such file" in found.out


def test_an_unknown_benchmark(run) -> None:
    found = run("reproduce", "thum")
    assert found.code == 2 and 'Did you mean "thumb"?' in found.err


def test_spice_says_bounds_and_reasons(run, tmp_path) -> None:
    found = run("reproduce", "spice", "--data", tmp_path)
    assert found.code == 1 and "skipped" in found.out
    assert "≥ 0.95" in found.out and "--golden DIR" in found.out


def test_weights_that_are_none_are_refused(run, data, tmp_path) -> None:
    wrong = tmp_path / "weights.npz"
    wrong.write_text("nothing")
    found = run("reproduce", "spice", "--data", data, "--parser", wrong)
    assert found.code == 2 and "holds no caption parser" in found.err
    found = run("reproduce", "thumb", "--data", data, "--parser", wrong)
    assert found.code == 2 and "--parser is a choice of spice" in found.err
