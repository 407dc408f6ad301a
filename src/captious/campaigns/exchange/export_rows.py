"""What an export holds, row by row: responses, judgments, items and raters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from captious.campaigns.exchange.croissant import NUMBER, TEXT, WHOLE, YES_NO, Column
from captious.campaigns.records import Rater, StoredResponse
from captious.corpus import Judgments
from captious.protocols import Form, HumanProtocol, Item, Response
from captious.protocols.audit import HUMAN, ErrorAudit
from captious.protocols.store import item_to_dict
from captious.protocols.thumb import ADJUDICATION

RowValues = dict[str, Any]

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
    Column("seconds", NUMBER, "How long the rater took."),
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
)
REFERENCES = Column("references", TEXT, "Captions that people wrote for the image.")
RATER_COLUMNS = (
    Column("rater", TEXT, "Pseudonym."),
    Column("native", YES_NO, "Whether marked as a native speaker."),
    Column("state", TEXT, "active, removed or withdrawn; only active raters' responses count."),
    Column("answered", WHOLE, "Number of responses."),
    Column("seconds", NUMBER, "Time spent in all."),
)
IDENTITY_COLUMNS = (
    Column("name", TEXT, "The rater's name."),
    Column("email", TEXT, "The rater's address."),
    Column("reason", TEXT, "Why the rater was removed."),
)
ACTOR = Column("actor", TEXT, "Account that stored an adjudication.")


def response_rows(stored: Iterable[StoredResponse], *, identities: bool = False) -> Iterator[RowValues]:
    """Every stored response, as given."""
    for one in stored:
        row: RowValues = {
            "id": one.id,
            "key": one.key,
            "item": one.item_key,
            "image": one.image,
            "stage": one.stage,
            "rater": one.rater,
            "answers": one.answers,
            "hints": list(one.hints),
            "time": one.time,
            "seconds": one.seconds,
            "kind": one.kind,
            "replaces": one.replaces,
            "source": one.source,
            "standing": one.standing,
        }
        yield row | ({"actor": one.actor} if identities else {})


def judgment_rows(
    rules: HumanProtocol,
    items: Sequence[Item],
    responses: Sequence[Response],
    references: Mapping[str, list[str]] | None = None,
) -> Iterator[RowValues]:
    """Every judgment with the caption that was judged, in the order of the items.

    In an error audit several items of an image hold a human caption: there the system tells beside
    whose caption it stood, so that each has one name and one text.
    """
    removed = rules.removed_raters(items, responses)
    by_item: dict[str, list[Response]] = {}
    for response in responses:
        if response.rater not in removed:
            by_item.setdefault(response.item, []).append(response)
    known = references or {}
    several = _several_humans(items) if isinstance(rules, ErrorAudit) else frozenset()
    for item in items:
        if item.key not in by_item or item.check:
            continue
        texts = {
            system: caption.text
            for caption in reversed(item.captions)
            for system in item.sources[caption.key]
        }
        renamed = _beside(item) if item.image in several else {}
        own = {"references": known[item.image]} if item.image in known else {}
        for row in rows_of(rules.judgments([item], by_item[item.key])):
            system = row["system"]
            named = renamed.get(system, system)
            yield {**row, "caption": texts[system], "system": named} | own


def rows_of(judged: Judgments) -> Iterator[RowValues]:
    """Judgments as rows of the export, their captions still empty."""
    columns = zip(
        judged.example_of.tolist(),
        judged.rater_of.tolist(),
        judged.aspect_of.tolist(),
        judged.values.tolist(),
        judged.stage_of.tolist(),
        judged.times.tolist(),
        strict=True,
    )
    for example, rater, aspect, value, stage, time in columns:
        image, system = judged.keys[example]
        yield {
            "image": image,
            "caption": "",
            "system": system,
            "rater": judged.raters[rater],
            "aspect": judged.aspects[aspect],
            "rating": value,
            "stage": judged.stages[stage],
            "time": None if math.isnan(time) else time,
        }


def _several_humans(items: Sequence[Item]) -> frozenset[str]:
    """Images with a human caption in more items than one; a decision repeats its item's."""
    counts: dict[str, int] = {}
    for item in items:
        decision = item.stage == ADJUDICATION
        if not decision and any(HUMAN in systems for systems in item.sources.values()):
            counts[item.image] = counts.get(item.image, 0) + 1
    return frozenset(image for image, count in counts.items() if count > 1)


def _beside(item: Item) -> dict[str, str]:
    others = [s for systems in item.sources.values() for s in systems if s != HUMAN]
    return {HUMAN: f"{HUMAN} (beside {', '.join(others)})"}


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


def rater_rows(people: Iterable[Rater], *, identities: bool = False) -> Iterator[RowValues]:
    """Every rater, by pseudonym; names only where identities are asked for."""
    for one in people:
        row: RowValues = {
            "rater": one.pseudonym,
            "native": one.native,
            "state": one.state,
            "answered": one.answered,
            "seconds": one.seconds,
        }
        own = {"name": one.name, "email": one.email, "reason": one.reason}
        yield row | (own if identities else {})
