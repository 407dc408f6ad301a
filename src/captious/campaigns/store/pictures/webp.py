"""WebP: the picture, its transparency and its colours; no metadata, no unknown chunk (RFC 9649)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from captious.campaigns.store.pictures.icc import rebuilt_profile
from captious.campaigns.store.pictures.parts import CannotRebuildError, Rebuilt

LOSSY, LOSSLESS, ALPHA, COLOURS, EXTENDED = b"VP8 ", b"VP8L", b"ALPH", b"ICCP", b"VP8X"
HAS_ALPHA, HAS_COLOURS = 0x10, 0x20


def rebuild_webp(content: bytes) -> Rebuilt:
    """The file from its known parts, its compressed data bit for bit; not of an animation."""
    try:
        found = _chunks(content)
    except struct.error:
        raise CannotRebuildError from None
    picture = LOSSY if LOSSY in found else LOSSLESS
    if picture not in found or (picture == LOSSLESS and ALPHA in found):
        raise CannotRebuildError
    order = [picture]
    flags = 0
    if ALPHA in found:
        order.insert(0, ALPHA)
        flags |= HAS_ALPHA
    if COLOURS in found:
        found[COLOURS] = rebuilt_profile(found[COLOURS])
        order.insert(0, COLOURS)
        flags |= HAS_COLOURS
    if flags:
        if EXTENDED not in found or len(found[EXTENDED]) != 10:
            raise CannotRebuildError
        flags |= found[EXTENDED][0] & HAS_ALPHA
        found[EXTENDED] = bytes([flags, 0, 0, 0]) + found[EXTENDED][4:]
        order.insert(0, EXTENDED)
    chunks = [(name, found[name]) for name in order]

    def shortened(probe: int) -> Iterator[bytes]:
        for at, (name, body) in enumerate(chunks):
            if name in (LOSSY, LOSSLESS, ALPHA) and len(body) >= 2 * probe:
                yield _written([*chunks[:at], (name, body[:-probe]), *chunks[at + 1 :]])

    return Rebuilt(_written(chunks), shortened)


def _chunks(content: bytes) -> dict[bytes, bytes]:
    """The first chunk of each name, within what the file says is its size."""
    end = min(len(content), 8 + struct.unpack_from("<L", content, 4)[0])
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= end:
        name, size = struct.unpack_from("<4sL", content, at)
        body = content[at + 8 : at + 8 + size]
        if len(body) != size or name == b"ANMF":
            raise CannotRebuildError
        found.setdefault(name, body)
        at += 8 + size + size % 2
    return found


def _written(chunks: list[tuple[bytes, bytes]]) -> bytes:
    out = b"WEBP" + b"".join(
        struct.pack("<4sL", name, len(body)) + body + bytes(len(body) % 2) for name, body in chunks
    )
    return b"RIFF" + struct.pack("<L", len(out)) + out
