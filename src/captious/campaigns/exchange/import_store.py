"""Responses from elsewhere into the database, with slots and counters as if given here.

What is imported keeps its pseudonyms, keys and times. Nothing is validated against a form: the
files of others need not hold every answer that a form asks for.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, insert, select, update

from captious.campaigns.exchange.import_entry import ImportedSurveyAnswer, ImportedTrainingAnswer, store_entry
from captious.campaigns.records import Campaign, Draft
from captious.campaigns.setup.create import create_within, prepare_files
from captious.campaigns.store import log, schema
from captious.campaigns.store.columns import checked_id, storable
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import campaign_of, ids_of
from captious.errors import InputError, UnknownNameError
from captious.protocols import Answers
from captious.protocols.base import ADJUDICATION

BATCH = 500


class ImportedRater(NamedTuple):
    """A rater to be; `name` is the pseudonym where nothing else is known."""

    pseudonym: str
    name: str = ""
    email: str = ""
    native: bool = False
    state: str = "active"
    reason: str = ""
    created: float | None = None
    last_seen: float | None = None
    record: Mapping[str, Any] | None = None
    consent_version: str = ""
    consent_time: float | None = None


class ImportedResponse(NamedTuple):
    """A response to be; `id` and `replaces` are numbers of the file, `rater` "" an adjudicator."""

    id: int
    key: str
    item: str
    rater: str
    answers: Answers
    time: float
    seconds: float | None = None
    hints: tuple[str, ...] = ()
    kind: str = "answer"
    replaces: int | None = None
    actor: str = ""
    source: str = "import"
    outcome: Mapping[str, Any] | None = None
    untouched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """Everything that an import stores. `closed` items and `called_for` are by item key."""

    draft: Draft
    raters: Sequence[ImportedRater]
    responses: Sequence[ImportedResponse]
    state: str = "closed"
    created: float | None = None
    opened: float | None = None
    closed_at: float | None = None
    closed: Sequence[str] = ()
    called_for: Mapping[str, int] = field(default_factory=dict)
    training: Sequence[ImportedTrainingAnswer] = ()
    surveys: Sequence[ImportedSurveyAnswer] = ()


def store(db: Database, given: Imported, *, actor: str) -> Campaign:
    """Create the campaign and its responses in one transaction, after checking everything."""
    check(given)
    files = prepare_files(db, given.draft)

    def work(connection: Connection) -> Campaign:
        campaign = create_within(connection, given.draft, files, actor=actor, now=db.now())
        count = _Import(connection, campaign).run(given)
        stored = _set_state(connection, campaign, given, db.now())
        log.record(
            connection,
            actor,
            "import",
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"responses": count, "raters": len(given.raters)},
        )
        return stored

    return db.transact(work)


def check(given: Imported) -> None:
    """Refuse responses to items that are not there, by raters who are not, or told twice."""
    for item in given.draft.items:
        for text in (item.key, item.image, item.stage, item.balance):
            checked_id(text, "item")
    for one_rater in given.raters:
        checked_id(one_rater.pseudonym, "rater")
        for text in (one_rater.name, one_rater.email, one_rater.reason):
            storable(text, "rater")
    items = {item.key for item in given.draft.items}
    people = {one.pseudonym for one in given.raters}
    if len(people) < len(given.raters):
        raise InputError("raters: a pseudonym occurs twice. Give each rater one row.")
    before: set[int] = set()
    keys: set[tuple[str, str]] = set()
    for one in given.responses:
        author = "" if one.kind == "adjudication" else one.rater
        storable(one.key + one.actor, "response")
        if one.item not in items:
            raise UnknownNameError("item", one.item, sorted(items)[:20])
        if author and author not in people:
            raise UnknownNameError("rater", author, people)
        if one.replaces is not None and one.replaces not in before:
            raise InputError(f"response {one.id}: it replaces {one.replaces}, which does not come before it.")
        if one.id in before or (author, one.key) in keys:
            raise InputError(f'response {one.id}: it, or its key "{one.key}", is there twice.')
        before.add(one.id)
        keys.add((author, one.key))


def _set_state(connection: Connection, campaign: Campaign, given: Imported, now: float) -> Campaign:
    table = schema.campaign
    opened = given.opened if given.opened is not None else now
    closed = given.closed_at if given.closed_at is not None else now
    values = {
        "state": given.state,
        "opened": None if given.state == "draft" else opened,
        "closed": closed if given.state == "closed" else None,
    }
    if given.created is not None:
        values["created"] = given.created
    changed = update(table).where(table.c.id == campaign.id).values(**values)
    return campaign_of(connection.execute(changed.returning(table)).one())


class _Import:
    """One import on its way: which number of the file has become which of the database."""

    def __init__(self, connection: Connection, campaign: Campaign) -> None:
        self.connection, self.campaign = connection, campaign
        self.new_ids: dict[int, int] = {}
        self.slots: dict[tuple[int, int], int] = {}
        self.latest: dict[int, int] = {}
        self.items: dict[str, int] = {}
        self.images: dict[int, str] = {}
        self.raters: dict[str, int] = {}
        self.spent: dict[int, tuple[int, float, float]] = {}

    def run(self, given: Imported) -> int:
        """Store everything in one transaction; returns how many responses."""
        table = schema.item
        own = select(table.c.key, table.c.id, table.c.image).where(table.c.campaign_id == self.campaign.id)
        for key, id_, image in self.connection.execute(own):
            self.items[key], self.images[id_] = id_, image
        self._add_raters(given.raters)
        store_entry(self.connection, self.campaign, self.raters, given.training, given.surveys)
        batch: list[ImportedResponse] = []
        count = 0
        for one in given.responses:
            waits = one.replaces is not None and one.replaces not in self.new_ids
            if batch and (waits or len(batch) >= BATCH):
                self._add(batch)
                batch = []
            batch.append(one)
            count += 1
        if batch:
            self._add(batch)
        self._finish(given)
        return count

    def _add_raters(self, people: Sequence[ImportedRater]) -> None:
        rows = [
            {
                "campaign_id": self.campaign.id,
                "name": one.name or one.pseudonym,
                "email": one.email,
                "pseudonym": one.pseudonym,
                "native": one.native,
                "state": one.state,
                "reason": one.reason,
                "created": self.campaign.created if one.created is None else one.created,
                "last_seen": one.last_seen,
                "record": None if one.record is None else dict(one.record),
                "consent_version": one.consent_version,
                "consent_time": one.consent_time,
            }
            for one in people
        ]
        if rows:
            self.connection.execute(insert(schema.rater), rows)
        names = [one.pseudonym for one in people]
        self.raters = ids_of(self.connection, schema.rater, "pseudonym", self.campaign, names)

    def _add(self, batch: list[ImportedResponse]) -> None:
        self._add_slots(batch)
        table = schema.response
        rows: list[dict[str, Any]] = []
        for one in batch:
            item, rater = self._item(one), self._rater(one)
            rows.append(
                {
                    "campaign_id": self.campaign.id,
                    "item_id": item,
                    "rater_id": rater,
                    "assignment_id": self.slots[item, rater] if rater is not None else None,
                    "key": one.key,
                    "answers": one.answers,
                    "hints": list(one.hints),
                    "time": one.time,
                    "seconds": one.seconds,
                    "kind": one.kind,
                    "replaces": None if one.replaces is None else self.new_ids[one.replaces],
                    "source": one.source,
                    "actor": one.actor,
                    "outcome": None if one.outcome is None else dict(one.outcome),
                    "untouched": list(one.untouched) or None,
                }
            )
        returned = self.connection.execute(
            insert(table).returning(table.c.id, sort_by_parameter_order=True), rows
        ).scalars()
        for one, row, new in zip(batch, rows, returned, strict=True):
            self.new_ids[one.id] = new
            if row["assignment_id"] is not None:
                self.latest[row["assignment_id"]] = new
            if row["rater_id"] is not None and one.kind == "answer":
                number, seconds, last = self.spent.get(row["rater_id"], (0, 0.0, 0.0))
                spent = seconds + (one.seconds or 0.0)
                self.spent[row["rater_id"]] = (number + 1, spent, max(last, one.time))

    def _add_slots(self, batch: list[ImportedResponse]) -> None:
        """A slot for each item and rater that meet for the first time."""
        table = schema.assignment
        new: dict[tuple[int, int], dict[str, Any]] = {}
        for one in batch:
            item, rater = self._item(one), self._rater(one)
            if rater is None or (item, rater) in self.slots or (item, rater) in new:
                continue
            new[item, rater] = {
                "token": secrets.token_urlsafe(18),
                "campaign_id": self.campaign.id,
                "item_id": item,
                "rater_id": rater,
                "image": self.images[item],
                "state": "answered",
                "group_no": 0,
                "position": len(self.slots) + len(new),
                "held_until": one.time,
                "shown_at": one.time,
            }
        if new:
            ids = self.connection.execute(
                insert(table).returning(table.c.id, sort_by_parameter_order=True), [*new.values()]
            ).scalars()
            self.slots.update(zip(new, ids, strict=True))

    def _item(self, one: ImportedResponse) -> int:
        return self.items[one.item]

    def _rater(self, one: ImportedResponse) -> int | None:
        return None if one.kind == "adjudication" else self.raters[one.rater]

    def _finish(self, given: Imported) -> None:
        """Link slots to what stands, and count."""
        slot, item, rater = schema.assignment, schema.item, schema.rater
        links = [{"slot": key, "response": value} for key, value in self.latest.items()]
        if links:
            linked = update(slot).where(slot.c.id == bindparam("slot"))
            self.connection.execute(linked.values(response_id=bindparam("response")), links)
        spent = [
            {"own": key, "number": number, "spent": seconds, "last": last}
            for key, (number, seconds, last) in self.spent.items()
        ]
        if spent:
            self.connection.execute(
                update(rater)
                .where(rater.c.id == bindparam("own"))
                .values(
                    answered=bindparam("number"),
                    seconds=bindparam("spent"),
                    last_seen=func.coalesce(rater.c.last_seen, bindparam("last")),
                    groups=1,
                ),
                spent,
            )
        of_campaign = item.c.campaign_id == self.campaign.id
        standing = (
            select(func.count())
            .select_from(slot.join(rater, rater.c.id == slot.c.rater_id))
            .where(slot.c.item_id == item.c.id, slot.c.state == "answered", rater.c.state == "active")
            .scalar_subquery()
        )
        self.connection.execute(update(item).where(of_campaign).values(done=standing, taken=standing))
        self._close(given)
        self._count_labels()

    def _close(self, given: Imported) -> None:
        item = schema.item
        decided = (item.c.campaign_id == self.campaign.id) & (item.c.stage == ADJUDICATION)
        self.connection.execute(update(item).where(decided).values(closed=True, taken=1, done=1))
        closed = [{"own": self.items[key]} for key in given.closed if key in self.items]
        if closed:
            closing = update(item).where(item.c.id == bindparam("own")).values(closed=True)
            self.connection.execute(closing, closed)
        called = [
            {"own": self.items[key], "response": self.new_ids[old]}
            for key, old in given.called_for.items()
            if key in self.items and old in self.new_ids
        ]
        if called:
            linked = update(item).where(item.c.id == bindparam("own"))
            self.connection.execute(linked.values(from_response=bindparam("response")), called)

    def _count_labels(self) -> None:
        item, label = schema.item, schema.label
        taken = (
            select(func.coalesce(func.sum(item.c.taken), 0))
            .where(
                item.c.campaign_id == label.c.campaign_id,
                item.c.balance == label.c.name,
                item.c.is_check.is_(False),
            )
            .scalar_subquery()
        )
        self.connection.execute(
            update(label).where(label.c.campaign_id == self.campaign.id).values(taken=taken)
        )
