"""Raters from pasted text: a list of names, an address book's line, a table with or without a head."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from email.utils import getaddresses, parseaddr

from captious.campaigns.records import NewRater, is_name
from captious.errors import InputError, one_line

MOST_LINES = 1000
LONGEST = 300
MARKS = "\t;,|"
NATIVE_WORDS = frozenset(["native", "yes", "y", "1", "true", "x"])
OTHER_WORDS = frozenset(["no", "n", "0", "false", "not native", "non-native", "nonnative", "-"])
# The captions' language is English, as that of every paper and of the shipped metrics.
CAPTION_LANGUAGE = ("english", "en", "eng")
HEADS = {
    "name": ("name", "full name", "rater", "participant", "person"),
    "first": ("first name", "firstname", "given name", "forename"),
    "last": ("last name", "lastname", "surname", "family name"),
    "email": ("email", "e-mail", "mail", "address", "email address", "e-mail address"),
    "native": (
        "native",
        "native speaker",
        "language",
        "languages",
        "lang",
        "mother tongue",
        "first language",
    ),
}
_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,4}[.)])\s+")
_LANGUAGES = re.compile(r"[^\W\d_][^\d_@<>]*")


def read_pasted(text: str, *, all_native: bool = False) -> list[NewRater]:
    """Raters in the order given, each once.

    A line is a name, an address, `Name <address>`, or cells (tab, semicolon, comma or bar between
    them): name, address, and then `native`, `yes`, or a language, of which English counts as native. A
    first line of column names says which cell is which. A line of several addresses is several raters.

    >>> read_pasted("Ann Lee, ann@example.org, native\\n2. Bob <bob@example.org>\\ncem@example.org")
    [NewRater(name='Ann Lee', email='ann@example.org', native=True),
     NewRater(name='Bob', email='bob@example.org', native=False),
     NewRater(name='cem', email='cem@example.org', native=False)]
    >>> read_pasted("Language;E-mail;Name\\nEnglish;ann@example.org;Lee, Ann")
    [NewRater(name='Lee, Ann', email='ann@example.org', native=True)]
    """
    lines = [(at, line) for at, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise InputError("no rater was given. Write one name per line.")
    if len(lines) > MOST_LINES:
        raise InputError(f"{len(lines):,} lines; {MOST_LINES:,} are the most at once.")
    heads = _heads(lines[0][1])
    found: list[NewRater] = []
    for at, line in lines[1:] if heads else lines:
        if len(line) > LONGEST and line.count("@") < 2:
            raise InputError(
                f"line {at}: over {LONGEST} characters. Write a name, an address and a language."
            )
        found += [_by_heads(at, line, heads)] if heads else _free(at, line)
    if not found:
        raise InputError("no rater was given below the column names. Write one name per line.")
    _refuse_twice(found)
    return [one if not all_native else NewRater(one.name, one.email, True) for one in found]


def _heads(line: str) -> dict[str, int]:
    """Which column is which, where the line is one of column names and nothing else."""
    cells = [cell.strip().casefold() for cell in _cells(line)]
    named = {part: cells.index(word) for part, words in HEADS.items() for word in words if word in cells}
    known = {word for words in HEADS.values() for word in words}
    return named if {"name", "first", "email"} & set(named) and all(c in known for c in cells if c) else {}


def _cells(line: str) -> list[str]:
    mark = next((mark for mark in MARKS if mark in line), ",")
    return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]


def _by_heads(at: int, line: str, heads: Mapping[str, int]) -> NewRater:
    cells = _cells(line)
    own = {part: cells[place] if place < len(cells) else "" for part, place in heads.items()}
    name = own.get("name") or " ".join(filter(None, (own.get("first", ""), own.get("last", ""))))
    email = own.get("email", "")
    if "@" in name and not email:  # Ann Lee <ann@example.org> in the cell of the name
        name, email = parseaddr(name)
    return _rater(at, name, email, own.get("native", ""))


def _free(at: int, line: str) -> list[NewRater]:
    line = _BULLET.sub("", line).replace("mailto:", "").strip()
    addresses = _ADDRESS.findall(line)
    if len(addresses) > 1:
        return [_rater(at, name, address, "") for name, address in getaddresses([line.replace(";", ",")])]
    if "<" in line and addresses:
        person, _, rest = line.partition(">")
        name, address = parseaddr(person + ">")
        return [_rater(at, name or person.split("<")[0], address, rest.strip(MARKS + " "))]
    return [_by_cells(at, _cells(line))]


def _by_cells(at: int, cells: Sequence[str]) -> NewRater:
    """Cells without column names: the address is the one with an @, the name stands before or after it."""
    filled = [cell for cell in cells if cell]
    place = next((place for place, cell in enumerate(filled) if "@" in cell), None)
    if place is None:
        names, said, email = filled[:1], filled[1:], ""
    else:
        names, said, email = filled[:place], filled[place + 1 :], filled[place]
        if not names:
            names, said = said[:1], said[1:]
    if place is None and said and not _is_said(said[0]):
        raise InputError(
            f'line {at}: "{one_line(", ".join(cells), 60)}" may be two names, or a name and a language. '
            "Write first name and last name without a mark between them, and a language after an address."
        )
    if len(names) > 2 or len(said) > 1:
        raise InputError(
            f'line {at}: "{one_line(", ".join(cells), 60)}" has a cell that is not a name, address or '
            "language. Write name, address, native; the last two are optional."
        )
    return _rater(at, " ".join(reversed(names)), email, said[0] if said else "")  # Lee, Ann


def _rater(at: int, name: str, email: str, native: str) -> NewRater:
    name, email = " ".join(name.strip(" \"'").split()), email.strip(" <>")
    if email and not _ADDRESS.fullmatch(email):
        raise InputError(f'line {at}: "{one_line(email, 60)}" is not an address. Write name@example.org.')
    name = name or email.partition("@")[0]
    if not name:
        raise InputError(f"line {at}: has no name and no address. Write one of them.")
    if not is_name(name):
        raise InputError(
            f'line {at}: "{one_line(name, 60)}" is not a name. A name needs at least one letter or digit.'
        )
    if "<" in name or ">" in name:
        raise InputError(
            f'line {at}: "{one_line(name, 60)}" has no address in <>. Write Name <name@example.org>.'
        )
    if native and not _is_said(native) and not _LANGUAGES.fullmatch(native):
        raise InputError(
            f'line {at}: "{one_line(native, 40)}" is not a language. Write native, yes, no, or a language.'
        )
    return NewRater(name, email, _is_native(native))


def _is_said(cell: str) -> bool:
    """Whether a cell says yes, no, or the captions' language, and can be nothing else."""
    said = cell.strip().casefold()
    return said in NATIVE_WORDS or said in OTHER_WORDS or said in CAPTION_LANGUAGE


def _is_native(cell: str) -> bool:
    """Whether a cell says yes, or names the captions' language among others.

    >>> _is_native("German / English"), _is_native("en-GB"), _is_native("French"), _is_native("no")
    (True, True, False, False)
    """
    said = cell.strip().casefold()
    parts = [part.strip() for part in re.split(r"[/&+,]| and ", said)]
    return said in NATIVE_WORDS or any(re.split(r"[-_ (]", part)[0] in CAPTION_LANGUAGE for part in parts)


def _refuse_twice(found: Sequence[NewRater]) -> None:
    seen: set[str] = set()
    for one in found:
        if one.email and one.email.casefold() in seen:
            raise InputError(f'"{one_line(one.email, 60)}" is given twice. Each rater gets one link.')
        seen.add(one.email.casefold())
