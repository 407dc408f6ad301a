"""The language of `--where`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.engine.filter.expression import parse
from captious.errors import InputError

COLUMNS = {
    "cider": np.array([0.2, 1.5, np.nan, 0.9]),
    "cider[sigma=4]": np.array([1.0, 2.0, 3.0, 4.0]),
    "spice.object": np.array([0.1, 0.2, 0.3, 0.4]),
    "words": np.array([3.0, 8.0, 5.0, 12.0]),
    "system": np.array(["m2", "vinvl", "m2", None], dtype=object),
}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("cider > 0.5", [0, 1, 0, 1]),
        ("cider>0.5 and words<10", [0, 1, 0, 0]),
        ("cider > 1 or words == 3", [1, 1, 0, 0]),
        # "and" binds closer than "or": true or (false and …).
        ("words == 3 or words == 8 and cider > 9", [1, 0, 0, 0]),
        ("(words == 3 or words == 8) and cider > 1", [0, 1, 0, 0]),
        ("not cider > 0.5", [1, 0, 1, 0]),
        ("0.5 <= cider < 1.5", [0, 0, 0, 1]),
        ("known(cider)", [1, 1, 0, 1]),
        ("cider != 0.2", [0, 1, 0, 1]),  # what is missing is neither equal nor different
        ("`cider[sigma=4]` >= 3", [0, 0, 1, 1]),
        ("cider[sigma=4] >= 3", [0, 0, 1, 1]),
        ("spice.object > 2e-1", [0, 0, 1, 1]),
        ('system == "m2"', [1, 0, 1, 0]),
        ("system in ('vinvl', 'm2')", [1, 1, 1, 0]),
        ('system contains "2"', [1, 0, 1, 0]),
        ("cider > -1 and cider < spice.object", [0, 0, 0, 0]),
        ("1 < 2", [1, 1, 1, 1]),
    ],
)
def test_conditions(where: str, expected: list[int]) -> None:
    assert parse(where).test(COLUMNS).astype(int).tolist() == expected


@pytest.mark.parametrize(
    ("where", "position", "what"),
    [
        ("", 1, "missing"),
        ("cider >", 8, "missing"),
        ("cider > 1 1", 11, "found where"),
        ("(cider > 1", 11, '")" is missing'),
        ("cider", 1, "not compared with anything"),
        ("cider > 1 and", 14, "missing"),
        ("cider > 1; import os", 10, "cannot be read"),
        ("__import__('os')", 11, "not compared with anything"),
        ("(" * 60 + "cider > 1", 69, "too many brackets"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(where: str, position: int, what: str) -> None:
    with pytest.raises(InputError) as error:
        parse(where)
    assert f"position {position}: " in str(error.value) and what in str(error.value)


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("system > 3", "position 8: text is compared with a number"),
        ("system < 'a'", "position 8: text can be compared with == and !="),
        ("cider contains 'a'", 'position 7: "contains" needs a text column'),
    ],
)
def test_kinds_that_do_not_compare(where: str, what: str) -> None:
    with pytest.raises(InputError) as error:
        parse(where).test(COLUMNS)
    assert what in str(error.value)


def test_an_unknown_column_has_a_suggestion() -> None:
    with pytest.raises(InputError, match=r'position 15: unknown column "cidr"\. Did you mean "cider"\?'):
        parse("words > 3 and cidr > 1").check(["cider"])


@given(st.text(max_size=40))
def test_any_text_is_a_condition_or_one_line(text: str) -> None:
    try:
        parse(text)
    except InputError as error:
        assert "\n" not in str(error)
