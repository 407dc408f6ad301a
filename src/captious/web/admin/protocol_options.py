"""The options of each protocol as fields of the page that makes a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from captious.protocols.form import Problem, as_number
from captious.protocols.humanr import GROUP
from captious.protocols.tagging import SIX_WEEKS, WEEK

GENERIC = "generic"


@dataclass(frozen=True)
class OptionField:
    """One option: a box to tick, or a number; `scale` turns what is typed into what is stored.

    Label and help stand in the catalogue of texts under `admin.option.<protocol>.<name>`.
    """

    name: str
    kind: Literal["flag", "whole", "number"]
    default: float | bool
    low: float = 0
    high: float = 1_000_000
    scale: float = 1.0

    def read(self, form: Mapping[str, str]) -> int | float | bool | None:
        """The value that was typed, None where it is not one."""
        raw = form.get(f"option.{self.name}", "")
        if self.kind == "flag":
            return raw == "yes"
        number = as_number(raw)
        if number is None or not self.low <= number <= self.high:
            return None
        if self.kind == "whole":
            return int(number) if number == int(number) else None
        return number * self.scale

    def typed(self, value: Any) -> str:
        """A stored value as it stands in its box."""
        return f"{value / self.scale:g}" if self.kind != "flag" else "yes" if value else ""


FIELDS: dict[str, tuple[OptionField, ...]] = {
    "thumb": (
        OptionField("two_stages", "flag", True),
        OptionField("development_images", "whole", 0),
        OptionField("hints", "flag", False),
        OptionField("clean", "flag", True),
    ),
    "humanr": (
        OptionField("target", "whole", 1, low=1, high=100),
        OptionField("baseline", "flag", True),
        OptionField("group_size", "whole", GROUP, low=2, high=100),
    ),
    "tagging": (
        OptionField("raters", "whole", 4, low=1, high=100),
        OptionField("two_rounds", "flag", True),
        OptionField("interval", "number", SIX_WEEKS, low=0, high=520, scale=WEEK),
    ),
    "audit": (OptionField("target", "whole", 1, low=1, high=100),),
    GENERIC: (),
}


def defaults(protocol: str) -> dict[str, Any]:
    """The options of a protocol as its paper has them.

    >>> defaults("humanr")
    {'target': 1, 'baseline': True, 'group_size': 10}
    """
    return {field.name: field.default for field in FIELDS[protocol]}


def read_options(protocol: str, form: Mapping[str, str]) -> dict[str, Any] | list[Problem]:
    """The options that a page sent, or what is wrong with them.

    >>> read_options("audit", {"option.target": "two"})
    [Problem(field='option.target', message='target: give a whole number from 1 to 100.')]
    """
    found: dict[str, Any] = {}
    problems = []
    for field in FIELDS[protocol]:
        value = field.read(form)
        if value is None:
            wanted = "a whole number" if field.kind == "whole" else "a number"
            label = field.name.replace("_", " ")
            message = f"{label}: give {wanted} from {field.low:g} to {field.high:g}."
            problems.append(Problem(f"option.{field.name}", message))
        else:
            found[field.name] = value
    return problems or found
