"""A number: typed, or chosen where its range has few steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from captious.protocols.questions.base import (
    ROUNDING,
    Answer,
    Field,
    Option,
    Problem,
    QuestionKind,
    Said,
    Say,
    as_number,
    overall,
    plain,
    range_words,
    register,
    shown,
    within,
)
from captious.stats.alpha import Scale

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile

MOST_BUTTONS = 11  # more points are typed
MOST_LEVELS = 101


@register("number")
class Number(QuestionKind):
    """A number from `low` to `high`, in steps where it has them."""

    title: ClassVar[str] = "Number"
    keys: ClassVar[tuple[str, ...]] = ("low", "high", "step")
    condition: ClassVar[Literal["", "below", "has"]] = "below"
    one_press: ClassVar[bool] = True

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """`low`, `high` and `step`, each optional."""
        low, high, step = (file.number(where, own, key) for key in ("low", "high", "step"))
        if low is not None and high is not None and low >= high:
            raise file.error((*where, "high"), f"from {low:g} to {high:g}: give a high above the low.")
        if step is not None and step <= 0:
            raise file.error((*where, "step"), f'"step" is {step:g}. Give a number above 0.')
        return replace(field, low=low, high=high, step=step)

    def block(self, field: Field) -> str:
        """Buttons where they are few."""
        return "scale" if self.points(field) else "number"

    def points(self, field: Field) -> tuple[Option, ...]:
        """The points of the scale, some of them named, if they are few enough for a row of buttons."""
        values = _steps(field, MOST_BUTTONS)
        return tuple(field.option(plain(value)) or Option(plain(value), "") for value in values)

    def check(self, field: Field, answer: object) -> float | Problem:
        """A number of the range."""
        value = as_number(answer)
        if value is None or not within(value, field.low, field.high, field.step):
            wanted = range_words(field.low, field.high, field.step)
            return field.problem(f"{shown(answer)} is not {wanted}.")
        return value

    def wanted(self, field: Field) -> str:
        """Give a whole number from 1 to 5."""
        return f"Give {range_words(field.low, field.high, field.step)}."

    def words(self, field: Field, answer: Answer, say: Say = str) -> str:
        """The number, with the name of its point."""
        option = field.option(plain(answer))
        return f"{plain(answer)} ({say(option.label)})" if option is not None else plain(answer)

    def right(self, wanted: object, given: object, tolerance: float = 0.0) -> bool:
        """As near as the tolerance allows."""
        one, other = as_number(wanted), as_number(given)
        return one is not None and other is not None and abs(one - other) <= tolerance + ROUNDING

    def numbers(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """Itself."""
        value = as_number(answer)
        return () if value is None else (Said(value),)

    def scale(self, field: Field) -> Scale:
        """Whole points are ranks; other numbers have distances."""
        return "ordinal" if field.step == 1 else "interval"

    def ends(self, field: Field) -> tuple[float, float] | None:
        """The ends of the range."""
        if field.low is None or field.high is None or field.high <= field.low:
            return None
        return field.low, field.high

    def levels(self, field: Field) -> Mapping[str, Sequence[float]]:
        """The points."""
        points = _steps(field, MOST_LEVELS)
        return {"": points} if points else {}

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> float:
        """The point that is as far up the scale as the captions are good."""
        low = field.low if field.low is not None else (field.high or 1.0) - 1
        high = field.high if field.high is not None else low + 1
        if field.step in (None, 1):
            return min(high, max(low, point(overall(opinions), low, high)))
        share = min(1.0, max(0.0, overall(opinions)))
        return low + field.step * int(share * (high - low) / field.step + ROUNDING)

    def prompt(self, field: Field) -> str:
        """A whole number from 1 to 5."""
        words = range_words(field.low, field.high, field.step)
        return f"{words[0].upper()}{words[1:]}."

    def schema(self, field: Field) -> dict[str, Any]:
        """The whole numbers of the range, or a number."""
        points = _steps(field, MOST_LEVELS)
        if field.step == 1 and points:
            return {"type": "integer", "enum": [int(one) for one in points]}
        ends = {"minimum": field.low, "maximum": field.high}
        return {"type": "number"} | {key: end for key, end in ends.items() if end is not None}


def _steps(field: Field, most: int) -> tuple[float, ...]:
    """The points from low to high, nothing where there are too many."""
    if field.low is None or field.high is None or not field.step:
        return ()
    count = int((field.high - field.low) / field.step + 1.5)
    return tuple(field.low + n * field.step for n in range(count)) if count <= most else ()


def point(value: float, low: float, high: float) -> float:
    """The whole point of a scale that is nearest to a share of it.

    >>> point(0.5, 1, 5), point(1.7, 1, 5)
    (3.0, 5.0)
    """
    return float(round(low + (high - low) * min(1.0, max(0.0, value))))
