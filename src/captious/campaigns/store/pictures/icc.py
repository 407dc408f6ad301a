"""Colour profiles with nothing but the numbers that turn values into colours (ICC.1:2022, 7 and 10).

A profile may name its maker, its owner and a device, and have private tags. What a display profile
needs is three primaries, a white point and the tone curves; those are copied, number by number.
"""

from __future__ import annotations

import struct

from captious.campaigns.store.pictures.parts import CannotRebuildError

HEADER, ENTRY = 128, 12
TAGS = (b"wtpt", b"chad", b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC", b"kTRC")
NEEDED = {b"RGB ": {b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC"}, b"GRAY": {b"kTRC"}}
PARAMETERS = (1, 3, 4, 5, 7)  # of the five kinds of parametric curve
MOST_POINTS = 4096
D50 = struct.pack(">3i", 63190, 65536, 54061)


def rebuilt_profile(profile: bytes) -> bytes:
    """A profile of curves and primaries; one that works by tables cannot be rebuilt."""
    try:
        return _rebuilt(profile)
    except (struct.error, IndexError):
        raise CannotRebuildError from None


def _rebuilt(profile: bytes) -> bytes:
    space = profile[16:20]
    if profile[36:40] != b"acsp" or profile[20:24] != b"XYZ " or space not in NEEDED:
        raise CannotRebuildError
    found = {}
    for at in range(min(struct.unpack_from(">L", profile, HEADER)[0], 200)):
        name, start, _ = struct.unpack_from(">4sLL", profile, HEADER + 4 + at * ENTRY)
        if name in TAGS:
            found[name] = _value(profile, start)
    if not NEEDED[space] <= found.keys():
        raise CannotRebuildError
    return _written(profile, found)


def _value(profile: bytes, start: int) -> bytes:
    """One tag's numbers, and not a byte behind them."""
    kind = profile[start : start + 4]
    if kind == b"XYZ ":
        size = 20
    elif kind == b"sf32":
        size = 8 + 9 * 4
    elif kind == b"curv":
        points = struct.unpack_from(">L", profile, start + 8)[0]
        if points > MOST_POINTS:
            raise CannotRebuildError
        size = 12 + 2 * points
    elif kind == b"para":
        size = 12 + 4 * PARAMETERS[struct.unpack_from(">H", profile, start + 8)[0]]
    else:
        raise CannotRebuildError
    value = kind + bytes(4) + profile[start + 8 : start + size]
    if kind == b"para":
        value = value[:10] + bytes(2) + value[12:]
    if len(value) != size:
        raise CannotRebuildError
    return value


def _written(profile: bytes, found: dict[bytes, bytes]) -> bytes:
    start = HEADER + 4 + ENTRY * len(found)
    table, values, places = b"", b"", dict[bytes, int]()
    for name, value in found.items():
        if value not in places:  # the three curves are often one
            places[value] = start + len(values)
            values += value + bytes(-len(value) % 4)
        table += struct.pack(">4sLL", name, places[value], len(value))
    head = bytes(4) + profile[8:10] + bytes(2) + profile[12:24] + bytes(12) + b"acsp" + bytes(24)
    head += profile[64:68] + D50 + bytes(48)
    size = start + len(values)
    return struct.pack(">L", size) + head + struct.pack(">L", len(found)) + table + values
