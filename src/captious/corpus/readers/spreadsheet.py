"""The first sheet of an .xlsx workbook as CSV text, which the readers of tables take from there.

A workbook is a zip of XML (ECMA-376, SpreadsheetML): `xl/workbook.xml` lists the sheets,
`xl/sharedStrings.xml` holds the texts that cells point to. Only values are read: no formula is computed.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree

from captious.errors import InputError
from captious.unpack import MEGABYTE, PIECE, check_directory, refuse_much

ZIP = b"PK\x03\x04"
_MOST_DIRECTORY = MEGABYTE
_MOST_PART = 512 * MEGABYTE
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_COLUMN = re.compile(r"[A-Z]+")
_LAST_COLUMN = 16_384  # XFD, the last that a sheet can have


def sheet_as_csv(data: bytes, name: str) -> bytes | None:
    """The first sheet of a workbook as CSV; None where a zip archive is no workbook."""
    check_directory(io.BytesIO(data), name, _MOST_DIRECTORY)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if "xl/workbook.xml" not in archive.namelist():
                return None
            texts = list(_shared(archive, name))
            sheet = _part(archive, _first_sheet(archive, name), name)
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, KeyError, EOFError, NotImplementedError):
        raise InputError(f"{name}: is a damaged workbook or zip archive. Save it again, or as CSV.") from None
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    width = 0
    for row in sheet.iter(f"{_MAIN}row"):
        cells = _row(row, texts, name)
        if any(cells):  # a sheet leaves out the empty cells at the end of a row
            width = width or len(cells)
            writer.writerow(cells + [""] * (width - len(cells)))
    return out.getvalue().encode("utf-8")


def _part(archive: zipfile.ZipFile, path: str, name: str) -> ElementTree.Element:
    """One part as XML, unpacked within bounds; a part that declares entities is refused."""
    info = archive.getinfo(path)
    content = bytearray()
    with archive.open(info) as file:
        while piece := file.read(PIECE):
            content += piece
            refuse_much(len(content), info.compress_size, name, _MOST_PART)
    if b"<!DOCTYPE" in content[:1024]:
        raise InputError(f"{name}: the workbook declares entities, which no program of ours expands.")
    return ElementTree.fromstring(bytes(content))


def _first_sheet(archive: zipfile.ZipFile, name: str) -> str:
    sheets = _part(archive, "xl/workbook.xml", name).iter(f"{_MAIN}sheet")
    wanted = next(sheets).attrib[_RELATION]
    for one in _part(archive, "xl/_rels/workbook.xml.rels", name):
        if one.attrib["Id"] == wanted:
            target = one.attrib["Target"]
            return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    raise KeyError(wanted)


def _shared(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    if "xl/sharedStrings.xml" in archive.namelist():
        for one in _part(archive, "xl/sharedStrings.xml", name).iter(f"{_MAIN}si"):
            yield _text(one)


def _text(item: ElementTree.Element) -> str:
    """The text of an item: its own, or that of its runs; how it is pronounced is left out."""
    plain = item.findall(f"{_MAIN}t") + item.findall(f"{_MAIN}r/{_MAIN}t")
    return "".join(part.text or "" for part in plain)


def _row(row: ElementTree.Element, texts: list[str], name: str) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{_MAIN}c"):
        found = _COLUMN.match(cell.attrib.get("r", ""))
        place = _number(found[0]) if found else len(cells)
        if place >= _LAST_COLUMN:
            raise InputError(f"{name}: has a cell in a column that no sheet has. Save it again.")
        cells += [""] * (place - len(cells))
        cells.append(_value(cell, texts))
    return cells


def _number(letters: str) -> int:
    """The number of a column, from 0.

    >>> _number("A"), _number("AA")
    (0, 26)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _value(cell: ElementTree.Element, texts: list[str]) -> str:
    kind = cell.attrib.get("t", "n")
    if kind == "inlineStr":
        inline = cell.find(f"{_MAIN}is")
        return "" if inline is None else _text(inline)
    value = cell.findtext(f"{_MAIN}v") or ""
    if kind == "s":
        place = int(value) if value.isdigit() else -1
        return texts[place] if 0 <= place < len(texts) else ""
    return "" if kind == "e" else value
