"""Disagreements side by side, and what an adjudicator decides about them.

A decision is a response of its own, in a stage of its own; what the raters said stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from captious.campaigns.quality.disagreements import find_disagreements, named, spread_of, together
from captious.campaigns.records import Campaign, Receipt
from captious.campaigns.store import log, schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import add_items, ids_of, item_columns, item_of
from captious.campaigns.store.snapshots import Content, Snapshot
from captious.campaigns.work import reading, responses
from captious.campaigns.work.reading import ADJUDICATOR
from captious.errors import InputError, UnknownNameError
from captious.protocols import Answers, Item, Problem, Response
from captious.protocols.base import ADJUDICATION

KIND = "disagreements"
# The widest come first; so many keys are a few megabytes.
MOST_KEPT = 50_000


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
    """Every disagreement by item and spread, kept with its time; `count` tells how many."""

    def compute() -> Content:
        items, found = responses.items(db, campaign), reading.active_responses(db, campaign)
        all_ = find_disagreements(campaign.rules(), items, found)
        kept = [[one.item, one.spread] for one in all_[:MOST_KEPT]]
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
    keys = _queue(disagreement_snapshot(db, campaign, fresh_within=fresh_within, wait=wait))
    if undecided_only:
        decided = _decided_keys(db, campaign)
        keys = [key for key in keys if key not in decided]
    page = keys[offset : offset + limit]
    found = gathered(db, campaign, page)
    return [found[key] for key in page if key in found]


@dataclass(frozen=True)
class Place:
    """Where an item stands in the queue of disagreements, the widest first.

    `at` counts from 1, and is 0 where raters do not disagree on the item (any more); `before` and
    `after` are its neighbours, `open_after` the next that is not decided, from the beginning again
    where none follows. Each is "" where there is none.
    """

    at: int
    total: int
    decided: int
    before: str
    after: str
    open_after: str


def place(db: Database, campaign: Campaign, item_key: str = "") -> Place:
    """The place of an item in the queue as it was last computed; without a key, before the first."""
    kept = snapshots.latest(db, campaign, KIND)
    keys = [] if kept is None else _queue(kept)
    done = _decided_keys(db, campaign)
    at = keys.index(item_key) if item_key in keys else -1
    turned = (*keys[at + 1 :], *keys[: max(at, 0)])
    return Place(
        at=at + 1,
        total=len(keys),
        decided=sum(key in done for key in keys),
        before=keys[at - 1] if at > 0 else "",
        after=keys[at + 1] if at + 1 < len(keys) else "",
        open_after=next((key for key in turned if key not in done), ""),
    )


def _queue(kept: Snapshot) -> list[str]:
    return [row[0] for row in kept.content.get("found", [])]


def disagreement(db: Database, campaign: Campaign, item_key: str) -> Disagreement:
    """One item with every answer to it, and what was decided if anything was."""
    found = gathered(db, campaign, [item_key])
    if item_key not in found:
        raise UnknownNameError("item", item_key, [])
    return found[item_key]


def gathered(db: Database, campaign: Campaign, keys: Sequence[str]) -> dict[str, Disagreement]:
    """Each item with the answers to it that count and the decision about it, in a few queries."""
    rules = campaign.rules()
    table = schema.item.c
    own = table.campaign_id == campaign.id
    with db.read() as connection:
        shown = {item.key: item for item in _items(db, connection, own & table.key.in_(keys))}
        if rules.compares == "image":
            wanted = own & table.image.in_({item.image for item in shown.values()})
        else:
            wanted = own & table.key.in_([*shown, *map(decision_key, shown)])
        items = _items(db, connection, wanted)
        said, decided = _answers(connection, wanted)
    pairs = together(rules, items, said)
    found = {}
    for key, item in shown.items():
        answers = {name: one.answers for name, one in named(pairs.get(key, [])).items()}
        spread, why = spread_of(item, answers)
        given = tuple(one for _, one in pairs.get(key, []))
        found[key] = Disagreement(item, given, spread, why, decided.get(decision_key(key)))
    return found


def _items(db: Database, connection: Connection, wanted: ColumnElement[bool]) -> list[Item]:
    rows = connection.execute(select(*item_columns).where(wanted).order_by(schema.item.c.id)).all()
    return [item_of(db, connection, row) for row in rows]


def _answers(
    connection: Connection, wanted: ColumnElement[bool]
) -> tuple[list[Response], dict[str, Answers]]:
    """The latest answers of raters who count, and the latest decisions by item."""
    item, response, rater = schema.item, schema.response, schema.rater
    rows = connection.execute(
        select(
            item.c.key, response.c.answers, response.c.time, response.c.kind, rater.c.pseudonym, rater.c.state
        )
        .join(response, response.c.item_id == item.c.id)
        .outerjoin(rater, rater.c.id == response.c.rater_id)
        .where(wanted)
        .order_by(response.c.id)
    ).all()
    decided: dict[str, Answers] = {}
    latest: dict[tuple[str, str], Response] = {}
    for key, answers, time, kind, name, state in rows:
        if kind == "adjudication" and not answers:
            decided.pop(key, None)
        elif kind == "adjudication":
            decided[key] = answers
        elif state == "active":
            latest[key, name] = Response(key, answers, name, time)
    return list(latest.values()), decided


def decision_key(item_key: str) -> str:
    """The key of the item that holds the decision about another.

    >>> decision_key("first/7")
    'adjudication/first/7'
    """
    return f"{ADJUDICATION}/{item_key}"


def decisions(db: Database, campaign: Campaign) -> list[Response]:
    """What adjudicators decided, the latest about each item, oldest first; not what was taken back."""
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
    return [one for one in latest.values() if one.answers]


def _decided_keys(db: Database, campaign: Campaign) -> set[str]:
    return {one.item.removeprefix(f"{ADJUDICATION}/") for one in decisions(db, campaign)}


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
    if not item.counts or item.stage == ADJUDICATION:
        raise InputError(f'item "{item_key}": there is nothing to decide about it.')
    checked = campaign.rules().validate(item, answers, rater=ADJUDICATION)
    if isinstance(checked, list):
        return checked
    given = checked.answers

    def work(connection: Connection) -> Receipt:
        return _store(connection, db.now(), campaign, item, given, actor, key, source)

    return db.transact(work)


def take_back(db: Database, campaign: Campaign, item_key: str, *, actor: str, key: str) -> Receipt:
    """Undo the latest decision: the one before it stands again, or none. Twice is an undo undone.

    Nothing is deleted: what stands again is a response of its own, an empty one where none does.
    """
    item = responses.item(db, campaign, item_key)
    table, own = schema.response, schema.item

    def work(connection: Connection) -> Receipt:
        held = own.c.campaign_id == campaign.id, own.c.key == decision_key(item_key)
        given = {
            row.id: row
            for row in connection.execute(
                select(table.c.id, table.c.answers, table.c.replaces)
                .join(own, own.c.id == table.c.item_id)
                .where(*held)
            )
        }
        last = given.get(max(given, default=0))
        if last is None or not last.answers:
            raise InputError(f'item "{item_key}": nothing has been decided about it.')
        earlier: Answers = given[last.replaces].answers if last.replaces in given else {}
        return _store(connection, db.now(), campaign, item, earlier, actor, key, "web", "take back decision")

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
    action: str = "adjudicate",
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
        item,
        key=own,
        stage=ADJUDICATION,
        target=1,
        balance="",
        only_for=None,
        not_for=frozenset(),
        not_before=0.0,
        prior={},
    )
    add_items(connection, campaign, [held])
    item_id = ids_of(connection, schema.item, "key", campaign, [own])[own]
    # Nobody is ever handed a decision.
    connection.execute(
        update(schema.item).where(schema.item.c.id == item_id).values(closed=True, taken=1, done=1)
    )
    before = connection.execute(select(func.max(table.c.id)).where(table.c.item_id == item_id)).scalar()
    new = connection.execute(
        insert(table)
        .values(
            campaign_id=campaign.id,
            item_id=item_id,
            rater_id=None,
            key=key,
            answers=answers,
            hints=[],
            time=now,
            kind="adjudication",
            replaces=before,
            source=source,
            actor=actor,
        )
        .returning(table.c.id)
    ).scalar_one()
    log.record(
        connection,
        actor,
        action,
        time=now,
        campaign_id=campaign.id,
        subject=item.key,
        detail={"response": new},
    )
    return Receipt(new, duplicate=False, correction=before is not None)
