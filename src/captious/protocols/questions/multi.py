"""Choose several of some options, each alone or with an amount."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from captious.protocols.questions.base import (
    Answer,
    Field,
    Option,
    Problem,
    QuestionKind,
    Said,
    Say,
    as_number,
    range_words,
    register,
    shown,
    within,
)
from captious.protocols.questions.choice import option_list, read_options
from captious.stats.alpha import Scale

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile


@register("multi")
class Multi(QuestionKind):
    """The chosen options with their amounts; {} where nothing is to be marked."""

    title: ClassVar[str] = "Choose several"
    note: ClassVar[str] = "of an option: the share of answers that chose it"
    keys: ClassVar[tuple[str, ...]] = ("options",)
    condition: ClassVar[Literal["", "below", "has"]] = "has"

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """Its `options`."""
        return replace(field, options=read_options(file, where, own))

    def inputs(self, field: Field) -> tuple[str, ...]:
        """Its name for each chosen option, and `name.option` for an amount."""
        return (field.name, *(f"{field.name}.{option.value}" for option in field.options))

    def gather(self, field: Field, sent: Sequence[tuple[str, str]]) -> dict[str, object]:
        """An amount alone chooses its option."""
        found: dict[str, object] = {}
        for name, value in sent:
            if name == field.name:
                found.setdefault(value, None)
            elif value.strip():
                found[name.removeprefix(f"{field.name}.")] = value
        return found

    def check(self, field: Field, answer: object) -> dict[str, float] | Problem:
        """Options with amounts that they allow."""
        if isinstance(answer, str):
            answer = [answer]
        if isinstance(answer, Sequence):
            answer = dict.fromkeys(map(str, answer))
        if not isinstance(answer, Mapping):
            return field.problem(f"{shown(answer)} is not a list of options. {option_list(field)}")
        found: dict[str, float] = {}
        for value, given in answer.items():
            option = field.option(str(value))
            if option is None:
                return field.problem(f'"{shown(value)}" is not an option. {option_list(field)}')
            amount = _amount(field, option, given)
            if isinstance(amount, Problem):
                return amount
            found[option.value] = amount
        return found

    def wanted(self, field: Field) -> str:
        """Mark one or more."""
        return "Mark one or more."

    def nothing(self) -> Answer:
        """Nothing marked is an answer."""
        return {}

    def words(self, field: Field, answer: Answer, say: Say = str) -> str:
        """The options' labels with their amounts."""
        return ", ".join(_words(field, value, amount, say) for value, amount in _chosen(answer).items())

    def right(self, wanted: object, given: object, tolerance: float = 0.0) -> bool:
        """The same options, whatever their amounts."""
        return isinstance(wanted, Mapping) and isinstance(given, Mapping) and set(wanted) == set(given)

    def numbers(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """The sum of the amounts; without amounts, of each option whether it is marked."""
        chosen = _chosen(answer)
        if _graded(field):
            return (Said(min(1.0, sum(chosen.values()))),)
        return tuple(Said(float(one.value in chosen), one.value) for one in field.options)

    def scale(self, field: Field) -> Scale:
        """Amounts are numbers, marks are not."""
        return "interval" if _graded(field) else "nominal"

    def levels(self, field: Field) -> Mapping[str, Sequence[float]]:
        """Marked or not."""
        return {} if _graded(field) else {one.value: (0.0, 1.0) for one in field.options}

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> dict[str, None]:
        """Nothing, or the first option where something must be marked."""
        return {field.options[0].value: None} if field.required else {}

    def prompt(self, field: Field) -> str:
        """A list."""
        return 'A list of {"kind": …, "amount": …} from:' if _graded(field) else "A list from:"

    def schema(self, field: Field) -> dict[str, Any]:
        """A list of options, or of options with amounts."""
        kinds = {"type": "string", "enum": [option.value for option in field.options]}
        if not _graded(field):
            return {"type": "array", "items": kinds}
        entry = {
            "type": "object",
            "properties": {"kind": kinds, "amount": {"type": "number"}},
            "required": ["kind", "amount"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": entry}

    def from_json(self, field: Field, value: object) -> object:
        """A fixed amount is the protocol's, whatever was answered."""
        if not isinstance(value, list):
            return value
        chosen: dict[str, object] = {}
        for entry in value:
            name, amount = (
                (entry.get("kind"), entry.get("amount")) if isinstance(entry, dict) else (entry, None)
            )
            option = field.option(str(name))
            chosen[str(name)] = amount if option is not None and option.free else None
        return chosen


def _chosen(answer: Answer) -> dict[str, float]:
    return answer if isinstance(answer, dict) else {}


def _graded(field: Field) -> bool:
    return any(option.free or option.amount is not None for option in field.options)


def _words(field: Field, value: str, amount: float, say: Say) -> str:
    option = field.option(value)
    label = say(option.label) if option is not None else value
    return f"{label} {amount:.10g}" if amount else label


def _amount(field: Field, option: Option, given: object) -> float | Problem:
    if not option.free:
        fixed = option.amount if option.amount is not None else 0.0
        if given is None or given == "" or as_number(given) == fixed:
            return fixed
        return field.problem(
            f'"{option.label}" is always {fixed:g}; found {shown(given)}. Leave the amount empty.'
        )
    amount = as_number(given)
    if amount is None or not within(amount, option.low, option.high):
        found = "no amount" if given in (None, "") else shown(given)
        return field.problem(f'"{option.label}" needs {range_words(option.low, option.high)}; found {found}.')
    return amount
