"""What an export holds of training and surveys, by pseudonym: no answer here is a judgment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from captious.campaigns.entry import surveys, training
from captious.campaigns.exchange.croissant import NUMBER, TEXT, WHOLE, Column
from captious.campaigns.exchange.export_files import RowValues
from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.protocols.training import example_to_dict

TRAINING_COLUMNS = (
    Column("rater", TEXT, "Pseudonym of the rater."),
    Column("try", WHOLE, "Which try it was, from 1."),
    Column("example", WHOLE, "Place of the example in the training, from 1."),
    Column("image", TEXT, "File of the example's picture."),
    Column("captions", TEXT, "The captions that were shown, as JSON."),
    Column("answers", TEXT, "The answers as JSON, by question."),
    Column("known", TEXT, "The known answers as JSON, by question."),
    Column("right", WHOLE, "How many known answers were given."),
    Column("asked", WHOLE, "How many answers are known."),
    Column("time", NUMBER, "When it was answered, in seconds since 1970 (UTC)."),
)
SURVEY_COLUMNS = (
    Column("rater", TEXT, "Pseudonym of the rater."),
    Column("moment", TEXT, "before the first task, or after the last."),
    Column("version", TEXT, "SHA-256 of the survey's questions, which are in campaign.json."),
    Column("answers", TEXT, "The answers as JSON, by question."),
    Column("time", NUMBER, "When it was answered, in seconds since 1970 (UTC)."),
)


def example_rows(db: Database, campaign: Campaign) -> Iterator[RowValues]:
    """The examples of the training as it is now, in their order; their pictures are named, not held."""
    for one in training.examples(db, campaign):
        yield example_to_dict(one.example)


class EntryFile(NamedTuple):
    """A table of an export: its name, what it holds, its columns and rows."""

    name: str
    about: str
    columns: tuple[Column, ...]
    rows: Iterator[RowValues]


def entry_files(db: Database, campaign: Campaign) -> Iterator[EntryFile]:
    """The tables of training and surveys, where there are any."""
    if campaign.settings.training:
        about = "Answers to the training before the work. They are no judgments and never count."
        yield EntryFile("training", about, TRAINING_COLUMNS, _training(db, campaign))
    if campaign.settings.survey_before or campaign.settings.survey_after:
        about = "Answers to the surveys before and after the work."
        yield EntryFile("surveys", about, SURVEY_COLUMNS, _surveys(db, campaign))


def _training(db: Database, campaign: Campaign) -> Iterator[RowValues]:
    shown = {one.place: one.example for one in training.examples(db, campaign)}
    for one in training.answers(db, campaign):
        example = shown[one.place]
        yield {
            "rater": one.rater,
            "try": one.attempt,
            "example": one.place,
            "image": example.file,
            "captions": [caption.text for caption in example.item.captions],
            "answers": one.answers,
            "known": dict(example.known),
            "right": one.right,
            "asked": one.asked,
            "time": one.time,
        }


def _surveys(db: Database, campaign: Campaign) -> Iterator[RowValues]:
    for one in surveys.answers(db, campaign):
        yield {
            "rater": one.rater,
            "moment": one.moment,
            "version": one.version,
            "answers": one.answers,
            "time": one.time,
        }
