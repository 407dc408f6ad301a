"""The queries of assignment, built once."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Double,
    Integer,
    Text,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    null,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from captious.campaigns.store import schema
from captious.campaigns.store.prepared import Prepared, given_rows
from captious.campaigns.store.rows import item_columns

_ITEM, _OWN, _RATER = schema.item.c, schema.assignment.c, schema.rater.c
_GROUP_STATES: tuple[ColumnElement[str], ...] = tuple(
    literal_column(f"'{state}'") for state in ("held", "answered", "expired")
)
_rater: BindParameter[int] = bindparam("rater")
_item: BindParameter[int] = bindparam("item")

# Who was removed and may go on works like anyone else; their answers do not count.
_working = case((_RATER.uncounted, literal_column("'active'")), else_=_RATER.state).label("state")
_at_work = (
    select(_working, _RATER.cursor, _RATER.answered, _RATER.record, _RATER.quota, *schema.campaign.c)
    .join(schema.campaign, schema.campaign.c.id == _RATER.campaign_id)
    .where(_RATER.id == _rater)
)
AT_WORK = Prepared(_at_work)
LOCKED_AT_WORK = Prepared(_at_work.with_for_update(of=schema.rater), holds="rater")

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
        _OWN.token,
        _OWN.group_no,
        _OWN.position,
        _OWN.held_until,
        _OWN.draft,
        _OWN.response_id,
        *item_columns,
        _RATER.answered.label("rater_answered"),
        schema.response.c.answers,
        schema.response.c.outcome,
        schema.response.c.untouched,
        schema.response.c.time.label("answered_at"),
        _group_size,
        schema.image.c.digest,
    )
    .select_from(
        schema.assignment.join(schema.item, _ITEM.id == _OWN.item_id)
        .join(schema.rater, _RATER.id == _OWN.rater_id)
        .outerjoin(schema.response, schema.response.c.id == _OWN.response_id)
        .outerjoin(
            schema.image,
            (schema.image.c.campaign_id == _OWN.campaign_id) & (schema.image.c.key == _ITEM.image),
        )
    )
    .where(_OWN.rater_id == _rater)
)
HELD = Prepared(_tasks.where(_OWN.state == "held").order_by(_OWN.group_no, _OWN.position))
BY_TOKEN = Prepared(_tasks.where(_OWN.token == bindparam("token")))
LAST_ANSWERED = Prepared(
    _tasks.where(_OWN.response_id.is_not(None)).order_by(_OWN.response_id.desc()).limit(literal_column("1"))
)
OWN_ANSWERS = Prepared(
    _tasks.where(_OWN.response_id.is_not(None), _OWN.response_id < bindparam("before"))
    .order_by(_OWN.response_id.desc())
    .limit(bindparam("count", type_=Integer))
)
# How long the rater took for each of their last answers; a correction is no new answer.
PACE = Prepared(
    select(schema.response.c.seconds)
    .where(
        schema.response.c.rater_id == _rater,
        schema.response.c.seconds.is_not(None),
        schema.response.c.kind == literal_column("'answer'"),
    )
    .order_by(schema.response.c.id.desc())
    .limit(literal_column("15"))
)
LAST_OUTCOME = Prepared(
    select(schema.response.c.outcome)
    .where(schema.response.c.rater_id == _rater)
    .order_by(schema.response.c.id.desc())
    .limit(literal_column("1"))
)
HELD_COUNTS = Prepared(
    select(_OWN.group_no, func.count().label("held"), _group_size)
    .where(_OWN.rater_id == _rater, _OWN.state == "held")
    .group_by(_OWN.group_no, _OWN.rater_id)
    .order_by(_OWN.group_no)
)
BEGUN = Prepared(select(exists().where(_ITEM.from_response == bindparam("response"), _ITEM.taken > 0)))

# The claim of a slot: an item without room is not updated, and the claim fails.
_take = update(schema.item).where(_ITEM.id == _item, _ITEM.room > 0).values(taken=_ITEM.taken + 1)
_count_group = (
    update(schema.rater)
    .where(_RATER.id == _rater)
    .values(groups=_RATER.groups + 1, cursor=bindparam("place"), last_seen=bindparam("now"))
)
TAKE = Prepared(_take)
COUNT_GROUP = Prepared(_count_group.returning(_RATER.groups))
RENEW = Prepared(
    update(schema.assignment)
    .where(_OWN.rater_id == _rater, _OWN.state == "held")
    .values(held_until=bindparam("until"))
)
# An answer is opened again: what a correction takes is counted from here.
OPENED = Prepared(
    update(schema.assignment)
    .where(_OWN.rater_id == _rater, _OWN.token == bindparam("slot"), _OWN.state == "answered")
    .values(shown_at=bindparam("now"))
)
KEEP_DRAFT = Prepared(
    update(schema.assignment)
    .where(_OWN.token == bindparam("slot"), _OWN.rater_id == _rater)
    .values(draft=bindparam("kept", type_=Text))
)


def _hold(insert: Any, group: Any, position: Any, shown: Any) -> Any:
    """A slot becomes the rater's; whoever had it before and let it go finds the draft again."""
    digest = (
        select(schema.image.c.digest)
        .where(
            schema.image.c.campaign_id == bindparam("campaign"), schema.image.c.key == bindparam("picture")
        )
        .scalar_subquery()
    )
    held = {
        "state": "held",
        "group_no": group,
        "position": position,
        "held_until": bindparam("until"),
        "shown_at": shown,
    }
    own = {
        "token": bindparam("slot"),
        "campaign_id": bindparam("campaign"),
        "item_id": _item,
        "rater_id": _rater,
        "image": bindparam("picture"),
        "draft": null(),
    }
    made = insert(schema.assignment).values(**own, **held)
    kept = {name: made.excluded[name] for name in held}
    made = made.on_conflict_do_update(index_elements=["item_id", "rater_id"], set_=kept)
    return made.returning(_OWN.token, _OWN.draft, digest.label("digest"), _OWN.group_no)


_of_group: tuple[Any, ...] = (bindparam("group"), bindparam("at"), bindparam("shown", type_=Double))
HOLD = Prepared(
    {"sqlite": _hold(sqlite.insert, *_of_group), "postgresql": _hold(postgresql.insert, *_of_group)}
)
_newest_group = select(_RATER.groups).where(_RATER.id == _rater).scalar_subquery()
_WANTED = given_rows(
    {
        "campaign": "integer",
        "item": "integer",
        "rater": "integer",
        "slot": "text",
        "picture": "text",
        "place": "double precision",
        "now": "double precision",
        "until": "double precision",
    }
)
# The claim of one slot as a group of its own; no answer where there is no room, or where another is at the
# item now. PostgreSQL takes those of a whole group of raters: several may want one item, and the first
# have it, as many as there is room for.
CLAIM = Prepared(
    {
        "sqlite": (
            _take.returning(_ITEM.id),
            _count_group,
            _hold(sqlite.insert, _newest_group, literal_column("0"), bindparam("now")),
        ),
        "postgresql": f"""
        WITH wanted AS MATERIALIZED (
            SELECT *, row_number() OVER (PARTITION BY item ORDER BY n) AS nth FROM {_WANTED}
        ), free AS (
            SELECT id, CASE WHEN is_check THEN NULL ELSE room END AS room FROM item
            WHERE id IN (SELECT item FROM wanted) AND room > 0 ORDER BY id FOR UPDATE SKIP LOCKED
        ), taken AS MATERIALIZED (
            SELECT wanted.* FROM wanted JOIN free ON free.id = wanted.item
            WHERE wanted.nth <= coalesce(free.room, wanted.nth)
        ), counted AS (
            UPDATE item SET taken = item.taken + more.slots
            FROM (SELECT item, count(*) AS slots FROM taken GROUP BY item) AS more
            WHERE item.id = more.item
        ), grouped AS (
            UPDATE rater SET groups = groups + 1, cursor = taken.place, last_seen = taken.now
            FROM taken WHERE rater.id = taken.rater
            RETURNING rater.id, rater.groups
        ), held AS (
            INSERT INTO assignment (token, campaign_id, item_id, rater_id, image, state, group_no, position,
                                    held_until, shown_at)
            SELECT slot, campaign, item, rater, picture, 'held', grouped.groups, 0, until, now
            FROM taken JOIN grouped ON grouped.id = taken.rater
            ON CONFLICT (item_id, rater_id) DO UPDATE
            SET state = 'held', group_no = excluded.group_no, position = 0,
                held_until = excluded.held_until, shown_at = excluded.shown_at
            RETURNING rater_id, token, draft, group_no
        )
        SELECT taken.n, held.token, held.draft,
            (SELECT digest FROM image WHERE image.campaign_id = taken.campaign AND image.key = taken.picture),
            held.group_no
        FROM taken JOIN held ON held.rater_id = taken.rater
        """,
    }
)
