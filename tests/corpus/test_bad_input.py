"""What a user sees when a file is wrong: one line that says what, where and how to mend it."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from captious.corpus.fix import fix_files
from captious.corpus.judged import read_judgments
from captious.corpus.load import load_corpus
from captious.errors import InputError, MissingDependencyError

REFERENCES = '{"1": ["A dog runs.", "The dog."], "2": ["A cat.", "The cat sleeps."]}'
GOOD = '[{"image_id": 1, "caption": "A dog."}, {"image_id": 2, "caption": "A cat."}]'
Message = Callable[..., str]


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("refs.json").write_text(REFERENCES)
    Path("good.json").write_text(GOOD)


def message(candidates: str | list[str] = "c.json", references: str | None = None, **more) -> str:
    with pytest.raises(InputError) as caught:
        load_corpus(candidates, references, **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write(content: str | bytes, name: str = "c.json") -> None:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


# Content of c.json -> the line that it gives.
CONTENTS = {
    "empty lists": (
        '{"1": [], "2": []}',
        "c.json: every list is empty. Give at least one caption, or leave the image out.",
    ),
    "truncated": (
        GOOD[:50],
        "c.json: line 1, column 51: the JSON ends too early. The file was cut short; write or copy it again.",
    ),
    "invalid": (
        '[{"image_id": 1,\n "caption" "A dog."}]',
        "c.json: line 2, column 12: not valid JSON: a comma or colon is missing before this position.",
    ),
    "a comma too many": (
        '[{"image_id": 1, "caption": "A dog."},\n]',
        "c.json: line 1, column 38: not valid JSON: there is a comma before the closing bracket. Remove it.",
    ),
    "single quotes": (
        "[{'image_id': 1, 'caption': 'A dog.'}]",
        "c.json: line 1, column 3: not valid JSON: text is in single quotes. JSON needs double quotes.",
    ),
    "two documents": (
        f"{GOOD}\n{GOOD}",
        "c.json: line 2, column 1: not valid JSON: a second document begins here. "
        "Give one list, or one object per line (.jsonl).",
    ),
    "Python values": (
        '[{"image_id": None, "caption": "A dog."}]',
        "c.json: line 1, column 15: not valid JSON: a Python value. "
        "Write null, true or false, or save with json.dump.",
    ),
    "a number": (
        "42",
        "c.json: contains only a number. Give a list of "
        '{"image_id": …, "caption": …}, COCO annotations, {id: caption} or {id: [references]}.',
    ),
    "a web page": (
        "<!DOCTYPE html>\n<html><body>404</body></html>",
        "c.json: is a web page (HTML), not captions. "
        "The download may have saved an error page: open the file and check.",
    ),
    "nan": (
        '[{"image_id": 1,\n "caption": NaN}]',
        "c.json: line 2, column 13: NaN is not JSON. Write null, or leave the entry out.",
    ),
    "number": (
        "[1, 2]",
        "c.json: a list of numbers. Give a list of "
        '{"image_id": …, "caption": …}, COCO annotations, {id: caption} or {id: [references]}.',
    ),
    "list of texts": (
        '["A dog."]',
        "c.json: a list of texts. Give a list of "
        '{"image_id": …, "caption": …}, COCO annotations, {id: caption} or {id: [references]}.',
    ),
    "numbers by id": (
        '{"1": 5}',
        "c.json: the object maps its keys to numbers, not to captions. Give a list of "
        '{"image_id": …, "caption": …}, COCO annotations, {id: caption} or {id: [references]}.',
    ),
    "empty list": (
        "[]",
        "c.json: the list is empty. Give a list of "
        '{"image_id": …, "caption": …}, COCO annotations, {id: caption} or {id: [references]}.',
    ),
    "empty file": ("", "c.json: the file is empty. Check that it was written to the end."),
    "only space": (" \n\t\n", "c.json: the file is empty. Check that it was written to the end."),
    "binary": (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        "c.json: byte 8: is not text (or UTF-16 without a byte-order mark). "
        "Save it as UTF-8 text, or give a Parquet file.",
    ),
    "binary without zeros": (
        b"\x97\x01\xf3 caf\xe9",
        "c.json: byte 1: 0x01 is not text. "
        "Give a text file (JSON, CSV, …), a Parquet file or an Excel workbook.",
    ),
    "zip": (b"PK\x03\x04rest", "c.json: is a damaged workbook or zip archive. Save it again, or as CSV."),
    "latin-1": (
        '[\n{"image_id": 1, "caption": "A café."}]'.encode("latin-1"),
        # "[", the line end, 28 bytes up to the quote, "A caf": bytes 0 to 34
        "c.json: line 2, byte 35: 0xe9 is not UTF-8 (Latin-1 or Windows-1252?). "
        "Convert it: iconv -f WINDOWS-1252 -t UTF-8.",
    ),
    "cut gzip": (
        gzip.compress(GOOD.encode())[:-12],
        "c.json: the gzip data is damaged or cut short. Copy or compress the file again.",
    ),
    "missing key": (
        '[{"image_id": 1, "caption": "A dog."}, {"image_id": 2}]',
        'c.json: entry 2: "caption" is missing. Each entry needs "image_id" and "caption".',
    ),
    "no captions at all": (
        '[{"image_id": 1, "image": "x"}]',
        'c.json: entry 1: "caption" is missing. Each entry needs "image_id" and "caption".',
    ),
    "missing id": (
        '[{"caption": "A dog."}]',
        'c.json: entry 1: "image_id" is missing. Give each caption the id of its image, a number or text.',
    ),
    "null caption": (
        '[{"image_id": 1, "caption": null}]',
        'c.json: entry 1: "caption" is null. A caption must be text.',
    ),
    "several null captions": (
        '[{"image_id": 1, "caption": null}, {"image_id": 2, "caption": null}]',
        'c.json: entry 1: "caption" is null. A caption must be text. '
        "(1 more; captious data check lists them.)",
    ),
    "number for caption": (
        '[{"image_id": 1, "caption": 7}]',
        'c.json: entry 1: "caption" is the number 7. A caption must be text.',
    ),
    "list for caption": (
        '[{"image_id": 1, "caption": ["A dog."]}]',
        'c.json: entry 1: "caption" is a list. A caption must be text.',
    ),
    "no object": (
        '[{"image_id": 1, "caption": "A dog."}, "A cat."]',
        'c.json: entry 2: is text. Each entry needs "image_id" and "caption".',
    ),
    "id is an object": (
        '[{"image_id": 1, "caption": "A dog."}, {"image_id": {"a": 1}, "caption": "A cat."}]',
        'c.json: entry 2: "image_id" is an object. Give each caption the id of its image, a number or text.',
    ),
    "id is no whole number": (
        '[{"image_id": 1.5, "caption": "A dog."}]',
        'c.json: entry 1: "image_id" is the number 1.5. Write such an id as text, in quotes.',
    ),
    "id of thirty digits": (
        '[{"image_id": 123456789012345678901234567890, "caption": "A dog."}]',
        'c.json: entry 1: "image_id" is the number 1.2345678901234568e+29. '
        "Write such an id as text, in quotes.",
    ),
    "duplicate id": (
        '[{"image_id": 1, "caption": "A dog."}, {"image_id": "1", "caption": "The dog."}]',
        'c.json: entry 2: image id "1" has a second caption (the first is at entry 1). '
        'Keep one for each image, or load them with duplicates="first" or "all".',
    ),
    "duplicate key": (
        '{"1": "A dog.", "1": "The \\"dog\\"."}',
        'c.json: key "1": occurs 2 times in the object. '
        "A JSON object keeps only the last one; give each image one key.",
    ),
    "bad line": (
        '{"image_id": 1, "caption": "A dog."}\n\n{"image_id": 2, "caption": }\n',
        "c.json: line 3, column 28: not valid JSON. Correct it there.",
    ),
    "line that is no object": (
        '{"image_id": 1, "caption": "A dog."}\n[2]\n',
        "c.json: line 2: is not an object. Each line needs one object.",
    ),
    "too deep": (
        "[" * 5000 + "]" * 5000,
        "c.json: line 1, column 1026: lists or objects are nested too deeply. "
        "Captions need two levels at most.",
    ),
    "annotations without captions": (
        '{"images": [], "annotations": [{"image_id": 1, "category_id": 2}], "categories": []}',
        'c.json: no annotation has a "caption" (it contains object instances). '
        "Give the captions_*.json file.",
    ),
    "annotations no list": ('{"annotations": {"a": 1}}', 'c.json: "annotations" is an object, not a list.'),
    "ragged table": (
        "image_id,caption\n1,A dog, a cat.\n",
        "c.json: line 2: has 3 cells, the header has 2. "
        'Put text that contains the delimiter in "double quotes".',
    ),
    "open quote": (
        'image_id,caption\n1,"A dog\n2,A cat.\n',
        'c.json: line 3: unexpected end of data. Inside quotes write "" for a quote, and close every quote.',
    ),
    "table without rows": (
        "image_id,caption\n",
        "c.json: has a header but no rows. Add a line for each caption.",
    ),
    "system in some rows": (
        '{"image_id": 1, "caption": "A dog.", "system": "a"}\n{"image_id": 2, "caption": "A cat."}',
        'c.json: line 2: "system" is missing or not text. Name the system in every row, or in none.',
    ),
}


@pytest.mark.parametrize("kind", CONTENTS)
def test_content(kind: str) -> None:
    content, expected = CONTENTS[kind]
    write(content)
    assert message() == expected


def test_a_file_that_is_only_called_parquet() -> None:
    Path("c.parquet").write_bytes(b"\0" * 64)
    assert message("c.parquet") == (
        'c.parquet: is not a Parquet file: it starts with the bytes 00 00 00 00, not with "PAR1". '
        "Write or copy it again."
    )


def test_missing_file() -> None:
    assert message("gone.json") == "gone.json: there is no such file. Check the path."


def test_folder_for_file() -> None:
    Path("folder").mkdir()
    assert message("folder") == "folder: is a folder. Name the file inside it."


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_permission() -> None:
    write(GOOD)
    Path("c.json").chmod(0)
    expected = "c.json: permission denied. Make the file readable for your user."
    assert message() == expected


def test_no_file_given() -> None:
    assert message([]) == "candidates: the list is empty. Give at least one file or caption."


def test_table_without_header() -> None:
    write("1,A dog.\n2,A cat.\n", "c.csv")
    assert message("c.csv") == (
        'c.csv: line 1: "1,A dog." does not name columns for images and captions. '
        "Start the file with a header, such as image_id,caption (for ratings: "
        "image_id,rater,rating)."
    )


def test_table_with_one_column_twice() -> None:
    write("image_id,caption,caption\n1,A dog.,A cat.\n", "c.csv")
    assert message("c.csv") == (
        'c.csv: line 1: the column "caption" occurs twice. Keep one, or rename the other.'
    )


def test_ratings_may_be_of_items() -> None:
    write("item,rater,rating\n7,a,1\n7,b,2\n", "ratings.csv")
    assert read_judgments("ratings.csv").judgments.values.tolist() == [1.0, 2.0]


def test_parquet_without_caption() -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"image_id": [1], "words": ["A dog."]}), "c.parquet")
    assert message("c.parquet") == (
        'c.parquet: no caption column (found: image_id, words). Name one of the columns "caption".'
    )


def test_broken_parquet() -> None:
    pytest.importorskip("pyarrow")
    write(b"PAR1 and no more", "c.parquet")
    assert message("c.parquet").startswith("c.parquet: the Parquet file cannot be read (")


def test_parquet_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    write(b"PAR1 and more", "c.parquet")
    with pytest.raises(MissingDependencyError) as caught:
        load_corpus("c.parquet")
    assert str(caught.value) == (
        'c.parquet: Parquet files need pyarrow. Install it with: pip install "captious[tables]"'
    )


def test_nan_id_in_parquet() -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"image_id": [1.0, float("nan")], "caption": ["A dog.", "A cat."]})
    parquet.write_table(table, "c.parquet")
    assert message("c.parquet") == (
        'c.parquet: row 2: "image_id" is missing. Give each caption the id of its image, a number or text.'
    )


def test_no_overlap_shows_an_id_of_each_side() -> None:
    write('{"x9": "A dog."}')
    assert message(references="refs.json") == (
        'c.json: no image id occurs in the references (candidate id "x9", reference id "1"). '
        "Use the same ids in both."
    )


def test_candidates_without_references() -> None:
    write('{"1": "A dog.", "3": "A cow.", "4": "A hen."}')
    assert message(references="refs.json") == (
        'c.json: 2 of 3 images have no references (the first is "3"). '
        "Add their references, or leave their captions out."
    )


def test_empty_reference_list() -> None:
    write('{"1": ["A dog."], "2": []}', "r.json")
    assert message("good.json", "r.json") == (
        'r.json: key "2": the list is empty. Give at least one caption, or leave the image out.'
    )


def test_empty_reference_list_in_rows() -> None:
    write('{"image": "1", "refs": ["A dog."]}\n{"image": "2", "refs": []}\n', "r.jsonl")
    assert message("good.json", "r.jsonl") == (
        'r.jsonl: line 2: "refs" is empty. Give at least one caption, or leave the image out.'
    )


def test_reference_that_is_no_text() -> None:
    write('{"1": ["A dog."], "2": ["A cat.", null]}', "r.json")
    expected = 'r.json: key "2": the caption is null. A caption must be text.'
    assert message("good.json", "r.json") == expected


def test_references_and_candidates_swapped() -> None:
    assert message("refs.json", "good.json") == (
        "refs.json: contains several captions per image, as references do. "
        "Were candidates and references swapped? Candidates have one caption per image."
    )


def test_annotations_as_candidates() -> None:
    write('{"images": [], "annotations": [{"image_id": 1, "id": 5, "caption": "A dog."}]}')
    assert message(references="refs.json") == (
        "c.json: is a COCO annotation file, which contains references. "
        'Give candidates as [{"image_id": …, "caption": …}], and this file as references.'
    )


def test_one_image_in_two_spellings() -> None:
    write('{"1": "A dog.", "000000000001.jpg": "The dog.", "2": "A cat."}')
    assert message(references="refs.json") == (
        'c.json: the ids "1" and "000000000001.jpg" are the same image. Keep one caption per image.'
    )


def test_systems_describe_different_images() -> None:
    write('{"1": "A dog."}')
    assert message(["good.json", "c.json"], "refs.json") == (
        'c.json: system "c" describes 1 of the 2 images (image "2" is missing). '
        "Add the captions, or keep only images that every system describes: load_corpus(…, common=True)."
    )


def test_systems_share_no_image() -> None:
    write('{"1": "A dog."}', "a.json")
    write('{"2": "A cat."}', "b.json")
    assert message(["a.json", "b.json"], "refs.json", common=True) == (
        "candidates: no image is described by every system. Check the ids."
    )


def test_count_of_names() -> None:
    assert message(["good.json"], "refs.json", names=["a", "b"]) == (
        "names: 2 given for 1 candidate files. Give one for each."
    )


def test_two_files_of_one_stem() -> None:
    Path("other").mkdir()
    write(GOOD, "other/good.json")
    assert message(["good.json", "other/good.json"], "refs.json") == (
        'other/good.json: the system name "good" is taken by good.json. '
        "Give each a different name with names=."
    )
    with pytest.raises(InputError) as error:
        load_corpus(["good.json", "other/good.json"], "refs.json")
    assert "Give each file a different name with --name." in error.value.typed


def test_one_name_twice() -> None:
    write(GOOD)
    assert message(["good.json", "c.json"], "refs.json", names=["a", "a"]) == (
        'c.json: the system name "a" is taken by good.json. Give each a different name with names=.'
    )


def test_name_for_a_file_that_names_its_systems() -> None:
    row = '{{"image_id": 1, "caption": "A dog.", "system": "{}"}}\n'
    write(row.format("a") + row.format("b"))
    assert message(names=["mine"]) == (
        "c.json: names its 2 systems itself. Leave the names out for this file."
    )


def test_unknown_way_with_duplicates() -> None:
    expected = 'duplicates: "last" is unknown. Use error, first or all.'
    assert message("good.json", duplicates="last") == expected


def test_image_folder_missing() -> None:
    expected = "gone: there is no such folder of images. Check the path."
    assert message("good.json", "refs.json", images="gone") == expected


def test_image_folder_is_a_file() -> None:
    expected = "refs.json: is a file. Give the folder that holds the images."
    assert message("good.json", "refs.json", images="refs.json") == expected


def test_image_folder_without_images() -> None:
    Path("empty").mkdir()
    expected = "empty: contains no image files (jpg, png, gif, bmp, webp, tiff)."
    assert message("good.json", "refs.json", images="empty") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            '{"1": "dog"}',
            'o.json: key "1": contains neither a list of labels nor counts. '
            "Give {id: [labels]}, {id: {label: count}}, {id: {source: [labels]}} "
            "or COCO instances.",
        ),
        (
            '{"1": {"dog": 1.5}}',
            'o.json: key "1": a count is not a whole number. '
            "Give {id: [labels]}, {id: {label: count}}, {id: {source: [labels]}} "
            "or COCO instances.",
        ),
        (
            '["dog"]',
            "o.json: is not a JSON object. "
            "Give {id: [labels]}, {id: {label: count}}, {id: {source: [labels]}} "
            "or COCO instances.",
        ),
        (
            '{"annotations": [{"image_id": 1, "category_id": 1}]}',
            "o.json: not COCO instances ('categories' is missing). "
            "Give {id: [labels]}, {id: {label: count}}, {id: {source: [labels]}} "
            "or COCO instances.",
        ),
        (
            '{"annotations": [{"image_id": 1, "category_id": 9}], "categories": []}',
            "o.json: annotation 1: unknown category or image id. "
            "Give {id: [labels]}, {id: {label: count}}, {id: {source: [labels]}} "
            "or COCO instances.",
        ),
        (
            '{"77": ["dog"]}',
            'o.json: no image id matches a caption (object id "77", image id "1"). '
            "Use the same ids in both files.",
        ),
    ],
)
def test_objects(content: str, expected: str) -> None:
    write(content, "o.json")
    assert message("good.json", "refs.json", objects="o.json") == expected


def test_plain_text_against_ids() -> None:
    write("A dog.\nA cat.\nA cow.\n", "c.txt")
    write('{"dog": ["A dog runs."]}', "r.json")
    assert message("c.txt", "r.json") == (
        "c.txt: is plain text without image ids, but the other files have ids. "
        "Give captions with ids, or plain text for both candidates and references."
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            '{"image": "1", "caption": "A dog.", "rating": "good"}',
            'j.jsonl: line 1: the rating is "good". A rating must be a number.',
        ),
        (
            '{"image": "1", "caption": "A dog.", "rating": null}',
            'j.jsonl: no row has a rating; all 1 are empty. Each row needs "image", "caption" and "rating".',
        ),
        (
            '{"image": "1", "caption": "A dog.", "rating": {"rater": true}}',
            'j.jsonl: line 1: the rating is "{"rater": true}". A rating must be a number.',
        ),
        (
            '{"image": "1", "caption": "A dog."}',
            'j.jsonl: no "rating" in it. Each row needs "image", "caption" and "rating".',
        ),
        (
            '{"image": "1", "caption": "A", "rating": 1, "system": "s"}\n'
            '{"image": "1", "caption": "B", "rating": 2, "system": "s"}',
            'j.jsonl: line 2: system "s" has another caption for the image at line 1. '
            "Give each system its own name.",
        ),
        (
            '{"caption": "A dog.", "rating": 1}',
            'j.jsonl: line 1: "image" is missing or not an id. '
            'Each row needs "image", "caption" and "rating".',
        ),
    ],
)
def test_judgments(content: str, expected: str) -> None:
    write(content, "j.jsonl")
    with pytest.raises(InputError) as caught:
        read_judgments("j.jsonl")
    assert str(caught.value) == expected


def test_fix_onto_its_input() -> None:
    with pytest.raises(InputError) as caught:
        fix_files(["good.json"], "./good.json")
    assert str(caught.value) == "good.json: is the input itself. Name another file to write to."
    assert Path("good.json").read_text() == GOOD


def test_a_caption_of_ten_megabytes_is_read() -> None:
    long = "dog " * 2_500_000
    write('[{"image_id": 1, "caption": "' + long + '"}]')
    write("image_id,caption\n1," + long + "\n", "c.csv")
    assert load_corpus("c.json").captions == [long]
    assert load_corpus("c.csv").captions == [long]
    fix_files(["c.csv"], "fixed.csv")
    assert load_corpus("fixed.csv").captions == ["D" + long[1:].strip() + "."]
