"""Training and surveys of an export, read back: the examples, and what raters answered to them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

from sqlalchemy import Connection, insert, select

from captious.campaigns.entry.surveys import Moment
from captious.campaigns.entry.training_files import find_pictures
from captious.campaigns.records import Campaign, Training
from captious.campaigns.store import schema
from captious.errors import CaptiousWarning, one_line
from captious.protocols.training import example_from_dict

Row = Mapping[str, Any]


class ImportedTrainingAnswer(NamedTuple):
    """An answer to the example at `place`, from 1; `right` of `asked` known answers were given."""

    rater: str
    attempt: int
    place: int
    answers: Mapping[str, Any]
    right: int
    asked: int
    time: float


class ImportedSurveyAnswer(NamedTuple):
    """Answers to a survey before or after the work."""

    rater: str
    moment: str
    version: str
    answers: Mapping[str, Any]
    time: float


def training_of_rows(rows: Iterable[Row], images: Path | None) -> Training | None:
    """The training that an export holds; without its pictures it is left out, and a warning says so."""
    found = []
    for row in rows:
        example = example_from_dict(row)
        # It was stored under its picture's digest, lest it pass for a picture of the work.
        found.append(replace(example, item=replace(example.item, image=example.file)))
    if not found:
        return None
    pictures, missing = find_pictures(found, [images] if images is not None else [])
    if missing:
        said = f'the training is left out: it has no picture "{one_line(missing[0])}" of it.'
        warnings.warn(f"{said} Name the folder of its pictures with --images.", CaptiousWarning, stacklevel=2)
        return None
    return Training(tuple(found), pictures)


def training_answer(row: Row, answers: Any) -> ImportedTrainingAnswer:
    """A row of the table of answers to the training."""
    numbers = (int(float(row[name])) for name in ("try", "example", "right", "asked"))
    attempt, place, right, asked = numbers
    return ImportedTrainingAnswer(
        str(row["rater"]), attempt, place, answers, right, asked, float(row["time"])
    )


def survey_answer(row: Row, answers: Any) -> ImportedSurveyAnswer:
    """A row of the table of answers to surveys."""
    if row["moment"] not in get_args(Moment):
        raise ValueError(f'"{row["moment"]}"')
    return ImportedSurveyAnswer(
        str(row["rater"]), row["moment"], str(row["version"]), answers, float(row["time"])
    )


def store_entry(
    connection: Connection,
    campaign: Campaign,
    raters: Mapping[str, int],
    training: Sequence[ImportedTrainingAnswer],
    surveys: Sequence[ImportedSurveyAnswer],
) -> None:
    """Append the answers of raters who are there; those to a training that is not are left out."""
    table = schema.training_example
    wanted = select(table.c.place, table.c.id).where(
        table.c.campaign_id == campaign.id, table.c.version == campaign.settings.training
    )
    examples = {row.place: row.id for row in connection.execute(wanted)}
    own = {"campaign_id": campaign.id}
    answered = [
        {
            **own,
            "rater_id": raters[one.rater],
            "training_example_id": examples[one.place],
            "attempt": one.attempt,
            "answers": dict(one.answers),
            "correct": one.right,
            "asked": one.asked,
            "time": one.time,
        }
        for one in training
        if one.place in examples and one.rater in raters
    ]
    asked = [
        {
            **own,
            "rater_id": raters[one.rater],
            "moment": one.moment,
            "version": one.version,
            "answers": dict(one.answers),
            "time": one.time,
        }
        for one in surveys
        if one.rater in raters
    ]
    for into, rows in ((schema.training_answer, answered), (schema.survey_answer, asked)):
        if rows:
            connection.execute(insert(into), rows)
