"""Filtering shards of scores."""

from __future__ import annotations

import gzip
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
        main(["data", "filter", str(scored), "--where", "words > 0", "--out", str(tmp_path / "kept")])
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


LINES = """{"image_id": 1, "caption": "a dog", "cider": 0.9, "system": "m2", "more": [1]}
{"image_id": 2, "caption": "a very long tale", "cider": null, "system": null}

{"image_id": 3, "caption": "a cat",   "cider": 1, "system": "m2"}\r
{"image_id": 4, "caption": "a hat", "cider": 0.1, "system": "up"}"""


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("cider > 0.5", [1, 3]),
        ("not cider > 0.5", [2, 4]),
        ('system == "m2" and words == 2', [1, 3]),
        ("length > 9", [2]),
        ("known(cider) and cider < 1", [1, 4]),
        ('caption contains "a"', [1, 2, 3, 4]),
        ("cider > 7", []),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("batch", [1, 1000])
def test_lines_of_json(
    tmp_path: Path, where: str, kept: list[int], packed: bool, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("captious.corpus.shards.blocks.lines_of.__defaults__", (batch,))
    file = tmp_path / ("items.jsonl.gz" if packed else "items.jsonl")
    file.write_bytes(gzip.compress(LINES.encode()) if packed else b"\xef\xbb\xbf" + LINES.encode())
    found = captious.filter_shards(file, where, tmp_path / "kept")
    assert (found.kept, found.rows) == (len(kept), 4)
    parts = sorted((tmp_path / "kept").glob("kept-*"))
    assert [part.name for part in parts] == (["kept-00000.jsonl"] if kept else [])
    lines = [line for part in parts for line in part.read_text().splitlines()]
    assert [json.loads(line)["image_id"] for line in lines] == kept
    assert all(line in LINES.splitlines() for line in lines)
    if kept:
        again = captious.filter_shards(tmp_path / "kept", "image_id > 0", tmp_path / "again")
        assert (again.kept, again.rows) == (len(kept), len(kept))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("cidr > 0.5", 'where: position 1: unknown column "cidr". Did you mean "cider"?'),
        ("more > 0.5", '"more" is a column of lists'),
        ("system > 0.5", "text is compared with a number"),
    ],
)
def test_what_lines_do_not_allow_is_refused(tmp_path: Path, where: str, said: str) -> None:
    (tmp_path / "items.jsonl").write_text(LINES)
    with pytest.raises(InputError) as found:
        captious.filter_shards(tmp_path / "items.jsonl", where, tmp_path / "kept")
    assert said in str(found.value).replace("=", "")
    assert not (tmp_path / "kept").exists()


def test_a_damaged_line_sets_its_file_aside(tmp_path: Path) -> None:
    (tmp_path / "m2").mkdir()
    (tmp_path / "m2" / "a.jsonl").write_text(LINES)
    (tmp_path / "m2" / "b.jsonl").write_text('{"image_id": 5, "cider": 1}\n{"image_id": 6, "cid')
    found = captious.filter_shards(tmp_path / "m2", "cider > 0.5", tmp_path / "kept")
    assert (found.kept, found.rows, len(found.set_aside)) == (2, 4, 1)
    assert "b.jsonl: line 2" in found.set_aside[0].reason
    assert [path.name for path in sorted((tmp_path / "kept").glob("*.jsonl"))] == ["kept-00000.jsonl"]


def test_words_of_captions_without_spaces_are_not_counted(tmp_path: Path) -> None:
    file = tmp_path / "zh.jsonl"
    file.write_text('{"image_id": 1, "caption": "一只棕色的狗在草地上跑。"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="captions are Chinese, which is written without them"):
        captious.filter_shards(file, "words < 3", tmp_path / "kept")
    assert captious.filter_shards(file, "length < 30", tmp_path / "kept").kept == 1
