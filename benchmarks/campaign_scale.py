"""How fast a rater is served when a campaign is large: 100,000 items, 1,000,000 responses.

    python benchmarks/campaign_scale.py [sqlite|postgresql …] [--items N] [--responses N]

Builds a tagging campaign and a HUMANr campaign in a temporary database by bulk inserts, then times
what a rater's page calls: the next task (a new group is claimed, or the held one is read again),
the response, the progress, the last answer. Real functions, real commits.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, pool_queries, responses
from captious.corpus import Corpus
from captious.protocols import Item

RATERS = 200
TARGET = 12
CALLS = 200
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
    if field.kind == "choice":
        return {field.name: field.options[0].value}
    return {field.name: {"right": 1, "left": 9}.get(item.check, 5)}


class Times:
    """Milliseconds of the clock and of the processor, by what was called.

    A busy machine stretches the clock only. PostgreSQL's own work is not in the processor's time.
    """

    def __init__(self) -> None:
        self.of: dict[str, list[tuple[float, float]]] = {}

    def note(self, what: str, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Call, and keep the time."""
        start, busy = time.perf_counter(), time.process_time()
        found = work(*given, **named)
        took = (time.perf_counter() - start) * 1000, (time.process_time() - busy) * 1000
        self.of.setdefault(what, []).append(took)
        return found


def serve_one(db: Database, campaign: Campaign, rater: Rater, times: Times) -> int:
    tasks = times.note("next_tasks, new", assignment.next_tasks, db, campaign, rater)
    times.note("next_tasks, held", assignment.next_tasks, db, campaign, rater)
    times.note("rater_progress", assignment.rater_progress, db, campaign, rater)
    for task in tasks:
        answers = answers_to(task.item)
        times.note("respond", responses.respond, db, rater, task.token, answers, key=task.token)
    times.note("previous_task", assignment.previous_task, db, rater)
    return len(tasks)


def serve(db: Database, campaign: Campaign, people: list[Rater]) -> Times:
    """Times of what raters' pages call, over raters with many answers."""
    times = Times()
    done = 0
    while done < CALLS:
        for rater in people:
            done += serve_one(db, campaign, rater, times)
            if done >= CALLS:
                break
    return times


def show(kind: str, campaign: Campaign, times: Times) -> None:
    for what, own in times.of.items():
        clock, busy = ([pair[at] for pair in own] for at in (0, 1))
        print(
            f"{kind:11} {campaign.protocol:8} {what:17} n={len(own):4}  "
            f"median {statistics.median(clock):7.2f} ms  "
            f"p95 {statistics.quantiles(clock, n=20)[-1]:7.2f} ms  "
            f"processor: median {statistics.median(busy):6.2f} ms"
        )


def plans(db: Database, campaign: Campaign, rater: Rater) -> None:
    """How the engine finds open items: through `ix_item_open`."""
    search = pool_queries.search(campaign.rules().once_per_image)
    label, room = ("m1", 1) if campaign.protocol == "humanr" else ("", 2)
    given = {
        "campaign": campaign.id,
        "rater": rater.id,
        "now": db.now(),
        "cursor": 0.5,
        "checks": False,
        "label": label,
        "room": room,
        "count": 3,
    }
    query = search.ahead.statement.params(**given).compile(db.engine, compile_kwargs={"literal_binds": True})
    explain = "EXPLAIN QUERY PLAN" if db.kind == "sqlite" else "EXPLAIN (ANALYZE, COSTS OFF)"
    with db.read() as connection:
        for row in connection.exec_driver_sql(f"{explain} {query}"):
            print(f"    {row[-1]}")


def run(kind: str, items: int, count: int) -> None:
    with database(kind) as db:
        start = time.perf_counter()
        tagging, people = small_campaign(db, "tagging", raters=TARGET)
        multiply(db, tagging, items, "", TARGET)
        answer_many(db, tagging, people[0], count, '{"verdict":"minor"}')
        humanr, pairs = small_campaign(db, "humanr")
        for label in ("m1", "m2", "human-human"):
            multiply(db, humanr, items // 4, label, 1)
        multiply(db, humanr, items // 4, "check", 2**31)
        answer_many(db, humanr, pairs[0], count // 20, '{"preference":5.0}')
        settle(db)
        seconds = time.perf_counter() - start
        with db.read() as connection:
            stored = connection.execute(sa.text("SELECT count(*) FROM response")).scalar()
            there = connection.execute(sa.text("SELECT count(*) FROM item")).scalar()
        print(f"{kind}: {there:,} items, {stored:,} responses, built in {seconds:.0f} s")
        for campaign, own in ((tagging, people), (humanr, pairs)):
            plans(db, campaign, own[0])
            serve(db, campaign, own[-1:])  # the first calls compile their queries
            show(kind, campaign, serve(db, campaign, own))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--responses", type=int, default=1_000_000)
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}")
    for kind in given.engines:
        run(kind, given.items, given.responses)


if __name__ == "__main__":
    main()
