"""The statements of a response coming in, built once: each for SQLite and for PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BindParameter,
    Double,
    Integer,
    Text,
    Update,
    bindparam,
    exists,
    func,
    insert,
    null,
    select,
    update,
)

from captious.campaigns.store import schema
from captious.campaigns.store.prepared import Prepared, given_rows
from captious.campaigns.store.rows import item_columns
from captious.campaigns.work.pool_queries import search_scope

_CAMPAIGN, _ITEM, _OWN, _RATER = (schema.campaign.c, schema.item.c, schema.assignment.c, schema.rater.c)
_RESPONSE = schema.response.c
_rater: BindParameter[int] = bindparam("rater")
_token: BindParameter[str] = bindparam("token")
_now: BindParameter[float] = bindparam("now")
_item: BindParameter[int] = bindparam("item")

EARLIER = Prepared(
    select(_RESPONSE.id, _RESPONSE.kind).where(
        _RESPONSE.campaign_id == bindparam("campaign"),
        schema.response_author == _rater,
        _RESPONSE.key == bindparam("sent_key"),
    )
)
_slots = schema.assignment.join(schema.item, _ITEM.id == _OWN.item_id).join(
    schema.campaign, _CAMPAIGN.id == _OWN.campaign_id
)
_own_slot = (_OWN.token == _token, _OWN.rater_id == _rater)
_other = schema.assignment.alias()
_holds_more = exists().where(
    _other.c.rater_id == _OWN.rater_id, _other.c.state == "held", _other.c.id != _OWN.id
)
# Whether the session that an answer comes with is alive; nobody asks where there is none.
_signed_in = exists().where(
    schema.session.c.digest == bindparam("session"),
    schema.session.c.rater_id == _OWN.rater_id,
    schema.session.c.expires >= _now,
)
# All that storing an answer asks, in one question. The rater's row is locked, so that one rater's
# answers come in one by one, and the slot's: one whose time is up may be on its way back.
HELD_BY = Prepared(
    select(
        *item_columns,
        _RATER.state.label("rater_state"),
        _RATER.answered,
        _RATER.record,
        _RATER.cursor,
        _RATER.quota,
        _OWN.token,
        _OWN.id.label("slot"),
        _OWN.state.label("slot_state"),
        _OWN.response_id,
        _OWN.group_no,
        _OWN.position,
        _OWN.held_until,
        _OWN.shown_at,
        _RESPONSE.id.label("earlier_id"),
        _RESPONSE.kind.label("earlier_kind"),
        _signed_in.label("signed_in"),
        _holds_more.label("holds_more"),
        # Where the search for the next task has to look at all.
        *search_scope(_OWN.campaign_id, _OWN.rater_id, _now),
        *schema.campaign.c,
    )
    .select_from(
        _slots.join(schema.rater, _RATER.id == _OWN.rater_id).outerjoin(
            schema.response,
            (_RESPONSE.campaign_id == _RATER.campaign_id)
            # A parameter, not the rater's column: SQLite looks into the index only for that.
            & (schema.response_author == _rater)
            & (_RESPONSE.key == bindparam("sent_key")),
        )
    )
    .where(*_own_slot)
    .with_for_update(of=[schema.rater, schema.assignment]),
    shared=True,
    holds="rater",
)
# When a response came in.
CAME = Prepared(select(_RESPONSE.time).where(_RESPONSE.id == bindparam("response")))
_insert = (
    insert(schema.response)
    .values(
        campaign_id=bindparam("campaign"),
        item_id=_item,
        rater_id=_rater,
        assignment_id=bindparam("slot"),
        key=bindparam("sent_key"),
        answers=bindparam("said", type_=Text),
        hints=bindparam("shown_hints", type_=Text),
        time=_now,
        seconds=bindparam("took", type_=Double),
        kind=bindparam("sort"),
        replaces=bindparam("before", type_=Integer),
        source=bindparam("origin"),
        outcome=bindparam("brought", type_=Text),
        untouched=bindparam("left", type_=Text),
    )
    .returning(_RESPONSE.id)
)
INSERT = Prepared(_insert)
# Others' responses to an item that count, and the lock that keeps new ones out meanwhile.
LOCK_ITEM = Prepared(select(_ITEM.id).where(_ITEM.id == _item).with_for_update(), holds="item")
OTHERS = Prepared(
    select(_RESPONSE.answers, _RATER.pseudonym, _RESPONSE.time, _RESPONSE.outcome)
    .select_from(
        schema.response.join(schema.assignment, _OWN.response_id == _RESPONSE.id).join(
            schema.rater, _RATER.id == _RESPONSE.rater_id
        )
    )
    .where(_RESPONSE.item_id == _item, _RESPONSE.rater_id != _rater, _RATER.state == "active")
    .order_by(_RESPONSE.id)
)
RECORD = Prepared(
    update(schema.rater).where(_RATER.id == _rater).values(record=bindparam("kept", type_=Text))
)
TARGET = Prepared(update(schema.item).where(_ITEM.id == _item).values(target=bindparam("aim")))
_count_rater = (
    update(schema.rater)
    .where(_RATER.id == _rater)
    .values(answered=_RATER.answered + 1, seconds=_RATER.seconds + bindparam("spent"), last_seen=_now)
)
COUNT_RATER = Prepared(_count_rater)


def _close_slot(response: Any) -> Update:
    answered = {"state": "answered", "response_id": response, "draft": null()}
    return update(schema.assignment).where(_OWN.id == bindparam("slot")).values(answered)


CLOSE_SLOT = Prepared(_close_slot(bindparam("response")))
SHOW_NEXT = Prepared(
    update(schema.assignment)
    .where(
        _OWN.rater_id == _rater,
        _OWN.state == "held",
        _OWN.group_no == bindparam("group"),
        _OWN.position == bindparam("next"),
        _OWN.shown_at.is_(None),
    )
    .values(shown_at=_now)
)
_SENT = given_rows(
    {
        "campaign": "integer",
        "item": "integer",
        "rater": "integer",
        "slot": "integer",
        "sent_key": "text",
        "said": "text",
        "shown_hints": "text",
        "now": "double precision",
        "took": "double precision",
        "spent": "double precision",
        "sort": "text",
        "origin": "text",
        "brought": "text",
        "left": "text",
        "again": "integer",
    }
)
# PostgreSQL takes those of a whole group: each is another rater's, several may be to one item.
_store_many = f"""
    WITH sent AS MATERIALIZED (
        SELECT * FROM {_SENT}
    ), stored AS (
        INSERT INTO response (campaign_id, item_id, rater_id, assignment_id, key, answers, hints,
                              time, seconds, kind, source, outcome, untouched)
        SELECT campaign, item, rater, slot, sent_key, said, shown_hints, now, took, sort, origin,
               brought, "left"
        FROM sent ORDER BY n
        RETURNING id, assignment_id
    ), counted AS (
        UPDATE item SET done = done + more.answers, taken = taken + more.again
        FROM (SELECT item, count(*) AS answers, sum(again) AS again FROM sent GROUP BY item) AS more
        WHERE item.id = more.item
    ), closed AS (
        UPDATE assignment SET state = 'answered', response_id = stored.id, draft = NULL
        FROM stored WHERE assignment.id = stored.assignment_id
    )
    UPDATE rater SET answered = answered + 1, seconds = rater.seconds + sent.spent, last_seen = sent.now
    FROM sent JOIN stored ON stored.assignment_id = sent.slot
    WHERE rater.id = sent.rater RETURNING sent.n, stored.id
"""


def _store(**counted: Any) -> Prepared:
    """The first answer of an active rater: stored, counted with the item and the rater, its slot closed."""
    count_item = update(schema.item).where(_ITEM.id == _item).values(done=_ITEM.done + 1, **counted)
    steps = (_insert, _close_slot(func.last_insert_rowid()), count_item, _count_rater)
    return Prepared({"sqlite": steps, "postgresql": _store_many})


# SQLite writes every index anew that a column belongs to which is set, be it to the same value: `taken` is
# set only for a slot that had been given back and is taken again.
STORE, STORE_AGAIN = _store(), _store(taken=_ITEM.taken + 1)
