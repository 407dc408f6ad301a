"""How fast a rater is served when a campaign is large: 100,000 items, 1,000,000 responses.

    python benchmarks/large_campaigns/rater_pages.py [sqlite|postgresql …] [--items N] [--responses N]

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
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from captious.campaigns.records import Campaign, Rater
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, pool_queries, responses
from large_campaign import TARGET, answer_many, answers_to, database, multiply, settle, small_campaign

CALLS = 200


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
    search = pool_queries.SEARCH[campaign.rules().once_per_image]
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--responses", type=int, default=1_000_000)
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}")
    for kind in given.engines:
        run(kind, given.items, given.responses)


if __name__ == "__main__":
    main()
