from __future__ import annotations

import pytest
import sqlalchemy as sa

from captious.campaigns.people import raters
from captious.campaigns.quality import flags
from captious.campaigns.quality.rules import ATTENTION
from captious.campaigns.records import NotOpen, Receipt, Settings
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.campaigns.work.assignment import next_tasks, open_again
from captious.campaigns.work.responses import respond
from captious.errors import InputError, UnknownNameError


def counters(db: Database, key: str) -> tuple[int, int]:
    column = schema.item.c
    with db.read() as connection:
        wanted = sa.select(column.taken, column.done).where(column.key == key)
        taken, done = connection.execute(wanted).one()
    return taken, done


def test_an_answer_is_stored_and_counted(db: Database, make_campaign, clock) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    assert counters(db, task.item.key) == (1, 0)
    clock.move(7.5)
    receipt = respond(db, rater, task.token, {"verdict": "minor"}, key="k1")
    assert receipt == Receipt(receipt.response_id, duplicate=False, correction=False)
    assert counters(db, task.item.key) == (1, 1)
    (row,) = responses.stored(db, campaign)
    assert (row.item_key, row.rater, row.answers) == (task.item.key, "r001", {"verdict": "minor"})
    assert (row.kind, row.source, row.standing, row.seconds) == ("answer", "web", True, 7.5)
    person = raters.find(db, campaign, rater.id)
    assert (person.answered, person.seconds, person.last_seen) == (1, 7.5, clock.now)


def test_the_page_may_measure_the_time_itself(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    for given, kept in ((3.25, 3.25), (-1.0, 0.0), (float("nan"), 0.0), (1e9, 24 * 3600.0)):
        (task,) = next_tasks(db, campaign, rater)
        respond(db, rater, task.token, {"verdict": "minor"}, key=task.token, seconds=given, source="api")
        *_, last = responses.stored(db, campaign)
        assert (last.seconds, last.source) == (kept, "api")


def test_wrong_answers_store_nothing(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    for given in ({}, {"verdict": "fine"}, {"verdict": "minor", "more": 1}):
        problems = respond(db, rater, task.token, given, key="k1")
        assert isinstance(problems, list)
        assert len(problems) == 1
    assert [*responses.stored(db, campaign)] == []
    # The key of a refused answer is still free.
    assert isinstance(respond(db, rater, task.token, {"verdict": "minor"}, key="k1"), Receipt)


def test_a_character_that_no_database_keeps_is_a_problem_of_its_field(
    db: Database, make_campaign, answers
) -> None:
    campaign, (rater, _) = make_campaign("thumb", images=1)
    (task,) = next_tasks(db, campaign, rater)
    for bad in ("half \ud800", "nul \x00 here"):
        given = answers(task.item) | {"A.precision": 4, "A.errors": ["wrong"], "A.corrected": bad}
        problems = respond(db, rater, task.token, given, key="k")
        assert [problem.field for problem in problems] == ["A.corrected"]


@pytest.mark.parametrize("key", ["", "x" * 201, "\x00", "\ud800"])
def test_a_bad_key_is_one_line(db: Database, make_campaign, key: str) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    with pytest.raises(InputError, match="key: give"):
        respond(db, rater, task.token, {"verdict": "minor"}, key=key)


def test_the_same_key_again_is_the_same_response(db: Database, make_campaign) -> None:
    campaign, (rater, other) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    first = respond(db, rater, task.token, {"verdict": "minor"}, key="k1")
    again = respond(db, rater, task.token, {"verdict": "unrelated"}, key="k1")
    nonsense = respond(db, rater, task.token, {"nonsense": 1}, key="k1")
    assert again == nonsense == Receipt(first.response_id, duplicate=True, correction=False)
    (row,) = responses.stored(db, campaign)
    assert row.answers == {"verdict": "minor"}
    assert counters(db, task.item.key) == (1, 1)
    # A key is a rater's own.
    (task,) = next_tasks(db, campaign, other)
    assert not respond(db, other, task.token, {"verdict": "minor"}, key="k1").duplicate


def test_a_correction_is_a_new_row(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging", two_rounds=False)
    (task,) = next_tasks(db, campaign, rater)
    first = respond(db, rater, task.token, {"verdict": "minor"}, key="k1")
    second = respond(db, rater, task.token, {"verdict": "serious"}, key="k2")
    assert second.correction
    old, new = responses.stored(db, campaign)
    assert (old.standing, new.standing) == (False, True)
    assert (new.kind, new.replaces) == ("correction", first.response_id)
    _, (standing,) = responses.latest_responses(db, campaign)
    assert standing.answers == {"verdict": "serious"}
    assert counters(db, task.item.key) == (1, 1)
    assert raters.find(db, campaign, rater.id).answered == 1


def test_a_correction_takes_as_long_as_its_own_look(db: Database, make_campaign, clock) -> None:
    campaign, (rater, _) = make_campaign("tagging", two_rounds=False)
    (task,) = next_tasks(db, campaign, rater)
    clock.move(20)
    respond(db, rater, task.token, {"verdict": "minor"}, key="k1")
    clock.move(300)
    # Nobody opened the answer again: how long the correction took is not known.
    respond(db, rater, task.token, {"verdict": "serious"}, key="k2")
    clock.move(300)
    open_again(db, rater, task.token)
    clock.move(7)
    respond(db, rater, task.token, {"verdict": "complete"}, key="k3")
    clock.move(300)
    respond(db, rater, task.token, {"verdict": "minor"}, key="k4")
    assert [row.seconds for row in responses.stored(db, campaign)] == [20, None, 7, None]
    assert raters.find(db, campaign, rater.id).seconds == 20


def test_a_correction_brings_the_next_stage_up_to_date(db: Database, make_campaign, answers) -> None:
    campaign, (one, two) = make_campaign("thumb", images=1)
    (task,) = next_tasks(db, campaign, one)
    respond(db, one, task.token, answers(task.item), key="k1")
    respond(db, one, task.token, answers(task.item) | {"A.recall": 2}, key="k2")
    (second,) = next_tasks(db, campaign, two)
    assert second.item.prior["A.recall"] == 2.0
    refused = respond(db, one, task.token, answers(task.item), key="k3")
    assert isinstance(refused, list)
    assert "can no longer be changed" in refused[0].message
    assert len([*responses.stored(db, campaign)]) == 2


def test_a_corrected_first_round_moves_the_second(db: Database, make_campaign, answers, clock) -> None:
    campaign, (rater, _) = make_campaign("tagging", images=1, raters=1, interval=100.0)
    (task,) = next_tasks(db, campaign, rater)
    respond(db, rater, task.token, {"verdict": "minor"}, key="k1")
    clock.move(60)
    respond(db, rater, task.token, {"verdict": "serious"}, key="k2")
    second = [item for item in responses.items(db, campaign) if item.stage == "second"]
    assert [item.not_before for item in second] == [clock.now + 100]


def test_a_late_answer_is_stored_and_counted(db: Database, make_campaign, clock) -> None:
    settings = Settings(hold_seconds=60)
    campaign, (one, two) = make_campaign("tagging", images=1, raters=1, two_rounds=False, settings=settings)
    (late,) = next_tasks(db, campaign, one)
    clock.move(61)
    done = []
    while tasks := next_tasks(db, campaign, two):
        done.append(tasks[0].item.key)
        respond(db, two, tasks[0].token, {"verdict": "minor"}, key=tasks[0].token)
    assert late.item.key in done
    receipt = respond(db, one, late.token, {"verdict": "minor"}, key="late")
    assert isinstance(receipt, Receipt)
    assert counters(db, late.item.key) == (2, 2)  # one more than wanted: nothing is thrown away


def test_a_paused_campaign_takes_answers_to_what_is_held(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    lifecycle.pause(db, campaign, actor="lea")
    assert isinstance(respond(db, rater, task.token, {"verdict": "minor"}, key="k"), Receipt)


def test_a_closed_campaign_takes_them_while_they_are_held(db: Database, make_campaign, clock) -> None:
    campaign, (one, two) = make_campaign("tagging")
    (first,), (second,) = next_tasks(db, campaign, one), next_tasks(db, campaign, two)
    lifecycle.close(db, campaign, actor="lea")
    assert isinstance(respond(db, one, first.token, {"verdict": "minor"}, key="k"), Receipt)
    with pytest.raises(NotOpen):  # a correction is no held slot
        respond(db, one, first.token, {"verdict": "serious"}, key="k2")
    clock.move(3601)
    with pytest.raises(NotOpen):
        respond(db, two, second.token, {"verdict": "minor"}, key="k")
    # What was acknowledged is acknowledged again, whatever the state.
    assert respond(db, one, first.token, {"verdict": "minor"}, key="k").duplicate


def test_a_removed_raters_later_answers_do_not_count(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    raters.remove(db, rater, reason="asked to", actor="lea")
    assert counters(db, task.item.key) == (0, 0)
    assert isinstance(respond(db, rater, task.token, {"verdict": "minor"}, key="k"), Receipt)
    assert counters(db, task.item.key) == (0, 0)
    (row,) = responses.stored(db, campaign)
    assert not row.standing
    raters.reinstate(db, rater, actor="lea")
    assert counters(db, task.item.key) == (1, 1)
    (row,) = responses.stored(db, campaign)
    assert row.standing


def test_who_falls_for_a_check_is_out_at_once(db: Database, make_campaign, answers, failing_answers) -> None:
    campaign, (rater, _) = make_campaign("humanr", images=12)
    tasks = next_tasks(db, campaign, rater)
    tasks.sort(key=lambda task: bool(task.item.check))
    for task in tasks[:-1]:
        respond(db, rater, task.token, answers(task.item), key=task.token)
    check = tasks[-1]
    respond(db, rater, check.token, failing_answers(check.item), key="check")
    person = raters.find(db, campaign, rater.id)
    assert person.state == "removed"
    assert person.reason.startswith(ATTENTION)
    _, standing = responses.latest_responses(db, campaign)
    assert standing == []
    assert len(responses.latest_responses(db, campaign, with_removed=True)[1]) == 10
    with db.read() as connection:
        assert connection.execute(sa.select(sa.func.sum(schema.item.c.taken))).scalar() == 0
    (flag,) = flags.flags(db, campaign)
    assert (flag.rule, flag.decision, flag.rater) == (ATTENTION, "upheld", "r001")
    # The decision can be turned round, and then everything counts again.
    flags.decide(db, flag.id, "dismissed", actor="lea")
    assert raters.find(db, campaign, rater.id).state == "active"
    assert len(responses.latest_responses(db, campaign)[1]) == 10


def test_a_check_that_is_passed_removes_nobody(db: Database, make_campaign, answers) -> None:
    campaign, (rater, _) = make_campaign("humanr", images=12)
    for task in next_tasks(db, campaign, rater):
        respond(db, rater, task.token, answers(task.item), key=task.token)
    assert raters.find(db, campaign, rater.id).state == "active"


def test_standing_with_names(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    respond(db, rater, task.token, {"verdict": "minor"}, key="k")
    assert [one.rater for one in responses.latest_responses(db, campaign)[1]] == ["r001"]
    named = responses.latest_responses(db, campaign, real_names=True)[1]
    assert [one.rater for one in named] == ["Person 0"]


def test_the_log_is_read_in_pages(db: Database, make_campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    from captious.campaigns.work import reading

    campaign, (rater, _) = make_campaign("tagging", images=4)
    for _ in range(7):
        (task,) = next_tasks(db, campaign, rater)
        respond(db, rater, task.token, {"verdict": "minor"}, key=task.token)
    monkeypatch.setattr(reading, "PAGE", 3)
    ids = [row.id for row in responses.stored(db, campaign)]
    assert ids == sorted(ids)
    assert len(ids) == 7
    assert [row.id for row in responses.stored(db, campaign, after=ids[1], limit=4)] == ids[2:6]
    items, standing = responses.latest_responses(db, campaign)
    assert (len(items), len(standing)) == (8 + 7, 7)  # seven second rounds have been called for


def test_an_unknown_item_is_one_line(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign("tagging")
    with pytest.raises(UnknownNameError, match='unknown item "nothing"'):
        responses.item(db, campaign, "nothing")


def test_sql_in_answers_is_text(db: Database, make_campaign, answers) -> None:
    campaign, (rater, _) = make_campaign("thumb", images=1)
    (task,) = next_tasks(db, campaign, rater)
    nasty = "'; DROP TABLE response; --"
    given = answers(task.item) | {"A.precision": 4, "A.errors": ["wrong"], "A.corrected": nasty}
    assert isinstance(respond(db, rater, task.token, given, key=nasty), Receipt)
    (row,) = responses.stored(db, campaign)
    assert row.answers["A.corrected"] == nasty
    assert row.key == nasty


def test_previous_task_is_none_for_a_removed_rater(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, rater)
    respond(db, rater, task.token, {"verdict": "minor"}, key="k")
    assert assignment.previous_task(db, rater) is not None
    raters.withdraw(db, rater, actor="lea")
    assert assignment.previous_task(db, rater) is None
