"""Raters as people have them: in a mail program, a spreadsheet, a list."""

from __future__ import annotations

import pytest

from captious.campaigns.people.pasted import MOST_LINES, read_pasted
from captious.errors import InputError

ANN = ("Ann Lee", "ann@example.org", False)
NATIVE = ("Ann Lee", "ann@example.org", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee", [("Ann Lee", "", False)]),
        ("Ann Lee <ann@example.org>", [ANN]),
        ('"Lee, Ann" <ann@example.org>', [("Lee, Ann", "ann@example.org", False)]),
        ("Lee, Ann, ann@example.org", [ANN]),
        ("ann@example.org, Ann Lee", [ANN]),
        ("Ann Lee <mailto:ann@example.org>", [ANN]),
        ("Ann Lee\tann@example.org\tEnglish", [NATIVE]),
        ("Ann Lee; ann@example.org; en-GB", [NATIVE]),
        ("Ann Lee; ann@example.org; German / English", [NATIVE]),
        ("Ann Lee; ann@example.org; French", [ANN]),
        ("ann@example.org, Ann Lee, Yoruba", [ANN]),
        ("Ann Lee | ann@example.org | no", [ANN]),
        ("Ann Lee, native", [("Ann Lee", "", True)]),
        ("Ann Lee <ann@example.org>, native", [NATIVE]),
        ("1. Ann Lee <ann@example.org>\n2) Bo", [ANN, ("Bo", "", False)]),
        ("- Ann Lee\n\n* Bo", [("Ann Lee", "", False), ("Bo", "", False)]),
        (
            "Ann Lee <ann@example.org>; Bo <bo@example.org>, cy@example.org",
            [ANN, ("Bo", "bo@example.org", False), ("cy", "cy@example.org", False)],
        ),
        ("Email,First name,Last name,Language\nann@example.org,Ann,Lee,English", [NATIVE]),
        (
            "Name\tE-mail\nBo\tbo@example.org\nAnn Lee <ann@example.org>",
            [("Bo", "bo@example.org", False), ANN],
        ),
        ("Name\tE-mail\tNative\nann@example.org\t\tyes", [("ann", "ann@example.org", True)]),
        ("Name\tNative speaker\nAnn Lee\tyes\nBo\t", [("Ann Lee", "", True), ("Bo", "", False)]),
    ],
)
def test_usual_forms(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert [(one.name, one.email, one.native) for one in read_pasted(text)] == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no rater"),
        (" \n\t\n", "no rater"),
        ("name, email", "below the column names"),
        ("Ann, not an address", "line 1"),
        ("Ann\nBob, b@example.org, native, more", "line 2"),
        ("Ann, ann@, native", "not an address"),
        ("Lee, Ann", r"line 1: .* may be two names, or a name and a language"),
        ("Bob, French", "a language after an address"),
        ("Ann, ann@example.org, 7", "is not a language"),
        (";;", "line 1"),
        ("Ann\n<<>>", 'line 2: "<<>>" is not a name'),
        ("..., dots@example.org", "line 1"),
        ("x" * 301, "line 1"),
        ("Ann <a@example.org>\nAnne <A@example.org>", "given twice"),
        ("Ann\n" * (MOST_LINES + 1), "1,001 lines"),
        ("Ann\nBob <bob>", 'line 2: "Bob <bob>" has no address in <>'),
    ],
)
def test_what_is_no_rater_says_where(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_pasted(text)


def test_all_may_be_native() -> None:
    assert all(one.native for one in read_pasted("Ann\nBob, b@example.org, French", all_native=True))
