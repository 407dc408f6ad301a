"""Mojibake: UTF-8 text that was once read as Windows-1252, as in "cafÃ©" and "donâ€™t"."""

from __future__ import annotations

import re

# What the bytes 0x80 to 0x9f show as in Windows-1252; five of them show as nothing.
_CP1252 = {
    bytes([byte]).decode("cp1252"): byte
    for byte in range(0x80, 0xA0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
_AFTER = "[\x80-\xbf" + "".join(map(re.escape, _CP1252)) + "]"
_SEQUENCE = f"(?:[\xc2-\xdf]{_AFTER}|[\xe0-\xef]{_AFTER}{{2}}|[\xf0-\xf4]{_AFTER}{{3}})"
_RUN = re.compile(f"{_SEQUENCE}+")
_LAST_LATIN = "\u024f"


def has_mojibake(text: str) -> bool:
    """Whether a part of the text reads as UTF-8 when its characters are taken for bytes.

    Lone accented letters never do: each would need a second, odd character right behind it.

    >>> has_mojibake("a cafÃ© in Paris"), has_mojibake("a café in Paris")
    (True, False)
    """
    return mend_mojibake(text) != text


def mend_mojibake(text: str) -> str:
    """The text with such parts read as what they were.

    >>> mend_mojibake("a dog that doesnâ€™t bark at the cafÃ©")
    'a dog that doesn’t bark at the café'
    """
    if text.isascii():
        return text
    return _RUN.sub(_mended, text)


def _mended(run: re.Match[str]) -> str:
    found = run.group()
    try:
        mended = bytes(_CP1252.get(sign, 0) or ord(sign) for sign in found).decode("utf-8")
    except (UnicodeDecodeError, ValueError):
        return found
    # One pair alone may be a real "É" before a real quotation mark: trust it only where it
    # gives a Latin letter or sign, which such pairs hardly ever do.
    return found if len(found) == 2 and mended > _LAST_LATIN else mended
