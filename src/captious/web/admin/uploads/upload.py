"""One uploaded file: its name, how much it may bring, and a copy that stops at the limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from captious.corpus.readers.open import PARQUET
from captious.corpus.readers.parquet_size import check_parquet
from captious.corpus.readers.spreadsheet import ZIP, sheet_as_csv
from captious.corpus.readers.tables import parquet_errors
from captious.errors import InputError, one_line
from captious.unpack import GZIP, gunzip

MEGABYTE = 1024 * 1024
PIECE = 256 * 1024
LONGEST_NAME = 120


@dataclass(frozen=True)
class Limits:
    """How much one upload may bring; what is over is refused, not cut."""

    text_bytes: int = 64 * MEGABYTE
    text_files: int = 40
    table_bytes: int = 256 * MEGABYTE
    protocol_bytes: int = 100_000
    archive_bytes: int = 2048 * MEGABYTE
    image_bytes: int = 25 * MEGABYTE
    images: int = 50_000
    unpacked_bytes: int = 6144 * MEGABYTE
    directory_bytes: int = 32 * MEGABYTE


LIMITS = Limits()


class Upload(Protocol):
    """What a multipart parser hands over: a name that anyone may have written, and a stream."""

    @property
    def filename(self) -> str | None:
        """The name that the browser sent."""

    @property
    def file(self) -> IO[bytes]:
        """The content."""


def shown_name(upload: Upload) -> str:
    """The upload's name for messages and system names: no folder, no control characters.

    >>> from io import BytesIO
    >>> from types import SimpleNamespace
    >>> shown_name(SimpleNamespace(filename="C:\\\\data\\\\m2.json", file=BytesIO()))
    'm2.json'
    """
    return safe_part(PurePosixPath((upload.filename or "").replace("\\", "/")).name) or "file"


def safe_part(name: str) -> str:
    """One part of a path that is nothing but a name, "" where nothing is left of it.

    >>> safe_part("a/b"), safe_part(".."), safe_part("ok name.jpg")
    ('a_b', '', 'ok name.jpg')
    """
    kept = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in name)
    kept = kept.encode("utf-8", "replace").decode("utf-8").strip(" .")
    if len(kept.encode()) > LONGEST_NAME:
        suffix = PurePosixPath(kept).suffix[:10]
        kept = kept.encode()[: LONGEST_NAME - len(suffix.encode())].decode("utf-8", "ignore")
        kept += suffix
    return kept


def copy_bounded(source: IO[bytes], path: Path, most: int, name: str) -> int:
    """Copy a stream to a new file and stop as soon as it is too long."""
    copied = 0
    with path.open("xb") as target:
        for piece in _pieces(source):
            copied += len(piece)
            if copied > most:
                break
            target.write(piece)
    if copied > most:
        path.unlink()
        raise InputError(f"{one_line(name)}: over {most / MEGABYTE:g} MB. Make it smaller.")
    return copied


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    while piece := source.read(PIECE):
        yield piece


def save_texts(uploads: Sequence[Upload], folder: Path, limits: Limits = LIMITS) -> list[Path]:
    """Copy files of captions into a folder, each under its own name."""
    if len(uploads) > limits.text_files:
        raise InputError(f"{len(uploads)} caption files are too many. Use {limits.text_files} at most.")
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for upload in uploads:
        path = folder / shown_name(upload)
        if path.exists():
            raise InputError(f"{path.name}: two files have this name. Rename one.")
        copy_bounded(upload.file, path, limits.text_bytes, path.name)
        _refuse_bomb(path, limits)
        found.append(path)
    return found


def _refuse_bomb(path: Path, limits: Limits) -> None:
    """Refuse what unpacks to more than a plain file may hold, before anybody unpacks it whole."""
    data = path.read_bytes()
    try:
        if data.startswith(GZIP):
            data = gunzip(data, path.name, limits.text_bytes)
        if data.startswith(PARQUET):
            with parquet_errors(path.name):
                check_parquet(data, path.name, limits.table_bytes)
        if data.startswith(ZIP):
            sheet_as_csv(data, path.name, limits.text_bytes)
    except InputError:
        path.unlink()
        raise


def read_protocol_text(upload: Upload, limits: Limits = LIMITS) -> str:
    """The text of a protocol file."""
    data = upload.file.read(limits.protocol_bytes + 1)
    name = shown_name(upload)
    if len(data) > limits.protocol_bytes:
        raise InputError(f"{name}: over {limits.protocol_bytes // 1000} kB. Make it shorter.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name}: is not text in UTF-8. Save the protocol as UTF-8.") from None
