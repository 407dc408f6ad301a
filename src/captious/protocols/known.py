"""Known answers: what counts as right, for gold items within the work and for training before it.

A known answer is a value (`4`, `"yes"`), a number that may differ (`{"value": 4, "tolerance": 1}`),
a list of which each is right (`[4, 5]`), the options of a multi-choice (`{"spelling": 0.1}`, `{}`), the
places of a ranking (`{"A": 2, "B": 1}`), or the marks in a caption, a list that is one answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.item import Answer, Field, Form, Item, as_number

Known = Mapping[str, object]


def answers_right(item: Item, known: Known, answers: Mapping[str, object]) -> bool:
    """Whether all answers to an item are the known ones."""
    asked = {field.name: field for field in item.form.fields}
    return all(
        name in asked and answer_right(asked[name], wanted, answers.get(name))
        for name, wanted in known.items()
    )


def answer_right(field: Field, wanted: object, given: object) -> bool:
    """Whether one answer is the known one.

    >>> stars = Field("stars", "scale", "Stars", low=1, high=5, step=1)
    >>> answer_right(stars, [4, 5], 5.0), answer_right(stars, {"value": 4, "tolerance": 1}, 5.0)
    (True, True)
    """
    tolerance = 0.0
    if isinstance(wanted, Mapping) and "value" in wanted:
        tolerance = as_number(wanted.get("tolerance", 0.0)) or 0.0
        wanted = wanted["value"]
    if isinstance(wanted, (list, tuple)) and not field.rules.lists:
        return any(answer_right(field, one, given) for one in wanted)
    return field.rules.right(wanted, given, tolerance)


def best_answer(wanted: object, field: Field | None = None) -> Any:
    """The one answer that a known answer names first: the middle of a range, the first of a list.

    >>> best_answer({"value": 4, "tolerance": 1}), best_answer([4, 5]), best_answer({"spelling": 0.1})
    (4, 4, {'spelling': 0.1})
    """
    if isinstance(wanted, Mapping) and "value" in wanted:
        wanted = wanted["value"]
    several = isinstance(wanted, (list, tuple)) and not (field is not None and field.rules.lists)
    return wanted[0] if several and wanted else wanted  # type: ignore[index]


def check_known(item: Item, known: Known, where: str) -> None:
    """Refuse known answers that nobody could give on the item's form."""
    for name, wanted in known.items():
        field = item.form.field(name)
        if field is None:
            names = [one.name for one in item.form.fields]
            raise UnknownNameError(f"question of {where}", one_line(str(name)), names)
        for value in _possible(field, wanted):
            wrong = _refused(field, value, dict(item.captions))
            if wrong:
                raise InputError(f"{where}: {one_line(wrong)}")


def _possible(field: Field, wanted: object) -> list[Any]:
    if isinstance(wanted, Mapping) and "value" in wanted:
        wanted = wanted["value"]
    return list(wanted) if isinstance(wanted, (list, tuple)) and not field.rules.lists else [wanted]


def _refused(field: Field, value: Answer, captions: Mapping[str, str]) -> str:
    """What the form says against an answer, "" where nothing."""
    if value == field.rules.nothing() and value is not None:
        return ""
    alone = Form((replace(field, when=None),))
    checked = alone.check({field.name: value}, captions)
    return checked[0].message if isinstance(checked, list) else ""


def question_named(item: Item, name: str, caption: str = "") -> str:
    """The question that a file means by a name: its own, or that of a caption without its letter."""
    if not caption and item.form.field(name) is not None:
        return name
    key = caption or (item.captions[0].key if len(item.captions) == 1 else "")
    return f"{key}.{name}" if key and item.form.field(f"{key}.{name}") is not None else name
