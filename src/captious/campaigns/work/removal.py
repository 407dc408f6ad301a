"""What a rater's removal and return do to slots, counters and the items that answers called for."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, ScalarSelect, false, func, select, true, update

from captious.campaigns.records import RaterState
from captious.campaigns.store import schema
from captious.campaigns.work.pool import change_label
from captious.campaigns.work.pool_queries import FORGET_RUNS
from captious.protocols import Item

_HOLDING = ("held", "answered")


def take_out(connection: Connection, rater_id: int, state: RaterState, reason: str) -> bool:
    """Free the rater's slots; False where they are out already (only the reason changes)."""
    rater, item, assignment = schema.rater, schema.item, schema.assignment
    was = _locked_state(connection, rater_id)
    changed = {"state": state, "reason": reason, "uncounted": False}
    connection.execute(update(rater).where(rater.c.id == rater_id).values(**changed))
    lock_items(connection, rater_id)
    # A rater who is out and went on without counting holds slots, and has answered none that counts.
    _recount_labels(connection, rater_id, -1, _HOLDING if was == "active" else ("held",))
    # What they had in hand may be given to them again, should they come back.
    FORGET_RUNS.change(connection, {"rater": rater_id})
    connection.execute(
        update(item).where(item.c.id.in_(_items_of(rater_id, "held"))).values(taken=item.c.taken - 1)
    )
    connection.execute(
        update(assignment)
        .where(assignment.c.rater_id == rater_id, assignment.c.state == "held")
        .values(state="released")
    )
    if was != "active":
        return False
    connection.execute(
        update(item)
        .where(item.c.id.in_(_items_of(rater_id, "answered")))
        .values(taken=item.c.taken - 1, done=item.c.done - 1)
    )
    # What their answers called for and nobody has begun is called for no longer.
    connection.execute(
        update(item)
        .where(item.c.from_response.in_(_latest_responses(rater_id)), item.c.taken == 0)
        .values(closed=true())
    )
    return True


def put_back(connection: Connection, rater_id: int) -> bool:
    """Count the rater's answers again; False where they were never out."""
    rater, item = schema.rater, schema.item
    was = _locked_state(connection, rater_id)
    if was == "active":
        return False
    connection.execute(
        update(rater).where(rater.c.id == rater_id).values(state="active", reason="", uncounted=False)
    )
    lock_items(connection, rater_id)
    connection.execute(
        update(item)
        .where(item.c.id.in_(_items_of(rater_id, "answered")))
        .values(taken=item.c.taken + 1, done=item.c.done + 1)
    )
    connection.execute(
        update(item).where(item.c.from_response.in_(_latest_responses(rater_id))).values(closed=false())
    )
    _recount_labels(connection, rater_id, 1, ("answered",))
    return True


def keep_working_uncounted(connection: Connection, rater_id: int, reason: str) -> None:
    """Take a rater out who may go on all the same: what they answer is stored and does not count."""
    take_out(connection, rater_id, "removed", reason)
    table = schema.rater
    connection.execute(update(table).where(table.c.id == rater_id).values(uncounted=True))


def give_back(connection: Connection, campaign_id: int, item_id: int, item: Item) -> None:
    """Free the slot of an answer that does not count."""
    table = schema.item
    connection.execute(update(table).where(table.c.id == item_id).values(taken=table.c.taken - 1))
    if item.counts:
        change_label(connection, campaign_id, item.balance, -1)


def lock_items(connection: Connection, rater_id: int) -> None:
    """Lock the items that the rater holds or has answered, in the order that everyone locks in."""
    item, assignment = schema.item, schema.assignment
    if connection.dialect.name == "sqlite":
        return
    own = select(assignment.c.item_id).where(
        assignment.c.rater_id == rater_id, assignment.c.state.in_(_HOLDING)
    )
    wanted = select(item.c.id).where(item.c.id.in_(own)).order_by(item.c.id)
    connection.execute(wanted.with_for_update())


def _locked_state(connection: Connection, rater_id: int) -> str:
    table = schema.rater
    wanted = select(table.c.state).where(table.c.id == rater_id)
    return str(connection.execute(wanted.with_for_update()).scalar_one())


def _items_of(rater_id: int, state: str) -> ScalarSelect[int]:
    table = schema.assignment
    return (
        select(table.c.item_id).where(table.c.rater_id == rater_id, table.c.state == state).scalar_subquery()
    )


def _latest_responses(rater_id: int) -> ScalarSelect[int]:
    table = schema.assignment
    return (
        select(table.c.response_id)
        .where(table.c.rater_id == rater_id, table.c.response_id.is_not(None))
        .scalar_subquery()
    )


def _recount_labels(connection: Connection, rater_id: int, sign: int, states: Sequence[str]) -> None:
    item, assignment = schema.item, schema.assignment
    counts = (
        select(item.c.campaign_id, item.c.balance, func.count())
        .join(assignment, assignment.c.item_id == item.c.id)
        .where(assignment.c.rater_id == rater_id, assignment.c.state.in_(states), item.c.is_check == false())
        .group_by(item.c.campaign_id, item.c.balance)
        .order_by(item.c.balance)
    )
    for campaign_id, name, count in connection.execute(counts).all():
        change_label(connection, campaign_id, name, sign * count)
