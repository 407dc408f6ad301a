"""The queries behind the pool, built once: a rater's page must not wait for SQL to be composed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    Select,
    and_,
    bindparam,
    exists,
    false,
    func,
    literal_column,
    or_,
    select,
    true,
    union_all,
)

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

# The columns of the index `ix_item_open`, in its order.
_KIND = and_(
    _ITEM.campaign_id == _CAMPAIGN,
    _ITEM.is_check == bindparam("checks"),
    _ITEM.restricted == false(),
    _ITEM.balance == bindparam("label"),
)
# Ordered and cut rather than a minimum: without statistics PostgreSQL reads all to find a minimum.
NEXT_ROOM = Prepared(
    select(_ITEM.room).where(_KIND, _ITEM.room > bindparam("room")).order_by(_ITEM.room).limit(1)
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


class Search(NamedTuple):
    """The queries of one rule on images: open items ahead of and behind a place, all, a rater's own."""

    first: Prepared
    ahead: Prepared
    behind: Prepared
    open: Prepared
    own: Prepared
    left: Select[Any]
    own_left: Prepared


@lru_cache(maxsize=2)
def search(once_per_image: bool) -> Search:
    """The queries for a protocol that does or does not show an image twice to a rater."""
    free = _free(once_per_image)
    level = select(*item_columns).where(_KIND, _ITEM.room == bindparam("room"), free)
    level = level.order_by(_ITEM.place).limit(bindparam("count", type_=Integer))
    cursor: BindParameter[float] = bindparam("cursor")
    nearest = schema.item.alias()
    lowest = (
        select(nearest.c.room)
        .where(
            nearest.c.campaign_id == _CAMPAIGN,
            nearest.c.is_check == bindparam("checks"),
            nearest.c.restricted == false(),
            nearest.c.balance == bindparam("label"),
            nearest.c.room > 0,
        )
        .order_by(nearest.c.room)
        .limit(literal_column("1"))
        .scalar_subquery()
    )
    nearest_level = select(*item_columns).where(_KIND, _ITEM.room == lowest, free)
    nearest_level = nearest_level.order_by(_ITEM.place).limit(bindparam("count", type_=Integer))
    halves = [
        select(part.subquery())
        for part in (nearest_level.where(_ITEM.place >= cursor), nearest_level.where(_ITEM.place < cursor))
    ]
    own = and_(
        _LIMIT.rater_id == _RATER,
        _LIMIT.allowed == true(),
        _LIMIT.not_before <= _NOW,
        _ITEM.campaign_id == _CAMPAIGN,
        _ITEM.restricted == true(),
        _ITEM.room > 0,
        free,
    )
    open_items = (
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
    own_items = (
        select(_ITEM.id)
        .join(schema.item_rater, _LIMIT.item_id == _ITEM.id)
        .where(own)
        .limit(COUNTED)
        .subquery()
    )
    counted = func.count(open_items.c.image.distinct()) if once_per_image else func.count()
    return Search(
        first=Prepared(union_all(*halves)),
        ahead=Prepared(level.where(_ITEM.place >= cursor)),
        behind=Prepared(level.where(_ITEM.place < cursor)),
        open=Prepared(
            select(*item_columns)
            .where(_KIND, _ITEM.room > 0, free)
            .order_by(_ITEM.room, _ITEM.place)
            .limit(bindparam("count", type_=Integer))
        ),
        own=Prepared(
            select(*item_columns)
            .join(schema.item_rater, _LIMIT.item_id == _ITEM.id)
            .where(own)
            .order_by(_LIMIT.not_before)
            .limit(bindparam("count", type_=Integer))
        ),
        left=select(counted).select_from(open_items),
        own_left=Prepared(select(func.count()).select_from(own_items)),
    )


def _free(once_per_image: bool) -> ColumnElement[bool]:
    """The condition that a rater may be given an item: not seen, not forbidden, not too early."""
    # Aliases, for a query that uses this condition may join the same tables.
    assignment, limit = schema.assignment.alias(), schema.item_rater.alias()
    seen = exists().where(
        assignment.c.item_id == _ITEM.id, assignment.c.rater_id == _RATER, assignment.c.state.in_(HOLDING)
    )
    forbidden = exists().where(
        limit.c.item_id == _ITEM.id, limit.c.rater_id == _RATER, limit.c.allowed == false()
    )
    free = and_(~seen, ~forbidden, _ITEM.not_before <= _NOW)
    if not once_per_image:
        return free
    # An image that was shown and let go is seen too, but the same item may come back.
    met = exists().where(
        assignment.c.rater_id == _RATER,
        assignment.c.image == _ITEM.image,
        assignment.c.state != "released",
        or_(assignment.c.item_id != _ITEM.id, assignment.c.state.in_(HOLDING)),
    )
    return and_(free, ~met)
