"""A recording of what the rater says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from captious.protocols.questions.base import RECORDING, Field, Problem, QuestionKind, register, shown


@register("audio")
class Audio(QuestionKind):
    """The name of a sound file."""

    title: ClassVar[str] = "Recording"
    offered: ClassVar[bool] = False
    known: ClassVar[bool] = False
    recorded: ClassVar[bool] = True

    def check(self, field: Field, answer: object) -> str | Problem:
        """The name of a file."""
        if isinstance(answer, str) and RECORDING.fullmatch(answer):
            return answer
        return field.problem(f"{shown(answer)} is not a recording. {self.wanted(field)}")

    def wanted(self, field: Field) -> str:
        """Record it."""
        return "Record it, or choose a sound file."

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> None:
        """A simulated rater cannot speak."""

    def prompt(self, field: Field) -> str:
        """A file."""
        return "The name of a recording."

    def schema(self, field: Field) -> dict[str, Any]:
        """The name of a file."""
        return {"type": "string", "pattern": f"^{RECORDING.pattern}$"}
