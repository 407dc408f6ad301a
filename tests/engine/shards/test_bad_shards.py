"""A shard that is not as it should be: one line that says so, and the others are scored."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import captious
from captious.errors import InputError

pytest.importorskip("pyarrow")


def score(folder: Path, out: Path, **options: Any) -> Any:
    corpus = captious.open_shards(folder, block_rows=20, **options)
    return captious.score(corpus, ["rouge_l"], out=out)


def test_a_truncated_shard_is_set_aside_and_scored_once_it_is_whole(shards: Any, tmp_path: Path) -> None:
    folder, _ = shards
    whole = (folder / "s2.parquet").read_bytes()
    (folder / "s2.parquet").write_bytes(whole[: len(whole) // 2])
    found = score(folder, tmp_path / "out")
    assert found.rows == 180
    (bad,) = found.set_aside
    assert bad.reason.startswith(str(folder / "s2.parquet")) and "cannot be read" in bad.reason
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["set_aside"][0]["what"] == bad.what
    (folder / "s2.parquet").write_bytes(whole)
    mended = score(folder, tmp_path / "out")
    assert (mended.rows, mended.reused, mended.set_aside) == (240, 180, ())


def test_other_columns_are_named(shards: Any, parquet_shard: Any, tmp_path: Path) -> None:
    folder, _ = shards
    parquet_shard(folder / "x.parquet", [{"first": "a", "second": "b"}])
    found = score(folder, tmp_path / "out")
    assert found.rows == 240
    assert "found: first, second" in found.set_aside[0].reason


def test_a_shard_without_references_among_others_is_set_aside(
    shards: Any, parquet_shard: Any, tmp_path: Path
) -> None:
    folder, _ = shards
    parquet_shard(folder / "x.parquet", [{"image_id": "x", "caption": "A dog."}])
    found = score(folder, tmp_path / "out")
    assert found.rows == 240
    assert "x.parquet: rouge_l needs references" in found.set_aside[0].reason


def test_an_empty_shard_is_told(shards: Any, parquet_shard: Any, rows: Any, tmp_path: Path) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    folder, _ = shards
    empty = arrow.Table.from_pylist(rows(1)).slice(0, 0)
    parquet.write_table(empty, folder / "empty.parquet")
    found = score(folder, tmp_path / "out")
    assert (found.rows, found.set_aside) == (240, ())
    assert found.notes == (f"{folder / 'empty.parquet'}: has no rows.",)


def test_a_caption_that_is_missing_sets_its_block_aside_and_no_other(
    shards: Any, lines_shard: Any, rows: Any, tmp_path: Path
) -> None:
    folder, _ = shards
    more = rows(60, first=1000)
    more[45]["caption"] = None
    lines_shard(folder / "t.jsonl", more)
    found = score(folder, tmp_path / "out")
    assert found.rows == 240 + 40
    (bad,) = found.set_aside
    assert bad.what == f"{folder / 't.jsonl'}, rows 41 to 60"
    assert 'line 46: "caption" is null' in bad.reason


@pytest.mark.parametrize("apart", [False, True])
def test_a_second_caption_across_shards(
    shards: Any, parquet_shard: Any, lines_shard: Any, tmp_path: Path, apart: bool
) -> None:
    folder, made = shards
    second = made[70] | {"caption": "again"}
    parquet_shard(folder / "t.parquet", [second])
    options: dict[str, Any] = {}
    if apart:
        options["references"] = lines_shard(tmp_path / "refs.jsonl", [
            {"image_id": row["image_id"], "references": row["references"]} for row in made
        ])  # fmt: skip
    with pytest.raises(InputError) as error:
        score(folder, tmp_path / "out", **options)
    # Row 71 of all is row 11 of the second shard.
    assert str(error.value).startswith(f"{folder / 't.parquet'}: row 1: a second caption for the same image")
    assert f"the first is at {folder / 's1.parquet'}: row 11" in str(error.value)
    assert score(folder, tmp_path / "out", duplicates="all", **options).rows == 241
    first = score(folder, tmp_path / "out", duplicates="first", **options)
    assert first.rows == 240 and "1 repeated captions" in first.notes[0]


def test_images_without_references_are_told(shards: Any, lines_shard: Any, tmp_path: Path) -> None:
    folder, made = shards
    references = [{"image_id": row["image_id"], "references": row["references"]} for row in made[1:]]
    found = score(folder, tmp_path / "out", references=lines_shard(tmp_path / "refs.jsonl", references))
    assert '"0"' in found.set_aside[0].reason and "no references" in found.set_aside[0].reason
    assert found.rows > 0


def test_captions_beside_references_are_not_taken_for_references(shards: Any, tmp_path: Path) -> None:
    folder, _ = shards
    with pytest.raises(InputError, match="has captions beside its references"):
        score(folder, tmp_path / "out", references=folder)


def test_where_no_block_can_be_scored_the_error_itself_has_the_reason(
    shards: Any, lines_shard: Any, tmp_path: Path
) -> None:
    folder, _ = shards
    others = lines_shard(tmp_path / "refs.jsonl", [{"image_id": "elsewhere", "references": ["A dog."]}])
    with pytest.raises(InputError, match=r"no block could be scored\. The first: .* have no references"):
        score(folder, tmp_path / "out", references=others)


def test_shards_without_references_are_refused_before_any_work(lines_shard: Any, tmp_path: Path) -> None:
    lines_shard(tmp_path / "m2" / "a.jsonl", [{"image_id": 1, "caption": "A dog."}])
    with pytest.raises(InputError, match='rouge_l needs references, but there is no column "references"'):
        score(tmp_path / "m2", tmp_path / "out")


def test_what_is_not_ours_is_left_alone(shards: Any, tmp_path: Path) -> None:
    folder, _ = shards
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"contains other files \(thesis.tex\)"):
        score(folder, tmp_path / "out")


def test_places_without_shards(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="contains no shards"):
        captious.open_shards(tmp_path / "empty")
    with pytest.raises(InputError, match="no file matches"):
        captious.open_shards(tmp_path / "*.parquet")
    with pytest.raises(InputError, match="there is no such file"):
        captious.open_shards(tmp_path / "nowhere")


ENTRIES = [{"image_id": i, "caption": f"a dog {i}"} for i in range(3)]
COCO = {"images": [{"id": i} for i in range(3)], "annotations": ENTRIES}
BAD_FILES = [
    ("r.json", json.dumps(COCO), "is COCO annotations in one JSON object, but a shard", ".annotations[]"),
    ("r.json", json.dumps(COCO, indent=1), "is one JSON object over several lines", ".annotations[]"),
    ("r.json", json.dumps(ENTRIES), "is one JSON list, but a shard is Parquet or one object per line", ".[]"),
    ("r.csv", "image_id,caption\n1,a dog\n", "is neither Parquet nor JSON lines", '{"image_id": …'),
    ("r.parquet", "\0" * 200, 'it starts with the bytes 00 00 00 00, not with "PAR1"', "copy it again"),
    ("r.parquet", "<html> no", 'it starts with "<html> n", not with "PAR1"', "Write or copy it again."),
    ("r.parquet", "", "the file is empty", "written to the end"),
]


@pytest.mark.parametrize(("name", "content", "what", "mend"), BAD_FILES)
def test_a_file_that_is_no_shard_is_called_what_it_is(
    lines_shard: Any, tmp_path: Path, name: str, content: str, what: str, mend: str
) -> None:
    bad = tmp_path / name
    bad.write_text(content)
    lines_shard(tmp_path / "m2" / "a.jsonl", ENTRIES)
    for candidates, references in ((tmp_path / "m2", bad), (bad, None)):
        with pytest.raises(InputError) as found:
            captious.score(captious.open_shards(candidates, references), ["bleu1"], out=tmp_path / "out")
        line = str(found.value)
        assert line.startswith(f"{bad}: ") and what in line and mend in line and "\n" not in line
        assert ("Whole files are scored without out=" in line) == (name != "r.parquet")


def test_jq_makes_shards_of_coco_files(tmp_path: Path, lines_shard: Any) -> None:
    """What the message tells a user to type does what it says."""
    if shutil.which("jq") is None:
        pytest.skip("jq is not here")
    (tmp_path / "refs of coco.json").write_text(json.dumps(COCO))
    lines_shard(tmp_path / "m2" / "a.jsonl", ENTRIES)
    with pytest.raises(InputError) as found:
        captious.score(
            captious.open_shards(tmp_path / "m2", tmp_path / "refs of coco.json"),
            ["bleu1"],
            out=tmp_path / "out",
        )
    subprocess.run(str(found.value).split("`")[1], shell=True, check=True, cwd=tmp_path)
    corpus = captious.open_shards(tmp_path / "m2", tmp_path / "refs of coco.jsonl")
    assert captious.score(corpus, ["bleu1"], out=tmp_path / "out")["bleu1"].score == pytest.approx(1)
