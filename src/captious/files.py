"""Files: written whole or not at all and never over something precious; small texts; archives within bounds.

A few kilobytes of gzip can hold gigabytes of spaces. Nobody's captions shrink a hundredfold, so that
beyond `FREE_BYTES` a ratio of `MOST_RATIO` is refused, and `MOST_BYTES` in any case: what a file unpacks to
is counted while it comes out, whatever it claims.
"""

from __future__ import annotations

import io
import os
import re
import struct
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

from captious.errors import InputError, one_line

MEGABYTE = 1 << 20
FREE_BYTES = 64 * MEGABYTE
MOST_RATIO = 100
MOST_BYTES = 4096 * MEGABYTE
PIECE = MEGABYTE
GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
# Pillow's many decoders report damage in any of these ways.
BROKEN_PICTURE = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    ArithmeticError,
    LookupError,
    TypeError,
    RuntimeError,
    struct.error,
)
# JPEG, and TIFF, which may hold JPEG: a scan's head names one to four components (ITU-T T.81, B.2.3).
MOST_SCANS = 100
_MAY_HOLD_SCANS = (b"\xff\xd8", b"II", b"MM")
_SCAN = re.compile(rb"\xff\xda\x00(?:\x08\x01|\x0a\x02|\x0c\x03|\x0e\x04)")
_END, _END64, _LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_END_BYTES, _LOCATOR_BYTES, _END64_BYTES, _LONGEST_COMMENT = 22, 20, 56, 0xFFFF


def gunzip(data: bytes, name: str, most: int = MOST_BYTES) -> bytes:
    """The content of gzip data, of all its members.

    >>> import gzip
    >>> gunzip(gzip.compress(b"A dog.") + gzip.compress(b" A cat."), "a.gz")
    b'A dog. A cat.'
    """
    return b"".join(gunzipped(data, name, most))


def gunzipped(data: bytes, name: str, most: int = MOST_BYTES) -> Iterator[bytes]:
    """The content of gzip data in pieces; data that is broken or too much is refused."""
    view, at, size = memoryview(data), 0, 0
    while at < len(data):
        member = zlib.decompressobj(_GZIP_WINDOW)
        while not member.eof:
            packed: bytes | memoryview = member.unconsumed_tail
            if not packed:
                packed = view[at : at + PIECE]
                at += len(packed)
            try:
                piece = member.decompress(packed, PIECE)
            except zlib.error:
                raise _damaged(name) from None
            if not packed and not piece:
                raise _damaged(name)
            size += len(piece)
            refuse_much(size, len(data), name, most)
            yield piece
        at -= len(member.unused_data)
        while at < len(data) and data[at] == 0:  # padding after a member
            at += 1


def refuse_much(size: int, packed: int, name: str, most: int) -> None:
    """Refuse, while it comes out, what is too much in all or far more than it was packed."""
    if size > most:
        raise InputError(f"{name}: unpacks to over {most // MEGABYTE} MB. Split it.")
    if size > max(FREE_BYTES, MOST_RATIO * packed):
        raise InputError(
            f"{name}: unpacks to over {FREE_BYTES // MEGABYTE} MB, more than {MOST_RATIO} times its size. "
            "Unpack it first."
        )


def _damaged(name: str) -> InputError:
    return InputError(f"{name}: the gzip data is damaged or cut short. Copy or compress the file again.")


def refuse_scans(content: bytes, name: str) -> None:
    """Refuse a JPEG of very many scans: each goes over the whole picture, and may be a few bytes long."""
    if content[:4].startswith(_MAY_HOLD_SCANS):
        found = sum(1 for _ in islice(_SCAN.finditer(content), MOST_SCANS + 1))
        if found > MOST_SCANS:
            raise InputError(
                f"{name}: has over {MOST_SCANS} scans, where photographs have ten. Save it again."
            )


def check_directory(file: IO[bytes], name: str, most: int) -> None:
    """Refuse a zip file whose list of contents alone would fill the memory; it is read whole to open one."""
    size = _directory_bytes(file)
    file.seek(0)
    if size > most:
        raise InputError(f"{one_line(name)}: lists too many files ({size:,} bytes of names). Split it.")


def _directory_bytes(file: IO[bytes]) -> int:
    """What the end of a zip file says of the size of its list; 0 where there is no end."""
    whole = file.seek(0, io.SEEK_END)
    file.seek(max(0, whole - _END_BYTES - _LONGEST_COMMENT - _LOCATOR_BYTES - _END64_BYTES))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        return 0
    found: int = struct.unpack_from("<L", tail, at + 12)[0]
    locator, record = at - _LOCATOR_BYTES, at - _LOCATOR_BYTES - _END64_BYTES
    if record >= 0 and tail[locator : locator + 4] == _LOCATOR and tail[record : record + 4] == _END64:
        found = struct.unpack_from("<Q", tail, record + 40)[0]
    return found


class WriteError(InputError):
    """A file cannot be written: a full disk, a folder that is not ours. Trying again will not help."""


def cache_folder() -> Path:
    """`$CAPTIOUS_CACHE`, else `$XDG_CACHE_HOME/captious`, else `~/.cache/captious`."""
    own = os.environ.get("CAPTIOUS_CACHE")
    if own:
        return Path(own)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "captious"


def check_output(path: Path, inputs: Iterable[Path | str] = (), *, ending: str = "") -> None:
    """Refuse, before any work is done, a path that must not or cannot be written.

    That is a name without the `ending` of its kind, one of the inputs, something that is no regular
    file (a folder, a device, a pipe), or a place where no folder can be made. Folders that are missing
    are made when the file is written.
    """
    if ending and path.suffix.lower() != ending:
        raise InputError(f"{path}: the name must end in {ending}.")
    if path.is_dir():
        raise InputError(f"{path}: is a folder. Give the name of a file to write.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a regular file, and cannot be written over.")
    check_folder(path.parent)
    for given in inputs:
        if Path(given).exists() and path.exists() and path.samefile(given):
            raise InputError(f"{path}: is one of the inputs. Give the output another name.")


def check_folder(path: Path) -> None:
    """Refuse, before any work is done, a folder to write to that cannot be one."""
    nearest = next(place for place in (path, *path.resolve().parents) if place.exists())
    if not nearest.is_dir():
        raise InputError(f"{path}: {_whose(nearest, path)}is a file. Give a folder to write to.")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"{path}: cannot be written: Permission denied.")


def _whose(place: Path, path: Path) -> str:
    return "" if place == path else f"{place} "


def text_of(path: Path) -> str:
    """The text of a small file in UTF-8, or one line that says why it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder. Give a file.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text. Save it as plain text in UTF-8.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}.") from None


@contextmanager
def atomically(path: Path, *, durable: bool = False) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place only if the block succeeds.

    A symbolic link is followed: what it points to is replaced, not the link. A full disk, or
    whatever else keeps the block from writing, is told with the file's name. What is `durable` is
    on the disk, not only on its way there, before the name is.
    """
    check_output(path)
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise WriteError(f"{path}: cannot be written: {error.strerror}.") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        if durable:
            _to_disk(temporary)
        temporary.replace(target)
        if durable:
            _to_disk(target.parent)
    except OSError as error:
        raise WriteError(f"{path}: cannot be written: {error.strerror or error}.") from None
    finally:
        temporary.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
