"""The rest of a campaign: what is missing, who can give it, who is stuck, time and money."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.results import forecast
from captious.campaigns.results.analysis import RECENT, Overview, overview
from captious.campaigns.results.forecast import Reach, Unit, Worker, reach
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Content, Snapshot

_ITEM, _SLOT, _LIMIT = schema.item.c, schema.assignment.c, schema.item_rater.c


@dataclass
class Person:
    """A rater who counts: what they have room for, hold and wait for."""

    rater: Rater
    room: int = 0
    held: int = 0
    held_until: float | None = None
    waits_until: float | None = None

    @property
    def quota_left(self) -> int | None:
        """How many more answers they are asked for; None: as many as there are."""
        return None if self.rater.quota is None else max(0, self.rater.quota - self.rater.answered)


@dataclass
class _Unit:
    """An item, or all items of an image, that lack answers."""

    missing: int = 0
    items: set[int] = field(default_factory=set)
    restricted: bool = False
    used: set[int] = field(default_factory=set)
    forbidden: set[int] = field(default_factory=set)
    allowed: dict[int, float] = field(default_factory=dict)

    def free(self, able: set[int]) -> set[int]:
        """Who of the able may still be given it, today or later."""
        if self.restricted:
            return able & self.allowed.keys()
        return able - self.used - self.forbidden


@dataclass(frozen=True)
class Workforce:
    """The work that is missing, and the people for it. A new rater has room for `of_new` answers."""

    units: tuple[Unit, ...]
    people: tuple[Person, ...]
    of_new: int

    @property
    def able(self) -> list[Person]:
        """Those who have something left to do."""
        return [person for person in self.people if person.room]


def workforce(
    connection: Connection, campaign: Campaign, raters: Iterable[Rater], *, now: float
) -> Workforce:
    """The units that lack answers and the active raters, with what each may still be given."""
    rules = campaign.rules()
    units = _open_units(connection, campaign, by_image=rules.once_per_image)
    people = {one.id: Person(one) for one in raters if one.state == "active" and one.erased is None}
    able = {id_ for id_, person in people.items() if person.quota_left != 0}
    seen = _mark(connection, campaign, units, by_image=rules.once_per_image)
    images = _images(connection, campaign) if rules.once_per_image else 0
    free_of: dict[int, int] = defaultdict(int)
    shown = []
    for unit in units.values():
        free = unit.free(able)
        for id_ in free:
            free_of[id_] += 1
            later = unit.allowed.get(id_, 0.0)
            if unit.restricted and later > now:
                person = people[id_]
                person.waits_until = min(later, person.waits_until or later)
        shown.append(Unit(unit.missing, len(free), unit.restricted))
    for id_, person in people.items():
        free_units = free_of[id_]
        other = max(0, images - seen.get(id_, 0) - free_units)
        most = rules.most_answers(free_units, other)
        person.room = most if person.quota_left is None else min(most, person.quota_left)
    _add_holds(connection, campaign, people, now)
    open_units = sum(not unit.restricted for unit in units.values())
    of_new = rules.most_answers(open_units, max(0, images - open_units))
    return Workforce(tuple(shown), tuple(people.values()), of_new)


def _lacking(campaign: Campaign) -> ColumnElement[bool]:
    return and_(
        _ITEM.campaign_id == campaign.id,
        _ITEM.is_check.is_(False),
        _ITEM.closed.is_(False),
        _ITEM.done < _ITEM.target,
    )


def _open_units(
    connection: Connection, campaign: Campaign, *, by_image: bool
) -> dict[tuple[str, int | str], _Unit]:
    found: dict[tuple[str, int | str], _Unit] = {}
    wanted = select(_ITEM.id, _ITEM.image, _ITEM.target - _ITEM.done, _ITEM.restricted)
    for id_, image, missing, restricted in connection.execute(wanted.where(_lacking(campaign))):
        unit = found.setdefault(_key(id_, image, by_image and not restricted), _Unit())
        unit.missing += int(missing)
        unit.items.add(id_)
        unit.restricted = restricted
    return found


def _key(item: int, image: str, by_image: bool) -> tuple[str, int | str]:
    return ("image", image) if by_image else ("item", item)


def _mark(
    connection: Connection, campaign: Campaign, units: dict[tuple[str, int | str], _Unit], *, by_image: bool
) -> dict[int, int]:
    """Note who has used up a unit and who may or must not have it; counts the images each has met."""
    item = schema.item.alias()
    wanted = (
        select(_SLOT.rater_id, _SLOT.item_id, _SLOT.image)
        .join(item, item.c.id == _SLOT.item_id)
        .where(_SLOT.campaign_id == campaign.id)
        # A slot that ran out may come back, unless its item has been finished by others.
        .where(or_(_SLOT.state == "answered", and_(_SLOT.state == "expired", item.c.done >= item.c.target)))
    )
    if not by_image:
        lacks = item.c.done < item.c.target
        wanted = wanted.where(_SLOT.state == "answered", lacks)
    met: dict[int, set[str]] = defaultdict(set)
    for rater, item_id, image in connection.execute(wanted):
        unit = units.get(_key(item_id, image, by_image))
        if unit is not None:
            unit.used.add(rater)
        if by_image:
            met[rater].add(image)
    limits = (
        select(_LIMIT.item_id, _LIMIT.rater_id, _LIMIT.allowed, _LIMIT.not_before, _ITEM.image)
        .join(schema.item, _ITEM.id == _LIMIT.item_id)
        .where(_lacking(campaign))
    )
    for item_id, rater, allowed, not_before, image in connection.execute(limits):
        unit = units.get(("item", item_id)) or units.get(_key(item_id, image, by_image))
        if unit is not None and allowed:
            unit.allowed[rater] = not_before
        elif unit is not None:
            unit.forbidden.add(rater)
    return {rater: len(images) for rater, images in met.items()}


def _images(connection: Connection, campaign: Campaign) -> int:
    wanted = select(func.count(_ITEM.image.distinct())).where(_ITEM.campaign_id == campaign.id)
    return int(connection.execute(wanted).scalar_one())


def _add_holds(connection: Connection, campaign: Campaign, people: dict[int, Person], now: float) -> None:
    wanted = (
        select(_SLOT.rater_id, func.count(), func.max(_SLOT.held_until))
        .where(_SLOT.campaign_id == campaign.id, _SLOT.state == "held", _SLOT.held_until > now)
        .group_by(_SLOT.rater_id)
    )
    for rater, count, until in connection.execute(wanted):
        if rater in people:
            people[rater].held, people[rater].held_until = int(count), until


OUTLOOK = "outlook"
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
class Outlook:
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
    def from_dict(cls, kept: Mapping[str, Any]) -> Outlook:
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


_FIELDS = tuple(one.name for one in fields(Outlook))


def outlook_snapshot(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> Snapshot:
    """Where a campaign stands, kept with its time: for those with so many items that a page cannot wait."""

    def compute() -> Content:
        return outlook(db, campaign, overview(db, campaign)).to_dict()

    return snapshots.current(db, campaign, OUTLOOK, compute, fresh_within=fresh_within, wait=wait)


def not_yet(db: Database, campaign: Campaign) -> Outlook:
    """What stands in for the first reckoning of a large campaign."""
    money_so_far = money(campaign, raters.listed(db, campaign))
    return Outlook(Reach(0, 0, 0, 0), 0, None, BEING_WORKED_OUT, None, (), money_so_far)


def outlook(db: Database, campaign: Campaign, view: Overview) -> Outlook:
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
    return Outlook(
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
