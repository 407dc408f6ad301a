"""`captious score --out`: what a person sees who scores shards."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from captious.cli.main import main

pytest.importorskip("pyarrow")


def write(path: Path, images: int, first: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "image_id": i,
            "caption": f"a dog number {i % 7} runs",
            "references": [f"the dog {i % 5} runs", "a dog"],
        }
        for i in range(first, first + images)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def captious(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([str(one) for one in arguments])
    seen = capsys.readouterr()
    return int(stop.value.code or 0), seen.out, seen.err


def test_a_folder_of_shards(capsys: Any, tmp_path: Path) -> None:
    write(tmp_path / "m2" / "a.jsonl", 30)
    write(tmp_path / "m2" / "b.jsonl", 30, 30)
    arguments = ("score", "-c", tmp_path / "m2", "-m", "bleu4,cider", "--resamples", "50")
    code, out, err = captious(capsys, *arguments, "--out", tmp_path / "out", "-f", "json")
    assert code == 0 and "scores of 60 captions written to" in err
    found = json.loads(out)
    assert found["systems"]["m2"]["cider"]["n"] == 60
    assert found["systems"]["m2"]["cider"]["interval"] == "Poisson bootstrap over images"
    code, out, err = captious(capsys, *arguments, "--out", tmp_path / "out")
    assert code == 0 and "Poisson bootstrap over images" in out and "60 of them from an earlier run" in err


def test_finished_scores_of_others_are_replaced_only_when_told(capsys: Any, tmp_path: Path) -> None:
    write(tmp_path / "m2" / "a.jsonl", 30)
    write(tmp_path / "m3" / "a.jsonl", 20)
    out = ("--out", tmp_path / "out")
    first = ("score", "-c", tmp_path / "m2", "-m", "bleu4,rouge_l", *out)
    assert captious(capsys, *first)[0] == 0
    manifest = (tmp_path / "out" / "manifest.json").read_bytes()
    for other, missing in (
        (("score", "-c", tmp_path / "m3", "-m", "bleu4,rouge_l", *out), f"{tmp_path}/m2/a.jsonl"),
        (("score", "-c", tmp_path / "m2", "-m", "bleu4", *out), "rouge_l"),
    ):
        code, _, err = captious(capsys, *other)
        assert (code, err) == (
            2,
            f"error: {tmp_path}/out: contains finished scores of m2 (30 captions; bleu4, rouge_l). This run "
            f"would drop {missing}. Name another --out, or use --overwrite to replace them.\n",
        )
        assert (tmp_path / "out" / "manifest.json").read_bytes() == manifest
    code, _, err = captious(capsys, "score", "-c", tmp_path / "m3", "-m", "bleu4", *out, "--overwrite")
    assert code == 0 and "replaced the scores of 30 captions by an earlier run" in err
    # More shards of the same, and more metrics, keep what was asked for before.
    write(tmp_path / "m3" / "b.jsonl", 10, 20)
    code, _, err = captious(capsys, "score", "-c", tmp_path / "m3", "-m", "bleu4", *out)
    assert code == 0 and "scores of 30 captions (20 of them from an earlier run)" in err
    assert "replaced" not in err
    code, _, err = captious(capsys, "score", "-c", tmp_path / "m3", "-m", "bleu4,rouge_l", *out)
    assert code == 0 and "replaced the scores of 30 captions" in err
    code, _, err = captious(capsys, "score", "-c", tmp_path / "m2" / "a.jsonl", "-m", "bleu4", "--overwrite")
    assert (code, err) == (2, "error: --overwrite only works with --out. Leave it out.\n")


def test_out_with_a_file_that_is_no_shard_says_how_to_score_it(capsys: Any, tmp_path: Path) -> None:
    for name, text in (
        ("a.json", '[{"image_id": 1, "caption": "a dog"}]'),
        ("a.csv", "image_id,caption\n1,a dog\n"),
    ):
        (tmp_path / name).write_text(text)
        code, _, err = captious(capsys, "score", "-c", tmp_path / name, "-m", "lm", "--out", tmp_path / "out")
        assert code == 2 and err.count("\n") == 1
        assert "Whole files are scored without --out; `captious score --items FILE`" in err


def test_a_folder_without_out_says_what_is_missing(capsys: Any, tmp_path: Path) -> None:
    write(tmp_path / "m2" / "a.jsonl", 3)
    code, _, err = captious(capsys, "score", "-c", tmp_path / "m2", "-m", "bleu4")
    assert code == 2 and err.count("\n") == 1
    assert err.startswith("error: candidates: a folder, pattern or address is read as shards")
    assert err.endswith("Give --out FOLDER, or name the files.\n")


def test_what_is_set_aside_ends_in_1_with_the_list(capsys: Any, tmp_path: Path) -> None:
    write(tmp_path / "m2" / "a.jsonl", 5)
    (tmp_path / "m2" / "b.parquet").write_bytes(b"PAR1 and no more")
    code, _, err = captious(capsys, "score", "-c", tmp_path / "m2", "-m", "bleu4", "--out", tmp_path / "out")
    assert code == 1
    assert f"note: set aside: {tmp_path}/m2/b.parquet: the Parquet file cannot be read" in err
    assert err.count("set aside") == 1


def test_a_dry_run_counts_and_writes_nothing(capsys: Any, tmp_path: Path) -> None:
    write(tmp_path / "m2" / "a.jsonl", 40)
    write(tmp_path / "m2" / "b.jsonl", 20, 40)
    before = sorted(tmp_path.rglob("*"))
    arguments = ("score", "-c", tmp_path / "m2", "-m", "bleu4,rouge_l", "--dry-run", "--block", "15")
    code, out, _ = captious(capsys, *arguments, "-f", "json")
    found = json.loads(out)
    assert code == 0 and sorted(tmp_path.rglob("*")) == before
    # 40 lines are blocks of 15, 15 and 10; 20 lines are blocks of 15 and 5.
    assert (found["shards"], found["rows"], found["blocks"]) == (2, 60, 5)
    assert {"tokens", "bleu4", "rouge_l", "intervals"} <= found["seconds_a_caption"].keys()
    assert found["seconds"] == pytest.approx(60 * sum(found["seconds_a_caption"].values()))
    assert "60 captions in 2 shards" in captious(capsys, *arguments)[1]


@pytest.mark.parametrize("option", [("--images", "photos"), ("--items", "x.csv"), ("--common",)])
def test_options_that_need_all_captions_in_memory(
    capsys: Any, tmp_path: Path, option: tuple[str, ...]
) -> None:
    write(tmp_path / "m2" / "a.jsonl", 3)
    code, _, err = captious(capsys, "score", "-c", tmp_path / "m2", "--out", tmp_path / "out", *option)
    assert code == 2 and err.startswith(f"error: {option[0]} does not work with shards.")


def test_without_ray_the_engine_says_how_to_get_it(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    write(tmp_path / "m2" / "a.jsonl", 3)
    arguments = ("score", "-c", tmp_path / "m2", "-m", "bleu4", "--out", tmp_path / "out", "--engine", "ray")
    code, _, err = captious(capsys, *arguments)
    said = 'error: the engine ray needs Ray. Install it with: pip install "captious[ray]"\n'
    assert (code, err) == (2, said)


@pytest.mark.parametrize("command", ["compare", "report"])
def test_captions_beside_sharded_scores_are_refused(capsys: Any, tmp_path: Path, command: str) -> None:
    other = write(tmp_path / "other.jsonl", 3)
    more = ("--out", tmp_path / "page.html") if command == "report" else ()
    code, _, err = captious(capsys, command, "--scores", tmp_path / "scores", "-c", other, *more)
    assert code == 2 and err.endswith("Leave out --candidates.\n")
