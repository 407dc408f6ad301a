"""Where a campaign stands: what is missing, who can give it, who is stuck, time and money."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from sqlalchemy import select

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.results import forecast
from captious.campaigns.results.analysis import RECENT, Overview, overview
from captious.campaigns.results.feasibility import Reach, reach
from captious.campaigns.results.forecast import Worker
from captious.campaigns.results.workforce import Person, Workforce, workforce
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot

STANDING = "standing"
BEING_WORKED_OUT = "it is being computed"
# Someone who has work and has not been seen for so long is not coming by today.
IDLE = 24 * 3600.0
Why = Literal["never came", "idle", "out of work", "waits", "quota reached"]


@dataclass(frozen=True)
class Stuck:
    """An active rater from whom nothing is to be expected now, and why.

    `since`: when they were last seen; `until`: when the next task of theirs may be given, or until
    when they hold `held` tasks that nobody else can be given.
    """

    rater: str
    why: Why
    room: int
    held: int
    since: float | None
    until: float | None


@dataclass(frozen=True)
class Money:
    """What has been earned so far, and what that is an hour; None where no pay is set."""

    spent: float | None
    hourly: float | None
    wanted_hourly: float | None
    currency: str
    hours: float


@dataclass(frozen=True)
class Standing:
    """`unknown` says why there is no `hours_left`; `able` raters have something left to do."""

    reach: Reach
    able: int
    hours_left: float | None
    unknown: str
    waits_until: float | None
    stuck: tuple[Stuck, ...]
    money: Money

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"can_finish": self.reach.can_finish}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Standing:
        """What `to_dict` kept."""
        values = {name: value for name, value in kept.items() if name in _FIELDS}
        return cls(
            **values
            | {
                "reach": Reach(**kept["reach"]),
                "stuck": tuple(Stuck(**one) for one in kept["stuck"]),
                "money": Money(**kept["money"]),
            }
        )


_FIELDS = tuple(one.name for one in fields(Standing))


def standing_snapshot(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> Snapshot:
    """Where a campaign stands, kept with its time: for those with so many items that a page cannot wait."""

    def compute() -> Content:
        return standing(db, campaign, overview(db, campaign)).to_dict()

    return snapshots.current(db, campaign, STANDING, compute, fresh_within=fresh_within, wait=wait)


def not_yet(db: Database, campaign: Campaign) -> Standing:
    """What stands in for the first reckoning of a large campaign."""
    money_so_far = money(campaign, raters.listed(db, campaign))
    return Standing(Reach(0, 0, 0, 0), 0, None, BEING_WORKED_OUT, None, (), money_so_far)


def standing(db: Database, campaign: Campaign, view: Overview) -> Standing:
    """Where a campaign stands now; `view` are its counts."""
    people = raters.listed(db, campaign)
    now = db.now()
    with db.read() as connection:
        work = workforce(connection, campaign, people, now=now)
    to_come = max(0, view.to_come)
    able = work.able
    found = reach(
        work.units,
        [person.room for person in able],
        of_new=work.of_new,
        # Later stages may be for other raters than the first: nobody checks their own work.
        at_least=campaign.rules().raters_needed(()) if to_come else 0,
        able=len([person for person in work.people if person.quota_left != 0]),
    )
    left = found.missing + to_come
    hours = forecast.hours_left(left, _workers(db, campaign, able, to_come)) if found.can_finish else None
    return Standing(
        reach=found,
        able=len(able),
        hours_left=hours,
        unknown="" if hours is not None else _unknown(found, able),
        waits_until=min((one.waits_until for one in able if one.waits_until), default=None),
        stuck=tuple(_stuck(work, now)) if left and campaign.state == "open" else (),
        money=money(campaign, people),
    )


def _workers(db: Database, campaign: Campaign, able: Sequence[Person], to_come: int) -> list[Worker]:
    """The pace of each who can still work: of their latest responses, else of all of theirs."""
    ids = {person.rater.id for person in able}
    table = schema.response.c
    latest = (
        select(table.rater_id, table.time)
        .where(table.campaign_id == campaign.id, table.rater_id.in_(ids), table.kind == "answer")
        .order_by(table.id.desc())
        .limit(RECENT * max(1, len(ids)))
    )
    times: dict[int, list[float]] = defaultdict(list)
    with db.read() as connection:
        for rater, time in connection.execute(latest):
            times[rater].append(time)
    return [
        Worker(forecast.per_hour(sorted(times[one.rater.id])) or _all_along(one.rater), one.room + to_come)
        for one in able
    ]


def _all_along(rater: Rater) -> float | None:
    return 3600 * rater.answered / rater.seconds if rater.answered and rater.seconds else None


def _unknown(found: Reach, able: Sequence[Person]) -> str:
    if found.more_raters:
        return "more raters are needed first"
    if found.orphaned:
        return "only raters who are gone could give some of it"
    if not able:
        return "no rater has anything left to rate"
    return "the raters who can continue have not answered enough to estimate their pace"


def _stuck(work: Workforce, now: float) -> list[Stuck]:
    found = []
    for person in work.people:
        why = _why(person, now)
        if why is not None:
            until = person.waits_until if why == "waits" else person.held_until
            one = person.rater
            found.append(Stuck(one.pseudonym, why, person.room, person.held, one.last_seen, until))
    return found


def _why(person: Person, now: float) -> Why | None:
    one = person.rater
    if person.quota_left == 0:
        return "quota reached"
    if not person.room:
        return "out of work"
    if one.last_seen is None and not one.answered:
        return "never came" if now - one.created > IDLE else None
    if person.waits_until is not None and person.waits_until > now and not person.held:
        return "waits"
    if now - (one.last_seen or one.created) > IDLE:
        return "idle"
    return None


def money(campaign: Campaign, people: Sequence[Rater]) -> Money:
    """What the answers so far have earned: removed raters' too, for they worked."""
    settings = campaign.settings
    answered = sum(one.answered for one in people)
    hours = sum(one.seconds for one in people) / 3600
    spent = None
    if settings.payment_per_response is not None:
        spent = settings.payment_per_response * answered
    elif settings.hourly_wage is not None:
        spent = settings.hourly_wage * hours
    hourly = spent / hours if spent is not None and hours else None
    return Money(spent, hourly, settings.hourly_wage, settings.currency, hours)
