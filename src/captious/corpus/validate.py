"""From raw rows to captions and references: what is well formed, and a list of what is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from captious.corpus.ids import clean_ids
from captious.corpus.readers.rows import MISSING, Problem, Rows

NEEDS_ID = "Give each caption the id of its image, a number or text."


@dataclass(frozen=True, eq=False)
class Captions:
    """Well-formed (image id, caption) rows of one file; `rows` are their places in the file."""

    ids: list[str]
    captions: list[str]
    rows: Sequence[int]
    problems: list[Problem]


def well_formed(rows: Rows) -> Captions:
    """Rows that have an id and a caption that is text; the others become problems.

    Reads the `caption` column, and where there is none the texts of the `references` column.
    """
    if "caption" not in rows.columns and "references" in rows.columns:
        return _from_reference_lists(rows)
    raw = rows.columns.get("caption", [MISSING] * len(rows))
    ids = clean_ids(rows.columns.get("image", [MISSING] * len(rows)))
    if None not in ids and set(map(type, raw)) <= {str}:
        return Captions(ids, raw, range(len(raw)), list(rows.problems))  # type: ignore[arg-type]
    problems = list(rows.problems)
    kept_ids: list[str] = []
    kept: list[str] = []
    kept_rows: list[int] = []
    for row, (image, text) in enumerate(zip(ids, raw, strict=True)):
        if row in rows.broken:
            continue
        found = _problems_of_row(rows, row, image, text)
        problems.extend(found)
        if not found and image is not None and isinstance(text, str):
            kept_ids.append(image)
            kept.append(text)
            kept_rows.append(row)
    return Captions(kept_ids, kept, kept_rows, problems)


def own_references(rows: Rows) -> tuple[list[list[str]], list[Problem]]:
    """The references in each caption's own row."""
    lists: list[list[str]] = []
    problems: list[Problem] = []
    for row, cell in enumerate(rows.columns["references"]):
        texts, problem = _reference_texts(rows, row, cell)
        lists.append(texts)
        if problem is not None:
            problems.append(problem)
    return lists, problems


def _from_reference_lists(rows: Rows) -> Captions:
    ids: list[str] = []
    captions: list[str] = []
    kept_rows: list[int] = []
    problems = list(rows.problems)
    cleaned = clean_ids(rows.columns.get("image", [MISSING] * len(rows)))
    for row, (image, cell) in enumerate(zip(cleaned, rows.columns["references"], strict=True)):
        texts, problem = _reference_texts(rows, row, cell)
        if row in rows.broken:
            continue
        if image is None:
            problems.append(_bad_id(rows, row))
        elif problem is not None:
            problems.append(problem)
        else:
            ids.extend([image] * len(texts))
            captions.extend(texts)
            kept_rows.extend([row] * len(texts))
    return Captions(ids, captions, kept_rows, problems)


def _reference_texts(rows: Rows, row: int, cell: object) -> tuple[list[str], Problem | None]:
    key = rows.key("references", "references")
    texts = [cell] if isinstance(cell, str) else cell
    if not isinstance(texts, list):
        what = f'"{key}" {_is(cell)}'
        return [], Problem("not-text", rows.places[row], what, "Give a list of captions.")
    for text in texts:
        if not isinstance(text, str):
            what = f'"{key}" contains a caption that {_is(text)}'
            return [], Problem("not-text", rows.places[row], what, "Each reference must be text.")
    if not texts:
        mend = "Give at least one caption, or leave the image out."
        return [], Problem("empty-list", rows.places[row], f'"{key}" is empty', mend)
    return texts, None


def _problems_of_row(rows: Rows, row: int, image: str | None, text: object) -> list[Problem]:
    found = []
    if image is None:
        found.append(_bad_id(rows, row))
    if not isinstance(text, str):
        key, id_key = rows.key("caption", "caption"), rows.key("image", "image_id")
        code = "missing-caption" if text is MISSING else "not-text"
        mend = (
            f'Each {rows.places.unit} needs "{id_key}" and "{key}".'
            if text is MISSING
            else "A caption must be text."
        )
        what = f'"{key}" {_is(text)}' if rows.places.keys is None else f"the caption {_is(text)}"
        found.append(Problem(code, rows.places[row], what, mend, image))
    return found


def _bad_id(rows: Rows, row: int) -> Problem:
    key = rows.key("image", "image_id")
    cell = rows.columns["image"][row] if "image" in rows.columns else MISSING
    # A number that is no id has a fraction, or more digits than a number of JSON keeps.
    number = isinstance(cell, float) and math.isfinite(cell)
    mend = "Write such an id as text, in quotes." if number else NEEDS_ID
    return Problem("missing-id", rows.places[row], f'"{key}" {_is(cell)}', mend)


def _is(value: object) -> str:
    """How a cell that should be text is wrong."""
    if value is MISSING:
        return "is missing"
    if value is None:
        return "is null"
    if isinstance(value, str):
        return "is empty" if not value.strip() else "is text"
    if isinstance(value, bool):
        return "is a truth value"
    if isinstance(value, (int, float)):
        return f"is the number {value}"
    return "is a list" if isinstance(value, list) else "is an object"
