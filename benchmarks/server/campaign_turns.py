"""What a rater's turn costs the database: an answer stored and the next task claimed, without HTTP.

    python benchmarks/server/campaign_turns.py [sqlite|postgresql …] [--raters 64] [--seconds 5]
                                               [--statements]

Raters who do not think answer through the database's writer, all in one process. Printed: turns a
second, processor time a turn of this process and of PostgreSQL, and with `--statements` what is asked
of the database in a turn.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import Counter
from typing import Any

from sqlalchemy import Connection

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, Rater, Receipt
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.store.prepared import Prepared
from captious.campaigns.store.writer import Work
from captious.campaigns.work import assignment
from captious.campaigns.work.responses import Seen, Turn, Underived, take_turn
from captious.protocols import Item
from traffic.campaign import SLUG, prepare
from traffic.databases import Place, database, postgresql_processor

IMAGES = 1500
WARM = 1.0  # seconds that are not measured


def said(_: Item) -> dict[str, object]:
    """What every rater answers."""
    return {"verdict": "minor"}


def turn(db: Database, campaign: Campaign, rater: Rater, token: str) -> Work[Turn | Underived]:
    """The work that stores an answer and claims the next task."""

    def work(connection: Connection) -> Turn | Underived:
        key = f"key {token}"
        return take_turn(db, connection, rater, campaign.slug, token, said, key=key, seen=Seen())

    return work


def next_token(taken: Turn | Underived) -> str:
    """The task that came with the answer."""
    if isinstance(taken, Underived) or not isinstance(taken.outcome, Receipt) or taken.desk is None:
        raise SystemExit(f"no next task: {taken}")
    return taken.desk.tasks[0].token


async def rate(db: Database, campaign: Campaign, rater: Rater, done: list[int], stop: asyncio.Event) -> None:
    """One rater who answers and is given the next task with it."""
    token = assignment.next_tasks(db, campaign, rater)[0].token
    while not stop.is_set():
        token = next_token(await db.writer.run(turn(db, campaign, rater, token)))
        done.append(rater.id)


async def measure(db: Database, place: Place, seconds: float) -> None:
    """Let all raters work, and print what it cost."""
    campaign = lifecycle.find(db, SLUG)
    done: list[int] = []
    stop = asyncio.Event()
    people = raters.listed(db, campaign)
    tasks = [asyncio.create_task(rate(db, campaign, rater, done, stop)) for rater in people]
    await asyncio.sleep(WARM)
    turns, start = len(done), time.perf_counter()
    mine, theirs = time.process_time(), postgresql_processor(place)
    await asyncio.sleep(seconds)
    turns, took = len(done) - turns, time.perf_counter() - start
    mine, theirs = time.process_time() - mine, postgresql_processor(place) - theirs
    stop.set()
    await asyncio.gather(*tasks)
    print(
        f"{place.kind}, {len(people)} raters: {turns / took:.0f} turns a second; processor a turn: "
        f"{mine / turns * 1000:.3f} ms here, {theirs / turns * 1000:.3f} ms in PostgreSQL; "
        f"load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


def count_statements(db: Database, campaign: Campaign) -> None:
    """Print the statements of a few turns in a row of one rater."""
    counts: Counter[Prepared] = Counter()
    run = Prepared._run
    rater = raters.listed(db, campaign)[0]

    def counted(self: Prepared, *given: Any) -> Any:
        counts[self] += 1
        return run(self, *given)

    (task,) = assignment.next_tasks(db, campaign, rater)
    token, turns = task.token, 20
    Prepared._run = counted  # type: ignore[method-assign]
    for _ in range(turns):
        token = next_token(db.writer.submit(turn(db, campaign, rater, token)).result())
    Prepared._run = run  # type: ignore[method-assign]
    print(f"{db.kind}: {counts.total() / turns:.1f} statements a turn")
    for statement, count in counts.most_common():
        text = " ".join(str(next(iter(statement._compiled.values())).sql).split())
        print(f"  {count / turns:5.2f}  {text[:110]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--raters", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--statements", action="store_true", help="print the statements of a turn")
    asked = parser.parse_args()
    for kind in asked.engines:
        with database(kind) as place:
            prepare(place, asked.raters, IMAGES)
            with Database.open(place.url, files=place.files) as db:
                if asked.statements:
                    count_statements(db, lifecycle.find(db, SLUG))
                asyncio.run(measure(db, place, asked.seconds))


if __name__ == "__main__":
    main()
