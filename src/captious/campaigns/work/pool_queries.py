"""The queries behind the pool, built once: a rater's page must not wait for SQL to be composed."""

from __future__ import annotations

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
    update,
)
from sqlalchemy.sql import FromClause

from captious.campaigns.store import schema
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.rows import item_columns

COUNTED = 300  # what is left for a rater is counted so far and no further
# Samples of a level, and of all that is open, are so large.
SAMPLE, SAMPLE_LEFT = 64, 3 * COUNTED
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

COUNT_LABEL = Prepared(
    update(schema.label)
    .where(schema.label.c.campaign_id == _CAMPAIGN, schema.label.c.name == bindparam("label"))
    .values(taken=schema.label.c.taken + bindparam("by"))
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


def search_scope(
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
    # As `nearest`, among the first `SAMPLE` items of each half; and how many each half has.
    sample: Prepared
    extent: Prepared
    ahead: Prepared
    behind: Prepared
    open: Prepared
    own: Prepared
    left: Select[int, int]
    # As `left`, among the first `SAMPLE_LEFT` open items; and how many of those there are.
    left_sample: Select[int, int]
    left_extent: Select[int]
    own_left: Prepared
    # What lies between two places, and what of it has changed: `blocked` says why it is not free.
    between: Prepared
    changed: Prepared


def search_queries(once_per_image: bool) -> Search:
    """The queries for a protocol that does or does not show an image twice to a rater."""
    free = _free(schema.item, once_per_image)
    level = _in_order(_ITEM.room == bindparam("room"), free).limit(_COUNT)
    cursor: BindParameter[float] = bindparam("cursor", type_=Double)
    own = _own(free)
    sampled = _open_items.limit(SAMPLE_LEFT).subquery()
    own_items = select(_ITEM.id).select_from(_owned).where(own).limit(COUNTED).subquery()
    return Search(
        nearest=_nearest(free, cursor),
        sample=_sample(once_per_image, cursor),
        extent=_extent(cursor),
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
        left=_left(_open_items.where(free), once_per_image),
        left_sample=_left(select(sampled).where(_free(sampled, once_per_image)), once_per_image),
        left_extent=select(func.count()).select_from(sampled),
        own_left=Prepared(select(func.count()).select_from(own_items)),
        **_between(once_per_image),
    )


def _in_order(*conditions: ColumnElement[bool]) -> Select[Any]:
    return select(*item_columns).where(_KIND, *conditions).order_by(_ITEM.place)


def _lowest_room() -> ColumnElement[int]:
    """The lowest room above a given one."""
    item = schema.item.alias()
    return (
        select(item.c.room)
        .where(_kind_of(item), item.c.room > bindparam("room"))
        .order_by(item.c.room)
        .limit(literal_column("1"))
        .scalar_subquery()
    )


def _halves(level: Select[Any], cursor: ColumnElement[float]) -> tuple[Select[Any], Select[Any]]:
    """What of a level lies ahead of a place, and what behind it."""
    return level.where(_ITEM.place >= cursor), level.where(_ITEM.place < cursor)


def _nearest(free: ColumnElement[bool], cursor: ColumnElement[float]) -> Prepared:
    """Items of the lowest room above a given one: those ahead, then those behind."""
    level = _in_order(_ITEM.room == _lowest_room(), free).limit(_COUNT)
    return Prepared(union_all(*(select(half.subquery()) for half in _halves(level, cursor))), shared=True)


def _sample(once_per_image: bool, cursor: ColumnElement[float]) -> Prepared:
    level = _in_order(_ITEM.room == _lowest_room()).limit(literal_column(str(SAMPLE)))
    looked = [half.subquery() for half in _halves(level, cursor)]
    found = [select(one).where(_free(one, once_per_image, "item_")).limit(_COUNT) for one in looked]
    return Prepared(union_all(*(select(one.subquery()) for one in found)), shared=True)


def _extent(cursor: ColumnElement[float]) -> Prepared:
    """The lowest room above a given one, and how many items it has ahead and behind: at most one more

    than a sample has.
    """
    level = (
        select(_ITEM.place)
        .where(_KIND, _ITEM.room == _lowest_room())
        .order_by(_ITEM.place)
        .limit(literal_column(str(SAMPLE + 1)))
    )
    counts = [select(func.count()).select_from(half.subquery()) for half in _halves(level, cursor)]
    ahead, behind = (one.scalar_subquery() for one in counts)
    columns = (_lowest_room().label("room"), ahead.label("ahead"), behind.label("behind"))
    return Prepared(select(*columns), shared=True)


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


_open_items = select(_ITEM.id, _ITEM.image, _ITEM.not_before).where(
    _ITEM.campaign_id == _CAMPAIGN,
    _ITEM.is_check == false(),
    _ITEM.restricted == false(),
    _ITEM.balance.in_(bindparam("labels", expanding=True)),
    _ITEM.room > 0,
)


def _left(items: Select[Any], once_per_image: bool) -> Select[int, int]:
    """How many items, or images, there are; and how many items."""
    some = items.limit(COUNTED).subquery()
    counted = func.count(some.c.image.distinct()) if once_per_image else func.count()
    return select(counted, func.count()).select_from(some)


def _free(item: FromClause, once_per_image: bool, prefix: str = "") -> ColumnElement[bool]:
    """Whether the rater may be given an item now; `prefix` comes before the names of its columns."""
    reasons = _reasons(item, once_per_image, prefix)
    return and_(
        *(_met(item, reason).is_not(true()) for reason in reasons), item.c[f"{prefix}not_before"] <= _NOW
    )


def _met(item: FromClause, reason: ColumnElement[bool]) -> ColumnElement[bool | None]:
    """True where a reason is met, else NULL.

    Not `exists`: PostgreSQL may then gather everything that the rater has seen. Ask `IS NOT TRUE`, not
    `IS NULL`: PostgreSQL takes the latter for so rare that it reads and sorts all open items instead of
    the first few of the index.
    """
    one: Select[Any] = select(true()).limit(literal_column("1")).correlate(item)
    return one.where(reason).scalar_subquery()


def _between(once_per_image: bool) -> dict[str, Prepared]:
    reasons = _reasons(schema.item, once_per_image)
    blocked = or_(*(_met(schema.item, reason).is_(true()) for reason in reasons))
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


def _reasons(item: FromClause, once_per_image: bool, prefix: str = "") -> list[ColumnElement[bool]]:
    """Conditions on `_slots` and `_limits`: where one is met, the rater must not be given the item, ever."""
    slot, limit, item_id = _slots.c, _limits.c, item.c[f"{prefix}id"]
    seen = and_(slot.item_id == item_id, slot.rater_id == _RATER, slot.state.in_(HOLDING))
    forbidden = and_(limit.item_id == item_id, limit.rater_id == _RATER, limit.allowed == false())
    if not once_per_image:
        return [seen, forbidden]
    # An image that was shown and let go is seen too, but the same item may come back.
    met = and_(
        slot.rater_id == _RATER,
        slot.image == item.c[f"{prefix}image"],
        slot.state != "released",
        or_(slot.item_id != item_id, slot.state.in_(HOLDING)),
    )
    return [seen, forbidden, met]


# In the place of a time: forbidden until the rater asks for it.
SKIPPED = -1.0
_skipped = (
    select(_ITEM.id)
    .join(schema.item_rater, _LIMIT.item_id == _ITEM.id)
    .where(_LIMIT.rater_id == _RATER, _LIMIT.allowed == false(), _LIMIT.not_before == SKIPPED, _ITEM.room > 0)
)
SKIPPED_IDS = Prepared(_skipped)


def _count_skipped(once_per_image: bool) -> Prepared:
    if not once_per_image:
        return Prepared(select(func.count()).select_from(_skipped.subquery()))
    other, limit, slot = schema.item.alias(), schema.item_rater.alias(), schema.assignment.c
    own = and_(limit.c.item_id == other.c.id, limit.c.rater_id == _RATER, limit.c.allowed == false())
    open_beside = exists().where(
        other.c.campaign_id == _ITEM.campaign_id,
        other.c.image == _ITEM.image,
        other.c.is_check == false(),
        other.c.restricted == false(),
        other.c.room > 0,
        ~exists().where(own).correlate(other),
    )
    met = exists().where(slot.rater_id == _RATER, slot.image == _ITEM.image, slot.state.in_(HOLDING))
    images = _skipped.with_only_columns(_ITEM.image).where(~open_beside, ~met).distinct()
    return Prepared(select(func.count()).select_from(images.subquery()))


# For protocols that do and that do not show an image twice to a rater.
SEARCH = {once: search_queries(once) for once in (False, True)}
COUNT_SKIPPED = {once: _count_skipped(once) for once in (False, True)}
