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
    or_,
    select,
    true,
)

from captious.campaigns.store import schema
from captious.campaigns.store.rows import item_columns

COUNTED = 300  # what is left for a rater is counted so far and no further
HOLDING = ("held", "answered")
_ITEM = schema.item.c
_LIMIT = schema.item_rater.c
_CAMPAIGN: BindParameter[int] = bindparam("campaign")
_RATER: BindParameter[int] = bindparam("rater")
_NOW: BindParameter[float] = bindparam("now")

LABELS = (
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
NEXT_ROOM = select(_ITEM.room).where(_KIND, _ITEM.room > bindparam("room")).order_by(_ITEM.room).limit(1)
LOCK_FREE = select(_ITEM.id).where(_ITEM.id == bindparam("item")).with_for_update(skip_locked=True)
CHECK_LABEL = (
    select(_ITEM.balance)
    .where(_ITEM.campaign_id == _CAMPAIGN, _ITEM.is_check == true(), _ITEM.restricted == false())
    .order_by(_ITEM.balance)
    .limit(1)
)
NEXT_CHECK_LABEL = CHECK_LABEL.where(_ITEM.balance > bindparam("after"))
NEXT_TIME = (
    select(_LIMIT.not_before)
    .join(schema.item, _ITEM.id == _LIMIT.item_id)
    .where(_LIMIT.rater_id == _RATER, _LIMIT.allowed == true(), _LIMIT.not_before > _NOW, _ITEM.room > 0)
    .order_by(_LIMIT.not_before)
    .limit(1)
)


class Search(NamedTuple):
    """The queries of one rule on images: open items ahead of and behind a place, all, a rater's own."""

    ahead: Select[Any]
    behind: Select[Any]
    open: Select[Any]
    own: Select[Any]
    left: Select[Any]
    own_left: Select[Any]


@lru_cache(maxsize=2)
def search(once_per_image: bool) -> Search:
    """The queries for a protocol that does or does not show an image twice to a rater."""
    free = _free(once_per_image)
    level = select(*item_columns).where(_KIND, _ITEM.room == bindparam("room"), free)
    level = level.order_by(_ITEM.place).limit(bindparam("count", type_=Integer))
    cursor: BindParameter[float] = bindparam("cursor")
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
        ahead=level.where(_ITEM.place >= cursor),
        behind=level.where(_ITEM.place < cursor),
        open=select(*item_columns)
        .where(_KIND, _ITEM.room > 0, free)
        .order_by(_ITEM.room, _ITEM.place)
        .limit(bindparam("count", type_=Integer)),
        own=select(*item_columns)
        .join(schema.item_rater, _LIMIT.item_id == _ITEM.id)
        .where(own)
        .order_by(_LIMIT.not_before)
        .limit(bindparam("count", type_=Integer)),
        left=select(counted).select_from(open_items),
        own_left=select(func.count()).select_from(own_items),
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
