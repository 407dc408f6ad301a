"""Files from a browser: copied to disk in bounded pieces, told by content, never trusted by name."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, Protocol

from captious.corpus.ids import IMAGE_SUFFIX
from captious.corpus.readers.open import PARQUET
from captious.corpus.readers.parquet_size import check_parquet
from captious.corpus.readers.spreadsheet import ZIP, sheet_as_csv
from captious.corpus.readers.tables import parquet_errors
from captious.errors import InputError, one_line
from captious.files import GZIP, check_directory, gunzip

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


MOST_TOLD = 5
# An archive's metadata that systems add on their own, and that nobody means to upload.
IGNORED_NAMES = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
# RuntimeError: an encrypted entry; NotImplementedError: an unknown compression.
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    UnicodeDecodeError,
)
SUFFIX_OF = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp", "GIF": ".gif"}


class SavedImages(NamedTuple):
    """How many images were kept, and a line for each file that was not."""

    images: int
    wrong: tuple[str, ...] = ()


def save_images(uploads: Sequence[Upload], folder: Path, limits: Limits = LIMITS) -> SavedImages:
    """Unpack archives and copy single images into a folder.

    Only what is an image by its content is kept; a name only says which caption the image is for.
    A file that is none is named and costs no other; where nothing is left, the first says why.
    """
    folder.mkdir(parents=True, exist_ok=True)
    store = _ImageStore(folder, limits)
    for upload in uploads:
        name = shown_name(upload)
        if _is_zip(upload.file):
            _unpack(upload.file, name, store)
        else:
            store.try_add(name, upload.file, name)
    if not store.added:
        told = "images: no image was found. Upload JPEG, PNG, WebP or GIF, or a zip."
        raise InputError(store.wrong[0] if store.wrong else told)
    return SavedImages(store.added, store.told())


def _is_zip(file: IO[bytes]) -> bool:
    start = file.read(4)
    file.seek(0)
    return start in (b"PK\x03\x04", b"PK\x05\x06")


class _FullError(InputError):
    """The folder takes no more, whatever comes."""


class _ImageStore:
    """A folder of images that knows how much more it may take, and what it did not."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder, self.limits = folder, limits
        there = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
        self.count, self.size, self.added = len(there), sum(there), 0
        self.wrong: list[str] = []

    def try_add(self, name: str, source: IO[bytes], place: str) -> None:
        """Keep one image, or note why not."""
        try:
            self._add(name, source, place)
        except _FullError:
            raise
        except InputError as error:
            self.wrong.append(str(error))

    def told(self) -> tuple[str, ...]:
        """The first lines of what is wrong, and how many more there are."""
        rest = len(self.wrong) - MOST_TOLD
        more = (f"images: {rest:,} more files were left out.",) if rest > 0 else ()
        return (*self.wrong[:MOST_TOLD], *more)

    def _add(self, name: str, source: IO[bytes], place: str) -> None:
        """Keep one image under the safe form of its name."""
        if self.count >= self.limits.images:
            raise _FullError(f"images: more than {self.limits.images:,}. Make two campaigns.")
        path = self.folder / _relative(name, place)
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = path.with_name(path.name + ".part")
        if path.exists() or raw.exists():
            raise InputError(f"{one_line(place)}: a second image has this name. Rename one.")
        try:
            self.size += copy_bounded(source, raw, self.limits.image_bytes, place)
            if self.size > self.limits.unpacked_bytes:
                most = self.limits.unpacked_bytes / MEGABYTE
                raise _FullError(f"images: over {most:g} MB in all. Make them smaller.")
            suffix = _suffix_by_content(raw, place)
            raw.rename(path if IMAGE_SUFFIX.search(path.name) else path.with_name(path.name + suffix))
        finally:
            raw.unlink(missing_ok=True)
        self.count += 1
        self.added += 1


def _relative(name: str, place: str) -> PurePosixPath:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0]:
        raise InputError(f'{one_line(place)}: the name points outside the archive. Use plain names, "7.jpg".')
    safe = [safe_part(part) for part in parts]
    if not all(safe) or len(safe) > 8:
        raise InputError(f"{one_line(place)}: this is not a valid name for an image. Use plain names.")
    return PurePosixPath(*safe)


def _suffix_by_content(path: Path, place: str) -> str:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path, formats=tuple(SUFFIX_OF)) as image:
            return SUFFIX_OF[image.format or ""]
    except (UnidentifiedImageError, OSError, ValueError, KeyError, SyntaxError):
        reason = "is not a JPEG, PNG, WebP or GIF image"
    except Image.DecompressionBombError:
        reason = "has too many pixels"
    raise InputError(f"{one_line(place)}: {reason}. Upload images only.")


def _unpack(file: IO[bytes], name: str, store: _ImageStore) -> None:
    """Keep the images of an archive; sizes are those that come out, not those it claims."""
    limits = store.limits
    if file.seek(0, 2) > limits.archive_bytes:
        raise InputError(f"{name}: over {limits.archive_bytes / MEGABYTE:g} MB. Split it.")
    check_directory(file, name, limits.directory_bytes)
    try:
        with zipfile.ZipFile(file) as archive:
            entries = [entry for entry in archive.infolist() if _wanted(entry)]
            _refuse_before_unpacking(entries, name, store)
            for entry in entries:
                with archive.open(entry) as source:
                    store.try_add(entry.filename, source, f"{name}: {entry.filename}")
    except UNREADABLE as error:
        why = one_line(str(error))
        raise InputError(f"{name}: is not a readable zip archive: {why}. Make it again.") from error


def _wanted(entry: zipfile.ZipInfo) -> bool:
    parts = PurePosixPath(entry.filename).parts
    return not entry.is_dir() and not any(part in IGNORED_NAMES for part in parts)


def _refuse_before_unpacking(entries: list[zipfile.ZipInfo], name: str, store: _ImageStore) -> None:
    limits = store.limits
    if store.count + len(entries) > limits.images:
        raise InputError(f"{name}: {len(entries):,} files are too many. Use {limits.images:,} at most.")
    if sum(entry.file_size for entry in entries) > limits.unpacked_bytes - store.size:
        most = limits.unpacked_bytes / MEGABYTE
        raise InputError(f"{name}: unpacks to over {most:g} MB. Make the images smaller.")
    for entry in entries:
        if stat.S_ISLNK(entry.external_attr >> 16):
            place = one_line(f"{name}: {entry.filename}")
            raise InputError(f"{place}: is a link. Put the image itself into the archive.")
