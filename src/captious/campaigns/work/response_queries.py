"""The queries of a response coming in, built once."""

from __future__ import annotations

from sqlalchemy import BindParameter, bindparam, insert, select, update

from captious.campaigns.store import schema
from captious.campaigns.store.rows import item_columns

_CAMPAIGN, _ITEM, _OWN, _RATER = (schema.campaign.c, schema.item.c, schema.assignment.c, schema.rater.c)
_RESPONSE = schema.response.c
_rater: BindParameter[int] = bindparam("rater")
_token: BindParameter[str] = bindparam("token")
_now: BindParameter[float] = bindparam("now")

EARLIER = select(_RESPONSE.id, _RESPONSE.kind).where(
    _RESPONSE.campaign_id == bindparam("campaign"),
    schema.response_author == _rater,
    _RESPONSE.key == bindparam("sent_key"),
)
TASK = (
    select(*item_columns, _OWN.shown_at, *schema.campaign.c)
    .select_from(
        schema.assignment.join(schema.item, _ITEM.id == _OWN.item_id).join(
            schema.campaign, _CAMPAIGN.id == _OWN.campaign_id
        )
    )
    .where(_OWN.token == _token, _OWN.rater_id == _rater)
)
LOCK_RATER = select(_RATER.state, _RATER.answered, _RATER.record).where(_RATER.id == _rater).with_for_update()
SLOT = (
    select(schema.assignment, _CAMPAIGN.state.label("campaign_state"))
    .join(schema.campaign, _CAMPAIGN.id == _OWN.campaign_id)
    .where(_OWN.token == _token, _OWN.rater_id == _rater)
    # A slot whose time is up may be on its way back to the campaign.
    .with_for_update(of=schema.assignment)
)
INSERT = insert(schema.response).returning(_RESPONSE.id)
# Others' responses to an item that count, and the lock that keeps new ones out meanwhile.
LOCK_ITEM = select(_ITEM.id).where(_ITEM.id == bindparam("item")).with_for_update()
OTHERS = (
    select(_RESPONSE.answers, _RATER.pseudonym, _RESPONSE.time, _RESPONSE.outcome)
    .select_from(
        schema.response.join(schema.assignment, _OWN.response_id == _RESPONSE.id).join(
            schema.rater, _RATER.id == _RESPONSE.rater_id
        )
    )
    .where(_RESPONSE.item_id == bindparam("item"), _RESPONSE.rater_id != _rater, _RATER.state == "active")
    .order_by(_RESPONSE.id)
)
RECORD = update(schema.rater).where(_RATER.id == _rater).values(record=bindparam("record"))
TARGET = update(schema.item).where(_ITEM.id == bindparam("item")).values(target=bindparam("target"))
COUNT_ITEM = (
    update(schema.item)
    .where(_ITEM.id == bindparam("item"))
    .values(done=_ITEM.done + 1, taken=_ITEM.taken + bindparam("again"))
)
COUNT_RATER = (
    update(schema.rater)
    .where(_RATER.id == _rater)
    .values(answered=_RATER.answered + 1, seconds=_RATER.seconds + bindparam("took"), last_seen=_now)
)
CLOSE_SLOT = (
    update(schema.assignment)
    .where(_OWN.id == bindparam("slot"))
    .values(state="answered", response_id=bindparam("response"), draft=None)
)
SHOW_NEXT = (
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
