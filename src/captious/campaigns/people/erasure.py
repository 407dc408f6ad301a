"""Erasing raters: all that tells who they were goes, their answers stay and count as before.

What goes: name, address, nickname, links, sessions, consent, surveys, training, recordings, notes, drafts,
flags, the participant's id at a provider, and every mention in the log. The pseudonym becomes `erased-1`,
`erased-2`, …, in the results too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, Text, delete, func, select, type_coerce, update

from captious.campaigns.exchange.references import KIND
from captious.campaigns.people.board import NICKNAME
from captious.campaigns.people.raters import lock_campaign, of_id
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log, recordings, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.erasing import erasing, finish, let_go
from captious.campaigns.work.claims import give_back
from captious.errors import InputError
from captious.protocols.questions import RECORDING

DAY = 24 * 3600.0
_PLACES_AT_WORK = ("active", "submitted")


class Stored(NamedTuple):
    """What is stored of a rater, counted."""

    answers: int
    surveys: int
    training: int
    recordings: int
    notes: int
    sessions: int


def erase(db: Database, rater: Rater, *, actor: str = "") -> Rater:
    """Erase a rater; without an `actor` they do it themselves. Erased again, nothing changes."""
    found = _erased(db, rater, actor)
    finish(db)
    return found


def erase_due(db: Database) -> int:
    """Erase the raters of campaigns that closed longer ago than their settings keep them; how many."""
    erased = 0
    for campaign in lifecycle.listed(db):
        days = campaign.settings.retention_days
        if days and campaign.state == "closed" and (campaign.closed or 0.0) + days * DAY < db.now():
            for rater in _kept(db, campaign):
                _erased(db, rater, "retention")
                erased += 1
    if erased:
        finish(db)
    return erased


def stored_of(db: Database, rater: Rater) -> Stored:
    """How much is stored of a rater."""
    tables = (schema.response, schema.survey_answer, schema.training_answer, schema.note, schema.session)
    with db.read() as connection:
        answers, surveys, training, notes, sessions = (
            _count(connection, table, rater.id) for table in tables
        )
        spoken = len(_recordings(connection, rater.id))
    return Stored(answers, surveys, training, spoken, notes, sessions)


def _count(connection: Connection, table: Table, rater_id: int) -> int:
    wanted = select(func.count()).select_from(table).where(table.c.rater_id == rater_id)
    return int(connection.execute(wanted).scalar_one())


def _kept(db: Database, campaign: Campaign) -> list[Rater]:
    table = schema.rater
    wanted = select(table.c.id).where(table.c.campaign_id == campaign.id, table.c.erased.is_(None))
    wanted = wanted.order_by(table.c.id)
    with db.read() as connection:
        return [of_id(connection, campaign.id, found) for found in connection.execute(wanted).scalars().all()]


def _erased(db: Database, rater: Rater, actor: str) -> Rater:
    campaign = lifecycle.by_id(db, rater.campaign_id)
    table = schema.rater

    def work(connection: Connection) -> Rater:
        lock_campaign(connection, campaign)
        known = of_id(connection, campaign.id, rater.id)
        if known.erased is not None:
            return known
        _refuse_unpaid(connection, known)
        new = _new_pseudonym(connection, campaign)
        _free_slots(connection, known)
        names = _names_of(connection, known)
        spoken = _recordings(connection, known.id)
        let_go(recordings.path_of(db, name) for name in spoken)
        _forget_recordings(connection, known, spoken)
        _forget_rows(connection, known)
        _forget_mentions(connection, known, names, new)
        _rename_in_items(connection, known, new)
        _forget_crowd(connection, known, names)
        record = {key: value for key, value in (known.record or {}).items() if key != NICKNAME}
        values = {
            "name": "",
            "email": "",
            "pseudonym": new,
            "reason": "",
            "link_version": table.c.link_version + 1,
            "last_seen": None,
            "record": record or None,
            "consent_version": "",
            "consent_time": None,
            "entry": "",
            "erased": db.now(),
        }
        connection.execute(update(table).where(table.c.id == known.id).values(**values))
        log.record(
            connection, actor or new, "erase rater", time=db.now(), campaign_id=campaign.id, subject=new
        )
        return of_id(connection, campaign.id, known.id)

    return erasing(db, work, campaign.id, rater.id)


def _new_pseudonym(connection: Connection, campaign: Campaign) -> str:
    table = schema.rater
    wanted = select(table.c.pseudonym).where(table.c.campaign_id == campaign.id)
    taken = set(connection.execute(wanted).scalars())
    return next(name for n in count(1) if (name := f"erased-{n}") not in taken)


def _refuse_unpaid(connection: Connection, rater: Rater) -> None:
    """Who is still to be paid by a provider is found there by what would be erased."""
    place = schema.crowd_place
    wanted = select(place.c.id).where(place.c.rater_id == rater.id, place.c.state.in_(_PLACES_AT_WORK))
    if connection.execute(wanted.limit(1)).first():
        raise InputError(
            f"{rater.pseudonym}: the participant's place at the provider is not settled yet. "
            "Approve or reject it first."
        )


def _free_slots(connection: Connection, rater: Rater) -> None:
    own = schema.assignment
    held = select(own.c.id, own.c.item_id).where(own.c.rater_id == rater.id, own.c.state == "held")
    rows = connection.execute(held).all()
    if rows:
        give_back(connection, rater.campaign_id, rows, "released")
    connection.execute(update(own).where(own.c.rater_id == rater.id).values(draft=None))


def _recordings(connection: Connection, rater_id: int) -> list[str]:
    table = schema.response
    rows = connection.execute(select(table.c.answers, table.c.outcome).where(table.c.rater_id == rater_id))
    found = {one for row in rows for one in _texts(list(row)) if RECORDING.fullmatch(one)}
    if not found:
        return []
    # A recording that another rater has sent too, byte for byte, is theirs as well.
    others = connection.execute(select(table.c.answers).where(table.c.rater_id != rater_id)).scalars()
    return sorted(found - {one for answers in others for one in _texts(answers)})


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [found for one in inner for found in _texts(one)]


def _forget_recordings(connection: Connection, rater: Rater, names: Sequence[str]) -> None:
    """Rows of the recordings go, and every place that names one; items that ask to hear one are closed."""
    table, item = schema.response, schema.item
    if names:
        sound = schema.recording
        own = (sound.c.campaign_id == rater.campaign_id) & sound.c.name.in_(names)
        connection.execute(delete(sound).where(own))
    gone = re.compile("|".join(re.escape(name.split(".")[0]) + r"(\.\w+)?" for name in names) or r"(?!)")
    rows = connection.execute(
        select(table.c.id, table.c.answers, table.c.outcome).where(table.c.rater_id == rater.id)
    ).all()
    for row in rows:
        values: dict[str, Any] = {"key": f"erased-{row.id}"}  # a client may have written anything there
        if names:
            values |= {"answers": _without(row.answers, gone, ""), "outcome": _without(row.outcome, gone, "")}
        connection.execute(update(table).where(table.c.id == row.id).values(**values))
    if not names:
        return
    asked = select(item.c.id, item.c.key, item.c.content).where(item.c.campaign_id == rater.campaign_id)
    for row in connection.execute(asked).all():
        if row.content.get("recording") in names:
            values = {"key": f"erased/{row.id}", "content": _without(row.content, gone, ""), "closed": True}
            connection.execute(update(item).where(item.c.id == row.id).values(**values))


def _forget_rows(connection: Connection, rater: Rater) -> None:
    """Rows that are about the rater and count in no result."""
    for table in (
        schema.survey_answer,
        schema.training_answer,
        schema.flag,
        schema.link_use,
        schema.session,
        schema.searched,
    ):
        connection.execute(delete(table).where(table.c.rater_id == rater.id))
    note, kept = schema.note, schema.snapshot
    connection.execute(update(note).where(note.c.rater_id == rater.id).values(text=""))
    # Statistics that were kept name raters; they are computed again.
    own = (kept.c.campaign_id == rater.campaign_id) & (kept.c.kind != KIND)
    connection.execute(delete(kept).where(own))


def _names_of(connection: Connection, rater: Rater) -> list[str]:
    """Whatever texts elsewhere may call the rater."""
    place = schema.crowd_place
    wanted = select(place.c.place, place.c.participant).where(place.c.rater_id == rater.id)
    remote = [name for row in connection.execute(wanted) for name in row]
    nickname = str((rater.record or {}).get(NICKNAME, ""))
    given = [rater.pseudonym, rater.name, rater.email, nickname, *remote]
    return sorted({name for name in given if name}, key=len, reverse=True)


def _forget_mentions(connection: Connection, rater: Rater, names: Sequence[str], new: str) -> None:
    """The log and the flags of others speak of the new name; reasons that were typed about the rater go."""
    table, flag = schema.log, schema.flag
    named = _any_of(names)
    for row in connection.execute(select(table).where(table.c.campaign_id == rater.campaign_id)).all():
        about = rater.pseudonym in (row.subject, row.actor)
        detail = {key: value for key, value in row.detail.items() if not (about and key == "reason")}
        values = {
            "actor": new if row.actor == rater.pseudonym else row.actor,
            "subject": _without(row.subject, named, new) if about else row.subject,
            "detail": _without(detail, named, new),
        }
        if any(values[name] != getattr(row, name) for name in values):
            connection.execute(update(table).where(table.c.id == row.id).values(**values))
    for row in connection.execute(select(flag).where(flag.c.campaign_id == rater.campaign_id)).all():
        values = {
            "explanation": _without(row.explanation, named, new),
            "evidence": _without(row.evidence, named, new),
        }
        connection.execute(update(flag).where(flag.c.id == row.id).values(**values))


def _rename_in_items(connection: Connection, rater: Rater, new: str) -> None:
    """Items say by pseudonym who must or must not be given them, and what was made of answers may too."""
    exactly = re.compile(rf"^{re.escape(rater.pseudonym)}$")
    for table, name in ((schema.item, "content"), (schema.response, "outcome")):
        column = table.c[name]
        mentioned = type_coerce(column, Text).contains(f'"{rater.pseudonym}"', autoescape=True)
        found = select(table.c.id, column).where(table.c.campaign_id == rater.campaign_id, mentioned)
        for id_, value in connection.execute(found).all():
            values = {name: _without(value, exactly, new)}
            connection.execute(update(table).where(table.c.id == id_).values(**values))


def _forget_crowd(connection: Connection, rater: Rater, names: Sequence[str]) -> None:
    place, call = schema.crowd_place, schema.crowd_call
    rows = connection.execute(select(place.c.id, place.c.study_id).where(place.c.rater_id == rater.id)).all()
    if not rows:
        return
    named = _any_of(names)
    for row in rows:
        gone = {"place": f"erased-{row.id}", "participant": "", "detail": {}}
        connection.execute(update(place).where(place.c.id == row.id).values(**gone))
    studies = {row.study_id for row in rows}
    for made in connection.execute(select(call).where(call.c.study_id.in_(studies))).all():
        values = {
            name: _without(getattr(made, name), named, f"erased-{made.id}")
            for name in ("key", "request", "result", "note")
        }
        connection.execute(update(call).where(call.c.id == made.id).values(**values))


def _any_of(names: Sequence[str]) -> re.Pattern[str]:
    """Any of the names, as words of their own."""
    spelled = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)
    return re.compile(spelled or r"(?!)", re.IGNORECASE)


def _without(value: Any, named: re.Pattern[str], new: str) -> Any:
    """The value with another name in every text of it."""
    if isinstance(value, str):
        return named.sub(new, value)
    if isinstance(value, dict):
        return {_without(key, named, new): _without(one, named, new) for key, one in value.items()}
    if isinstance(value, list):
        return [_without(one, named, new) for one in value]
    return value
