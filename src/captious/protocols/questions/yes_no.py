"""Yes or no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from captious.protocols.questions.base import Answer, Field, Option, Said, overall, register
from captious.protocols.questions.choice import Choice

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile

YES, NO = "yes", "no"
YES_NO = (Option(YES, "Yes"), Option(NO, "No"))


@register("yes_no")
class YesNo(Choice):
    """1 for yes, 0 for no."""

    title: ClassVar[str] = "Yes or no"
    note: ClassVar[str] = "of yes or no: the share of yes"
    keys: ClassVar[tuple[str, ...]] = ()

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """Nothing but its two options."""
        return replace(field, options=YES_NO)

    def numbers(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """1 for yes."""
        return (Said(float(answer == YES)),)

    def judged(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """The mean is the share of yes."""
        return self.numbers(field, answer)

    def levels(self, field: Field) -> Mapping[str, Sequence[float]]:
        """No or yes."""
        return {"": (0.0, 1.0)}

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> str:
        """Yes to what is more good than bad."""
        return YES if overall(opinions) >= 0.5 else NO
