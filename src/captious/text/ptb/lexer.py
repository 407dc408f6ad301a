"""The PTB tokeniser proper: longest match over the rules, in time linear in the text.

A rule that reads far ahead (an address, a tag, a file name) is tried only where its horizon says
that it will match. So what it reads it also consumes, and no text makes the lexer read the same
stretch again and again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from captious.text.ptb import patterns as p
from captious.text.ptb.chars import DIGIT, SOFT_HYPHEN, within_ascii
from captious.text.ptb.rules import RULES, Rule

# A caption is one line: what breaks a line of the reference's input is a blank here.
_LINE_BREAKS = re.compile(r"\r\n|[\n\r\x0b\x0c\u2028\u2029]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")
# A caption that stands alone is read with its line end and an empty line behind it.
_END = "\n\n"

_EMAIL_STOP = re.compile(f"[{p.OUTSIDE_EMAIL}]")
_EMAIL_AT = re.compile(f"@(?=[^{p.OUTSIDE_EMAIL}.])")
_WWW_STOP = re.compile(rf"[{p.OUTSIDE_WWW}]|\.\.")
_WWW_DOMAIN = re.compile(r"\.[a-zA-Z]{2}")
_HOST_STOP = re.compile(rf"[{p.OUTSIDE_HOST}]|\.\.")
_HOST_DOMAIN = re.compile(rf"\.{p.TOP_DOMAIN}", re.ASCII)
_FILE_STOP = rf"[^{p.WORD_START}{DIGIT}&;.]|\.\."
_FILE_EXTENSION = re.compile(rf"\.{p.FILE_EXTENSION}(?={p.AFTER_FILE})", re.ASCII)
_DOTTED_STOP = re.compile(rf"[^A-Za-z0-9.,{SOFT_HYPHEN}]")
_DOTTED_HYPHEN = re.compile(rf"-[A-Za-z0-9{SOFT_HYPHEN}]")


class Lexed(NamedTuple):
    """A token, and where it begins and ends in its text."""

    token: str
    start: int
    end: int


class _Grammar:
    """The rules for texts of ASCII characters, or for all texts.

    Most captions are ASCII, and classes without the letters of all scripts are ready at once.
    """

    def __init__(self, *, ascii_only: bool) -> None:
        self._rules = tuple(rule.within_ascii() for rule in RULES) if ascii_only else RULES
        self._by_start: dict[str, tuple[Rule, ...]] = {}
        self.file_stop = re.compile(within_ascii(_FILE_STOP) if ascii_only else _FILE_STOP)

    def rules_from(self, character: str) -> tuple[Rule, ...]:
        """Rules whose tokens can begin with `character`, in order of precedence."""
        found = self._by_start.get(character)
        if found is None:
            found = tuple(rule for rule in self._rules if rule.first_character.match(character))
            self._by_start[character] = found
        return found


@cache
def _grammar(ascii_only: bool) -> _Grammar:
    return _Grammar(ascii_only=ascii_only)


class _Ahead:
    """Where a pattern next occurs: searched once, remembered until that place is passed."""

    __slots__ = ("_next", "_search", "_text")

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._search = pattern.search
        self._text = text
        self._next = -1

    def at(self, position: int) -> int:
        """First occurrence at or after `position`; the length of the text where there is none."""
        if self._next < position:
            found = self._search(self._text, position)
            self._next = found.start() if found else len(self._text)
        return self._next


def _horizons(text: str, file_stop: re.Pattern[str]) -> dict[str, Callable[[int], bool]]:
    """For each named horizon, the test whether its rules can match at a position of `text`."""
    last_tag_end = text.rfind(">")
    dotted_stop = _Ahead(_DOTTED_STOP, text)

    def before(goal: re.Pattern[str], stop: re.Pattern[str], skip: int) -> Callable[[int], bool]:
        next_goal, next_stop = _Ahead(goal, text), _Ahead(stop, text)
        return lambda position: next_goal.at(position + skip) < next_stop.at(position + 1)

    return {
        "": lambda _position: True,
        "tag": lambda position: position < last_tag_end,
        "email": before(_EMAIL_AT, _EMAIL_STOP, 1),
        "www": before(_WWW_DOMAIN, _WWW_STOP, 5),
        "host": before(_HOST_DOMAIN, _HOST_STOP, 1),
        "file": before(_FILE_EXTENSION, file_stop, 1),
        "hyphen": lambda position: _DOTTED_HYPHEN.match(text, dotted_stop.at(position)) is not None,
    }


def _lex_units(text: str, following: str) -> Iterator[Lexed]:
    """Tokens of a text of UTF-16 units, `following` being the right context of the last ones."""
    end_of_text = len(text)
    text += f"\n{following}{_END}" if following else _END
    grammar = _grammar(text.isascii())
    horizons = _horizons(text, grammar.file_stop)
    position = 0
    while position < end_of_text:
        longest = position
        for rule in grammar.rules_from(text[position]):
            if not horizons[rule.horizon](position):
                continue
            match = rule.pattern.match(text, position)
            if match is not None and match.end() > longest:
                longest, best, winner = match.end(), match, rule
        if longest == position:
            position += 1  # a character that the reference cannot tokenise either
            continue
        token = winner.spell(best[1])
        if token:
            yield Lexed(token, position, best.end(1))
        position = best.end(1) - winner.returned


def _surrogate_pair(match: re.Match[str]) -> str:
    offset = ord(match[0]) - 0x10000
    return chr(0xD800 + (offset >> 10)) + chr(0xDC00 + (offset & 0x3FF))


def _one_line(text: str) -> str:
    text = _LINE_BREAKS.sub(" ", text)
    return text if text.isascii() else _LONE_SURROGATES.sub("\ufffd", text)


def lex(text: str, following: str = "") -> list[str]:
    """Tokens of `text` with their case and their punctuation.

    Tokens are as the reference prints them: brackets as `-LRB-`, quotation marks as two back
    quotes or two apostrophes, spaces inside a token as no-break spaces. Half of a surrogate pair,
    which no file can hold, counts as U+FFFD. `following` is the next line of the file, which the
    reference reads to find out whether a final initial or abbreviation ends a sentence.

    >>> lex("(She can't see the U.S. flag.)")
    ['-LRB-', 'She', 'ca', "n't", 'see', 'the', 'U.S.', 'flag', '.', '-RRB-']
    >>> lex("the letter S."), lex("the letter S.", following="A man smiles.")
    (['the', 'letter', 'S.'], ['the', 'letter', 'S', '.'])
    """
    text, following = _one_line(text), _one_line(following)
    if not _BEYOND_BMP.search(text):
        return [found.token for found in _lex_units(text, following)]
    # The reference counts UTF-16 units, and so the rules must.
    return [_whole(found.token) for found in _lex_units(_BEYOND_BMP.sub(_surrogate_pair, text), following)]


def lex_places(text: str) -> list[Lexed]:
    """Tokens as `lex` gives them, each with its place in the text as it is, in code points.

    >>> [tuple(one) for one in lex_places('😀 "Hi (there)"')]
    [('``', 2, 3), ('Hi', 3, 5), ('-LRB-', 6, 7), ('there', 7, 12), ('-RRB-', 12, 13), ("''", 13, 14)]
    """
    units, place_of = [], []
    place = 0
    for piece in re.split(f"({_LINE_BREAKS.pattern})", text):
        line = _one_line(piece)
        whole = len(line) == len(piece)  # not so for a break of two characters, one blank here
        for offset, letter in enumerate(line):
            unit = _BEYOND_BMP.sub(_surrogate_pair, letter)
            units.append(unit)
            place_of += [place + (offset if whole else 0)] * len(unit)
        place += len(piece)
    found = _lex_units("".join(units), "")
    return [Lexed(_whole(token), place_of[start], place_of[end - 1] + 1) for token, start, end in found]


def _whole(token: str) -> str:
    """A token of UTF-16 units in code points."""
    return token.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
