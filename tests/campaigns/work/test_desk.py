"""What a rater's page says of the work that is left."""

from __future__ import annotations

from typing import Any

from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.campaigns.work.assignment import COUNTED_EVERY, desk


def answer(db: Database, rater: Any, answers: Any) -> None:
    task = desk(db, rater).tasks[0]
    responses.respond(db, rater, task.token, answers(task.item), key=task.token)


def test_every_answer_takes_one_off_what_is_left(db: Database, make_campaign: Any, answers: Any) -> None:
    _, (ada, bo) = make_campaign("generic", images=3)
    # 3 images x 2 systems; the one in hand is among them.
    seen = []
    for _ in range(6):
        seen.append((desk(db, ada).progress.answered, desk(db, ada).progress.left))
        answer(db, ada, answers)
    assert seen == [(0, 6), (1, 5), (2, 4), (3, 3), (4, 2), (5, 1)]
    done = desk(db, ada)
    assert (done.tasks, done.progress.left, done.progress.answered) == ([], 0, 6)
    assert desk(db, bo).progress.left == 6


def test_what_others_have_taken_is_counted_after_a_while(
    db: Database, make_campaign: Any, answers: Any, clock: Any
) -> None:
    # One rater is enough for each caption.
    _, (ada, bo) = make_campaign("audit", images=3, target=1)
    before = desk(db, ada).progress.left
    for _ in range(2):
        answer(db, bo, answers)
    assert desk(db, ada).progress.left == before
    clock.move(COUNTED_EVERY)
    assert desk(db, ada).progress.left == before
    clock.move(1)
    assert desk(db, ada).progress.left == before - 2


def test_a_closed_campaign_leaves_what_is_in_hand(db: Database, make_campaign: Any) -> None:
    campaign, (ada, _) = make_campaign("generic", images=3)
    assert desk(db, ada).progress.left == 6
    lifecycle.close(db, campaign, actor="lea")
    assert [desk(db, ada).progress.left, len(desk(db, ada).tasks)] == [1, 1]
