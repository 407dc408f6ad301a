"""Which of two captions: the left one, the right one, or both alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from captious.protocols.questions.base import Answer, Field, Option, Said, register
from captious.protocols.questions.choice import Choice

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile

LEFT, RIGHT, BOTH = "left", "right", "both"
# Two captions whose quality differs by less look alike.
SAME = 0.1
_LEFT, _BOTH, _RIGHT = (
    Option(LEFT, "The left one"),
    Option(BOTH, "Both alike"),
    Option(RIGHT, "The right one"),
)


@register("pair")
class Pair(Choice):
    """A comparison of two captions."""

    title: ClassVar[str] = "Choice between two captions"
    note: ClassVar[str] = (
        "of a pair -1: the other caption is always chosen; 1: this system's caption always is"
    )
    keys: ClassVar[tuple[str, ...]] = ("ties",)
    compares: ClassVar[Literal["", "two", "all"]] = "two"

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """With `ties` (the default) both may be alike."""
        ties = file.flag(where, own, "ties", True)
        return replace(field, options=(_LEFT, _BOTH, _RIGHT) if ties else (_LEFT, _RIGHT))

    def about(self, field: Field, captions: Sequence[str]) -> tuple[Field, ...]:
        """Asked once."""
        return (field,)

    def judged(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """1 for the chosen caption, -1 for the other, 0 for both where they are alike."""
        value = {LEFT: -1.0, RIGHT: 1.0}.get(str(answer), 0.0)
        return (Said(-value, caption=LEFT), Said(value, caption=RIGHT))

    def levels(self, field: Field) -> Mapping[str, Sequence[float]]:
        """Lost, alike, won."""
        return {"": (-1.0, 0.0, 1.0)}

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> str:
        """The better one."""
        first, last = opinions[LEFT], opinions[RIGHT]
        if field.option(BOTH) is not None and abs(last - first) < SAME:
            return BOTH
        return RIGHT if last > first else LEFT
