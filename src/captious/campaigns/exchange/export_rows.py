"""What an export holds, row by row: responses, judgments, items and raters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from captious.campaigns.entry import surveys, training
from captious.campaigns.exchange.croissant import NUMBER, TEXT, WHOLE, YES_NO, Column
from captious.campaigns.exchange.export_files import RowValues
from captious.campaigns.records import Campaign, Rater, StoredResponse
from captious.campaigns.store.database import Database
from captious.campaigns.work.aside import Note
from captious.corpus.findings import Findings
from captious.corpus.judgments import example_id
from captious.protocols import Form, Item, Row
from captious.protocols.item import item_to_dict
from captious.protocols.training import example_to_dict

RESPONSE_COLUMNS = (
    Column("id", WHOLE, "Number of the response, in the order in which they came in."),
    Column("key", TEXT, "Key under which the response was sent; a repeated one is not stored."),
    Column("item", TEXT, "Key of the item that was shown; see items.jsonl."),
    Column("image", TEXT, "Image of the item."),
    Column("stage", TEXT, "Stage or round of the campaign."),
    Column("rater", TEXT, "Pseudonym of the rater; empty for an adjudicator."),
    Column("answers", TEXT, "The answers as JSON, by question of the item's form."),
    Column("hints", TEXT, "The automatic hints that stood beside the item, as JSON."),
    Column("time", NUMBER, "When it came in, in seconds since 1970 (UTC)."),
    Column(
        "seconds",
        NUMBER,
        "How long the rater took. Of a correction: since its answer was opened again; empty if it was not.",
    ),
    Column("kind", TEXT, "answer, correction or adjudication."),
    Column("replaces", WHOLE, "Number of the response that it replaces."),
    Column("source", TEXT, "web, api, import or simulated."),
    Column("standing", YES_NO, "Whether it counts: not replaced, and the rater not removed."),
)
JUDGMENT_COLUMNS = (
    Column("image", TEXT, "Image that was judged."),
    Column("caption", TEXT, "Caption as the rater saw it."),
    Column("system", TEXT, "What wrote the caption."),
    Column("rater", TEXT, "Pseudonym of the rater."),
    Column("aspect", TEXT, "What was judged."),
    Column("rating", NUMBER, "The value given."),
    Column("stage", TEXT, "Stage or round of the campaign."),
    Column("time", NUMBER, "When it was given, in seconds since 1970 (UTC)."),
    Column("example", TEXT, "What was judged: one caption of one image, by a name of its own."),
)
NOTE_COLUMNS = (
    Column("id", WHOLE, "Number of the note."),
    Column("kind", TEXT, "skip, cannot (judge), image (broken) or note."),
    Column("item", TEXT, "Key of the item; see items.jsonl."),
    Column("image", TEXT, "Image of the item."),
    Column("rater", TEXT, "Pseudonym of the rater."),
    Column("text", TEXT, "What the rater wrote."),
    Column("time", NUMBER, "When, in seconds since 1970 (UTC)."),
    Column("settled_at", NUMBER, "When it was settled, in seconds since 1970 (UTC); empty while it is open."),
)
LABEL_COLUMNS = (
    Column("image", TEXT, "Image that was judged."),
    Column("system", TEXT, "What wrote the caption."),
    Column("aspect", TEXT, "What was judged."),
    Column("mean", NUMBER, "Mean of the ratings."),
    Column("vote", NUMBER, "The most frequent rating; a tie is drawn."),
    Column("dawid_skene", NUMBER, "The likeliest value under Dawid and Skene's model of the raters (1979)."),
    Column("dawid_skene_chance", NUMBER, "Its probability."),
    Column("mace", NUMBER, "The likeliest value under MACE (Hovy et al. 2013)."),
    Column("ratings", WHOLE, "Number of ratings."),
)
ABILITY_COLUMNS = (
    Column("rater", TEXT, "Pseudonym of the rater."),
    Column("aspect", TEXT, "What was judged."),
    Column("dawid_skene", NUMBER, "Chance that the rater names the true value."),
    Column("mace", NUMBER, "Chance that the rater answers from knowledge and not from habit."),
    Column("ratings", WHOLE, "Number of ratings."),
)
FINDING_COLUMNS = (
    Column("image", TEXT, "Image that was judged."),
    Column("system", TEXT, "What wrote the caption."),
    Column("start", WHOLE, "First marked character (code point) of the caption; empty for what is missing."),
    Column("end", WHOLE, "Character after the last marked one; empty for what is missing."),
    Column("text", TEXT, "The marked words."),
    Column("kind", TEXT, "Kind of error; empty where the rater looked and marked nothing."),
    Column("severity", TEXT, "How severe it is."),
    Column("confidence", NUMBER, "Empty: raters give none."),
    Column("source", TEXT, "Pseudonym of the rater; adjudication for a decision."),
    Column("note", TEXT, "What the rater wrote: of what is missing, its name."),
    Column("evidence", TEXT, "Empty: only metrics name it."),
    Column("caption", TEXT, "Caption as the rater saw it."),
    Column("example", TEXT, "What was judged: one caption of one image, by a name of its own."),
)
SUGGESTION_COLUMNS = (
    Column("item", TEXT, "Key of the item that was shown; see items.jsonl."),
    Column("image", TEXT, "Image that was judged."),
    Column("system", TEXT, "What wrote the caption."),
    Column("rater", TEXT, "Pseudonym of the rater."),
    Column("status", TEXT, "confirmed, changed, removed, or untouched: left as it was, without a word."),
    Column("suggested_by", TEXT, "Source of the finding."),
    *FINDING_COLUMNS[2:7],
    Column("note", TEXT, "Note of the finding: of what is missing, its name."),
)
REFERENCES = Column("references", TEXT, "Captions that people wrote for the image.")
RATER_COLUMNS = (
    Column("rater", TEXT, "Pseudonym."),
    Column("native", YES_NO, "Whether marked as a native speaker."),
    Column("state", TEXT, "active, removed or withdrawn; only active raters' responses count."),
    Column("answered", WHOLE, "Number of responses."),
    Column("seconds", NUMBER, "Time spent in all."),
    Column("created", NUMBER, "When the rater was added, in seconds since 1970 (UTC)."),
    Column("last_seen", NUMBER, "When the rater was last there, in seconds since 1970 (UTC)."),
)
IDENTITY_COLUMNS = (
    Column("name", TEXT, "The rater's name."),
    Column("email", TEXT, "The rater's address."),
    Column("reason", TEXT, "Why the rater was removed."),
)
OUTCOME = Column("outcome", TEXT, "What the protocol made of the response, as JSON: feedback, a transcript.")
UNTOUCHED = Column(
    "untouched",
    TEXT,
    "Questions whose preset or earlier answer the rater left, or confirmed with all others, as JSON.",
)
RECORD = Column("record", TEXT, "What the protocol keeps of the rater, as JSON: points, a level.")
CONSENT_COLUMNS = (
    Column("consent_version", TEXT, "SHA-256 of the consent text that the rater agreed to."),
    Column("consent_time", NUMBER, "When the rater agreed, in seconds since 1970 (UTC)."),
)
ACTOR = Column("actor", TEXT, "Account that stored an adjudication.")


def response_rows(
    stored: Iterable[StoredResponse],
    *,
    identities: bool = False,
    outcomes: bool = False,
    untouched: bool = False,
) -> Iterator[RowValues]:
    """Every stored response, as given; with `outcomes`, what the protocol made of it too.

    With `untouched`, which of its answers were preset and left so.
    """
    for one in stored:
        row: RowValues = {
            "id": one.id,
            "key": one.key,
            "item": one.item_key,
            "image": one.image,
            "stage": one.stage,
            "rater": "" if one.kind == "adjudication" else one.rater,
            "answers": one.answers,
            "hints": list(one.hints),
            "time": one.time,
            "seconds": one.seconds,
            "kind": one.kind,
            "replaces": one.replaces,
            "source": one.source,
            "standing": one.standing,
        }
        if identities:
            row["actor"] = one.actor
        if outcomes:
            row["outcome"] = one.outcome
        if untouched:
            row["untouched"] = list(one.untouched)
        yield row


def finding_rows(findings: Findings, references: Mapping[str, list[str]]) -> Iterator[RowValues]:
    """Findings as `captious.read_findings` reads them, with the references of their images."""
    for one in findings.rows():
        confidence = None if math.isnan(one.confidence) else one.confidence
        row: RowValues = {**one._asdict(), "text": one.text, "confidence": confidence}
        if one.image in references:
            row["references"] = references[one.image]
        yield row


def note_rows(found: Iterable[Note]) -> Iterator[RowValues]:
    """What raters told those who run the campaign, oldest first."""
    for one in sorted(found, key=lambda note: note.id):
        yield {
            "id": one.id,
            "kind": one.kind,
            "item": one.item,
            "image": one.image,
            "rater": one.rater,
            "text": one.text,
            "time": one.time,
            "settled_at": one.settled_at,
        }


def judgment_rows(
    rows: Iterable[Row], references: Mapping[str, list[str]] | None = None
) -> Iterator[RowValues]:
    """Judgments as rows of the export, with the references of their images."""
    known = references or {}
    for row in rows:
        found: RowValues = {
            "image": row.image,
            "caption": row.caption,
            "system": row.system,
            "rater": row.rater,
            "aspect": row.aspect,
            "rating": row.value,
            "stage": row.stage,
            "time": None if math.isnan(row.time) else row.time,
            "example": row.example or example_id(row.image, row.system),
        }
        yield found | ({"references": known[row.image]} if row.image in known else {})


def form_rows(items: Iterable[Item]) -> tuple[list[RowValues], dict[Form, int]]:
    """Each different form once, numbered from 1, and the number of each."""
    numbers: dict[Form, int] = {}
    for item in items:
        numbers.setdefault(item.form, len(numbers) + 1)
    rows = [{"form": number, "fields": form.public()} for form, number in numbers.items()]
    return rows, numbers


def item_rows(
    items: Iterable[Item], forms: Mapping[Form, int], beside: Mapping[str, Mapping[str, Any]]
) -> Iterator[RowValues]:
    """Every item as it is stored, with the systems behind its captions and the form's number.

    `beside` holds what a campaign keeps of some items: the known answers (`gold`), whether it is
    `closed`, and the number of the response that called for it (`from_response`).
    """
    for item in items:
        row = {**item_to_dict(item), **beside.get(item.key, {}), "form": forms[item.form]}
        del row["fields"]
        yield row


def rater_rows(
    people: Iterable[Rater], *, identities: bool = False, records: bool = False, consents: bool = False
) -> Iterator[RowValues]:
    """Every rater, by pseudonym; names only where identities are asked for."""
    for one in people:
        row: RowValues = {
            "rater": one.pseudonym,
            "native": one.native,
            "state": one.state,
            "answered": one.answered,
            "seconds": one.seconds,
            "created": one.created,
            "last_seen": one.last_seen,
        }
        if records:
            row["record"] = one.record
        if consents:
            row |= {"consent_version": one.consent_version, "consent_time": one.consent_time}
        own = {"name": one.name, "email": one.email, "reason": one.reason}
        yield row | (own if identities else {})


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
