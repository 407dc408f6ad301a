"""A large campaign in a temporary database: real forms and raters, items and answers by bulk inserts."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.corpus import Corpus
from captious.protocols import Item

RATERS = 200
TARGET = 12
SERIES = "WITH RECURSIVE series(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < :last)"
# A permutation of the items, so that places are spread evenly and in no order of ids.
STEP, PRIME = 7919, 1_000_003


@contextmanager
def database(kind: str) -> Iterator[Database]:
    with tempfile.TemporaryDirectory(prefix="captious-scale-") as folder:
        if kind == "sqlite":
            with Database.open(Path(folder) / "scale.db") as db:
                yield db
            return
        warnings.simplefilter("ignore")
        import pgserver

        os.chmod(folder, 0o755)  # noqa: PTH101 - PostgreSQL's own user walks through it
        with (
            pgserver.get_server(Path(folder) / "data", cleanup_mode="stop") as server,
            Database.open(server.get_uri(), files=Path(folder)) as db,
        ):
            yield db


def small_campaign(db: Database, protocol: str, **options: Any) -> tuple[Campaign, list[Rater]]:
    """A campaign of two images: its forms and raters are real, its items are multiplied."""
    corpus = Corpus.from_lists(
        ["A dog.", "A cat.", "A pig.", "A cow."],
        [["Dog.", "The dog."], ["Cat.", "The cat."]] * 2,
        image_ids=["a", "b", "a", "b"],
        systems=["m1", "m1", "m2", "m2"],
    )
    draft = create.draft(protocol, corpus, title=protocol, options=options)
    campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="bench"), actor="bench")
    people = [NewRater(f"Rater {at}") for at in range(RATERS)]
    return campaign, raters.add(db, campaign, people, actor="bench")


def multiply(db: Database, campaign: Campaign, items: int, label: str, target: int) -> None:
    """Copy one item of the label under new keys, places and images."""
    with db.write() as connection:
        connection.execute(
            sa.text(
                f"""INSERT INTO item (campaign_id, key, image, stage, form_id, content, target,
                    balance, is_check, restricted, not_before, place, closed)
                {SERIES} SELECT campaign_id, 'n' || n || '/' || balance, 'image ' || n, stage,
                    form_id, content, :target, balance, is_check, restricted, not_before,
                    (n * {STEP} % {PRIME}) / {PRIME}.0, closed
                FROM series, (SELECT * FROM item WHERE campaign_id = :campaign
                              AND balance = :label ORDER BY id LIMIT 1) AS one"""
            ),
            {"last": items - 1, "campaign": campaign.id, "label": label, "target": target},
        )


def answer_many(db: Database, campaign: Campaign, first: Rater, count: int, answers: str) -> None:
    """Answers to the items, block by block: each item by another rater in each block."""
    given = {"campaign": campaign.id, "first": first.id, "last": count - 1, "answers": answers}
    with db.write() as connection:
        low, high = connection.execute(
            sa.text(
                "SELECT min(id), max(id) FROM item WHERE campaign_id = :campaign "
                "AND image LIKE 'image %' AND balance <> 'check'"
            ),
            given,
        ).one()
        base = connection.execute(sa.text("SELECT coalesce(max(id), 0) FROM response")).scalar_one()
        given |= {"low": low, "n_items": high - low + 1, "base": base}
        spread = RATERS // max(1, -(-count // (high - low + 1)))
        given["spread"] = spread
        who = ":first + n % :n_items % :spread + :spread * (n / :n_items)"
        connection.execute(
            sa.text(
                f"""INSERT INTO response (id, campaign_id, item_id, rater_id, assignment_id, key,
                    answers, hints, time, seconds, kind, source)
                {SERIES} SELECT :base + n + 1, :campaign, :low + n % :n_items, {who},
                    :base + n + 1, 'bulk' || n, :answers, '[]', 1700000000 + n, 8.5, 'answer',
                    'import' FROM series"""
            ),
            given,
        )
        connection.execute(
            sa.text(
                f"""INSERT INTO assignment (id, token, campaign_id, item_id, rater_id, image, state,
                    group_no, position, held_until, response_id)
                {SERIES} SELECT :base + n + 1, 'bulk' || (:base + n), :campaign, i.id, {who},
                    i.image, 'answered', n / 10, n % 10, 0, :base + n + 1
                FROM series JOIN item i ON i.id = :low + n % :n_items"""
            ),
            given,
        )
        for statement in (
            "UPDATE item SET done = (SELECT count(*) FROM assignment a WHERE a.item_id = item.id), "
            "taken = (SELECT count(*) FROM assignment a WHERE a.item_id = item.id) "
            "WHERE campaign_id = :campaign",
            "UPDATE rater SET groups = 1000000, answered = "
            "(SELECT count(*) FROM response r WHERE r.rater_id = rater.id) "
            "WHERE campaign_id = :campaign",
            "UPDATE label SET taken = (SELECT coalesce(sum(taken), 0) FROM item i "
            "WHERE i.campaign_id = label.campaign_id AND i.balance = label.name) "
            "WHERE campaign_id = :campaign",
        ):
            connection.execute(sa.text(statement), given)
        if db.kind == "postgresql":
            for table in ("response", "assignment"):
                connection.execute(sa.text(f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))"))


def settle(db: Database) -> None:
    """What the engines do by themselves in time: PostgreSQL's and SQLite's planner statistics."""
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if db.kind == "postgresql":
            connection.exec_driver_sql("VACUUM ANALYZE")


def answers_to(item: Item) -> dict[str, Any]:
    (field,) = item.form.fields
    if field.kind in ("choice", "pair", "yes_no"):
        return {field.name: field.options[0].value}
    return {field.name: {"right": 1, "left": 9}.get(item.check, 5)}
