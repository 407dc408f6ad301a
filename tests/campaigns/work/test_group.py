"""Turns of several raters that are written as one group: each sees what it would see by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import sqlalchemy as sa

from captious.campaigns.records import AnsweredAlready, NotYours, Rater, Receipt, Settings
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.writer import Work
from captious.campaigns.work import assignment
from captious.campaigns.work.responses import Seen, Turn, Underived, take_turn
from captious.errors import InputError

WriteTogether = Callable[..., list[Future[Any]]]


def minor(_: object) -> dict[str, object]:
    return {"verdict": "minor"}


def turn(
    db: Database, slug: str, rater: Rater, token: str, key: str = "", answers: Any = minor
) -> Work[Turn | Underived]:
    return lambda connection: take_turn(
        db, connection, rater, slug, token, answers, key=key or token, seen=Seen()
    )


def stored(db: Database) -> list[tuple[int, str]]:
    column = schema.response.c
    with db.read() as connection:
        rows = connection.execute(sa.select(column.rater_id, column.key).order_by(column.rater_id, column.id))
        return [tuple(row) for row in rows]


def check_counts(db: Database) -> None:
    """What items and raters count is what slots and responses say, and no item has too many."""
    item, slot, rater = schema.item.c, schema.assignment.c, schema.rater.c
    with db.read() as connection:
        slots = connection.execute(sa.select(slot.item_id, slot.state)).all()
        held = Counter(row.item_id for row in slots if row.state in ("held", "answered"))
        done = Counter(row.item_id for row in slots if row.state == "answered")
        for row in connection.execute(sa.select(item.id, item.taken, item.done, item.target)):
            assert (row.taken, row.done) == (held[row.id], done[row.id])
            assert row.taken <= row.target
        by_rater = Counter(rater_id for rater_id, _ in stored(db))
        for row in connection.execute(sa.select(rater.id, rater.answered)):
            assert row.answered == by_rater[row.id]


def test_each_of_a_group_is_stored_and_has_a_next_task_of_its_own(
    db: Database, make_campaign: Any, write_together: WriteTogether
) -> None:
    # 12 captions with three verdicts each; ten raters who answer three times, together each time.
    campaign, people = make_campaign("tagging", images=6, people=10, raters=3)
    held = [assignment.next_tasks(db, campaign, rater)[0].token for rater in people]
    for _ in range(3):
        works = [turn(db, campaign.slug, *pair) for pair in zip(people, held, strict=True)]
        turns = [future.result() for future in write_together(*works)]
        assert all(isinstance(one.outcome, Receipt) and not one.outcome.duplicate for one in turns)
        # 30 answers leave six of 36 slots to claim, and not every rater may have one.
        desks = [(rater, one.desk) for rater, one in zip(people, turns, strict=True) if one.desk is not None]
        for rater, desk in desks:
            (own,) = assignment.next_tasks(db, campaign, rater)
            assert own.token == desk.tasks[0].token
            assert desk.progress.answered == own.number - 1
        people, held = [rater for rater, _ in desks], [desk.tasks[0].token for _, desk in desks]
        check_counts(db)
    with db.read() as connection:
        wanted = sa.select(sa.func.count()).select_from(schema.item_rater)
        # Each rater is asked again for what they have answered.
        assert connection.execute(wanted).scalar_one() == len(stored(db))


def test_an_answer_sent_twice_in_one_group_is_stored_once(
    db: Database, make_campaign: Any, write_together: WriteTogether
) -> None:
    campaign, (ada, bo) = make_campaign("tagging", raters=2)
    (task,) = assignment.next_tasks(db, campaign, ada)
    (other,) = assignment.next_tasks(db, campaign, bo)
    works = [turn(db, campaign.slug, ada, task.token, "the same") for _ in range(3)]
    found = write_together(works[0], turn(db, campaign.slug, bo, other.token, "another"), *works[1:])
    first, _, *again = [future.result().outcome for future in found]
    assert not first.duplicate
    assert [(one.duplicate, one.response_id) for one in again] == [(True, first.response_id)] * 2
    assert stored(db) == [(ada.id, "the same"), (bo.id, "another")]
    check_counts(db)


def test_two_answers_to_one_task_in_a_group_are_not_both_first_answers(
    db: Database, make_campaign: Any, write_together: WriteTogether
) -> None:
    # Two windows of one rater: the second page did not know of the answer that stands, and is asked.
    campaign, (ada, _) = make_campaign("tagging", raters=2)
    (task,) = assignment.next_tasks(db, campaign, ada)
    works = [turn(db, campaign.slug, ada, task.token, key) for key in ("one", "two")]
    first, second = write_together(*works)
    assert isinstance(first.result().outcome, Receipt)
    with pytest.raises(AnsweredAlready):
        second.result()
    assert stored(db) == [(ada.id, "one")]
    check_counts(db)


def test_who_fails_takes_nothing_of_the_others_with_them(
    db: Database, make_campaign: Any, write_together: WriteTogether
) -> None:
    campaign, people = make_campaign("tagging", people=4, raters=4)
    held = [assignment.next_tasks(db, campaign, rater)[0].token for rater in people]

    def fails_late(connection: Any) -> None:
        turn(db, campaign.slug, people[3], held[3])(connection)
        raise InputError("after it was stored.")

    early = write_together(
        turn(db, campaign.slug, people[0], held[0]),
        turn(db, campaign.slug, people[1], held[0]),  # another's task
        turn(db, campaign.slug, people[2], held[2], answers=lambda _: {"verdict": "nonsense"}),
    )
    assert isinstance(early[0].result().outcome, Receipt)
    with pytest.raises(NotYours):
        early[1].result()
    assert [problem.field for problem in early[2].result().outcome] == ["verdict"]
    late = write_together(
        turn(db, campaign.slug, people[1], held[1]), fails_late, turn(db, campaign.slug, people[2], held[2])
    )
    assert isinstance(late[0].result().outcome, Receipt)
    with pytest.raises(InputError, match="after it was stored"):
        late[1].result()
    assert isinstance(late[2].result().outcome, Receipt)
    assert [rater for rater, _ in stored(db)] == [rater.id for rater in people[:3]]
    check_counts(db)


def test_more_raters_than_slots_do_not_overshoot(
    db: Database, make_campaign: Any, write_together: WriteTogether
) -> None:
    # Ten captions with one verdict each: eight raters hold one, and two are left for the eight.
    campaign, people = make_campaign("tagging", images=5, people=8, raters=1, two_rounds=False)
    held = [assignment.next_tasks(db, campaign, rater)[0].token for rater in people]
    works = [turn(db, campaign.slug, *pair) for pair in zip(people, held, strict=True)]
    turns = [future.result() for future in write_together(*works)]
    assert sum(one.desk is not None for one in turns) == 2
    check_counts(db)


def test_a_late_answer_keeps_its_slot_though_another_of_its_group_looks_for_it(
    db: Database, make_campaign: Any, clock: Any, write_together: WriteTogether
) -> None:
    # Two captions, one verdict each. Ada's hold is over, and nothing but her caption is left for Bo.
    campaign, (ada, bo) = make_campaign(
        "tagging", images=1, raters=1, two_rounds=False, settings=Settings(hold_seconds=100)
    )
    (late,) = assignment.next_tasks(db, campaign, ada)
    clock.move(150)
    (other,) = assignment.next_tasks(db, campaign, bo)
    found = write_together(turn(db, campaign.slug, ada, late.token), turn(db, campaign.slug, bo, other.token))
    for future in found:
        assert isinstance(future.result().outcome, Receipt)
    assert found[1].result().desk is None
    check_counts(db)
