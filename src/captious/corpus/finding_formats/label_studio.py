"""Label Studio's JSON export: tasks with the regions of each annotator.

Old versions count a region's start and end in UTF-16 units, new ones in code points. The `text` of
regions tells which: where a file has none, but characters of two units, it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from captious.corpus.finding_formats.utf16 import code_point
from captious.corpus.findings import SEVERITIES, Finding
from captious.corpus.ids import clean_id
from captious.corpus.readers.names import roles_of
from captious.corpus.readers.open import Source
from captious.corpus.readers.parse import parse_json
from captious.errors import InputError, one_line

MARK = re.compile(rb'"(?:annotations|completions|predictions)"\s*:\s*\[')
LABELS = ("labels", "hypertextlabels")


class _Task(NamedTuple):
    """A caption of the export, and where it is for messages."""

    where: str
    image: str
    system: str
    caption: str


def read(source: Source, by: str) -> Iterator[Finding]:
    """The regions of every annotator and of every prediction; a cancelled annotation is left out."""
    tasks: list[tuple[_Task, str, list[dict[str, Any]]]] = []
    for number, entry in enumerate(parse_json(source), 1):
        where = f"{source.name}: task {number}"
        if not isinstance(entry, dict) or not isinstance(entry.get("data"), dict):
            raise InputError(f'{where}: has no "data". Export the project as JSON (not JSON-MIN).')
        task = _task(where, entry)
        for own in entry.get("annotations") or entry.get("completions") or []:
            if not own.get("was_cancelled"):
                tasks.append((task, _who(own.get("completed_by"), by), own.get("result") or []))
        for own in entry.get("predictions") or []:
            if isinstance(own, dict):  # else an id: the predictions were not exported
                tasks.append((task, own.get("model_version") or "prediction", own.get("result") or []))
    in_units = _counts_units(tasks)
    for task, who, result in tasks:
        yield from _regions(task, result, who, in_units)


def _counts_units(tasks: list[tuple[_Task, str, list[dict[str, Any]]]]) -> bool:
    """Whether the file counts UTF-16 units: some region says a text that is there, and only there."""
    for task, _, result in tasks:
        for item in result if not task.caption.isascii() else ():
            value = item.get("value") or {}
            if item.get("type") in LABELS and isinstance(value.get("text"), str):
                places = [_read_as(task, value, units) for units in (False, True)]
                if None in places and places != [None, None]:
                    return places[0] is None
    return False


def _task(where: str, entry: Mapping[str, Any]) -> _Task:
    data = entry["data"]
    roles = roles_of(data)
    caption = data.get(roles.get("caption", ""))
    if not isinstance(caption, str):
        raise InputError(
            f'{where}: no "caption" or "text" in its data. Import captions into Label Studio as `text`.'
        )
    image = clean_id(data.get(roles.get("image", ""))) or str(entry.get("id"))
    return _Task(where, image, str(data.get(roles.get("system", ""), "")), caption)


def _who(annotator: object, by: str) -> str:
    if isinstance(annotator, dict):
        annotator = annotator.get("email") or annotator.get("id")
    return by if annotator is None else str(annotator)


def _regions(task: _Task, result: list[dict[str, Any]], by: str, in_units: bool) -> Iterator[Finding]:
    severities: dict[str, str] = {}
    notes: dict[str, str] = {}
    spans: list[tuple[str, str, dict[str, Any], object]] = []
    for item in result:
        value, kind, region = item.get("value") or {}, item.get("type"), str(item.get("id"))
        if kind in LABELS:
            names = value.get(kind) or ["unlabelled"]
            spans += [(region, str(name), value, item.get("score")) for name in names]
        elif kind == "choices":
            chosen = [str(one) for one in value.get("choices") or []]
            about = "severity" in str(item.get("from_name")).casefold() or set(chosen) <= set(SEVERITIES)
            if about and chosen:
                severities[region] = chosen[0]
        elif kind == "textarea":
            text = value.get("text") or []
            notes[region] = text if isinstance(text, str) else " ".join(map(str, text))
    finding = Finding(task.image, task.system, task.caption, None, None, "", source=by)
    if not spans:
        yield finding
    for region, name, value, score in spans:
        start, end = _place(task, value, in_units)
        yield finding._replace(
            start=start,
            end=end,
            kind=name,
            severity=severities.get(region, ""),
            note=notes.get(region, ""),
            confidence=float(score) if isinstance(score, (int, float)) and 0 <= score <= 1 else float("nan"),
        )


def _place(task: _Task, value: Mapping[str, Any], in_units: bool) -> tuple[int, int]:
    """The region in code points."""
    start, end = _ends(task, value)
    if (code_point(task.caption, start), code_point(task.caption, end)) == (start, end):
        return start, end
    if not isinstance(value.get("text"), str):
        raise InputError(
            f"{task.where}: the region {start}-{end} has no text. Because of characters such as emoji "
            'it may count code points or UTF-16 units. Export with "text" in each region.'
        )
    found = _read_as(task, value, in_units)
    if found is None:
        raise InputError(
            f'{task.where}: the region {start}-{end} says "{one_line(value["text"], 40)}", which is not '
            f'there in "{one_line(task.caption, 40)}". Export the tasks with the text that was labelled.'
        )
    return found


def _ends(task: _Task, value: Mapping[str, Any]) -> tuple[int, int]:
    start, end = value.get("start"), value.get("end")
    if not (isinstance(start, int) and isinstance(end, int)):
        raise InputError(f"{task.where}: marks HTML, not text. Label captions with the tag <Text>.")
    return start, end


def _read_as(task: _Task, value: Mapping[str, Any], in_units: bool) -> tuple[int, int] | None:
    """The region as counted one way, if it says what is there."""
    text, said = task.caption, value["text"].replace("\\n", "\n")
    start, end = _ends(task, value)
    a, b = (code_point(text, start), code_point(text, end)) if in_units else (start, end)
    there = a is not None and b is not None and b <= len(text) and text[a:b] == said
    return (a, b) if there and a is not None and b is not None else None
