"""The guard against spreadsheets, which run a text as a formula where it looks like one."""

from __future__ import annotations

import re
import unicodedata

SIGNS = "=+-@\N{MINUS SIGN}"
# Categories of characters that nobody sees: a spreadsheet may skip them, as it skips a tab.
INVISIBLE = {"Cc", "Cf", "Zs", "Zl", "Zp"}
# Letters and marks that nobody sees either: Unicode's Default_Ignorable_Code_Point, the blank of Braille.
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def guarded(text: str) -> str:
    """Text for a cell: an apostrophe goes before what a spreadsheet might run as a formula.

    That is a text whose first visible character is one of = + - @, also in full width; one that
    begins with a control character; and one that begins with the apostrophe itself, so that
    `unguarded` finds every text again. The rule is wider than OWASP's ("CSV Injection").

    >>> guarded("=HYPERLINK(1)"), guarded("A dog."), guarded("＝1+1"), guarded("\u200b=1")
    ("'=HYPERLINK(1)", 'A dog.', "'＝1+1", "'\u200b=1")
    """
    return f"'{text}" if _needs_guard(text) else text


def unguarded(text: str) -> str:
    """The text that `guarded` made a cell of.

    >>> unguarded(guarded("=1+1")), unguarded(guarded("'quoted")), unguarded("A dog.")
    ('=1+1', "'quoted", 'A dog.')
    """
    return text[1:] if text.startswith("'") and _needs_guard(text[1:]) else text


def _needs_guard(text: str) -> bool:
    if text[:1].isascii() and text[:1].isalnum():
        return False
    if text.startswith("'") or unicodedata.category(text[:1] or "a") == "Cc":
        return True
    seen = (c for c in text if unicodedata.category(c) not in INVISIBLE and not BLANK.match(c))
    first = next(seen, "")
    return unicodedata.normalize("NFKC", first)[:1] in tuple(SIGNS)
