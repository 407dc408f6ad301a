"""Choose one of some options."""

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
    overall,
    register,
    shown,
)
from captious.stats.alpha import Scale

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile

MOST_OPTIONS = 50


@register("choice")
class Choice(QuestionKind):
    """One option; a protocol may mean their order."""

    title: ClassVar[str] = "Choose one"
    note: ClassVar[str] = "of an option: the share of answers that chose it"
    keys: ClassVar[tuple[str, ...]] = ("options",)
    condition: ClassVar[Literal["", "below", "has"]] = "has"
    one_press: ClassVar[bool] = True

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """Its `options`."""
        return replace(field, options=read_options(file, where, own))

    def block(self, field: Field) -> str:
        """Radio buttons."""
        return "choice"

    def check(self, field: Field, answer: object) -> str | Problem:
        """The value of an option."""
        if isinstance(answer, str) and field.option(answer) is not None:
            return answer
        return field.problem(f'"{shown(answer)}" is not an option. {option_list(field)}')

    def wanted(self, field: Field) -> str:
        """A rater reads labels; values are for those who send a wrong one."""
        return "Choose one."

    def numbers(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """The place of the option."""
        places = [option.value for option in field.options]
        return (Said(float(places.index(str(answer)))),) if answer in places else ()

    def scale(self, field: Field) -> Scale:
        """Options are listed from one end to the other, unless the protocol says that they are not."""
        return "ordinal" if len(field.options) > 2 else "nominal"

    def ends(self, field: Field) -> tuple[float, float]:
        """The first and the last place."""
        return 0.0, float(max(1, len(field.options) - 1))

    def judged(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """Of each option 1 where it was chosen, 0 where not: the mean is the share who chose it."""
        return tuple(Said(float(one.value == answer), one.value) for one in field.options)

    def levels(self, field: Field) -> Mapping[str, Sequence[float]]:
        """Chosen or not."""
        return {one.value: (0.0, 1.0) for one in field.options}

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> str:
        """The key of the best caption where that is an option, else the option as far down the list."""
        best = max(opinions, key=lambda key: opinions[key], default="")
        if len(opinions) > 1 and field.option(best) is not None:
            return best
        place = round(min(1.0, max(0.0, overall(opinions))) * (len(field.options) - 1))
        return field.options[place].value

    def schema(self, field: Field) -> dict[str, Any]:
        """The options' values."""
        return {"type": "string", "enum": [option.value for option in field.options]}


def option_list(field: Field) -> str:
    """Choose red, blue."""
    return f"Choose {', '.join(option.value for option in field.options)}."


def read_options(file: YamlFile, where: At, own: Mapping[str, object]) -> tuple[Option, ...]:
    """The options of a question in a file, each of them its text."""
    listed = file.sequence(where, own, "options")
    if len(listed) < 2 or len({str(one) for one in listed}) != len(listed):
        raise file.error((*where, "options"), '"options" must be two or more, each of them once.')
    if len(listed) > MOST_OPTIONS:
        raise file.error((*where, "options"), f"{len(listed)} options. Give {MOST_OPTIONS} at most.")
    return tuple(_option(file, (*where, "options", row), one) for row, one in enumerate(listed))


def _option(file: YamlFile, where: At, raw: object) -> Option:
    """YAML reads yes and no as true and false."""
    if isinstance(raw, bool):
        raw = "Yes" if raw else "No"
    text = " ".join(str(raw).split()) if isinstance(raw, (str, int)) else ""
    if not text:
        raise file.error(where, f"option {raw!r} is not a text. Quote it.")
    return Option(text, text)
