from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from captious.corpus.fix import fix_files
from captious.corpus.load import load_corpus, read_captions
from captious.corpus.readers import read_rows
from captious.errors import InputError

BEFORE = "a dog, running ."
AFTER = "A dog, running."
FILES = {
    "coco-results": [{"image_id": 7, "caption": BEFORE, "score": 0.5}],
    "captions-by-id": {"7": BEFORE},
    "references-by-id": {"7": [BEFORE, AFTER]},
    "one-key-objects": [{"7": BEFORE}],
    "coco-annotations": {"images": [], "annotations": [{"image_id": 7, "id": 1, "caption": BEFORE}]},
}


@pytest.mark.parametrize("name", FILES)
def test_json_keeps_its_format(name: str, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps(FILES[name]))
    out = tmp_path / "out.json"
    assert fix_files([tmp_path / "in.json"], out) == {out: 1}
    assert json.loads(out.read_text()) == json.loads(json.dumps(FILES[name]).replace(BEFORE, AFTER))
    assert read_rows(out).format == name


@pytest.mark.parametrize(
    "text",
    [
        f'{{"image":7,"caption":"{BEFORE}","rating":4.5}}\n{{"image":8,"caption":"{AFTER}"}}\n',
        f'image,caption,note\n7,"{BEFORE}",x\n8,"{AFTER}","y, z"\n',
        f'image\tcaption\n7\t{BEFORE}\n8\t"Stop" on a sign.\n',
        f"7#0\t{BEFORE}\n7#1\t{AFTER}\n",
        f"{BEFORE}\n{AFTER}\n",
    ],
)
def test_text_keeps_its_format(text: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_text(text)
    assert fix_files([tmp_path / "in"], tmp_path / "out") == {tmp_path / "out": 1}
    assert (tmp_path / "out").read_text() == text.replace(BEFORE, AFTER)


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"image_id": [7], "caption": [BEFORE], "more": [[1.5, 2.5]]})
    parquet.write_table(table, tmp_path / "in.parquet")
    fix_files([tmp_path / "in.parquet"], tmp_path / "out.parquet")
    fixed = parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert fixed == {"image_id": [7], "caption": [AFTER], "more": [[1.5, 2.5]]}


def test_gzip_in_and_out(tmp_path: Path) -> None:
    (tmp_path / "in.json.gz").write_bytes(gzip.compress(json.dumps({"7": BEFORE}).encode()))
    fix_files([tmp_path / "in.json.gz"], tmp_path / "out.json.gz")
    assert (tmp_path / "out.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert dict(read_captions(tmp_path / "out.json.gz")) == {"7": AFTER}


def test_several_files_go_to_a_folder(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps({"7": BEFORE}))
    found = fix_files([tmp_path / "a.json", tmp_path / "b.json"], tmp_path / "out" / "fixed")
    assert sorted(found) == [tmp_path / "out" / "fixed" / name for name in ("a.json", "b.json")]
    assert load_corpus(list(found)).captions == [AFTER, AFTER]


def test_several_files_into_one_are_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json", "out.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match=r"is a file\. Give a folder for 2 files\."):
        fix_files([tmp_path / "a.json", tmp_path / "b.json"], tmp_path / "out.json")


def test_a_folder_that_holds_the_inputs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"7": BEFORE}))
    with pytest.raises(InputError, match="is the input itself"):
        fix_files([tmp_path / "a.json"], tmp_path)
    assert json.loads((tmp_path / "a.json").read_text()) == {"7": BEFORE}


def test_nothing_is_left_behind_by_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"7": "a dog')
    with pytest.raises(InputError, match="the JSON ends too early"):
        fix_files([tmp_path / "a.json"], tmp_path / "out.json")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_markup_is_taken_out(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps({"7": "## Scene\n\n- **two dogs** on a [hill](h.jpg)"}))
    fix_files([tmp_path / "in.json"], tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == {"7": "Scene\n\ntwo dogs on a hill."}
