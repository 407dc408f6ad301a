"""Who may still be given what, by the rules of assignment; read from the database in a few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from captious.campaigns.records import Campaign, Rater
from captious.campaigns.results.feasibility import Unit
from captious.campaigns.store import schema

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
    people = {one.id: Person(one) for one in raters if one.state == "active"}
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
