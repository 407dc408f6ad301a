"""Gold items: items within the work whose right answers are known, and that look like any other.

They are set when a campaign is made or later, from the command line and from pages alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson
from sqlalchemy import func, or_, select, update

from captious.campaigns.records import Campaign
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import item_columns, item_of
from captious.campaigns.work import reading
from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols import Item
from captious.protocols.item import FIRST
from captious.protocols.known import check_known, question_named

Gold = dict[str, dict[str, Any]]
ROW = ("image", "caption", "answers")
HOW = "Give {item: {question: answer}}, or a list of {image, caption, answers}."


class GoldItem(NamedTuple):
    """An item with its known answers."""

    item: Item
    known: Mapping[str, Any]


def parse_gold(content: bytes, items: Iterable[Item], source: str = "gold") -> Gold:
    """The known answers of a file by the keys of the items that they are about, checked.

    A file is `{item: {question: answer}}`, or a list of `{"image", "caption", "answers"}` whose
    answers may name the questions without the caption's letter.
    """
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{source}: is not JSON: {error}.") from None
    known = {item.key: item for item in items}
    if isinstance(found, list):
        gold: Gold = {}
        for at, row in enumerate(found, start=1):
            item, answers = _row(row, known.values(), f"{source}: entry {at}")
            gold.setdefault(item.key, {}).update(answers)
    elif isinstance(found, dict) and all(isinstance(one, dict) for one in found.values()):
        gold = found
    else:
        raise InputError(f"{source}: is not a file of known answers. {HOW}")
    if not gold:
        raise InputError(f"{source}: holds no known answers. {HOW}")
    check_gold(known, gold)
    return gold


def _row(row: object, items: Iterable[Item], where: str) -> tuple[Item, dict[str, Any]]:
    if not isinstance(row, dict) or set(row) != set(ROW) or not isinstance(row["answers"], dict):
        raise InputError(f"{where}: is not a known answer. {HOW}")
    image, text = str(row["image"]), str(row["caption"])
    for item in items:
        for caption in item.captions:
            if item.image == image and caption.text == text and item.counts:
                answers = {
                    question_named(item, name, caption.key): row["answers"][name] for name in row["answers"]
                }
                return item, answers
    raise InputError(f'{where}: no item shows "{one_line(text, 60)}" on image "{one_line(image, 40)}".')


def check_gold(items: Mapping[str, Item], gold: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse known answers of items that are not there, and such that nobody could give."""
    for key, answers in gold.items():
        if key not in items:
            raise UnknownNameError("gold item", key, list(items)[:20])
        check_known(items[key], answers, f'gold item "{one_line(key)}"')


def set_gold(db: Database, campaign: Campaign, gold: Mapping[str, Mapping[str, Any]], *, actor: str) -> int:
    """Keep known answers with their items, in place of earlier ones; none takes them away."""
    check_gold({key: reading.item(db, campaign, key) for key in gold}, gold)
    table = schema.item
    gone = [key for key, answers in gold.items() if not answers]
    with db.write() as connection:
        for key, answers in gold.items():
            own = (table.c.campaign_id == campaign.id, table.c.key == key)
            connection.execute(update(table).where(*own).values(gold=dict(answers) or None))
        log.record(
            connection,
            actor,
            "set known answers",
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"set": [key for key in gold if key not in gone], "taken away": gone},
        )
    return len(gold)


def listed(db: Database, campaign: Campaign) -> list[GoldItem]:
    """The items whose answers are known, in the order in which they were made."""
    table = schema.item
    wanted = select(*item_columns, table.c.gold).where(
        table.c.campaign_id == campaign.id, table.c.gold.is_not(None)
    )
    with db.read() as connection:
        rows = connection.execute(wanted.order_by(table.c.id)).all()
        return [GoldItem(item_of(db, connection, row), row.gold) for row in rows if row.gold]


def candidates(db: Database, campaign: Campaign, offset: int, count: int) -> tuple[list[Item], int]:
    """Items that could be marked: those of a first stage that count, a page of them; and how many."""
    table = schema.item
    first = or_(table.c.stage == FIRST, table.c.stage.endswith(f"-{FIRST}"))
    own = (
        table.c.campaign_id == campaign.id,
        table.c.is_check.is_(False),
        table.c.restricted.is_(False),
        first,
    )
    wanted = select(*item_columns).where(*own).order_by(table.c.id).offset(offset).limit(count)
    with db.read() as connection:
        total = connection.execute(select(func.count()).where(*own)).scalar_one()
        rows = connection.execute(wanted).all()
        return [item_of(db, connection, row) for row in rows], int(total)
