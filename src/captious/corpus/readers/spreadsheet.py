"""The first sheet of an .xlsx workbook as CSV text, which the readers of tables take from there.

A workbook is a zip of XML (ECMA-376, SpreadsheetML): `xl/workbook.xml` lists the sheets,
`xl/sharedStrings.xml` holds the texts that cells point to. Only values are read: no formula is computed.
The XML is read as it unpacks, and what it makes is counted: two kilobytes can hold a table of gigabytes,
by cells in the last column or by one long text in many cells. Readers that lay a sheet out as a full
rectangle, as python-calamine 0.9 does, ask for 550 GB where two cells are in opposite corners, and the
process is aborted.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Callable
from xml.parsers import expat

from captious.errors import InputError
from captious.files import MEGABYTE, MOST_BYTES, PIECE, check_directory, refuse_much

ZIP = b"PK\x03\x04"
_MOST_DIRECTORY = MEGABYTE
_MOST_PART = 512 * MEGABYTE
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships id"
_COLUMN = re.compile(r"[A-Z]+")
_LAST_COLUMN = 16_384  # XFD, the last that a sheet can have
_DEEPEST = 100
# What a list holds of a text beside its letters.
_TEXT_BYTES = 8

Attributes = dict[str, str]


def sheet_as_csv(data: bytes, name: str, most: int = MOST_BYTES) -> bytes | None:
    """The first sheet of a workbook as CSV; None where a zip archive is no workbook."""
    check_directory(io.BytesIO(data), name, _MOST_DIRECTORY)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if "xl/workbook.xml" not in archive.namelist():
                return None
            texts = _Texts(len(data), name, most)
            if "xl/sharedStrings.xml" in archive.namelist():
                _read(archive, "xl/sharedStrings.xml", name, texts)
            sheet = _Sheet(texts.found, len(data), name, most)
            _read(archive, _first_sheet(archive, name), name, sheet)
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, KeyError, EOFError, NotImplementedError):
        raise InputError(f"{name}: is a damaged workbook or zip archive. Save it again, or as CSV.") from None
    except RuntimeError:  # of zipfile
        raise InputError(f"{name}: the workbook has a password. Save it without one.") from None
    return sheet.csv()


class _Part:
    """One part of a workbook, element by element; `path` leads to the present one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path: list[str] = []
        self.text: list[str] = []
        self.listens = False

    def begin(self, element: str, attributes: Attributes) -> None:
        """An element begins."""
        if len(self.path) > _DEEPEST:
            raise KeyError(element)
        self.path.append(element.removeprefix(_MAIN))
        self.begins(self.path, attributes)

    def end(self, _element: str) -> None:
        """An element ends."""
        self.ends(self.path)
        self.path.pop()

    def data(self, text: str) -> None:
        """Part of a text."""
        if self.listens:
            self.text.append(text)

    def doctype(self, *_: object) -> None:
        """Entities could unfold without end."""
        raise InputError(f"{self.name}: the workbook declares XML entities, which are not allowed.")

    def begins(self, path: list[str], attributes: Attributes) -> None:
        """What a part makes of an element."""

    def ends(self, path: list[str]) -> None:
        """What a part makes of an element's end."""

    def taken(self) -> str:
        """The text that was listened to."""
        found = "".join(self.text)
        self.text.clear()
        return found


def _read(archive: zipfile.ZipFile, path: str, name: str, part: _Part) -> None:
    """Read one part as it unpacks, within bounds."""
    info = archive.getinfo(path)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    handlers: dict[str, Callable[..., None]] = {
        "StartElementHandler": part.begin,
        "EndElementHandler": part.end,
        "CharacterDataHandler": part.data,
        "StartDoctypeDeclHandler": part.doctype,
    }
    for handler, call in handlers.items():
        setattr(parser, handler, call)
    size = 0
    with archive.open(info) as file:
        while piece := file.read(PIECE):
            size += len(piece)
            refuse_much(size, info.compress_size, name, _MOST_PART)
            parser.Parse(piece, False)
    parser.Parse(b"", True)


class _Found(_Part):
    """The attributes of every element of a kind."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(name)
        self.kind = kind
        self.found: list[Attributes] = []

    def begins(self, path: list[str], attributes: Attributes) -> None:
        """Keep the element's attributes; no workbook has very many."""
        if path[-1].rpartition(" ")[2] == self.kind:
            self.found.append(attributes)
            if len(self.found) > _LAST_COLUMN:
                raise KeyError(self.kind)


def _first_sheet(archive: zipfile.ZipFile, name: str) -> str:
    sheets, links = _Found(name, "sheet"), _Found(name, "Relationship")
    _read(archive, "xl/workbook.xml", name, sheets)
    _read(archive, "xl/_rels/workbook.xml.rels", name, links)
    wanted = next((one[_RELATION] for one in sheets.found), None)
    for one in links.found:
        if one["Id"] == wanted:
            target = one["Target"]
            return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    raise KeyError(wanted)


class _Texts(_Part):
    """The texts that cells point to: each its own, or that of its runs, without how it is pronounced."""

    def __init__(self, packed: int, name: str, most: int) -> None:
        super().__init__(name)
        self.packed, self.most, self.size = packed, most, 0
        self.found: list[str] = []

    def begins(self, path: list[str], attributes: Attributes) -> None:
        """Listen where a text begins."""
        self.listens = _is_text(path, "si")

    def ends(self, path: list[str]) -> None:
        """Keep a text at its end."""
        self.listens = False
        if path[-1] == "si":
            self.found.append(self.taken())
            self.size += len(self.found[-1]) + _TEXT_BYTES
            refuse_much(self.size, self.packed, self.name, self.most)


class _Sheet(_Part):
    """The rows of a sheet, written as CSV while they come."""

    def __init__(self, texts: list[str], packed: int, name: str, most: int) -> None:
        super().__init__(name)
        self.texts, self.packed, self.most = texts, packed, most
        self.out = io.StringIO()
        self.writer = csv.writer(self.out, lineterminator="\n")
        self.width = 0
        self.cells: list[str] = []
        self.cell: Attributes = {}

    def csv(self) -> bytes:
        """All rows."""
        return self.out.getvalue().encode("utf-8")

    def begins(self, path: list[str], attributes: Attributes) -> None:
        """Listen where a cell has its value."""
        if path[-1] == "row":
            self.cells = []
        elif path[-1] == "c":
            self.cell = attributes
            self.text.clear()
        in_place = self.cell.get("t") == "inlineStr"
        self.listens = _is_text(path, "is") if in_place else path[-2:] == ["c", "v"]

    def ends(self, path: list[str]) -> None:
        """Keep a cell, or write a row."""
        self.listens = False
        if path[-1] == "c":
            self._keep(self._value(self.taken()))
        elif path[-1] == "row" and any(self.cells):  # a sheet leaves out the empty cells at the end of a row
            self.width = self.width or len(self.cells)
            self.writer.writerow(self.cells + [""] * (self.width - len(self.cells)))
            refuse_much(self.out.tell(), self.packed, self.name, self.most)

    def _keep(self, value: str) -> None:
        found = _COLUMN.match(self.cell.get("r", ""))
        place = _number(found[0]) if found else len(self.cells)
        if max(place, len(self.cells)) >= _LAST_COLUMN:
            raise InputError(f"{self.name}: a cell is in a column that does not exist. Save it again.")
        self.cells += [""] * (place - len(self.cells))
        self.cells.append(value)

    def _value(self, text: str) -> str:
        kind = self.cell.get("t", "n")
        if kind == "s":
            place = int(text) if len(text) < 10 and text.isdigit() else -1
            return self.texts[place] if 0 <= place < len(self.texts) else ""
        return "" if kind == "e" else text


def _is_text(path: list[str], item: str) -> bool:
    """Whether an element is an item's text, or that of one of its runs."""
    return path[-1] == "t" and (path[-2:-1] == [item] or path[-3:-1] == [item, "r"])


def _number(letters: str) -> int:
    """The number of a column, from 0.

    >>> _number("A"), _number("AA")
    (0, 26)
    """
    number = 0
    for letter in letters[:4]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
