"""Open a file: plain, gzip or a workbook by its first bytes, and text as UTF-8 whatever it was saved as."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from captious.corpus.readers.spreadsheet import ZIP, sheet_as_csv
from captious.errors import InputError
from captious.files import GZIP, gunzip

PathText = str | PathLike[str]

STANDARD_INPUT = "standard input"
PARQUET = b"PAR1"
OTHER_ARCHIVES = {
    ZIP: "a zip archive",
    b"\xfd7zXZ": "an xz archive",
    b"BZh": "a bzip2 archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"7z\xbc\xaf": "a 7z archive",
}
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x19\x1c-\x1f]")  # in no text of any encoding that is common


@dataclass(frozen=True)
class Source:
    """A file's content: UTF-8 text without a byte-order mark, or Parquet bytes; a workbook is CSV by now.

    `name` is the path as it was given, for messages; `stem` names the system.
    """

    name: str
    stem: str
    data: bytes

    @property
    def is_parquet(self) -> bool:
        """Whether the content is a Parquet table."""
        return self.data.startswith(PARQUET)


def open_source(path: PathText) -> Source:
    """Read a file whole, unzip it where needed, and make sure that it is text or Parquet.

    The path `-` is standard input.
    """
    name = STANDARD_INPUT if str(path) == "-" else str(path)
    data = _read_standard_input() if str(path) == "-" else _read_bytes(Path(path), name)
    if data.startswith(GZIP):
        data = gunzip(data, name)
    if data.startswith(ZIP):
        sheet = sheet_as_csv(data, name)
        data = data if sheet is None else sheet
    for magic, kind in OTHER_ARCHIVES.items():
        if data.startswith(magic):
            raise InputError(f"{name}: is {kind}. Unpack it, or compress it with gzip.")
    if not data.startswith(PARQUET):
        refuse_false_parquet(data[:20], name)
        data = _as_utf8(data, name)
        if not data or data.isspace():
            raise InputError(f"{name}: the file is empty. Check that it was written to the end.")
    return Source(name, "stdin" if str(path) == "-" else stem_of(path), data)


def refuse_false_parquet(head: bytes, name: str) -> None:
    """Refuse a file that is called Parquet and holds neither that nor JSON, by its first bytes.

    >>> refuse_false_parquet(b"<html>", "m2.parquet")
    Traceback (most recent call last):
    captious.errors.InputError: m2.parquet: is not a Parquet file: it starts with "<html>", not with "PAR1". \
Write or copy it again.
    """
    named = name.lower().endswith(".parquet")
    if named and head.strip() and not head.removeprefix(UTF8_BOM).lstrip().startswith((PARQUET, b"{", b"[")):
        begin = head[:8].decode("utf-8", "ignore")
        shown = f'"{begin}"' if begin and begin.isprintable() else f"the bytes {head[:4].hex(' ')}"
        raise InputError(
            f'{name}: is not a Parquet file: it starts with {shown}, not with "PAR1". Write or copy it again.'
        )


def stem_of(path: PathText) -> str:
    """The file's name without folder, `.gz` and its last suffix.

    >>> stem_of("outputs/m2.json.gz"), stem_of("vinvl.large.jsonl")
    ('m2', 'vinvl.large')
    """
    plain = Path(path)
    if plain.suffix.lower() == ".gz":
        plain = plain.with_suffix("")
    return plain.stem


def _read_standard_input() -> bytes:
    """All of standard input, which can be read only once."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{STANDARD_INPUT}: is closed. Pipe a file in, or name one.")
    if sys.stdin.isatty():
        raise InputError(f'{STANDARD_INPUT}: "-" reads piped input, but nothing was piped in. Name a file.')
    data = sys.stdin.buffer.read()
    if not data:
        raise InputError(
            f'{STANDARD_INPUT}: is empty. Pipe a file in, and use "-" only once: it can be read only once.'
        )
    return data


def _read_bytes(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{name}: is a folder. Name the file inside it.") from None
    except PermissionError:
        raise InputError(f"{name}: permission denied. Make the file readable for your user.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be read ({error}).") from None


def _as_utf8(data: bytes, name: str) -> bytes:
    if data.startswith(UTF8_BOM):
        data = data[len(UTF8_BOM) :]
    if data.startswith(UTF16_BOMS):
        try:
            return data.decode("utf-16").encode("utf-8")
        except UnicodeError:
            raise InputError(f"{name}: starts like UTF-16 but is not. Save the file as UTF-8.") from None
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")  # as old programs of the Macintosh end lines
    if b"\0" in data:
        raise InputError(
            f"{name}: byte {data.index(0)}: is not text (or UTF-16 without a byte-order mark). "
            "Save it as UTF-8 text, or give a Parquet file."
        )
    if not data.isascii():
        _require_utf8(data, name)
    return data


def _require_utf8(data: bytes, name: str) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        control = _CONTROL.search(data)
        if control:
            raise InputError(
                f"{name}: byte {control.start()}: 0x{control[0][0]:02x} is not text. "
                "Give a text file (JSON, CSV, …), a Parquet file or an Excel workbook."
            ) from None
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}: line {line}, byte {error.start}: 0x{data[error.start]:02x} is not UTF-8 "
            "(Latin-1 or Windows-1252?). Convert it: iconv -f WINDOWS-1252 -t UTF-8."
        ) from None
