"""The queries behind the pool, built once: a rater's page must not wait for SQL to be composed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Double,
    Integer,
    Select,
    and_,
    bindparam,
    delete,
    exists,
    false,
    func,
    insert,
    literal_column,
    or_,
    select,
    text,
    true,
    union_all,
)
from sqlalchemy.sql import FromClause

from captious.campaigns.store import schema
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.rows import item_columns

COUNTED = 300  # what is left for a rater is counted so far and no further
HOLDING: tuple[ColumnElement[str], ...] = (literal_column("'held'"), literal_column("'answered'"))
_ITEM = schema.item.c
_LIMIT = schema.item_rater.c
_CAMPAIGN: BindParameter[int] = bindparam("campaign")
_RATER: BindParameter[int] = bindparam("rater")
_NOW: BindParameter[float] = bindparam("now")

LABELS = Prepared(
    select(schema.label.c.name, schema.label.c.taken)
    .where(schema.label.c.campaign_id == _CAMPAIGN)
    .order_by(schema.label.c.name)
)

# Aliases, for a query that uses the conditions on them may join the same tables.
_slots, _limits = schema.assignment.alias(), schema.item_rater.alias()
_COUNT: BindParameter[int] = bindparam("count", type_=Integer)


def _kind_of(item: FromClause) -> ColumnElement[bool]:
    """The columns of the indexes `ix_item_open` and `ix_item_moved`, in their order, up to the room."""
    return and_(
        item.c.campaign_id == _CAMPAIGN,
        item.c.is_check == bindparam("checks"),
        item.c.restricted == false(),
        item.c.balance == bindparam("label"),
    )


_KIND = _kind_of(schema.item)
# Ordered and cut rather than a minimum: without statistics PostgreSQL reads all to find a minimum.
NEXT_ROOM = Prepared(
    select(_ITEM.room).where(_KIND, _ITEM.room > bindparam("room")).order_by(_ITEM.room).limit(1), shared=True
)
LOCK_FREE = Prepared(select(_ITEM.id).where(_ITEM.id == bindparam("item")).with_for_update(skip_locked=True))
_check_label = (
    select(_ITEM.balance)
    .where(_ITEM.campaign_id == _CAMPAIGN, _ITEM.is_check == true(), _ITEM.restricted == false())
    .order_by(_ITEM.balance)
    .limit(1)
)
CHECK_LABEL = Prepared(_check_label)
NEXT_CHECK_LABEL = Prepared(_check_label.where(_ITEM.balance > bindparam("after")))
NEXT_TIME = Prepared(
    select(_LIMIT.not_before)
    .join(schema.item, _ITEM.id == _LIMIT.item_id)
    .where(_LIMIT.rater_id == _RATER, _LIMIT.allowed == true(), _LIMIT.not_before > _NOW, _ITEM.room > 0)
    .order_by(_LIMIT.not_before)
    .limit(1)
)


def may_be(
    campaign: ColumnElement[int], rater: ColumnElement[int], now: ColumnElement[float]
) -> tuple[ColumnElement[bool], ...]:
    """Columns that say whether there may be holds that are over, labels, checks, a rater's own items."""
    held, limit, item = schema.assignment.alias(), schema.item_rater.alias(), schema.item.alias()
    late = exists().where(held.c.campaign_id == campaign, held.c.state == "held", held.c.held_until < now)
    labels = exists().where(schema.label.c.campaign_id == campaign)
    checks = exists().where(
        item.c.campaign_id == campaign, item.c.is_check == true(), item.c.restricted == false()
    )
    own = exists().where(limit.c.rater_id == rater, limit.c.allowed == true(), limit.c.not_before <= now)
    return late.label("late"), labels.label("labels"), checks.label("checks"), own.label("own")


# The newest change that a search has surely seen, and how long such numbers are good for.
# In PostgreSQL every transaction below the oldest that is still open has been seen.
NEWEST = Prepared(
    {
        "sqlite": text("SELECT moves, 0.0 FROM move_count"),
        "postgresql": text(
            "SELECT txid_snapshot_xmin(txid_current_snapshot()) - 1, "
            "CAST(extract(epoch FROM pg_postmaster_start_time()) AS double precision)"
        ),
    }
)
_RUN = schema.searched.c
_runs_of_level = and_(
    _RUN.rater_id == _RATER,
    _RUN.is_check == bindparam("checks"),
    _RUN.balance == bindparam("label"),
    _RUN.room == bindparam("room"),
)
NEXT_RUN = Prepared(
    select(_RUN.low, _RUN.high, _RUN.moved)
    .where(_runs_of_level, _RUN.high > bindparam("low"), _RUN.epoch == bindparam("epoch"))
    .order_by(_RUN.high)
    .limit(literal_column("1"))
)
DROP_RUN = Prepared(delete(schema.searched).where(_runs_of_level, _RUN.high == bindparam("high")))
DROP_OLD_RUNS = Prepared(delete(schema.searched).where(_runs_of_level, _RUN.epoch != bindparam("epoch")))
KEEP_RUN = Prepared(
    insert(schema.searched).values(
        rater_id=_RATER,
        is_check=bindparam("checks"),
        balance=bindparam("label"),
        room=bindparam("room"),
        low=bindparam("low"),
        high=bindparam("high"),
        moved=bindparam("moved"),
        epoch=bindparam("epoch"),
    )
)
FORGET_RUNS = Prepared(delete(schema.searched).where(_RUN.rater_id == _RATER))


class Search(NamedTuple):
    """The queries of one rule on images: open items ahead of and behind a place, all, a rater's own."""

    nearest: Prepared
    ahead: Prepared
    behind: Prepared
    open: Prepared
    own: Prepared
    left: Select[Any]
    own_left: Prepared
    # What lies between two places, and what of it has changed: `blocked` says why it is not free.
    between: Prepared
    changed: Prepared


@lru_cache(maxsize=2)
def search(once_per_image: bool) -> Search:
    """The queries for a protocol that does or does not show an image twice to a rater."""
    reasons = _reasons(once_per_image)
    free = and_(*(_met(reason).is_(None) for reason in reasons), _ITEM.not_before <= _NOW)
    level = _in_order(_ITEM.room == bindparam("room"), free)
    cursor: BindParameter[float] = bindparam("cursor")
    own = _own(free)
    own_items = select(_ITEM.id).select_from(_owned).where(own).limit(COUNTED).subquery()
    return Search(
        nearest=_nearest(free, cursor),
        ahead=Prepared(level.where(_ITEM.place >= cursor)),
        behind=Prepared(level.where(_ITEM.place < cursor)),
        open=Prepared(
            select(*item_columns)
            .where(_KIND, _ITEM.room > 0, free)
            .order_by(_ITEM.room, _ITEM.place)
            .limit(_COUNT)
        ),
        own=Prepared(
            select(*item_columns).select_from(_owned).where(own).order_by(_LIMIT.not_before).limit(_COUNT)
        ),
        left=_left(free, once_per_image),
        own_left=Prepared(select(func.count()).select_from(own_items)),
        **_between(reasons),
    )


def _in_order(*conditions: ColumnElement[bool]) -> Select[Any]:
    return select(*item_columns).where(_KIND, *conditions).order_by(_ITEM.place).limit(_COUNT)


def _nearest(free: ColumnElement[bool], cursor: ColumnElement[float]) -> Prepared:
    """Items of the lowest room above a given one: those ahead, then those behind."""
    item = schema.item.alias()
    lowest = (
        select(item.c.room)
        .where(_kind_of(item), item.c.room > bindparam("room"))
        .order_by(item.c.room)
        .limit(literal_column("1"))
        .scalar_subquery()
    )
    level = _in_order(_ITEM.room == lowest, free)
    halves = (level.where(_ITEM.place >= cursor), level.where(_ITEM.place < cursor))
    return Prepared(union_all(*(select(half.subquery()) for half in halves)), shared=True)


_owned = schema.item.join(schema.item_rater, _LIMIT.item_id == _ITEM.id)


def _own(free: ColumnElement[bool]) -> ColumnElement[bool]:
    """The condition of items that are for the rater alone."""
    return and_(
        _LIMIT.rater_id == _RATER,
        _LIMIT.allowed == true(),
        _LIMIT.not_before <= _NOW,
        _ITEM.campaign_id == _CAMPAIGN,
        _ITEM.restricted == true(),
        _ITEM.room > 0,
        free,
    )


def _left(free: ColumnElement[bool], once_per_image: bool) -> Select[Any]:
    """How many items, or images, there are."""
    items = (
        select(_ITEM.image)
        .where(
            _ITEM.campaign_id == _CAMPAIGN,
            _ITEM.is_check == false(),
            _ITEM.restricted == false(),
            _ITEM.balance.in_(bindparam("labels", expanding=True)),
            _ITEM.room > 0,
            free,
        )
        .limit(COUNTED)
        .subquery()
    )
    counted = func.count(items.c.image.distinct()) if once_per_image else func.count()
    return select(counted).select_from(items)


def _met(reason: ColumnElement[bool]) -> ColumnElement[int | None]:
    """1 where a reason is met, else nothing. Not `exists`: for that PostgreSQL may gather all that the

    rater has seen.
    """
    one: Select[Any] = select(literal_column("1")).limit(literal_column("1")).correlate(schema.item)
    return one.where(reason).scalar_subquery()


def _between(reasons: Sequence[ColumnElement[bool]]) -> dict[str, Prepared]:
    blocked = or_(*(_met(reason).is_not(None) for reason in reasons))
    level = and_(_KIND, _ITEM.room == bindparam("room"))
    low, high = bindparam("low", type_=Double), bindparam("high", type_=Double)
    wanted = select(*item_columns, blocked.label("blocked"))
    # The sum keeps the engine from taking the index of places for what the index of changes finds.
    place = _ITEM.place + literal_column("0")
    return {
        "between": Prepared(
            wanted.where(level, _ITEM.place >= low, _ITEM.place < high).order_by(_ITEM.place).limit(_COUNT)
        ),
        "changed": Prepared(
            wanted.where(level, _ITEM.moved > bindparam("moved"), place >= low, place < high)
        ),
    }


def _reasons(once_per_image: bool) -> list[ColumnElement[bool]]:
    """Conditions on `_slots` and `_limits`: where one is met, the rater must not be given the item, ever."""
    slot, limit = _slots.c, _limits.c
    seen = and_(slot.item_id == _ITEM.id, slot.rater_id == _RATER, slot.state.in_(HOLDING))
    forbidden = and_(limit.item_id == _ITEM.id, limit.rater_id == _RATER, limit.allowed == false())
    if not once_per_image:
        return [seen, forbidden]
    # An image that was shown and let go is seen too, but the same item may come back.
    met = and_(
        slot.rater_id == _RATER,
        slot.image == _ITEM.image,
        slot.state != "released",
        or_(slot.item_id != _ITEM.id, slot.state.in_(HOLDING)),
    )
    return [seen, forbidden, met]
