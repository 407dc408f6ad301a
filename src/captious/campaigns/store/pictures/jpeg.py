"""JPEG: frame, tables and scans; no comment, no application's segment, nothing behind the end.

ITU-T T.81, annex B; the colour profile's segments follow ICC.1, annex B.4.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from captious.campaigns.store.pictures.icc import rebuilt_profile
from captious.campaigns.store.pictures.parts import CannotRebuildError, Rebuilt

SOI, EOI = b"\xff\xd8", b"\xff\xd9"
FRAMES = (0xC0, 0xC1, 0xC2)  # baseline, extended, progressive; all with Huffman codes
HUFFMAN, QUANTISERS, SCAN, INTERVAL = 0xC4, 0xDB, 0xDA, 0xDD
JFIF, PROFILE, ADOBE, LAST_APPLICATION, COMMENT = 0xE0, 0xE2, 0xEE, 0xEF, 0xFE
ICC = b"ICC_PROFILE\0"
# Tables may be given again before each scan; far more of them than scans need would carry something else.
MOST_TABLES = 20_000
MOST_SCANS = 24
PROFILE_PIECE = 65_519
_SCAN_END = re.compile(rb"\xff(?![\x00\xff\xd0-\xd7])")


def rebuild_jpeg(content: bytes) -> Rebuilt:
    """The file from its known parts, its compressed data bit for bit."""
    try:
        return _Taken(content).rebuilt()
    except (struct.error, IndexError):
        raise CannotRebuildError from None


class _Taken:
    """A file taken apart."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.jfif = self.adobe = b""
        self.profile: dict[int, bytes] = {}
        self.parts: list[tuple[bytes, bool]] = []  # and whether it is compressed data
        self.tables = self.frames = 0
        at: int | None = 2
        while at is not None and at < len(content):
            at = self._part(at)

    def rebuilt(self) -> Rebuilt:
        """The parts in order, and nothing else."""
        scans = sum(compressed for _, compressed in self.parts)
        if self.frames != 1 or not 1 <= scans <= MOST_SCANS or self.tables > MOST_TABLES:
            raise CannotRebuildError
        out = bytearray(SOI + self.jfif + self.adobe + self._profile_segments())
        streams = []
        for part, compressed in self.parts:
            if compressed:
                streams.append((len(out), len(out) + len(part)))
            out += part
        content = bytes(out + EOI)

        def shortened(probe: int) -> Iterator[bytes]:
            for start, end in streams:
                if end - start >= 2 * probe:
                    yield content[: end - probe] + content[end:]

        return Rebuilt(content, shortened)

    def _part(self, at: int) -> int | None:
        """Take one segment; where the next begins, None at the end."""
        content = self.content
        if content[at] != 0xFF:
            raise CannotRebuildError
        while content[at + 1] == 0xFF:
            at += 1
        marker = content[at + 1]
        if marker == EOI[1]:
            return None
        size = struct.unpack_from(">H", content, at + 2)[0]
        body, after = content[at + 4 : at + 2 + size], at + 2 + size
        if size < 2 or after > len(content):
            raise CannotRebuildError
        self._keep(marker, body)
        return self._scan(after) if marker == SCAN else after

    def _keep(self, marker: int, body: bytes) -> None:
        if marker in FRAMES:
            self.frames += 1
            self._segment(marker, body, 6 + 3 * body[5])
        elif marker == SCAN:
            self._segment(marker, body, 4 + 2 * body[0])
        elif marker == INTERVAL:
            self._segment(marker, body, 2)
        elif marker in (HUFFMAN, QUANTISERS):
            self.tables += len(body)
            self._segment(marker, body, _tables_end(marker, body))
        elif marker == JFIF and body.startswith(b"JFIF\0") and len(body) >= 12:
            self.jfif = segment(JFIF, body[:12] + b"\0\0")  # without its thumbnail
        elif marker == ADOBE and body.startswith(b"Adobe") and len(body) >= 12:
            self.adobe = segment(ADOBE, b"Adobe\0\x64" + bytes(4) + body[11:12])
        elif marker == PROFILE and body.startswith(ICC):
            self.profile[body[12]] = body[14:]
        elif not JFIF <= marker <= LAST_APPLICATION and marker != COMMENT:
            raise CannotRebuildError

    def _segment(self, marker: int, body: bytes, size: int) -> None:
        if len(body) != size:
            raise CannotRebuildError
        self.parts.append((segment(marker, body), False))

    def _scan(self, start: int) -> int:
        end = _SCAN_END.search(self.content, start)
        stop = end.start() if end else len(self.content)
        self.parts.append((self.content[start:stop].rstrip(b"\xff"), True))
        return stop

    def _profile_segments(self) -> bytes:
        if not self.profile:
            return b""
        profile = rebuilt_profile(b"".join(self.profile[at] for at in sorted(self.profile)))
        if len(profile) > PROFILE_PIECE:
            raise CannotRebuildError
        return segment(PROFILE, ICC + b"\x01\x01" + profile)


def segment(marker: int, body: bytes) -> bytes:
    """A marker, the length and what follows.

    >>> segment(0xDD, b"\\0\\4").hex()
    'ffdd00040004'
    """
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _tables_end(marker: int, body: bytes) -> int:
    """How long the tables in a segment are by what they say of themselves."""
    at = 0
    while at < len(body):
        if marker == QUANTISERS:
            at += 1 + 64 * (2 if body[at] >> 4 else 1)
        else:
            at += 17 + sum(body[at + 1 : at + 17])
    return at
