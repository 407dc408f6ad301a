"""A text in the rater's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from captious.protocols.questions.base import LONGEST_TEXT, Field, Problem, QuestionKind, register, shown


@register("text")
class Text(QuestionKind):
    """A few words; exported, and not compared between raters."""

    title: ClassVar[str] = "Text"
    known: ClassVar[bool] = False  # nobody types the very words that someone else would

    def check(self, field: Field, answer: object) -> str | Problem:
        """A text that is not too long, its white space single."""
        if not isinstance(answer, str):
            return field.problem(f"{shown(answer)} is not text. Write a few words.")
        text = " ".join(answer.split())
        if len(text) > LONGEST_TEXT:
            return field.problem(f"{len(text)} characters are too many. Use {LONGEST_TEXT} at most.")
        return text

    def wanted(self, field: Field) -> str:
        """Write a few words."""
        return "Write a few words."

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> str | None:
        """A text only where one must be written."""
        return "A simulated answer." if field.required else None

    def prompt(self, field: Field) -> str:
        """A text."""
        return "A text, or null."

    def schema(self, field: Field) -> dict[str, Any]:
        """A text, or null."""
        return {"type": ["string", "null"]}
