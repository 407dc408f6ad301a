"""Unpacking within bounds: what a file unpacks to is counted while it comes out, whatever it claims.

A few kilobytes of gzip can hold gigabytes of spaces. Nobody's captions shrink a hundredfold, so that
beyond `FREE_BYTES` a ratio of `MOST_RATIO` is refused, and `MOST_BYTES` in any case.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator
from itertools import islice
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
