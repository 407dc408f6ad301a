"""Markdown, HTML and models' own tokens in captions, which metrics read as words."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What most texts do not have, found in one search.
_MAYBE = re.compile(r"[*_`<|•\]]|^[ \t]*(?:#|[-+] |\d+[.)] )", re.MULTILINE)
_LINE = re.MULTILINE
_TOGETHER = 500  # texts searched at once
_MARKS = (
    (re.compile(r"^[ \t]*```.*$\n?", _LINE), ""),
    (re.compile(r"!?\[([^\]\n]+)\]\([^()\s]+\)"), r"\1"),
    (re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>|<\|[^<>|]+\|>"), ""),
    (re.compile(r"(\*\*|__)(?=\S)([^\n]+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]+?)(?<=[^\s_])_(?!\w)"), r"\1"),
    (re.compile(r"`([^`\n]+)`"), r"\1"),
    (re.compile(r"^[ \t]*(?:#{1,6}|[-*+•])[ \t]+(?=\S)", _LINE), ""),
    (re.compile(r"^[ \t]*(?:[-*_][ \t]*){3,}$\n?|^[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+.*$\n?", _LINE), ""),
)
_NUMBERED = re.compile(r"^[ \t]*\d+[.)][ \t]+(?=\S)", _LINE)
_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", _LINE)


def without_markup(text: str) -> str:
    """A text without Markdown's marks, tags of HTML and tokens such as `</s>`; its words stay.

    >>> without_markup("## Scene\\n- **Three sheep** on a [hill](h.jpg)\\n- <b>A dog</b>")
    'Scene\\nThree sheep on a hill\\nA dog'
    >>> without_markup("5 * 3 is 15, x < y, and A_B or #3 stay.")
    '5 * 3 is 15, x < y, and A_B or #3 stay.'
    """
    if _MAYBE.search(text) is None:
        return text
    plain = text
    for mark, instead in _MARKS:
        plain = mark.sub(instead, plain)
    if len(_NUMBERED.findall(plain)) > 1:  # one may be a date
        plain = _NUMBERED.sub("", plain)
    plain = _ROW.sub(lambda row: " ".join(row[1].replace("|", " ").split()), plain)
    return plain.strip() if plain != text else text


def marked_up(texts: Sequence[str]) -> list[int]:
    """Places of the texts that have markup.

    >>> marked_up(["**A dog** runs.", "A dog runs.", "a dog </s>"])
    [0, 2]
    """
    found = []
    for start in range(0, len(texts), _TOGETHER):
        some = texts[start : start + _TOGETHER]
        if _MAYBE.search("\n".join(some)):
            found += [start + place for place, text in enumerate(some) if without_markup(text) != text]
    return found
