"""PNG: size, palette, pixels and how they are to be shown; the pixels are packed anew (ISO/IEC 15948).

Behind the last row, or behind the end of the packed data, a file could carry anything: only the rows
that the size promises are taken out and packed again. Not one pixel changes.
"""

from __future__ import annotations

import struct
import zlib

from captious.campaigns.store.pictures.icc import rebuilt_profile
from captious.campaigns.store.pictures.parts import CannotRebuildError, Rebuilt

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
# Chunks that change how pixels look, and the most that each may hold.
KEPT = {b"PLTE": 768, b"tRNS": 256, b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"cICP": 4, b"sBIT": 4, b"pHYs": 9}
# Adam7: first column and row, and the steps between them.
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
LEVEL = 6
PIECE = 1 << 20
MOST_PROFILE = 4 << 20


def rebuild_png(content: bytes) -> Rebuilt:
    """The file from its known parts."""
    try:
        return _rebuilt(content)
    except (struct.error, zlib.error, KeyError):
        raise CannotRebuildError from None


def _rebuilt(content: bytes) -> Rebuilt:
    head, packed, beside = b"", [], list[bytes]()
    at = len(SIGNATURE)
    while at < len(content):
        size, name = struct.unpack_from(">L4s", content, at)
        body = content[at + 8 : at + 8 + size]
        at += 12 + size
        if name == b"IHDR":
            head = body
        elif name == b"IDAT":
            packed.append(body)
        elif name in KEPT and len(body) <= KEPT[name]:
            beside.append(chunk(name, body))
        elif name == b"iCCP":
            beside.insert(0, _profile(body))
        elif name == b"IEND":
            break
    if len(head) != 13:
        raise CannotRebuildError
    rows = _packed_anew(packed, _raw_bytes(head))
    parts = [chunk(b"IHDR", head), *beside, chunk(b"IDAT", rows), chunk(b"IEND", b"")]
    return Rebuilt(SIGNATURE + b"".join(parts))


def chunk(name: bytes, body: bytes) -> bytes:
    """A chunk with its length and check sum.

    >>> chunk(b"IEND", b"").hex()
    '0000000049454e44ae426082'
    """
    return struct.pack(">L", len(body)) + name + body + struct.pack(">L", zlib.crc32(name + body))


def _raw_bytes(head: bytes) -> int:
    """How many bytes the rows of the picture have, each with its filter."""
    width, height, depth, colour, _, _, interlaced = struct.unpack(">LLBBBBB", head)
    bits = depth * CHANNELS[colour]
    if not interlaced:
        return int(height * (1 + (width * bits + 7) // 8))
    total = 0
    for column, row, across, down in PASSES:
        columns, rows = -(-(width - column) // across), -(-(height - row) // down)
        if columns > 0 and rows > 0:
            total += rows * (1 + (columns * bits + 7) // 8)
    return total


def _packed_anew(packed: list[bytes], size: int) -> bytes:
    """The rows that the size promises, unpacked and packed again a piece at a time."""
    stream, again = zlib.decompressobj(), zlib.compressobj(LEVEL)
    out, rest = [], b"".join(packed)
    while size:
        rows = stream.decompress(rest, min(size, PIECE))
        rest = stream.unconsumed_tail
        if not rows:
            raise CannotRebuildError
        size -= len(rows)
        out.append(again.compress(rows))
    return b"".join([*out, again.flush()])


def _profile(body: bytes) -> bytes:
    _, _, packed = body.partition(b"\0")
    profile = zlib.decompressobj().decompress(packed[1:], MOST_PROFILE)
    return chunk(b"iCCP", b"icc\0\0" + zlib.compress(rebuilt_profile(profile)))
