"""A campaign's life: draft, open, paused, closed; more work and other settings on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from sqlalchemy import Connection, delete, false, func, select, update

from captious.campaigns.entry.training_files import prepare_training, store_training
from captious.campaigns.exchange.references import keep_references, references_in
from captious.campaigns.records import Campaign, Settings, State, Training
from captious.campaigns.setup.create import ImageFiles, checked_title, image_files, with_scores
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.images import prepare, remember
from captious.campaigns.store.rows import MANY, add_items, add_limits, campaign_of, content_of
from captious.campaigns.work.reading import latest_responses
from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols import Item
from captious.protocols.base import MOST_RESPONSES, RoundData
from captious.protocols.capabilities import Rounds
from captious.protocols.options import require_range

Step = Literal["open", "pause", "resume", "close"]
STEPS: Mapping[Step, tuple[tuple[State, ...], State]] = {
    "open": (("draft",), "open"),
    "pause": (("open",), "paused"),
    "resume": (("paused", "closed"), "open"),
    "close": (("open", "paused"), "closed"),
}


def listed(db: Database) -> list[Campaign]:
    """Every campaign, newest first."""
    table = schema.campaign
    with db.read() as connection:
        return [campaign_of(row) for row in connection.execute(select(table).order_by(table.c.id.desc()))]


def find(db: Database, slug: str) -> Campaign:
    """A campaign by its slug."""
    table = schema.campaign
    with db.read() as connection:
        row = connection.execute(select(table).where(table.c.slug == slug)).first()
        if row is None:
            known = connection.execute(select(table.c.slug).order_by(table.c.id.desc()).limit(50))
            raise UnknownNameError("campaign", slug, [*known.scalars()])
    return campaign_of(row)


def by_id(db: Database, campaign_id: int) -> Campaign:
    """A campaign by its id."""
    with db.read() as connection:
        return _of(connection, campaign_id)


def open_campaign(db: Database, campaign: Campaign, *, actor: str) -> Campaign:
    """Let raters begin."""
    return _step(db, campaign, "open", actor)


def pause(db: Database, campaign: Campaign, *, actor: str) -> Campaign:
    """Hand out nothing more for now; what raters hold they may still answer."""
    return _step(db, campaign, "pause", actor)


def resume(db: Database, campaign: Campaign, *, actor: str) -> Campaign:
    """Go on, after a pause or after closing."""
    return _step(db, campaign, "resume", actor)


def close(db: Database, campaign: Campaign, *, actor: str) -> Campaign:
    """End the campaign; what raters hold they may answer until their time is up."""
    return _step(db, campaign, "close", actor)


def _step(db: Database, campaign: Campaign, step: Step, actor: str) -> Campaign:
    allowed, state = STEPS[step]
    table = schema.campaign

    def work(connection: Connection) -> Campaign:
        now = db.now()
        own = table.c.id == campaign.id
        before = connection.execute(select(table.c.state).where(own).with_for_update()).scalar()
        if before not in allowed:
            raise InputError(
                f"{campaign.slug}: it is {before}, and only a campaign that is "
                f"{' or '.join(allowed)} can {step}."
            )
        values: dict[str, object] = {"state": state}
        if state == "open":
            values |= {"opened": func.coalesce(table.c.opened, now), "closed": None}
        if state == "closed":
            values["closed"] = now
        connection.execute(update(table).where(own).values(**values))
        log.record(connection, actor, step, time=now, campaign_id=campaign.id, subject=campaign.slug)
        return _of(connection, campaign.id)

    return db.transact(work)


def count_items(db: Database, campaign: Campaign) -> int:
    """How many items the campaign has."""
    with db.read() as connection:
        return _count(connection, campaign)


def extend(
    db: Database,
    campaign: Campaign,
    *,
    target: int | None = None,
    corpus: Corpus | None = None,
    images: ImageFiles | None = None,
    actor: str,
) -> Campaign:
    """Ask for more responses to each item, for more items, or both; nothing is taken away."""
    rules = campaign.rules()
    if target is not None and rules.words.one_rater:
        raise InputError(f"target: {rules.words.one_rater}")
    if target is not None:
        require_range("target", target, 1, MOST_RESPONSES)
    new = with_scores(rules, rules.items(corpus, seed=campaign.seed), corpus) if corpus is not None else []
    _refuse_other_captions(db, campaign, new)
    files = image_files(corpus, images) if corpus is not None else {}
    prepared = [(key, prepare(db, path, key)) for key, path in files.items()]
    references = references_in(corpus) if corpus is not None else {}

    def work(connection: Connection) -> Campaign:
        before = _count(connection, campaign)
        add_items(connection, campaign, new)
        remember(connection, campaign, prepared)
        keep_references(connection, campaign, references, now=db.now())
        if target is not None:
            _raise_target(connection, campaign, target)
        log.record(
            connection,
            actor,
            "extend",
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"target": target, "new items": _count(connection, campaign) - before},
        )
        return _of(connection, campaign.id)

    return db.transact(work)


def _refuse_other_captions(db: Database, campaign: Campaign, new: Sequence[Item]) -> None:
    """Refuse an item that is there already with other captions: it would be left out without a word."""
    if not new:
        return
    asked = [item for item in new if item.counts]  # a check may show any other image's caption
    there = _captions(db, campaign, [item.key for item in asked])
    clash = [item for item in asked if there.get(item.key, _texts(item)) != _texts(item)]
    if clash:
        raise InputError(
            f'image "{one_line(clash[0].image)}": the campaign shows it already with other captions'
            f"{f', and {len(clash) - 1:,} more' if len(clash) > 1 else ''}. Give all captions of a new "
            "image at once, and leave out those of images that are there."
        )


def _captions(db: Database, campaign: Campaign, keys: Sequence[str]) -> dict[str, set[str]]:
    """What the items of these keys show that the campaign has already."""
    table = schema.item
    found: dict[str, set[str]] = {}
    with db.read() as connection:
        for start in range(0, len(keys), MANY):
            wanted = select(table.c.key, table.c.content).where(
                table.c.campaign_id == campaign.id, table.c.key.in_(keys[start : start + MANY])
            )
            for key, content in connection.execute(wanted):
                found[key] = {text for _, text in content["captions"]}
    return found


def _texts(item: Item) -> set[str]:
    return {one.text for one in item.captions}


def _raise_target(connection: Connection, campaign: Campaign, target: int) -> None:
    table = schema.item
    first = (
        (table.c.campaign_id == campaign.id) & (table.c.is_check == false()) & (table.c.restricted == false())
    )
    highest = connection.execute(select(func.max(table.c.target)).where(first)).scalar()
    if highest is not None and target < highest:
        raise InputError(f"target: {target} is below {highest}, which is wanted now. Give more.")
    connection.execute(update(table).where(first, table.c.target < target).values(target=target))


def _count(connection: Connection, campaign: Campaign) -> int:
    table = schema.item
    wanted = select(func.count()).where(table.c.campaign_id == campaign.id)
    return int(connection.execute(wanted).scalar_one())


def change_settings(db: Database, campaign: Campaign, settings: Settings, *, actor: str) -> Campaign:
    """Replace the settings; the log keeps what changed."""
    with db.write() as connection:
        return _change_settings(connection, campaign, settings, actor=actor, now=db.now())


def _change_settings(
    connection: Connection, campaign: Campaign, settings: Settings, *, actor: str, now: float
) -> Campaign:
    before, values = campaign.settings.to_dict(), settings.to_dict()
    changed = {name: value for name, value in values.items() if before[name] != value}
    return _update(connection, campaign, actor, "change settings", changed, now=now, settings=values)


def rename(db: Database, campaign: Campaign, title: str, *, actor: str) -> Campaign:
    """Give the campaign another title; its slug stays, for links hold it."""
    shown = checked_title(title)
    with db.write() as connection:
        return _update(connection, campaign, actor, "rename", {"title": shown}, now=db.now(), title=shown)


def _update(
    connection: Connection,
    campaign: Campaign,
    actor: str,
    action: str,
    detail: dict[str, object],
    *,
    now: float,
    **values: object,
) -> Campaign:
    table = schema.campaign
    connection.execute(update(table).where(table.c.id == campaign.id).values(**values))
    log.record(
        connection, actor, action, time=now, campaign_id=campaign.id, subject=campaign.slug, detail=detail
    )
    return _of(connection, campaign.id)


def _of(connection: Connection, campaign_id: int) -> Campaign:
    table = schema.campaign
    row = connection.execute(select(table).where(table.c.id == campaign_id)).first()
    if row is None:
        raise InputError(f"campaign {campaign_id}: no campaign has this number.")
    return campaign_of(row)


__all__ = [
    "by_id",
    "change_settings",
    "close",
    "extend",
    "find",
    "listed",
    "open_campaign",
    "pause",
    "rename",
    "resume",
    "start_round",
]


def start_round(db: Database, campaign: Campaign, name: str, *, actor: str, **values: object) -> list[Item]:
    """Start one of the protocol's extra rounds with what it asks for, such as `captions=50`.

    Started again, a round adds what is new: items that someone has begun stay as they are.
    """
    rules = campaign.rules()
    found = next((one for one in Rounds.of(rules).rounds if one.name == name), None)
    if found is None:
        raise UnknownNameError(
            f"round of {campaign.protocol}", name, [one.name for one in Rounds.of(rules).rounds]
        )
    given = {one.name: values.get(one.name, one.default) for one in found.asks}
    items, responses = latest_responses(db, campaign)
    data = RoundData(items, responses, _native(db, campaign), campaign.seed, given)
    return _add(db, campaign, Rounds.of(rules).start_round(name, data), found.action, actor)


def _native(db: Database, campaign: Campaign) -> frozenset[str]:
    table = schema.rater
    wanted = select(table.c.pseudonym).where(
        table.c.campaign_id == campaign.id, table.c.native.is_(True), table.c.state == "active"
    )
    with db.read() as connection:
        return frozenset(connection.execute(wanted).scalars())


def _add(db: Database, campaign: Campaign, new: list[Item], action: str, actor: str) -> list[Item]:
    def work(connection: Connection) -> list[Item]:
        _refresh(connection, campaign, new)
        add_items(connection, campaign, new)
        log.record(
            connection,
            actor,
            action,
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"items": len(new)},
        )
        return new

    return db.transact(work)


def _refresh(connection: Connection, campaign: Campaign, new: list[Item]) -> None:
    """An item of the round that nobody has begun takes the scores and the raters of today."""
    table, limit = schema.item, schema.item_rater
    for item in new:
        own = (table.c.campaign_id == campaign.id) & (table.c.key == item.key)
        found = connection.execute(
            update(table)
            .where(own, table.c.taken == 0)
            .values(content=content_of(item))
            .returning(table.c.id)
        ).scalar()
        if found is not None:
            connection.execute(delete(limit).where(limit.c.item_id == found))
            add_limits(connection, campaign, [item])


def set_training(db: Database, campaign: Campaign, training: Training | None, *, actor: str) -> Campaign:
    """Give a campaign another training, or none: raters go through it before their next task."""
    prepared = prepare_training(db, training) if training is not None else None
    settings = replace(campaign.settings, training=prepared.version if prepared else "")
    with db.write() as connection:
        if prepared is not None:
            store_training(connection, campaign, prepared)
        return _change_settings(connection, campaign, settings, actor=actor, now=db.now())
