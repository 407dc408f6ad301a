"""Known answers: what counts as right, for gold items within the work and for training before it.

A known answer is a value (`4`, `"yes"`), a number that may differ (`{"value": 4, "tolerance": 1}`),
a list of which each is right (`[4, 5]`), or the options of a multi-choice (`{"spelling": 0.1}`, `{}`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.form import Answer, Field, Form, as_number
from captious.protocols.item import Item

Known = Mapping[str, object]


def answers_right(known: Known, answers: Mapping[str, object]) -> bool:
    """Whether all answers are the known ones.

    >>> answers_right({"stars": {"value": 4, "tolerance": 1}}, {"stars": 5.0})
    True
    """
    return all(answer_right(wanted, answers.get(name)) for name, wanted in known.items())


def answer_right(wanted: object, given: object) -> bool:
    """Whether one answer is the known one.

    >>> answer_right([4, 5], 5.0), answer_right({"spelling": 0.1}, {}), answer_right({}, {})
    (True, False, True)
    """
    tolerance = 0.0
    if isinstance(wanted, Mapping) and "value" in wanted:
        tolerance = as_number(wanted.get("tolerance", 0.0)) or 0.0
        wanted = wanted["value"]
    if isinstance(wanted, (list, tuple)):
        return any(answer_right(one, given) for one in wanted)
    if isinstance(wanted, Mapping):  # a multi-choice: the same options
        return isinstance(given, Mapping) and set(given) == set(wanted)
    numeric = (int, float)
    if isinstance(wanted, numeric) and isinstance(given, numeric):
        return abs(float(wanted) - float(given)) <= tolerance + 1e-9
    return given == wanted


def best_answer(wanted: object) -> Any:
    """The one answer that a known answer names first: the middle of a range, the first of a list.

    >>> best_answer({"value": 4, "tolerance": 1}), best_answer([4, 5]), best_answer({"spelling": 0.1})
    (4, 4, {'spelling': 0.1})
    """
    if isinstance(wanted, Mapping) and "value" in wanted:
        wanted = wanted["value"]
    return wanted[0] if isinstance(wanted, (list, tuple)) and wanted else wanted


def check_known(item: Item, known: Known, where: str) -> None:
    """Refuse known answers that nobody could give on the item's form."""
    for name, wanted in known.items():
        field = item.form.field(name)
        if field is None:
            names = [one.name for one in item.form.fields]
            raise UnknownNameError(f"question of {where}", one_line(str(name)), names)
        for value in _possible(wanted):
            wrong = _refused(field, value)
            if wrong:
                raise InputError(f"{where}: {one_line(wrong)}")


def _possible(wanted: object) -> list[Any]:
    if isinstance(wanted, Mapping) and "value" in wanted:
        wanted = wanted["value"]
    return list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]


def _refused(field: Field, value: Answer) -> str:
    """What the form says against an answer, "" where nothing."""
    if value == {} and field.kind == "multi":
        return ""
    alone = Form((Field(**{**field.__dict__, "when": None}),))
    checked = alone.check({field.name: value})
    return checked[0].message if isinstance(checked, list) else ""


def question_named(item: Item, name: str, caption: str = "") -> str:
    """The question that a file means by a name: its own, or that of a caption without its letter."""
    if not caption and item.form.field(name) is not None:
        return name
    key = caption or (item.captions[0].key if len(item.captions) == 1 else "")
    return f"{key}.{name}" if key and item.form.field(f"{key}.{name}") is not None else name
