"""The provider's places against our visits: what was given back is reclaimed, what is due is listed.

Nothing here costs money. Running it twice changes nothing more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, insert

from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work.removal import take_out
from captious.crowd import arrivals, visits
from captious.crowd.studies import Stored
from captious.crowd.values import GIVEN_BACK, Place, PlaceState
from captious.crowd.visits import Visit

_REASONS: dict[PlaceState, str] = {
    "returned": "the participant returned the place",
    "timed_out": "the place timed out",
    "rejected": "the work was rejected",
    "screened_out": "the participant was screened out",
}
# Handed in without the work being done here, with the code of another end, by someone who had a place
# already, by someone who failed a check or was removed for their work; done here and given back there; ids
# that the provider denies.
ReviewReason = Literal[
    "unfinished", "wrong code", "duplicate", "failed", "removed", "done but not handed in", "forged"
]


@dataclass(frozen=True)
class Review:
    """A place that a person should look at."""

    visit: Visit
    reason: ReviewReason


@dataclass(frozen=True)
class Reconciled:
    """What was found: places by state, those due for approval, those to look at, how many came back."""

    counts: dict[PlaceState, int]
    due: tuple[Visit, ...]
    review: tuple[Review, ...]
    reclaimed: int


def reconcile(db: Database, stored: Stored) -> Reconciled:
    """Bring our visits in line with the provider, and say what is left to do."""
    campaign = lifecycle.by_id(db, stored.campaign_id)
    provider = stored.provider()
    wrong: dict[str, ReviewReason] = {}
    if provider.has_service:
        places = provider.places(stored.study, stored.published_at())
        patience = provider.unlisted_seconds(stored.study)
        limit = None if patience is None else db.now() - patience
        reclaimed, wrong = db.transact(lambda connection: _merge(connection, stored, places, limit))
    else:
        reclaimed = db.transact(
            lambda connection: arrivals.time_out(
                connection, stored, visits.within(connection, stored.id), db.now()
            )
        )
    for visit in visits.of_study(db, stored.id):
        if visit.state not in GIVEN_BACK:
            arrivals.settle(db, stored, campaign, visit)
    return known_now(db, stored, wrong, reclaimed)


def known_now(
    db: Database, stored: Stored, wrong: Mapping[str, ReviewReason] | None = None, reclaimed: int = 0
) -> Reconciled:
    """How the places stand by what is stored here; nobody is asked."""
    campaign = lifecycle.by_id(db, stored.campaign_id)
    everyone = visits.of_study(db, stored.id)
    removed = {one.id for one in raters.listed(db, campaign) if one.state == "removed"}
    review = tuple(_to_look_at(stored, everyone, wrong or {}, removed))
    looked_at = {one.visit.id for one in review}
    due = [one for one in everyone if _is_due(one) and one.id not in looked_at]
    return Reconciled(dict(Counter(one.state for one in everyone)), tuple(due), review, reclaimed)


def _is_due(visit: Visit) -> bool:
    return visit.outcome == "completed" and visit.state == "submitted"


def _merge(
    connection: Connection, stored: Stored, places: Sequence[Place], limit: float | None
) -> tuple[int, dict[str, ReviewReason]]:
    """Take over the states of the provider's list; a place that is in it twice counts once.

    Who came before `limit` and is not in the list has given the place back, or made the ids up.
    """
    known = {one.place: one for one in visits.within(connection, stored.id)}
    reclaimed = 0
    wrong: dict[str, ReviewReason] = {}
    for place in {one.id: one for one in places}.values():
        visit = known.pop(place.id, None)
        if visit is None:
            _add(connection, stored, place)
        elif visit.participant != place.participant:
            wrong[place.id] = "forged"
            _deny(connection, visit)
            visits.change(connection, visit.id, state=place.state, participant=place.participant)
        else:
            reclaimed += _follow(connection, visit, place)
            code = stored.study.codes.get(visit.outcome) if visit.outcome else None
            if place.state == "submitted" and place.code and code and place.code != code:
                wrong[place.id] = "wrong code"
    for visit in known.values():
        if limit is not None and visit.state == "active" and (visit.arrived or 0.0) < limit:
            reclaimed += _never_handed_in(connection, visit)
    return reclaimed, wrong


def _never_handed_in(connection: Connection, visit: Visit) -> int:
    """The time to hand the place in is over: another may have it, and what was answered does not count."""
    if visit.outcome == "completed":
        _deny(connection, visit)
        visits.change(connection, visit.id, state="timed_out")
    else:
        visits.give_back(connection, visit, "timed_out", _REASONS["timed_out"])
    return 1


def _deny(connection: Connection, visit: Visit) -> None:
    """The ids were not the visitor's own: what they answered does not count."""
    if visit.rater_id is not None:
        take_out(connection, visit.rater_id, "removed", "the provider does not confirm the participant")


def _follow(connection: Connection, visit: Visit, place: Place) -> int:
    """Take over a state; 1 where the place came back to us by it."""
    if visit.state == place.state:
        if not visit.checked and place.state != "active":
            visits.change(connection, visit.id, checked=True)
        return 0
    visits.change(connection, visit.id, checked=True)
    if place.state in GIVEN_BACK and visit.outcome != "completed":
        visits.give_back(connection, visit, place.state, _REASONS[place.state])
        return 1
    visits.change(connection, visit.id, state=place.state)
    return 0


def _add(connection: Connection, stored: Stored, place: Place) -> None:
    """A place that nobody has come for yet; it is counted, and known when they come."""
    values: dict[str, Any] = {
        "study_id": stored.id,
        "place": place.id,
        "participant": place.participant,
        "state": place.state,
        "detail": {},
    }
    connection.execute(insert(schema.crowd_place).values(**values))


def _to_look_at(
    stored: Stored, everyone: Sequence[Visit], wrong: Mapping[str, ReviewReason], removed: set[int]
) -> list[Review]:
    found = []
    once = stored.study.repeat != "allowed"
    seen: set[str] = set()
    for visit in everyone:
        reason = wrong.get(visit.place) or _reason(
            visit, repeat=once and visit.participant in seen, removed=visit.rater_id in removed
        )
        if reason is not None:
            found.append(Review(visit, reason))
        if visit.state not in GIVEN_BACK:
            seen.add(visit.participant)
    return found


def _reason(visit: Visit, *, repeat: bool, removed: bool) -> ReviewReason | None:
    """Why a person should look at a place, None where there is nothing to see."""
    if visit.state in ("returned", "timed_out") and visit.outcome == "completed":
        return "done but not handed in"
    if visit.state != "submitted":
        return None
    if repeat:
        return "duplicate"
    if visit.outcome == "completed":
        return "removed" if removed else None
    return "failed" if visit.outcome == "failed" else "unfinished"
