"""Order all captions of an image, the best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from captious.protocols.questions.base import (
    Answer,
    Field,
    Option,
    Problem,
    QuestionKind,
    Said,
    Say,
    as_number,
    register,
)
from captious.stats.alpha import Scale


@register("rank")
class Rank(QuestionKind):
    """The place of each caption: {"A": 2, "B": 1}."""

    title: ClassVar[str] = "Ranking of the captions"
    note: ClassVar[str] = "of a ranking: the share of the other captions placed below, 1 first and 0 last"
    compares: ClassVar[Literal["", "two", "all"]] = "all"

    def about(self, field: Field, captions: Sequence[str]) -> tuple[Field, ...]:
        """Asked once about all captions."""
        return (replace(field, options=tuple(Option(key, f"Caption {key}") for key in captions)),)

    def inputs(self, field: Field) -> tuple[str, ...]:
        """`name.A` for the place of caption A."""
        return tuple(f"{field.name}.{option.value}" for option in field.options)

    def gather(self, field: Field, sent: Sequence[tuple[str, str]]) -> dict[str, str]:
        """The places that were chosen."""
        return {name.removeprefix(f"{field.name}."): place for name, place in sent if place.strip()}

    def check(self, field: Field, answer: object) -> dict[str, float] | Problem:
        """Each caption at a place of its own; a list has the best first."""
        if isinstance(answer, Sequence) and not isinstance(answer, str):
            answer = {str(key): place for place, key in enumerate(answer, start=1)}
        if not isinstance(answer, Mapping):
            return field.problem(self.wanted(field))
        keys = [option.value for option in field.options]
        places = {str(key): as_number(place) for key, place in answer.items()}
        if set(places) != set(keys) or set(places.values()) != {float(n + 1) for n in range(len(keys))}:
            return field.problem(self.wanted(field))
        return {key: places[key] or 0.0 for key in keys}

    def wanted(self, field: Field) -> str:
        """A place for each."""
        return f"Give each caption a place of its own, 1 (best) to {len(field.options)}."

    def words(self, field: Field, answer: Answer, say: Say = str) -> str:
        """The keys, the best first: B > A > C."""
        places = answer if isinstance(answer, dict) else {}
        return " > ".join(sorted(places, key=lambda key: (places[key], key)))

    def right(self, wanted: object, given: object, tolerance: float = 0.0) -> bool:
        """The same order."""
        return isinstance(wanted, Mapping) and wanted == given

    def numbers(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """Of each caption its place."""
        places = answer if isinstance(answer, dict) else {}
        return tuple(Said(place, caption=key) for key, place in places.items())

    def scale(self, field: Field) -> Scale:
        """Places are ranks."""
        return "ordinal"

    def ends(self, field: Field) -> tuple[float, float]:
        """The first and the last place."""
        return 1.0, float(max(2, len(field.options)))

    def judged(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """Of each caption the share of the others that it is placed above: 1 first, 0 last."""
        others = max(1, len(field.options) - 1)
        return tuple(
            one._replace(value=(others + 1 - one.value) / others) for one in self.numbers(field, answer)
        )

    def judged_range(self, field: Field) -> Mapping[str, tuple[float, float]]:
        """From last to first."""
        return {"": (0.0, 1.0)}

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> list[str]:
        """By quality."""
        return sorted(opinions, key=lambda key: -opinions[key])

    def prompt(self, field: Field) -> str:
        """A list of keys."""
        return "A list of all captions, the best first, from:"

    def schema(self, field: Field) -> dict[str, Any]:
        """Every key once."""
        keys = [option.value for option in field.options]
        items = {"type": "string", "enum": keys}
        return {"type": "array", "items": items, "minItems": len(keys), "maxItems": len(keys)}
