"""A form as data: a page or a terminal renders it and checks it knowing no protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

from captious.errors import one_line
from captious.protocols.questions import LONGEST_TEXT, Answer, Field, Option, Problem, When, as_number

Answers = dict[str, Answer]

__all__ = ["LONGEST_TEXT", "Answer", "Answers", "Field", "Form", "Option", "Problem", "When", "as_number"]


@dataclass(frozen=True)
class Form:
    """The questions of an item in the order in which they are asked.

    >>> stars = Field("stars", "scale", "How well does it fit?", low=1, high=5, step=1)
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

    @cached_property
    def _sent(self) -> dict[str, Field]:
        """Which field is answered under which name of a page."""
        return {name: field for field in self.fields for name in field.rules.inputs(field)}

    @cached_property
    def recorded(self) -> frozenset[str]:
        """The names of the fields whose answers are files."""
        return frozenset(field.name for field in self.fields if field.rules.recorded)

    def field(self, name: str) -> Field | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def check(
        self, answers: Mapping[str, object], captions: Mapping[str, str] | None = None
    ) -> Answers | list[Problem]:
        """Return the answers cleaned, or what is wrong with them: one line a field.

        `captions` are the texts that the answers are about, by key, where they are known.
        """
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
            if captions and found is not None and not isinstance(found, Problem):
                found = field.rules.on_captions(field, found, captions)
            if isinstance(found, Problem):
                problems.append(found)
            elif found is not None:
                cleaned[field.name] = found
        return problems or cleaned

    def read(self, pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
        """Gather the (name, value) pairs of a submitted page into answers for `check`.

        >>> errors = Field("errors", "multi", "Errors", options=(
        ...     Option("casing", "Casing", amount=0.1), Option("broken", "Broken", low=0.5)))
        >>> Form((errors,)).read([("errors", "casing"), ("errors.broken", "0.7")])
        {'errors': {'casing': None, 'broken': '0.7'}}
        """
        found: dict[str, object] = {}
        sent: dict[str, list[tuple[str, str]]] = {}
        for name, value in pairs:
            field = self._sent.get(name)
            if field is None:
                found[name] = value
            else:
                sent.setdefault(field.name, []).append((name, value))
        for field in self.fields:
            if field.name in sent:
                found[field.name] = field.rules.gather(field, sent[field.name])
        return found

    def public(self) -> list[dict[str, object]]:
        """The fields as plain values for a page or a JSON answer."""
        return [asdict(field) for field in self.fields]


def _check(field: Field, answer: object) -> Answer | Problem | None:
    empty = answer in ([], {}) and not field.rules.lists
    if answer is None or (isinstance(answer, str) and not answer.strip()) or empty:
        if not field.required:
            return field.rules.nothing()
        return field.problem(f"No answer. {field.rules.wanted(field)}")
    return field.rules.check(field, answer)
