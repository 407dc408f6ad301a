"""The queries of assignment, built once."""

from __future__ import annotations

from sqlalchemy import BindParameter, bindparam, exists, func, insert, select, update

from captious.campaigns.store import schema
from captious.campaigns.store.rows import item_columns

_ITEM, _OWN, _RATER = schema.item.c, schema.assignment.c, schema.rater.c
_GROUP_STATES = ("held", "answered", "expired")
_rater: BindParameter[int] = bindparam("rater")
_ids: BindParameter[list[int]] = bindparam("ids", expanding=True)

CAMPAIGN_NAMES = tuple(schema.campaign.c.keys())
AT_WORK = (
    select(_RATER.state, _RATER.cursor, _RATER.answered, _RATER.record, _RATER.quota, *schema.campaign.c)
    .join(schema.campaign, schema.campaign.c.id == _RATER.campaign_id)
    .where(_RATER.id == _rater)
)
LOCKED_AT_WORK = AT_WORK.with_for_update(of=schema.rater)

_beside = schema.assignment.alias()
_group_size = (
    select(func.count())
    .select_from(_beside)
    .where(
        _beside.c.rater_id == _OWN.rater_id,
        _beside.c.group_no == _OWN.group_no,
        _beside.c.state.in_(_GROUP_STATES),
    )
    .correlate(schema.assignment)
    .scalar_subquery()
    .label("group_size")
)
_tasks = (
    select(
        *schema.assignment.c,
        *item_columns,
        _RATER.answered,
        schema.response.c.answers,
        schema.response.c.outcome,
        _group_size,
    )
    .select_from(
        schema.assignment.join(schema.item, _ITEM.id == _OWN.item_id)
        .join(schema.rater, _RATER.id == _OWN.rater_id)
        .outerjoin(schema.response, schema.response.c.id == _OWN.response_id)
    )
    .where(_OWN.rater_id == _rater)
)
HELD = _tasks.where(_OWN.state == "held").order_by(_OWN.group_no, _OWN.position)
BY_TOKEN = _tasks.where(_OWN.token == bindparam("token"))
LAST_ANSWERED = _tasks.where(_OWN.response_id.is_not(None)).order_by(_OWN.response_id.desc()).limit(1)
LAST_OUTCOME = (
    select(schema.response.c.outcome)
    .where(schema.response.c.rater_id == _rater)
    .order_by(schema.response.c.id.desc())
    .limit(1)
)
HELD_COUNTS = (
    select(_OWN.group_no, func.count().label("held"), _group_size)
    .where(_OWN.rater_id == _rater, _OWN.state == "held")
    .group_by(_OWN.group_no, _OWN.rater_id)
    .order_by(_OWN.group_no)
)
BEGUN = select(exists().where(_ITEM.from_response == bindparam("response"), _ITEM.taken > 0))

LOCK_ITEMS = select(_ITEM.id).where(_ITEM.id.in_(_ids)).order_by(_ITEM.id).with_for_update()
# The claim of slots: an item without room is not updated, and the claim fails.
TAKE = update(schema.item).where(_ITEM.id.in_(_ids), _ITEM.room > 0).values(taken=_ITEM.taken + 1)
COUNT_GROUP = (
    update(schema.rater)
    .where(_RATER.id == _rater)
    .values(groups=_RATER.groups + 1, cursor=bindparam("place"), last_seen=bindparam("now"))
    .returning(_RATER.groups)
)
HELD_BEFORE = select(_OWN.item_id, _OWN.token, _OWN.draft).where(
    _OWN.rater_id == _rater, _OWN.item_id.in_(_ids)
)
INSERT = insert(schema.assignment)
