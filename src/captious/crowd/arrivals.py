"""A participant arrives, is let in or turned away, works, and leaves with the right code.

One participant is one rater of a campaign. Who comes again is let in only while the same place is
still open; quota, repeats and the list of excluded participants are checked in one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, insert, select, update

from captious.campaigns.people import raters
from captious.campaigns.people.raters import agreed
from captious.campaigns.records import Campaign, NewRater, Rater
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import rater_columns, rater_of
from captious.campaigns.work.assignment import desk
from captious.crowd import visits
from captious.crowd.studies import Stored
from captious.crowd.values import (
    GIVEN_BACK,
    Arrival,
    Completion,
    Outcome,
    PlaceState,
    Question,
    RefusalReason,
)
from captious.crowd.visits import Visit, is_blocked

ACTOR = "arrival"
TurnedReason = RefusalReason | Literal["closed", "paused", "draft", "full", "repeat", "blocked", "taken"]


@dataclass(frozen=True)
class TurnedAway:
    """Why a participant is not let in."""

    reason: TurnedReason


def begin(
    db: Database, stored: Stored, campaign: Campaign, arrival: Arrival, *, secret: bytes, fresh: bool = False
) -> Visit | TurnedAway:
    """The visit of someone who arrived: a new one, or theirs while the place is open.

    With `fresh` an id that came before is refused whatever became of it: a name on a sign-up page
    proves nothing.
    """
    found = _begin(db, stored, campaign, arrival, secret, fresh=fresh, store=True)
    if found is None:
        raise RuntimeError("an arrival was neither stored nor refused")
    return found


def look(
    db: Database, stored: Stored, campaign: Campaign, arrival: Arrival, *, secret: bytes
) -> Visit | TurnedAway | None:
    """As `begin`, without taking a place: None for someone who would be let in for the first time."""
    return _begin(db, stored, campaign, arrival, secret, fresh=False, store=False)


def _begin(
    db: Database,
    stored: Stored,
    campaign: Campaign,
    arrival: Arrival,
    secret: bytes,
    *,
    fresh: bool,
    store: bool,
) -> Visit | TurnedAway | None:
    def work(connection: Connection) -> Visit | TurnedAway | None:
        raters.lock_campaign(connection, campaign)
        if is_blocked(connection, stored.provider_name, arrival.participant, secret):
            return TurnedAway("blocked")
        everyone = visits.within(connection, stored.id)
        own = next((one for one in everyone if one.place == arrival.place), None)
        if own is not None and own.arrived is not None:
            return TurnedAway("taken") if fresh else _again(db, connection, stored, campaign, own, arrival)
        refusal = _refusal(db, connection, stored, campaign, arrival, everyone)
        if refusal is not None or not store:
            return refusal
        return _store(db, connection, stored, arrival, own)

    return db.transact(work)


def _again(
    db: Database, connection: Connection, stored: Stored, campaign: Campaign, own: Visit, arrival: Arrival
) -> Visit | TurnedAway:
    """Someone comes back to a place: theirs while it is open, or free again after it ran out."""
    if own.participant != arrival.participant:
        return TurnedAway("forged")
    if own.state == "active" and not own.outcome:
        return own
    if own.outcome or own.state != "timed_out" or stored.provider().has_service:
        return TurnedAway("over")
    everyone = visits.within(connection, stored.id)
    full = TurnedAway("full") if _is_full(db, connection, stored, everyone) else None
    refusal = _not_open(stored, campaign) or full
    if refusal is None:
        visits.take_again(connection, own, db.now())
    return refusal or visits.at_place(connection, stored.id, own.place) or own


def _refusal(
    db: Database,
    connection: Connection,
    stored: Stored,
    campaign: Campaign,
    arrival: Arrival,
    everyone: Sequence[Visit],
) -> TurnedAway | None:
    closed = _not_open(stored, campaign)
    if closed is not None:
        return closed
    earlier = [
        one
        for one in everyone
        if one.participant == arrival.participant and one.place != arrival.place and one.arrived is not None
    ]
    again = any(one.state not in GIVEN_BACK or one.outcome for one in earlier)
    if again and stored.study.repeat != "allowed":
        return TurnedAway("repeat")
    if _took_part_elsewhere(connection, stored, arrival.participant):
        return TurnedAway("repeat")
    if _is_full(db, connection, stored, everyone):
        return TurnedAway("full")
    return None


def _not_open(stored: Stored, campaign: Campaign) -> TurnedAway | None:
    if stored.state != "open":
        return TurnedAway(stored.state)
    if campaign.state != "open":
        return TurnedAway(campaign.state)
    return None


def _is_full(db: Database, connection: Connection, stored: Stored, everyone: Sequence[Visit]) -> bool:
    """Whether every place is taken. A provider with a service counts its places itself."""
    if stored.provider().has_service:
        return False
    late = time_out(connection, stored, everyone, db.now())
    return sum(one.taken for one in everyone) - late >= stored.study.places


def time_out(connection: Connection, stored: Stored, everyone: Sequence[Visit], now: float) -> int:
    """Free the places of participants who have been away too long; how many."""
    limit = now - visits.allowed_seconds(stored.study)
    late = [
        one
        for one in everyone
        if one.state == "active" and not one.outcome and one.arrived is not None and one.arrived < limit
    ]
    for one in late:
        visits.give_back(connection, one, "timed_out", "the place timed out")
    return len(late)


def _took_part_elsewhere(connection: Connection, stored: Stored, participant: str) -> bool:
    """Whether the participant has worked in another study that this one must not repeat."""
    if stored.study.repeat == "allowed":
        return False
    place, study = schema.crowd_place, schema.crowd_study
    wanted = (
        select(place.c.id)
        .join(study, study.c.id == place.c.study_id)
        .where(
            place.c.participant == participant,
            place.c.study_id != stored.id,
            study.c.provider == stored.provider_name,
            place.c.rater_id.is_not(None),
            place.c.state.not_in(GIVEN_BACK),
        )
    )
    if stored.study.repeat == "campaign":
        wanted = wanted.where(study.c.campaign_id == stored.campaign_id)
    return connection.execute(wanted.limit(1)).first() is not None


def _store(
    db: Database, connection: Connection, stored: Stored, arrival: Arrival, own: Visit | None
) -> Visit | TurnedAway:
    values: dict[str, Any] = {
        "participant": arrival.participant,
        "state": "active",
        "checked": arrival.checked,
        "arrived": db.now(),
        "detail": dict(arrival.detail),
    }
    if own is not None and own.participant != arrival.participant:
        return TurnedAway("forged")
    if own is not None:
        visits.change(connection, own.id, **values)
    else:
        row = values | {"study_id": stored.id, "place": arrival.place}
        connection.execute(insert(schema.crowd_place).values(**row))
    found = visits.at_place(connection, stored.id, arrival.place)
    if found is None:
        raise RuntimeError("the visit that was just stored is gone")
    return found


def wrong(questions: Sequence[Question], given: Sequence[str]) -> list[int]:
    """Which questions are not answered as they must be, by number.

    >>> wrong([Question("Do you see colours?", ("yes", "no"), ("yes",))], ["no"])
    [0]
    """
    return [at for at, question in enumerate(questions) if given[at] not in question.right]


def fail_once(db: Database, stored: Stored, visit: Visit) -> int:
    """Count a failed try at the comprehension questions; how many tries are left.

    After the last one the visit has failed.
    """
    with db.write() as connection:
        visits.change(connection, visit.id, tries=visit.tries + 1)
    left = stored.study.attempts - visit.tries - 1
    if left <= 0:
        end(db, stored, visit, "failed")
    return max(0, left)


# Where there is no service that a place is handed in to, its state follows from how it ended.
_ENDED: dict[Outcome, PlaceState] = {
    "completed": "submitted",
    "screened_out": "screened_out",
    "failed": "returned",
    "full": "returned",
}


def end(db: Database, stored: Stored, visit: Visit, outcome: Outcome) -> None:
    """Store how a visit ended."""
    values: dict[str, Any] = {"outcome": outcome, "finished": db.now()}
    if not stored.provider().has_service:
        values["state"] = _ENDED[outcome]
    with db.write() as connection:
        visits.change(connection, visit.id, **values)


def ended_visit(db: Database, stored: Stored, arrival: Arrival) -> Visit | None:
    """The visit of an arrival that has ended: its participant may see the last page again."""
    with db.read() as connection:
        found = visits.at_place(connection, stored.id, arrival.place)
    return found if found is not None and found.outcome and found.participant == arrival.participant else None


def admit(db: Database, stored: Stored, campaign: Campaign, visit: Visit, *, consent: str = "") -> Rater:
    """The rater of a participant, who is asked for as many answers as a place has."""

    def work(connection: Connection) -> Rater:
        table = schema.rater
        raters.lock_campaign(connection, campaign)
        rater_id = visit.rater_id or _earlier_rater(connection, stored, visit.participant)
        if rater_id is None:
            new = [NewRater(visit.participant)]
            quota = stored.study.answers
            added = raters.add_within(connection, campaign, new, actor=ACTOR, now=db.now(), quota=quota)
            rater_id = added[0].id
        elif visit.rater_id is None:
            # Another place of the same participant: as many answers again.
            put = table.c.answered + stored.study.answers
            connection.execute(update(table).where(table.c.id == rater_id).values(quota=put))
        values: dict[str, Any] = {"last_seen": db.now()}
        if consent:
            own = raters.of_id(connection, campaign.id, rater_id)
            values |= agreed(connection, campaign, own, now=db.now())
        connection.execute(update(table).where(table.c.id == rater_id).values(**values))
        visits.change(connection, visit.id, rater_id=rater_id)
        row = connection.execute(select(*rater_columns).where(table.c.id == rater_id)).one()
        return rater_of(row)

    return db.transact(work)


def _earlier_rater(connection: Connection, stored: Stored, participant: str) -> int | None:
    place, study = schema.crowd_place, schema.crowd_study
    wanted = (
        select(place.c.rater_id)
        .join(study, study.c.id == place.c.study_id)
        .where(
            place.c.participant == participant,
            place.c.rater_id.is_not(None),
            study.c.campaign_id == stored.campaign_id,
            study.c.provider == stored.provider_name,
        )
        .order_by(place.c.id.desc())
        .limit(1)
    )
    return connection.execute(wanted).scalar()


def finish(db: Database, stored: Stored, campaign: Campaign, visit: Visit) -> Outcome | None:
    """How a visit ends, stored; None while there is work left for the participant.

    Work is handed out here where some is left. Who comes when nothing is left has completed what
    there was, or, without a single answer, came too late.
    """
    outcome = settle(db, stored, campaign, visit)
    if outcome is not None or visit.rater_id is None:
        return outcome
    found = desk(db, raters.find(db, campaign, visit.rater_id))
    if found.tasks:
        return None
    outcome = "completed" if found.progress.answered else "full"
    end(db, stored, visit, outcome)
    return outcome


def settle(db: Database, stored: Stored, campaign: Campaign, visit: Visit) -> Outcome | None:
    """How a visit has ended by what is stored, whether the participant saw the last page or not."""
    if visit.outcome or visit.rater_id is None:
        return visit.outcome or None
    rater = raters.find(db, campaign, visit.rater_id)
    outcome: Outcome | None = None
    if rater.state == "removed" and not rater.works:
        outcome = "failed"
    elif rater.quota is not None and rater.answered >= rater.quota:
        outcome = "completed"
    if outcome is not None:
        end(db, stored, visit, outcome)
    return outcome


def completion(stored: Stored, visit: Visit, outcome: Outcome) -> Completion:
    """Where the participant goes, and with which code."""
    return stored.provider().completion(stored.study, stored.published_at(), visit.as_arrival(), outcome)
