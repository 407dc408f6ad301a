"""Workbooks, written by openpyxl and by hand."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from captious.corpus.load import load_corpus
from captious.corpus.readers import read_rows
from captious.errors import InputError

openpyxl = pytest.importorskip("openpyxl")


def _book(path: Path, rows: list[list[object]], *, first: str = "captions") -> Path:
    book = openpyxl.Workbook()
    book.active.title = first
    for row in rows:
        book.active.append(row)
    book.create_sheet("notes").append(["nothing", "of use"])
    book.save(path)
    return path


def test_the_first_sheet_is_read_as_a_table(tmp_path: Path) -> None:
    rows = [
        ["image_id", "caption", "score"],
        [391895, 'A dog, "Rex", & a cat.', 0.5],
        [7, "Zwei Hunde – läuft", None],
    ]
    corpus = load_corpus([_book(tmp_path / "m2.xlsx", rows)])
    assert corpus.image_ids == ["391895", "7"]
    assert corpus.captions == ['A dog, "Rex", & a cat.', "Zwei Hunde – läuft"]
    assert corpus.systems == ["m2"]


def test_gaps_lines_in_cells_and_empty_rows(tmp_path: Path) -> None:
    rows = [
        ["image_id", None, "caption"],
        ["a", None, "A dog\nruns."],
        [None, None, None],
        ["b", "x", "A cat."],
    ]
    assert load_corpus([_book(tmp_path / "x.xlsx", rows)]).captions == ["A dog\nruns.", "A cat."]


def test_references_of_a_sheet(tmp_path: Path) -> None:
    rows = [["image_id", "caption", "reference_1", "reference_2"], [1, "a dog", "a dog runs", "the dog"]]
    found = read_rows(_book(tmp_path / "x.xlsx", rows)).columns["references"]
    assert found == [["a dog runs", "the dog"]]


def _zip(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BOOK = f'<workbook {MAIN} xmlns:r="{RELATIONS}"><sheets><sheet name="s" r:id="r1"/></sheets></workbook>'
LINKS = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>'


def _parts(sheet: str) -> dict[str, str]:
    return {"xl/workbook.xml": BOOK, "xl/_rels/workbook.xml.rels": LINKS, "xl/worksheets/sheet1.xml": sheet}


def _rows(content: str) -> str:
    return f"<worksheet {MAIN}><sheetData>{content}</sheetData></worksheet>"


def test_texts_in_place_rich_text_and_cells_without_an_address(tmp_path: Path) -> None:
    cell = '<c t="inlineStr"><is>{}</is></c>'
    head = "".join(cell.format(f"<t>{name}</t>") for name in ("image_id", "caption"))
    row = cell.format("<t>9</t>") + cell.format("<r><t>A </t></r><r><t>dog.</t></r><rPh><t>no</t></rPh>")
    path = _zip(tmp_path / "x.xlsx", _parts(_rows(f"<row>{head}</row><row>{row}</row>")))
    assert load_corpus([path]).captions == ["A dog."]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<worksheet", "is a damaged workbook"),
        ('<!DOCTYPE x [<!ENTITY a "aa">]><worksheet/>', "declares XML entities"),
        (_rows('<row><c r="ZZZZ1"><v>1</v></c></row>'), "a column that does not exist"),
        (_rows(" " * (80 << 20)), "more than 100 times its size"),
        (f"<!--{'x' * 2000}--><!DOCTYPE x [<!ENTITY a 'aa'>]><worksheet/>", "declares XML entities"),
        (_rows('<row><c r="XFD1"><v>1</v></c></row>' * 5000), "more than 100 times its size"),
        (_rows(f"<row>{'<c/>' * 20_000}</row>"), "a column that does not exist"),
        ("<a>" * 5000 + "</a>" * 5000, "is a damaged workbook"),
    ],
)
def test_a_bad_workbook_is_one_line(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_rows(_zip(tmp_path / "x.xlsx", _parts(content)))


def test_a_long_text_in_many_cells_is_counted_as_often_as_it_stands(tmp_path: Path) -> None:
    parts = _parts(_rows('<row><c t="s"><v>0</v></c></row>' * 5000))
    parts["xl/sharedStrings.xml"] = f"<sst {MAIN}><si><t>{'x' * 20_000}</t></si></sst>"
    path = _zip(tmp_path / "x.xlsx", parts)
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match="more than 100 times its size"):
        read_rows(path)


def test_a_sheet_of_nothing_takes_no_memory(tmp_path: Path) -> None:
    """Elements are read as they come: a tree of them took a hundred times the size of the XML."""
    path = _zip(tmp_path / "x.xlsx", _parts(_rows("<row/>" * 1_000_000)))
    tracemalloc.start()
    with pytest.raises(InputError, match="the file is empty"):
        read_rows(path)
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()


def test_a_workbook_without_its_sheet_and_another_archive(tmp_path: Path) -> None:
    parts = _parts("")
    del parts["xl/worksheets/sheet1.xml"]
    with pytest.raises(InputError, match="is a damaged workbook"):
        read_rows(_zip(tmp_path / "x.xlsx", parts))
    with pytest.raises(InputError, match="is a zip archive"):
        read_rows(_zip(tmp_path / "x.zip", {"a.txt": "a"}))
    whole = _zip(tmp_path / "y.xlsx", _parts(_rows(""))).read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="damaged"):
        read_rows(tmp_path / "cut.xlsx")
    assert io.BytesIO(whole).read(2) == b"PK"
