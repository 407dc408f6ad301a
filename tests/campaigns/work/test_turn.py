"""An answer and the claim of the next task are one transaction."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from captious.campaigns.people import raters
from captious.campaigns.records import NotYours, Receipt, Settings
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment
from captious.campaigns.work.assignment import desk
from captious.campaigns.work.responses import Seen, Turn, take_turn


def turn_of(db: Database, campaign: Any, rater: Any, token: str, answers: Any, key: str) -> Turn:
    found = db.writer.submit(
        lambda connection: take_turn(
            db, connection, rater, campaign.slug, token, answers, key=key, seen=Seen()
        )
    ).result()
    assert found is not None
    return found


def test_the_desk_after_an_answer_is_what_the_page_would_find(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    campaign, (ada, _) = make_campaign("tagging", raters=2)
    (task,) = assignment.next_tasks(db, campaign, ada)
    turn = turn_of(db, campaign, ada, task.token, answers, "k1")
    assert isinstance(turn.outcome, Receipt)
    assert turn.desk is not None
    found = desk(db, ada)
    assert [one.token for one in turn.desk.tasks] == [one.token for one in found.tasks]
    assert turn.desk.tasks[0].item == found.tasks[0].item != task.item
    assert turn.desk.progress == found.progress
    assert turn.desk.previous is not None and found.previous is not None
    assert turn.desk.previous.token == found.previous.token == task.token


def test_what_was_claimed_with_an_answer_is_not_shown_to_a_rater_who_was_removed(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    campaign, (ada, _) = make_campaign("tagging", raters=2)
    (task,) = assignment.next_tasks(db, campaign, ada)
    found = turn_of(db, campaign, ada, task.token, answers, "k1").desk
    assert found is not None
    lifecycle.pause(db, campaign, actor="lea")
    assert [one.token for one in desk(db, ada).tasks] == [one.token for one in found.tasks]
    lifecycle.resume(db, campaign, actor="lea")
    raters.remove(db, ada, reason="test", actor="lea")
    assert desk(db, ada).tasks == []


def test_the_same_key_again_claims_nothing(db: Database, make_campaign: Any, answers: Any) -> None:
    campaign, (ada, _) = make_campaign("tagging", raters=2)
    (task,) = assignment.next_tasks(db, campaign, ada)
    first = turn_of(db, campaign, ada, task.token, answers, "k1")
    again = turn_of(db, campaign, ada, task.token, answers, "k1")
    assert isinstance(first.outcome, Receipt) and isinstance(again.outcome, Receipt)
    assert again.outcome.duplicate and again.outcome.response_id == first.outcome.response_id
    assert again.desk is None
    with db.read() as connection:
        held = connection.execute(
            select(schema.assignment.c.id).where(schema.assignment.c.state == "held")
        ).all()
    assert len(held) == 1


def test_wrong_answers_store_and_claim_nothing(db: Database, make_campaign: Any) -> None:
    campaign, (ada, _) = make_campaign("tagging", raters=2)
    (task,) = assignment.next_tasks(db, campaign, ada)
    turn = turn_of(db, campaign, ada, task.token, lambda _: {"verdict": "nonsense"}, "k1")
    assert [problem.field for problem in turn.outcome] == ["verdict"]
    assert turn.desk is None
    assert [one.token for one in assignment.next_tasks(db, campaign, ada)] == [task.token]


def test_anothers_task_is_refused_and_leaves_the_others_works_alone(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    campaign, (ada, bo) = make_campaign("tagging", raters=2)
    (task,) = assignment.next_tasks(db, campaign, ada)
    (own,) = assignment.next_tasks(db, campaign, bo)

    def of(rater: Any, token: str, key: str) -> Any:
        return db.writer.submit(
            lambda connection: take_turn(
                db, connection, rater, campaign.slug, token, answers, key=key, seen=Seen()
            )
        )

    refused, stored = of(bo, task.token, "k1"), of(bo, own.token, "k2")
    with pytest.raises(NotYours):
        refused.result()
    assert isinstance(stored.result().outcome, Receipt)


def test_saving_a_draft_renews_the_hold(db: Database, make_campaign: Any, clock: Any) -> None:
    campaign, (ada, bo) = make_campaign("tagging", images=1, raters=1, settings=Settings(hold_seconds=100))
    (task,) = assignment.next_tasks(db, campaign, ada)
    clock.move(90)
    assignment.save_draft(db, ada, task.token, {"verdict": "minor"})
    clock.move(90)  # 180 s after the claim, 90 s after the draft
    taken = assignment.next_tasks(db, campaign, bo)
    assert [one.item.key for one in taken] != [task.item.key]
    assert assignment.release_expired(db) == 0


def test_labels_and_checks_are_looked_for_only_where_there_are_some(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    # Three to a group, a check among them: none of that is missed after an answer.
    campaign, (ada, _) = make_campaign("humanr", images=12, group_size=3)
    tasks = assignment.next_tasks(db, campaign, ada)
    for at, task in enumerate(tasks):
        turn = turn_of(db, campaign, ada, task.token, answers, f"k{at}")
    assert turn.desk is not None
    assert len(turn.desk.tasks) == len(tasks)
    assert any(one.item.check for one in turn.desk.tasks) == any(one.item.check for one in tasks)


def test_an_item_does_not_overshoot_because_its_rater_thinks_longer_than_the_hold(
    db: Database, make_campaign: Any, clock: Any, answers: Any
) -> None:
    # Two captions of one image, one verdict each: both raters have one, and one rater is late.
    campaign, (ada, bo) = make_campaign(
        "tagging", images=1, raters=1, two_rounds=False, settings=Settings(hold_seconds=100)
    )
    (late,) = assignment.next_tasks(db, campaign, ada)
    clock.move(150)
    (other,) = assignment.next_tasks(db, campaign, bo)
    assert other.item.key != late.item.key  # there is something else to do: the late one keeps theirs
    turn_of(db, campaign, ada, late.token, answers, "k1")
    turn_of(db, campaign, bo, other.token, answers, "k2")
    with db.read() as connection:
        done = connection.execute(select(schema.item.c.done, schema.item.c.target)).all()
    assert [tuple(row) for row in done] == [(1, 1), (1, 1)]


def test_what_nobody_comes_back_to_is_given_to_others_in_the_end(
    db: Database, make_campaign: Any, clock: Any, answers: Any
) -> None:
    campaign, (ada, bo) = make_campaign(
        "tagging", images=1, raters=1, two_rounds=False, settings=Settings(hold_seconds=100)
    )
    (late,) = assignment.next_tasks(db, campaign, ada)
    clock.move(150)
    (other,) = assignment.next_tasks(db, campaign, bo)
    turn = turn_of(db, campaign, bo, other.token, answers, "k1")
    assert turn.desk is not None
    assert [one.item.key for one in turn.desk.tasks] == [late.item.key]
