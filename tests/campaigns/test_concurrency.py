"""Many raters at the same moment: real threads, real transactions, on both engines."""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import sqlalchemy as sa

from captious.campaigns.people import raters
from captious.campaigns.records import Rater, Receipt
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, pool, responses
from captious.campaigns.work.responses import Seen, take_turn
from captious.protocols import Item

THREADS = 20


def together(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """Run the same work in many threads that begin at one moment."""
    barrier = Barrier(count)

    def one(at: int) -> Any:
        barrier.wait()
        return work(at)

    with ThreadPoolExecutor(count) as threads:
        return [*threads.map(one, range(count))]


def check_counters(db: Database) -> None:
    """Every counter equals what it counts."""
    item, own, rater = schema.item.c, schema.assignment.c, schema.rater.c
    with db.read() as connection:
        rows = connection.execute(
            sa.select(own.item_id, own.state, rater.state).join(schema.rater, rater.id == own.rater_id)
        ).all()
        active = [(item_id, state) for item_id, state, who in rows if who == "active"]
        taken = Counter(item_id for item_id, state in active if state in ("held", "answered"))
        done = Counter(item_id for item_id, state in active if state == "answered")
        for row in connection.execute(sa.select(item.id, item.taken, item.done)):
            assert (row.taken, row.done) == (taken[row.id], done[row.id])
        labels = sa.select(item.balance, sa.func.sum(item.taken)).where(item.is_check.is_(False))
        sums = {row[0]: row[1] for row in connection.execute(labels.group_by(item.balance))}
        for name, total in connection.execute(sa.select(schema.label.c.name, schema.label.c.taken)):
            assert total == sums[name]


def test_no_slot_is_held_twice(db: Database, make_campaign) -> None:
    # Two images with two captions and two verdicts each: eight slots for twenty raters.
    campaign, people = make_campaign("tagging", images=2, people=THREADS, raters=2)
    found = together(lambda at: assignment.next_tasks(db, campaign, people[at]))
    held = Counter(task.item.key for tasks in found for task in tasks)
    assert sum(held.values()) == 8
    assert set(held.values()) == {2}
    check_counters(db)


def test_an_item_that_loses_a_slot_while_it_is_looked_for_is_still_found(
    db: Database, make_campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    if db.kind == "sqlite":
        pytest.skip("in SQLite raters who look for work take turns")
    # One caption is left, which wants two verdicts. While the first rater looks for items that want
    # two, the second takes one of them: the item now wants one.
    campaign, people = make_campaign("tagging", images=1, people=4, raters=2, two_rounds=False)
    for rater in people[:2]:
        assert assignment.next_tasks(db, campaign, rater)
    with db.write() as connection:
        room = schema.item.c.room
        (least, most) = connection.execute(sa.select(sa.func.min(room), sa.func.max(room))).one()
    assert (least, most) == (0, 2)
    taken = []
    search = pool.search

    def search_while_another_takes(*given: Any) -> Any:
        found = search(*given)
        if not taken:
            taken.append(True)
            assert len(assignment.next_tasks(db, campaign, people[3])) == 1
        return found

    monkeypatch.setattr(pool, "search", search_while_another_takes)
    assert len(assignment.next_tasks(db, campaign, people[2])) == 1
    assert taken
    check_counters(db)


def test_groups_with_checks_are_whole_under_load(db: Database, make_campaign) -> None:
    campaign, people = make_campaign("humanr", images=15, people=THREADS)
    found = together(lambda at: assignment.next_tasks(db, campaign, people[at]))
    held = Counter(task.item.key for tasks in found for task in tasks if not task.item.check)
    # Three comparisons of each image, wanted once each.
    assert max(held.values()) == 1
    assert sum(held.values()) == 45
    for tasks in found:
        assert sum(bool(task.item.check) for task in tasks) == bool(tasks)
        assert len({task.item.image for task in tasks}) == len(tasks)
    check_counters(db)


def test_one_rater_in_many_windows_holds_one_group(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("humanr", images=30)
    found = together(lambda _: assignment.next_tasks(db, campaign, rater))
    assert len({tuple(task.token for task in tasks) for tasks in found}) == 1
    check_counters(db)


def test_one_key_sent_many_times_is_one_response(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = assignment.next_tasks(db, campaign, rater)
    verdicts = ("minor", "serious")
    receipts = together(
        lambda at: responses.respond(db, rater, task.token, {"verdict": verdicts[at % 2]}, key="the same")
    )
    assert len({receipt.response_id for receipt in receipts}) == 1
    assert sum(not receipt.duplicate for receipt in receipts) == 1
    assert len([*responses.stored(db, campaign)]) == 1
    check_counters(db)


def test_many_raters_work_a_campaign_off(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("thumb", images=8, people=10)

    def work(at: int) -> int:
        rater, count, idle = people[at], 0, 0
        while idle < 3:
            tasks = assignment.next_tasks(db, campaign, rater)
            idle = 0 if tasks else idle + 1
            for task in tasks:
                given = answers(task.item)
                receipt = responses.respond(db, rater, task.token, given, key=task.token)
                assert isinstance(receipt, Receipt)
                count += 1
        return count

    counts = together(work, len(people))
    rest = sum(work(at) for at in range(len(people)))  # a second stage that came too late for all
    assert sum(counts) + rest == 16  # eight images, two stages
    items, found = responses.latest_responses(db, campaign)
    raters_of: dict[str, set[str]] = {}
    image_of = {item.key: item.image for item in items}
    for response in found:
        raters_of.setdefault(image_of[response.item], set()).add(response.rater)
    assert {len(own) for own in raters_of.values()} == {2}  # nobody checked their own work
    check_counters(db)


def test_removal_in_the_middle_of_the_work(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("humanr", images=20, people=8)

    def work(at: int) -> None:
        rater = people[at]
        if at % 4 == 0:
            raters.remove(db, rater, reason="a test", actor="lea")
            raters.reinstate(db, rater, actor="lea")
            raters.remove(db, rater, reason="a test", actor="lea")
            return
        for task in assignment.next_tasks(db, campaign, rater):
            responses.respond(db, rater, task.token, answers(task.item), key=task.token)

    together(work, len(people))
    check_counters(db)


def test_pseudonyms_given_at_the_same_moment_differ(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign(people=0)
    found = together(lambda at: raters.add(db, campaign, [raters.NewRater(f"P{at}")] * 3, actor="lea"), 6)
    names = [rater.pseudonym for added in found for rater in added]
    assert sorted(names) == [f"r{at:03d}" for at in range(1, 19)]


def _other_process(url: str, slug: str, ids: Sequence[int]) -> list[tuple[str, str]]:
    with Database.open(url) as db:
        campaign = lifecycle.find(db, slug)
        held = []
        for rater_id in ids:
            rater = raters.find(db, campaign, rater_id)
            for task in assignment.next_tasks(db, campaign, rater):
                responses.respond(db, rater, task.token, {"verdict": "minor"}, key=task.token)
                held.append((task.item.key, rater.pseudonym))
        return held


@pytest.mark.skipif(sys.platform == "win32", reason="needs processes that are forked or spawned")
def test_several_servers_share_a_database(
    db: Database, database_url: str, make_campaign, tmp_path: Path
) -> None:
    campaign, people = make_campaign("tagging", images=3, people=12, raters=2, two_rounds=False)
    ids = [rater.id for rater in people]
    context = multiprocessing.get_context("fork" if "fork" in _methods() else "spawn")
    db.close()  # a process must not inherit open connections
    with context.Pool(2) as servers:
        given = [(database_url, campaign.slug, ids[half::2]) for half in (0, 1)]
        held = [pair for found in servers.starmap(_other_process, given) for pair in found]
    # Six captions, two verdicts each; every rater does one.
    assert Counter(key for key, _ in held) == {item.key: 2 for item in responses.items(db, campaign)}
    check_counters(db)


def _turns(url: str, slug: str, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Raters who answer through the writer of a process of its own, all at once, until nothing is left."""

    async def rate(db: Database, rater: Rater) -> list[tuple[int, int]]:
        stored = []
        campaign = lifecycle.find(db, slug)
        while tasks := assignment.next_tasks(db, campaign, rater):
            token: str | None = tasks[0].token
            while token is not None:
                work = partial(
                    take_turn, db, rater=rater, slug=slug, token=token, answers=_minor, key=token, seen=Seen()
                )
                turn = await db.writer.run(lambda connection, work=work: work(connection=connection))
                assert turn is not None
                assert isinstance(turn.outcome, Receipt)
                stored.append((rater.id, turn.outcome.response_id))
                token = turn.desk.tasks[0].token if turn.desk is not None else None
        return stored

    async def all_of(db: Database) -> list[tuple[int, int]]:
        people = raters.listed(db, lifecycle.find(db, slug))
        found = await asyncio.gather(*(rate(db, rater) for rater in people if rater.id in ids))
        return [pair for own in found for pair in own]

    with Database.open(url) as db:
        return asyncio.run(all_of(db))


def _minor(_: Item) -> dict[str, object]:
    return {"verdict": "minor"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs processes that are forked or spawned")
@pytest.mark.parametrize("two_rounds", [False, True])
def test_groups_of_several_servers_neither_lose_nor_overshoot(
    db: Database, database_url: str, make_campaign, two_rounds: bool
) -> None:
    # 20 images with two captions, four verdicts each: 160 answers by 24 raters in two processes.
    campaign, people = make_campaign("tagging", images=20, people=24, raters=4, two_rounds=two_rounds)
    ids = [rater.id for rater in people]
    context = multiprocessing.get_context("fork" if "fork" in _methods() else "spawn")
    db.close()  # a process must not inherit open connections
    with context.Pool(2) as servers:
        given = [(database_url, campaign.slug, ids[half::2]) for half in (0, 1)]
        told = [pair for found in servers.starmap(_turns, given) for pair in found]
    assert len(told) == 160
    column = schema.response.c
    with db.read() as connection:
        stored = connection.execute(sa.select(column.rater_id, column.id)).all()
        first = schema.item.c.stage == "first"
        counts = connection.execute(sa.select(schema.item.c.done, schema.item.c.taken).where(first)).all()
        second = connection.execute(sa.select(sa.func.count()).select_from(schema.item).where(~first))
        assert second.scalar_one() == (160 if two_rounds else 0)
    assert sorted(told) == sorted(map(tuple, stored))
    assert [tuple(row) for row in counts] == [(4, 4)] * 40
    check_counters(db)


def _methods() -> list[str]:
    return multiprocessing.get_all_start_methods()
