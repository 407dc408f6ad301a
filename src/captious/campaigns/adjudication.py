"""Disagreements side by side, and what an adjudicator decides about them.

A decision is a response of its own, in a stage of its own; what the raters said stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection, func, insert, select, update

from captious.campaigns import counted, log, responses, schema, snapshots
from captious.campaigns.database import Database
from captious.campaigns.disagreement_rules import find_disagreements, named, spread_of, together
from captious.campaigns.reading import ADJUDICATOR
from captious.campaigns.records import Campaign, Receipt
from captious.campaigns.rows import add_items, ids_of
from captious.campaigns.snapshots import Content, Snapshot
from captious.errors import InputError
from captious.protocols import Answers, Item, Problem, Response
from captious.protocols.thumb import ADJUDICATION, Thumb

KIND = "disagreements"
# As many as anyone will look through; the widest come first.
MOST_KEPT = 5000


@dataclass(frozen=True)
class Disagreement:
    """An item on which raters disagree by `spread` of a scale; `decided` holds the adjudication."""

    item: Item
    responses: tuple[Response, ...]
    spread: float
    why: str
    decided: Answers | None = None


def disagreement_snapshot(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> Snapshot:
    """Every disagreement by item, spread and reason, kept with its time; `count` tells how many."""

    def compute() -> Content:
        items, found = responses.items(db, campaign), counted.standing(db, campaign)
        all_ = find_disagreements(campaign.rules(), items, found)
        kept = [[one.item, one.spread, one.why] for one in all_[:MOST_KEPT]]
        return {"found": kept, "count": len(all_)}

    return snapshots.current(db, campaign, KIND, compute, fresh_within=fresh_within, wait=wait)


def disagreements(
    db: Database,
    campaign: Campaign,
    *,
    limit: int = 50,
    offset: int = 0,
    undecided_only: bool = False,
    fresh_within: float = 10.0,
    wait: bool = True,
) -> list[Disagreement]:
    """A page of the disagreements, the widest first, with everything that was said."""
    kept = disagreement_snapshot(db, campaign, fresh_within=fresh_within, wait=wait)
    rows = kept.content.get("found", [])
    if undecided_only:
        decided = _decided_keys(db, campaign)
        rows = [row for row in rows if row[0] not in decided]
    found = []
    for key, spread, why in rows[offset : offset + limit]:
        one = disagreement(db, campaign, key)
        found.append(replace(one, spread=spread, why=why))
    return found


def disagreement(db: Database, campaign: Campaign, item_key: str) -> Disagreement:
    """One item with every answer to it, and what was decided if anything was."""
    item = responses.item(db, campaign, item_key)
    by_image = isinstance(campaign.rules(), Thumb)
    items, found, decided = _about(db, campaign, item, by_image)
    pairs = together(campaign.rules(), items, found).get(item_key, [])
    spread, why = spread_of(item, {name: one.answers for name, one in named(pairs).items()})
    return Disagreement(item, tuple(one for _, one in pairs), spread, why, decided)


def _about(
    db: Database, campaign: Campaign, item: Item, by_image: bool
) -> tuple[list[Item], list[Response], Answers | None]:
    """The items that are shown together, the answers to them that count, and the decision."""
    table, response, rater = schema.item, schema.response, schema.rater
    wanted = [table.c.campaign_id == campaign.id]
    if by_image:
        wanted.append(table.c.image == item.image)
    else:
        wanted.append(table.c.key.in_([item.key, decision_key(item.key)]))
    with db.read() as connection:
        rows = connection.execute(
            select(table.c.key, response.c.answers, response.c.time, response.c.kind,
                   rater.c.pseudonym, rater.c.state)
            .join(response, response.c.item_id == table.c.id)
            .outerjoin(rater, rater.c.id == response.c.rater_id)
            .where(*wanted).order_by(response.c.id)
        ).all()  # fmt: skip
    decided: Answers | None = None
    latest: dict[tuple[str, str], Response] = {}
    for key, answers, time, kind, name, state in rows:
        if kind == "adjudication":
            decided = answers if key == decision_key(item.key) else decided
        elif state == "active":
            latest[key, name] = Response(key, answers, name, time)
    keys = dict.fromkeys([item.key, *(key for key, _ in latest)])
    items = [responses.item(db, campaign, key) for key in keys]
    return items, list(latest.values()), decided


def decision_key(item_key: str) -> str:
    """The key of the item that holds the decision about another.

    >>> decision_key("first/7")
    'adjudication/first/7'
    """
    return f"{ADJUDICATION}/{item_key}"


def decisions(db: Database, campaign: Campaign) -> list[Response]:
    """What adjudicators decided, the latest about each item, oldest first."""
    table, response = schema.item, schema.response
    wanted = (
        select(table.c.key, response.c.answers, response.c.time)
        .join(table, table.c.id == response.c.item_id)
        .where(table.c.campaign_id == campaign.id, table.c.stage == ADJUDICATION)
        .order_by(response.c.id)
    )
    with db.read() as connection:
        rows = connection.execute(wanted).all()
    latest = {key: Response(key, answers, ADJUDICATOR, time) for key, answers, time in rows}
    return list(latest.values())


def _decided_keys(db: Database, campaign: Campaign) -> set[str]:
    table = schema.item
    with db.read() as connection:
        keys = connection.execute(
            select(table.c.key).where(
                table.c.campaign_id == campaign.id, table.c.stage == ADJUDICATION
            )
        ).scalars()
        return {key.removeprefix(f"{ADJUDICATION}/") for key in keys}


def adjudicate(
    db: Database,
    campaign: Campaign,
    item_key: str,
    answers: Mapping[str, object],
    *,
    actor: str,
    key: str,
    source: str = "web",
) -> Receipt | list[Problem]:
    """Store a decision, or return one line for each field that is not right.

    The same `key` again is the same decision; another key replaces an earlier decision, which is
    kept in the log of responses.
    """
    item = responses.item(db, campaign, item_key)
    if item.check or item.stage == ADJUDICATION:
        raise InputError(f'item "{item_key}": nothing is to be decided about it.')
    checked = campaign.rules().validate(item, answers, rater=ADJUDICATION)
    if isinstance(checked, list):
        return checked
    given = checked.answers

    def work(connection: Connection) -> Receipt:
        return _store(connection, db.now(), campaign, item, given, actor, key, source)

    return db.transact(work)


def _store(
    connection: Connection,
    now: float,
    campaign: Campaign,
    item: Item,
    answers: Answers,
    actor: str,
    key: str,
    source: str,
) -> Receipt:
    table = schema.response
    again = connection.execute(
        select(table.c.id, table.c.replaces).where(
            table.c.campaign_id == campaign.id, table.c.rater_id.is_(None), table.c.key == key
        )
    ).first()
    if again is not None:
        return Receipt(again.id, duplicate=True, correction=again.replaces is not None)
    own = decision_key(item.key)
    held = replace(
        item, key=own, stage=ADJUDICATION, target=1, balance="", only_for=None,
        not_for=frozenset(), not_before=0.0, prior={},
    )  # fmt: skip
    add_items(connection, campaign, [held])
    item_id = ids_of(connection, schema.item, "key", campaign, [own])[own]
    # Nobody is ever handed a decision.
    connection.execute(
        update(schema.item).where(schema.item.c.id == item_id).values(closed=True, taken=1, done=1)
    )
    before = connection.execute(
        select(func.max(table.c.id)).where(table.c.item_id == item_id)
    ).scalar()
    new = connection.execute(
        insert(table).values(
            campaign_id=campaign.id, item_id=item_id, rater_id=None, key=key, answers=answers,
            hints=[], time=now, kind="adjudication", replaces=before, source=source, actor=actor,
        ).returning(table.c.id)
    ).scalar_one()  # fmt: skip
    log.record(
        connection, actor, "adjudicate", time=now, campaign_id=campaign.id, subject=item.key,
        detail={"response": new},
    )  # fmt: skip
    return Receipt(new, duplicate=False, correction=before is not None)
