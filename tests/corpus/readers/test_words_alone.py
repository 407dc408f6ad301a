"""Ids, headers, numbers and rules of a file never become words of a caption."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.corpus.load import read_captions
from captious.corpus.readers import read_rows
from captious.errors import InputError

CAPTIONS = ["A man rides a wave.", "Two dogs play in the snow.", "a red bus", "A cat.", "The end of a road"]
WITH_MORE = {
    "a tab": "{id}\t{caption}",
    "a file name": "COCO_val2014_{id}.jpg {caption}",
    "an id": "{id} {caption}",
    "an id,": "{id},{caption}",
    "an id, quoted": '"{id}": {caption}',
    "a key": "img-{n}: {caption}",
    "a key|": "img{n}|{caption}",
    "its own number": "{n}. {caption}",
    "its own number)": "{n}) {caption}",
    "its own number ": "{n} {caption}",
}


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", WITH_MORE)
@pytest.mark.parametrize("count", [2, 5])
def test_lines_with_more_than_a_caption_are_refused(tmp_path: Path, kind: str, count: int) -> None:
    lines = [
        WITH_MORE[kind].format(id=391895 + place, n=place + 1, caption=caption)
        for place, caption in enumerate(CAPTIONS[:count])
    ]
    if kind == "its own number " and count == 2:
        return  # "1 dog" and "2 cats" may be captions
    with pytest.raises(InputError, match="which would be read as words") as refused:
        read_rows(written(tmp_path / "m2.txt", lines))
    assert str(refused.value).startswith(f"{tmp_path / 'm2.txt'}: every line has ")
    assert "Start the file with a header, such as image_id,caption" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_tab_in_every_line_is_refused_whatever_the_name(tmp_path: Path) -> None:
    lines = [f"{place}\t{caption}" for place, caption in enumerate(CAPTIONS)]
    for name in ("m2.txt", "m2", "m2.tsv", "m2.captions"):
        with pytest.raises(InputError, match="header, such as image_id,caption"):
            read_rows(written(tmp_path / name, lines))


@pytest.mark.parametrize("header", ["caption", "Captions", "references", " text "])
def test_a_header_alone_is_no_caption(tmp_path: Path, header: str) -> None:
    with pytest.raises(InputError, match="looks like a header, which would be read as a caption"):
        read_rows(written(tmp_path / "m2.txt", [header, *CAPTIONS]))


@pytest.mark.parametrize(
    "lines",
    [
        CAPTIONS,
        ["1 dog runs.", "2 cats sleep."],
        ["A sign:\tSTOP", "A man."],  # not every line has the tab
        ["1994 was a good year.", "A man."],
        ["text"],
        ["3. of May", "A man."],
        ["1994 was a good year."],
        ["A sign: STOP."],
        ["text"],
        ["A dog: brown.", "At 10:30 a clock shows the time."],
        ["", "A man.", ""],
    ],
)
def test_captions_alone_stay_as_they_are(tmp_path: Path, lines: list[str]) -> None:
    assert read_rows(written(tmp_path / "m2.txt", lines)).columns["caption"] == lines


def test_a_workbook_without_a_header_is_refused_as_a_table_is(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for place, caption in enumerate(CAPTIONS):
        book.active.append([391895 + place, caption])
    book.save(tmp_path / "m2.xlsx")
    with pytest.raises(InputError, match="does not name columns for images and captions"):
        read_rows(tmp_path / "m2.xlsx")


@pytest.mark.parametrize(
    "lines",
    [
        ["image_id,caption", "1,a man", "image_id,caption", "2,a dog"],  # two files put together
        ["| image_id | caption |", "| --- | :---: |", "| 1 | a man |"],  # a table of Markdown
    ],
)
def test_a_line_of_the_header_is_a_problem_and_no_caption(tmp_path: Path, lines: list[str]) -> None:
    rows = read_rows(written(tmp_path / "m2.csv", lines))
    assert [problem.what for problem in rows.problems] == ["is a header or a rule, not a caption"]
    assert not {"caption", "---", ":---:"} & {str(cell).strip() for cell in rows.columns["caption"]}


@pytest.mark.parametrize("line", ["<p>{}</p>", "<s> {} </s>", "<td>{}</td>"])
def test_lines_in_tags_are_refused(tmp_path: Path, line: str) -> None:
    lines = [line.format(caption) for caption in CAPTIONS]
    with pytest.raises(InputError, match='every line has a tag, as in "<'):
        read_rows(written(tmp_path / "m2.txt", lines))


def test_one_line_without_the_tab_hides_it_not(tmp_path: Path) -> None:
    lines = ["image and caption", *(f"{place}\t{CAPTIONS[place % 5]}" for place in range(20))]
    with pytest.raises(InputError, match=r'every line has a tab, as in "0\\tA man rides a wave."'):
        read_rows(written(tmp_path / "m2.txt", lines))


@pytest.mark.parametrize("header", ["", "image_id,caption\r"])
def test_old_line_ends_end_lines(tmp_path: Path, header: str) -> None:
    path = tmp_path / "m2.txt"
    lines = [f"{7 + place},{text}" if header else text for place, text in enumerate(CAPTIONS)]
    path.write_bytes((header + "\r".join(lines) + "\r").encode())
    assert read_rows(path).columns["caption"] == CAPTIONS


def test_texts_as_json_are_no_plain_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "m2.jsonl", ['"A caf\\u00e9."', '"A dog."'])
    with pytest.raises(InputError, match="each line contains only one JSON text"):
        read_rows(path)


def test_a_list_written_as_a_caption_is_no_caption(tmp_path: Path) -> None:
    path = written(tmp_path / "m2.csv", ["image_id,caption", "1,['A dog.']", "2,[a sign] A cat."])
    with pytest.raises(InputError, match='line 2: "caption" is a list'):
        list(read_captions(path))


def test_the_key_around_a_list_of_results_is_no_image(tmp_path: Path) -> None:
    path = tmp_path / "m2.json"
    results = [{"image_id": 1, "caption": "A dog."}, {"image_id": 2, "caption": "A cat."}]
    for around in (
        {"results": results},
        {"captions": results},
        {"info": {"model": "m2"}, "results": results},
    ):
        path.write_text(json.dumps(around))
        found = read_rows(path)
        assert (found.format, found.columns["image"]) == ("coco-results", [1, 2])
        assert found.columns["caption"] == ["A dog.", "A cat."]
    path.write_text(json.dumps({"1": [{"image_id": 1, "caption": "A dog."}]}))  # as coco-caption holds them
    assert read_rows(path).columns["image"] == ["1"]
