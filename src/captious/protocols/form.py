"""A form as data: a page or a terminal renders it and checks it knowing no protocol.

Answers are plain values, ready for JSON: a number, a text, the value of the chosen option, or for
a multi-choice the chosen options with their amounts (`{"duplication": 0.5}`). A recording is a file
that the campaign keeps; the answer is its name, the SHA-256 of its bytes with an ending.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from captious.errors import one_line

Kind = Literal["choice", "number", "text", "multi", "audio"]
Answer = str | float | dict[str, float]
Answers = dict[str, Answer]

LONGEST_TEXT = 2000
ROUNDING = 1e-9
RECORDING = re.compile(r"[0-9a-f]{64}\.(?:webm|ogg|wav|mp3|m4a)")


class Problem(NamedTuple):
    """What is wrong with one field's answer, in one line."""

    field: str
    message: str


@dataclass(frozen=True)
class Option:
    """One value of a choice. In a multi-choice it may carry an amount: fixed, or from a range."""

    value: str
    label: str
    help: str = ""
    example: str = ""
    amount: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def free(self) -> bool:
        """Whether the rater gives the amount."""
        return self.low is not None


@dataclass(frozen=True)
class When:
    """A field counts only where an earlier answer is below a number, or holds an option."""

    field: str
    below: float | None = None
    has: str = ""

    def holds(self, answers: Mapping[str, Answer]) -> bool:
        """Whether the earlier answer calls for the field."""
        earlier = answers.get(self.field)
        if self.below is not None:
            number = as_number(earlier)
            return number is not None and number < self.below
        return earlier == self.has or (isinstance(earlier, dict) and self.has in earlier)


@dataclass(frozen=True)
class Field:
    """One question: `caption` is the blind key of the caption it is about, "" for the whole item.

    A `number` from `low` to `high` in steps of `step` (None: any) may name points of its scale in
    `options`; a `text` holds at most `LONGEST_TEXT` characters. `fine` is the option of a choice that
    finds no fault; where it is `preset`, a page has it chosen from the start.
    """

    name: str
    kind: Kind
    label: str
    help: str = ""
    required: bool = True
    caption: str = ""
    low: float | None = None
    high: float | None = None
    step: float | None = None
    options: tuple[Option, ...] = ()
    when: When | None = None
    fine: str = ""
    preset: bool = False

    def option(self, value: str) -> Option | None:
        """The option of that value."""
        return next((option for option in self.options if option.value == value), None)


@dataclass(frozen=True)
class Form:
    """The questions of an item in the order in which they are asked.

    >>> stars = Field("stars", "number", "How well does it fit?", low=1, high=5, step=1)
    >>> Form((stars,)).check({"stars": "4"})
    {'stars': 4.0}
    >>> Form((stars,)).check({"stars": 6})
    [Problem(field='stars', message='How well does it fit? 6 is not a whole number from 1 to 5.')]
    """

    fields: tuple[Field, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # A form is a key wherever what is made of it is kept, and its fields are many.
        return hash(self.fields)

    def field(self, name: str) -> Field | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def check(self, answers: Mapping[str, object]) -> Answers | list[Problem]:
        """Return the answers cleaned, or what is wrong with them: one line a field."""
        cleaned: Answers = {}
        names = {field.name for field in self.fields}
        problems = [
            Problem(one_line(str(name)), f'"{one_line(str(name))}" is not a question of this form.')
            for name in answers
            if name not in names
        ]
        for field in self.fields:
            # An answer that an earlier one has made pointless is dropped, not refused: without
            # scripts a page shows every field.
            if field.when is not None and not field.when.holds(cleaned):
                continue
            found = _check(field, answers.get(field.name))
            if isinstance(found, Problem):
                problems.append(found)
            elif found is not None:
                cleaned[field.name] = found
        return problems or cleaned

    def read(self, pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
        """Gather the (name, value) pairs of a submitted page into answers for `check`.

        A multi-choice sends its name once for each chosen option, and `name.option` for an amount;
        an amount alone chooses its option.

        >>> errors = Field("errors", "multi", "Errors", options=(
        ...     Option("casing", "Casing", amount=0.1), Option("broken", "Broken", low=0.5)))
        >>> Form((errors,)).read([("errors", "casing"), ("errors.broken", "0.7")])
        {'errors': {'casing': None, 'broken': '0.7'}}
        """
        found: dict[str, object] = {}
        amounts = {
            f"{field.name}.{option.value}": (field.name, option.value)
            for field in self.fields
            for option in field.options
            if field.kind == "multi"
        }
        multi = {field.name for field in self.fields if field.kind == "multi"}
        for name, value in pairs:
            if name in multi:
                _chosen(found, name).setdefault(value, None)
            elif name in amounts:
                field, option = amounts[name]
                if value.strip():
                    _chosen(found, field)[option] = value
            else:
                found[name] = value
        return found

    def public(self) -> list[dict[str, object]]:
        """The fields as plain values for a page or a JSON answer."""
        return [asdict(field) for field in self.fields]


def _chosen(found: dict[str, object], name: str) -> dict[str, object]:
    chosen = found.setdefault(name, {})
    return chosen if isinstance(chosen, dict) else {}


def _check(field: Field, answer: object) -> Answer | Problem | None:
    if answer is None or (isinstance(answer, str) and not answer.strip()) or answer in ([], {}):
        if not field.required:
            return {} if field.kind == "multi" else None
        return _problem(field, f"No answer. {_asked(field)}")
    return _CHECKS[field.kind](field, answer)


def _problem(field: Field, message: str) -> Problem:
    label = field.label if field.label.endswith(("?", ":", ".")) else f"{field.label}:"
    where = f"Caption {field.caption}, " if field.caption else ""
    return Problem(field.name, f"{where}{label} {message}")


def _asked(field: Field) -> str:
    # A rater reads labels on the page; the options' values are for those who send a wrong one.
    if field.kind == "multi":
        return "Mark one or more."
    return "Choose one." if field.kind == "choice" else _how(field)


def _how(field: Field) -> str:
    if field.kind == "number":
        return f"Give {_range(field.low, field.high, field.step)}."
    if field.kind == "text":
        return "Write a few words."
    if field.kind == "audio":
        return "Record it, or choose a sound file."
    return f"Choose {', '.join(option.value for option in field.options)}."


def _range(low: float | None, high: float | None, step: float | None) -> str:
    whole = "a whole number" if step == 1 else "a number"
    if low is None or high is None:
        return whole + (f" of at least {low:g}" if low is not None else "")
    return f"{whole} from {low:g} to {high:g}"


def as_number(answer: object) -> float | None:
    """The finite number that an answer is or spells; None where it is none.

    >>> as_number(" 4 "), as_number("nan"), as_number(True), as_number("four")
    (4.0, None, None, None)
    """
    if isinstance(answer, bool) or not isinstance(answer, (int, float, str)):
        return None
    try:
        value = float(answer)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _within(value: float, low: float | None, high: float | None, step: float | None) -> bool:
    if (low is not None and value < low) or (high is not None and value > high):
        return False
    if step is None:
        return True
    steps = (value - (low or 0.0)) / step
    return abs(steps - round(steps)) < ROUNDING


def _number(field: Field, answer: object) -> float | Problem:
    value = as_number(answer)
    if value is None or not _within(value, field.low, field.high, field.step):
        wanted = _range(field.low, field.high, field.step)
        return _problem(field, f"{one_line(str(answer), 40)} is not {wanted}.")
    return value


def _choice(field: Field, answer: object) -> str | Problem:
    if isinstance(answer, str) and field.option(answer) is not None:
        return answer
    return _problem(field, f'"{one_line(str(answer), 40)}" is not an option. {_how(field)}')


def _text(field: Field, answer: object) -> str | Problem:
    if not isinstance(answer, str):
        return _problem(field, f"{one_line(str(answer), 40)} is not text. Write a few words.")
    text = " ".join(answer.split())
    if len(text) > LONGEST_TEXT:
        return _problem(field, f"{len(text)} characters are too many. Use {LONGEST_TEXT} at most.")
    return text


def _audio(field: Field, answer: object) -> str | Problem:
    if isinstance(answer, str) and RECORDING.fullmatch(answer):
        return answer
    return _problem(field, f"{one_line(str(answer), 40)} is not a recording. {_how(field)}")


def _multi(field: Field, answer: object) -> dict[str, float] | Problem:
    if isinstance(answer, str):
        answer = [answer]
    if isinstance(answer, Sequence):
        answer = dict.fromkeys(map(str, answer))
    if not isinstance(answer, Mapping):
        return _problem(field, f"{one_line(str(answer), 40)} is not a list of options. {_how(field)}")
    found: dict[str, float] = {}
    for value, given in answer.items():
        option = field.option(str(value))
        if option is None:
            return _problem(field, f'"{one_line(str(value), 40)}" is not an option. {_how(field)}')
        amount = _amount(field, option, given)
        if isinstance(amount, Problem):
            return amount
        found[option.value] = amount
    return found


def _amount(field: Field, option: Option, given: object) -> float | Problem:
    if not option.free:
        fixed = option.amount if option.amount is not None else 0.0
        if given is None or given == "" or as_number(given) == fixed:
            return fixed
        shown = one_line(str(given), 40)
        return _problem(
            field, f'"{option.label}" is always {fixed:g}; found {shown}. Leave the amount empty.'
        )
    amount = as_number(given)
    wanted = _range(option.low, option.high, None)
    if amount is None or not _within(amount, option.low, option.high, None):
        shown = "no amount" if given in (None, "") else one_line(str(given), 40)
        return _problem(field, f'"{option.label}" needs {wanted}; found {shown}.')
    return amount


_CHECKS: dict[Kind, Callable[[Field, object], Answer | Problem]] = {
    "number": _number,
    "choice": _choice,
    "text": _text,
    "audio": _audio,
    "multi": _multi,
}
