"""The options of a protocol: declared once beside the field, read by wizard, command line and check.

An option is a field of the protocol's dataclass. `option(...)` in the place of its default adds the
words and the range; a field without it is an option too, shown under its own name.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.item import Problem, as_number

OptionKind = Literal["flag", "whole", "number", "text"]
OptionValue = bool | int | float | str
MOST = 1_000_000
_DECLARED = "captious"
_KINDS: dict[type, OptionKind] = {bool: "flag", int: "whole", float: "number", str: "text"}
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class ProtocolOption:
    """One option: a box to tick, a number from `low` to `high`, or one of some texts.

    `scale` turns what a page shows into what is stored (weeks into seconds). An option that is not
    `shown` can be set by the command line only.
    """

    name: str
    kind: OptionKind
    default: OptionValue
    label: str
    help: str = ""
    low: float = 0
    high: float = MOST
    scale: float = 1.0
    choices: tuple[str, ...] = ()
    shown: bool = True

    @property
    def field(self) -> str:
        """Its name on a page."""
        return f"option.{self.name}"

    def typed(self, value: Any) -> str:
        """A stored value as it stands in its box."""
        if self.kind == "flag":
            return "yes" if value else ""
        return str(value) if self.kind == "text" else f"{value / self.scale:g}"

    def read(self, text: str) -> OptionValue | None:
        """The value of what stands in its box, None where it is none of its range."""
        if self.kind == "flag":
            return text == "yes"
        if self.kind == "text":
            return text if text in self.choices or not self.choices else None
        number = as_number(text)
        if number is None or not self._within(number * self.scale):
            return None
        if self.kind == "whole":
            return int(number) if number == int(number) else None
        return number * self.scale

    def wanted(self) -> str:
        """What may be given, in words: `a whole number from 1 to 10,000`."""
        if self.kind == "flag":
            return "true or false"
        if self.kind == "text":
            return ", ".join(self.choices) or "a text"
        kind = "a whole number" if self.kind == "whole" else "a number"
        return f"{kind} from {_shown(self.low / self.scale)} to {_shown(self.high / self.scale)}"

    def _within(self, number: float) -> bool:
        return self.low <= number <= self.high

    def checked(self, value: object, protocol: str) -> OptionValue:
        """A value of the option's own type and range, from a value or a text."""
        where, shown = f"option {self.name} of {protocol}", one_line(str(value), 40)
        if self.kind == "flag":
            found = value if isinstance(value, bool) else _TRUTH.get(str(value).lower())
            if found is None:
                raise InputError(f'{where}: "{shown}" is neither true nor false.')
            return found
        if self.kind == "text":
            if self.choices and str(value) not in self.choices:
                raise InputError(f'{where}: "{shown}" is not one of {", ".join(self.choices)}.')
            return str(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        number = _number(value)
        if self.kind == "whole":
            if not number.is_integer():
                raise InputError(f'{where}: "{shown}" is not a whole number.')
            return int(number)
        if not math.isfinite(number):
            raise InputError(f'{where}: "{shown}" is not a number.')
        return number

    def refuse_beyond(self, value: Any) -> None:
        """Refuse a number outside the range."""
        if self.kind in ("whole", "number"):
            require_range(self.name, value, self.low, self.high)


def require_range(name: str, value: float, least: float, most: float) -> None:
    """Refuse a number outside its range.

    >>> require_range("target", 0, 1, 10_000)
    Traceback (most recent call last):
    captious.errors.InputError: target: 0 is out of range. Give 1 to 10,000.
    """
    if not least <= value <= most:
        found = one_line(str(value), 40)
        raise InputError(f"{name}: {found} is out of range. Give {_shown(least)} to {_shown(most)}.")


def option(
    default: Any,
    label: str,
    help: str = "",
    *,
    low: float = 0,
    high: float = MOST,
    scale: float = 1.0,
    choices: tuple[str, ...] = (),
    shown: bool = True,
) -> Any:
    """A field of a protocol that is an option, with its words and range.

    >>> @dataclass(frozen=True)
    ... class Mine:
    ...     raters: int = option(2, "Raters for each caption", low=1, high=9)
    >>> options_of(Mine)[0].wanted()
    'a whole number from 1 to 9'
    """
    declared = {
        "label": label,
        "help": help,
        "low": low,
        "high": high,
        "scale": scale,
        "choices": choices,
        "shown": shown,
    }
    return dataclasses.field(default=default, metadata={_DECLARED: declared})


def options_of(kind: type) -> tuple[ProtocolOption, ...]:
    """The options that a protocol declares, in the order of its fields."""
    if not dataclasses.is_dataclass(kind):
        return ()
    found = []
    for field in dataclasses.fields(kind):
        default: Any = field.default
        if type(default) in _KINDS:
            plain = {"label": field.name.replace("_", " ").capitalize()}
            words = field.metadata.get(_DECLARED, plain)
            found.append(ProtocolOption(field.name, _KINDS[type(default)], default, **words))
    return tuple(found)


def checked_options(kind: type, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as given, each of its own type; an unknown name or a wrong value is refused."""
    known = {one.name: one for one in options_of(kind)}
    for given in options:
        if given not in known:
            raise UnknownNameError(f"option of {name}", given, list(known))
    return {given: known[given].checked(value, name) for given, value in options.items()}


def read_options(kind: type, form: Mapping[str, str]) -> dict[str, Any] | list[Problem]:
    """The options that a page sent, or one line for each that is not right."""
    found: dict[str, Any] = {}
    problems = []
    for one in options_of(kind):
        if not one.shown:
            continue
        value = one.read(form.get(one.field, ""))
        if value is None:
            problems.append(Problem(one.field, f"{one.label}: give {one.wanted()}."))
        else:
            found[one.name] = value
    return problems or found


def _shown(number: float) -> str:
    return f"{int(number):,}" if number == int(number) or number > 100 else f"{number:,g}"


def _number(value: object) -> float:
    """The number that was typed; NaN where it is none."""
    found = as_number(value) if isinstance(value, str | float) else None
    return math.nan if found is None else found
