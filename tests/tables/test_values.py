from __future__ import annotations

import math

from captious.tables import Number, Table
from captious.tables.values import by_column, for_page, from_dict, to_dict, to_json


def test_json_writes_null_for_nan() -> None:
    assert to_json({"p": float("nan")}) == '{\n  "p": null\n}'


def test_a_kept_table_is_found_again() -> None:
    table = Table("T", ("system", "mean"), (("m", 0.5), ("n", 2)), "one\ntwo")
    assert from_dict(to_dict(table)) == table


def test_a_number_travels_as_its_value() -> None:
    table = Table("T", ["system", "share"], [["m", Number(0.256, "26%")]])
    assert by_column(table)["rows"] == [{"system": "m", "share": 0.256}]
    assert for_page(table, 9).rows == [["m", 0.256]]


def test_numbers_that_json_cannot_hold_become_null() -> None:
    made = for_page(Table("T", ("system", "mean"), (("m", math.nan), ("n", 2.0), ("o", math.inf))), 9)
    assert made.rows == [["m", None], ["n", 2.0], ["o", None]]
    assert made.numeric == [False, True]
    assert made.intervals is None


def test_intervals_are_drawn_on_a_scale_that_holds_them() -> None:
    columns = ("aspect", "kappa", "low", "high")
    inside = for_page(Table("T", columns, (("a", 0.5, 0.2, 0.7),)), 9)
    below = for_page(Table("T", columns, (("a", 0.1, -0.2, 0.4),)), 9)
    beyond = for_page(Table("T", columns, (("a", 3.4, 2.2, 4.6),)), 9)
    assert [(one.bottom, one.top) for one in (inside, below, beyond)] == [(0, 1), (-1, 1), (0, 5)]
    of_100 = for_page(Table("T", columns, (("a", 88.0, 83.3, 92.2),)), 9)
    both = for_page(Table("T", columns, (("a", -3.0, -12.5, 6.5),)), 9)
    assert [(one.bottom, one.top) for one in (of_100, both)] == [(0, 100), (-20, 7)]


def test_a_long_table_is_cut_and_says_so() -> None:
    made = for_page(Table("T", ("a",), tuple((n,) for n in range(307))), 300)
    assert (len(made.rows), made.more) == (300, 7)
