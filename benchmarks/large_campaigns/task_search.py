"""What the search for a next task costs a rater who has answered 1,000, 10,000 or 100,000 items.

    python benchmarks/large_campaigns/task_search.py [sqlite|postgresql …] [--answers 1000,10000,100000]

One rater has answered that many items of a tagging campaign, which all wait for other raters, and
10,000 items nobody has seen. Timed is what a page calls: the claim of the next task, the count of
what is left, and the answer. "walks" is the plain search, which passes over all that the rater has
answered; "remembers" is the search of a rater with many answers, whose growth is printed. The first
search of a rater whose answers came by import has nothing to remember yet, and is shown by itself.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time

import sqlalchemy as sa

from captious.campaigns.records import Campaign, Rater
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, pool, responses
from large_campaign import answers_to, database, multiply, settle, small_campaign

UNSEEN = 10_000
TARGET = 12
TURNS = 30


def build(db: Database, answers: int) -> tuple[Campaign, Rater]:
    """A campaign whose first rater has answered the first items of the random order."""
    campaign, (rater, *_) = small_campaign(db, "tagging", raters=TARGET)
    multiply(db, campaign, answers + UNSEEN, "", TARGET)
    given = {"campaign": campaign.id, "rater": rater.id}
    with db.write() as connection:
        place = (
            f"(SELECT place FROM item WHERE campaign_id = :campaign ORDER BY place LIMIT 1 OFFSET {answers})"
        )
        cut = connection.execute(sa.text(f"SELECT {place}"), given).scalar_one()
        for statement in (
            "INSERT INTO response (campaign_id, item_id, rater_id, key, answers, hints, time, seconds, kind, "
            "source) SELECT campaign_id, id, :rater, key, '{\"verdict\":\"minor\"}', '[]', 1700000000, 8.5, "
            "'answer', 'import' FROM item WHERE campaign_id = :campaign AND place < :cut",
            "INSERT INTO assignment (token, campaign_id, item_id, rater_id, image, state, group_no, "
            "position, held_until, response_id) SELECT 'bulk' || r.id, r.campaign_id, r.item_id, "
            "r.rater_id, i.image, 'answered', r.id, 0, 0, r.id FROM response r "
            "JOIN item i ON i.id = r.item_id WHERE r.campaign_id = :campaign",
            "UPDATE item SET taken = 1, done = 1 WHERE campaign_id = :campaign AND place < :cut",
            "UPDATE rater SET answered = (SELECT count(*) FROM response r WHERE r.rater_id = rater.id), "
            "cursor = :cut, groups = 1000000 WHERE id = :rater",
        ):
            connection.execute(sa.text(statement), given | {"cut": cut})
    settle(db)
    return campaign, rater


def timed(db: Database, campaign: Campaign, rater: Rater, *, remembers: bool) -> list[tuple[float, float]]:
    """Milliseconds of the clock and of the processor for a search and a count, with the answers between."""
    found = []
    for _ in range(TURNS if remembers else 3):
        with db.write() as connection:
            seeker = assignment.working_rater(connection, rater, db.now())[1]
            own = seeker._replace(answered=seeker.answered if remembers else 0)
            start, busy = time.perf_counter(), time.process_time()
            pool.search(db, connection, campaign, own)
            pool.count_left(connection, campaign, own, 0)
            found.append(((time.perf_counter() - start) * 1000, (time.process_time() - busy) * 1000))
        for task in assignment.next_tasks(db, campaign, rater):
            responses.respond(db, rater, task.token, answers_to(task.item), key=task.token)
    return found


def run(kind: str, sizes: list[int]) -> None:
    """One engine: each size in a new database."""
    medians = []
    for answers in sizes:
        with database(kind) as db:
            campaign, rater = build(db, answers)
            first, *rest = timed(db, campaign, rater, remembers=True)
            walks = statistics.median(clock for clock, _ in timed(db, campaign, rater, remembers=False))
            clock, busy = ([pair[at] for pair in rest] for at in (0, 1))
            medians.append((statistics.median(clock), statistics.median(busy)))
            with db.read() as connection:
                kept = connection.execute(sa.text("SELECT count(*) FROM searched")).scalar_one()
        print(
            f"{kind:11} {answers:8,} answers  walks {walks:8.2f} ms   remembers: first {first[0]:8.2f} ms, "
            f"then median {medians[-1][0]:6.2f} ms, most {max(clock):6.2f} ms, "
            f"processor {medians[-1][1]:5.2f} ms; runs kept {kept}",
            flush=True,
        )
    clock, busy = (last / first for first, last in zip(medians[0], medians[-1], strict=True))
    print(
        f"{kind}: from {sizes[0]:,} to {sizes[-1]:,} answers {clock:.2f} times the time, "
        f"{busy:.2f} times the processor"
    )


def main() -> None:
    """Both engines unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--answers", default="1000,10000,100000")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}, load {load:.1f}")
    for kind in given.engines:
        run(kind, [int(size) for size in given.answers.split(",")])


if __name__ == "__main__":
    main()
