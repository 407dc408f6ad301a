"""Filtering shards of scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import captious
from captious.cli.main import main
from captious.errors import InputError

parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    rows = [
        {"image_id": i, "caption": "a dog" + " runs" * (i % 10), "references": ["a dog runs", "dogs"]}
        for i in range(90)
    ]
    (tmp_path / "m2").mkdir()
    for shard in range(3):
        lines = (json.dumps(row) for row in rows[30 * shard :][:30])
        (tmp_path / "m2" / f"{shard}.jsonl").write_text("\n".join(lines))
    captious.score(captious.open_shards(tmp_path / "m2"), ["bleu4", "rouge_l"], out=tmp_path / "scores")
    return tmp_path / "scores"


def rows_of(folder: Path) -> list[dict[str, Any]]:
    manifest = json.loads((folder / "manifest.json").read_text())
    return [
        row for part in manifest["parts"] for row in parquet.read_table(folder / part["file"]).to_pylist()
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_kept_is_what_meets_the_condition(scored: Path, tmp_path: Path, jobs: int) -> None:
    everything = rows_of(scored)
    found = captious.filter_shards(scored, "rouge_l > 0.6 and length < 30", tmp_path / "kept", jobs=jobs)
    kept = rows_of(tmp_path / "kept")
    expected = [row for row in everything if row["rouge_l"] > 0.6 and len(row["caption"]) < 30]
    assert 0 < len(expected) < len(everything)
    assert [row["image_id"] for row in kept] == [row["image_id"] for row in expected]
    assert (found.kept, found.rows) == (len(expected), 90)
    assert "bleu4.statistics" not in kept[0] and kept[0].keys() >= {"image_id", "caption", "bleu4", "rouge_l"}


def test_words_and_text(scored: Path, tmp_path: Path) -> None:
    captious.filter_shards(scored, 'words == 4 and system == "m2"', tmp_path / "kept", statistics=True)
    kept = rows_of(tmp_path / "kept")
    assert {row["caption"] for row in kept} == {"a dog runs runs"} and len(kept) == 9
    assert "bleu4.statistics" in kept[0]


def test_nothing_kept_is_no_file_and_kept_shards_can_be_filtered_again(scored: Path, tmp_path: Path) -> None:
    assert captious.filter_shards(scored, "rouge_l > 2", tmp_path / "none").kept == 0
    assert [path.name for path in (tmp_path / "none").iterdir()] == ["manifest.json"]
    captious.filter_shards(scored, "words < 6", tmp_path / "few")
    again = captious.filter_shards(tmp_path / "few", "words > 4", tmp_path / "five")
    assert (again.kept, again.rows) == (9, 36)  # 2 to 5 words: 4 of 10 lengths, 9 captions each


def test_a_damaged_shard_is_set_aside(scored: Path, tmp_path: Path, capsys: Any) -> None:
    part = sorted((scored / "scores").iterdir())[1]
    part.write_bytes(part.read_bytes()[:200])
    with pytest.raises(SystemExit) as stop:
        main(["filter", str(scored), "--where", "words > 0", "--out", str(tmp_path / "kept")])
    seen = capsys.readouterr()
    assert stop.value.code == 1
    assert seen.out.startswith("kept 60 of 60 captions (100.0%)")
    assert seen.err.startswith(f"note: set aside: {part}: the Parquet file cannot be read")


def test_other_files_are_left_alone(scored: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"contains other files \(thesis.tex\)"):
        captious.filter_shards(scored, "words > 0", tmp_path / "mine")
    with pytest.raises(InputError, match="position 1: unknown column"):
        captious.filter_shards(scored, "clipscore > 0.25", tmp_path / "kept")


def test_captions_are_not_filtered_into_their_own_folder(scored: Path, tmp_path: Path) -> None:
    captious.filter_shards(scored, "words < 6", tmp_path / "few")
    with pytest.raises(InputError, match=r"few: contains the captions to filter\. Give out= another folder"):
        captious.filter_shards(tmp_path / "few", "words > 4", tmp_path / "few")
    assert len(rows_of(tmp_path / "few")) == 36
    again = captious.filter_shards(scored, "words < 5", tmp_path / "few")
    assert again.notes == (f"replaced what an earlier filter kept in {tmp_path / 'few'}.",)
