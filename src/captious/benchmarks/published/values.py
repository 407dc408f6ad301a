"""Published values with their sources, as printed, from `values.json`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Published(NamedTuple):
    """One printed number, and where it stands.

    `key` names what is measured against it. `printed` keeps the digits of the paper; the value is
    that, over 100 where the paper multiplies. Where `at_least` or `at_most` is set the number is a
    bound to keep rather than a value to meet. `open` says what is known of a value that is not
    reproduced.
    """

    benchmark: str
    key: str
    printed: str
    percent: bool
    source: str
    table: str
    row: str
    column: str
    at_least: bool = False
    at_most: bool = False
    open: str = ""

    @property
    def value(self) -> float:
        """The published number on the scale of our measurements."""
        return float(self.printed) / self.scale

    @property
    def scale(self) -> int:
        """100 where the paper prints a hundred times our measurement."""
        return 100 if self.percent else 1

    @property
    def half_digit(self) -> float:
        """Half a unit of the last printed digit, on the scale of our measurements."""
        return half_unit(self.printed) / self.scale


def half_unit(printed: str) -> float:
    """Half a unit of the last printed digit.

    >>> half_unit("43.9"), half_unit("327")
    (0.05, 0.5)
    """
    decimals = len(printed.partition(".")[2])
    return 0.5 * 10.0**-decimals


@cache
def published_values() -> tuple[Published, ...]:
    """All published values, table by table."""
    text = files("captious.benchmarks.published").joinpath("values.json").read_text(encoding="utf-8")
    document = json.loads(text)
    return tuple(entry for table in document["tables"] for entry in _entries(table, document["sources"]))


def _entries(table: dict[str, Any], sources: dict[str, str]) -> list[Published]:
    unsolved = table.get("open", {})
    found = []
    for row, values in table["rows"].items():
        for column, printed in zip(table["columns"], values, strict=True):
            found.append(
                Published(
                    benchmark=table["benchmark"],
                    key=f"{table['measure']}/{row}/{column}",
                    printed=printed,
                    percent=bool(table.get("percent", False)),
                    source=sources[table["source"]],
                    table=table["table"],
                    row=row,
                    column=column,
                    at_least=bool(table.get("at_least", False)),
                    at_most=bool(table.get("at_most", False)),
                    open=unsolved.get(f"{row}/{column}", unsolved.get(f"{row}/*", "")),
                )
            )
    return found
