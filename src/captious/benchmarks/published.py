"""Published values with their sources, as printed, from `published.json`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Published(NamedTuple):
    """One printed number: where it stands, how exactly it can be met, and by what.

    `key` names what is measured against it. `printed` keeps the digits of the paper; the value is
    that, over 100 where the paper multiplies. `tolerance` is half a unit of the last printed digit
    unless a `reason` says why not. `released` is what the released data give instead, where that
    is known not to be the printed number; then `reason` says why. Where `at_least` is set the
    number is a bound to reach rather than a value to meet.
    """

    benchmark: str
    key: str
    printed: str
    percent: bool
    source: str
    table: str
    row: str
    column: str
    tolerance: float
    reason: str = ""
    released: str = ""
    at_least: bool = False

    @property
    def value(self) -> float:
        """The published number on the scale of our measurements."""
        return self._scaled(self.printed)

    @property
    def released_value(self) -> float:
        """What the released data are known to give, on the same scale."""
        return self._scaled(self.released)

    def _scaled(self, text: str) -> float:
        return float(text) / (100 if self.percent else 1)


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
    text = files("captious.benchmarks").joinpath("published.json").read_text(encoding="utf-8")
    document = json.loads(text)
    return tuple(entry for table in document["tables"] for entry in _entries(table, document["sources"]))


def _entries(table: dict[str, Any], sources: dict[str, str]) -> list[Published]:
    percent = bool(table.get("percent", False))
    released = table.get("released", {})
    found = []
    for row, values in table["rows"].items():
        for column, printed in zip(table["columns"], values, strict=True):
            instead, why = released.get(f"{row}/{column}", ("", table.get("reason", "")))
            own = half_unit(printed) / (100 if percent else 1)
            found.append(
                Published(
                    benchmark=table["benchmark"],
                    key=f"{table['measure']}/{row}/{column}",
                    printed=printed,
                    percent=percent,
                    source=sources[table["source"]],
                    table=table["table"],
                    row=row,
                    column=column,
                    tolerance=float(table.get("tolerance", own)),
                    reason=why,
                    released=instead,
                    at_least=bool(table.get("at_least", False)),
                )
            )
    return found
