"""Training before the work: who may begin, who is out, whose answers do not count, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from captious.campaigns.entry import training
from captious.campaigns.entry.training_files import training_of
from captious.campaigns.people import links, raters
from captious.campaigns.records import Campaign, LinkRefused, Rater, Receipt, Settings
from captious.campaigns.results import analysis
from captious.campaigns.setup import lifecycle
from captious.campaigns.setup.lifecycle import set_training
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.errors import InputError
from captious.protocols import protocol

TEXT = """
examples:
  - {image: tabby.jpg, caption: A cat., answers: {verdict: incomplete}, why: It says nothing else.}
  - {image: dogs.jpg, caption: A city at night., answers: {verdict: unrelated}}
"""
RIGHT = ("incomplete", "unrelated")
SECRET = b"a secret of thirty-two bytes ...!"


@pytest.fixture
def trained(db: Database, make_campaign: Any) -> Callable[..., tuple[Campaign, list[Rater]]]:
    """A campaign with two examples before it, both of which must be right."""

    def make(**settings: Any) -> tuple[Campaign, list[Rater]]:
        campaign, people = make_campaign("tagging", images=2, raters=1, two_rounds=False)
        found = training_of(TEXT, campaign.rules())
        campaign = set_training(db, campaign, found, actor="lea")
        given = {"training_pass": 1.0, "training_tries": 1} | settings
        changed = replace(campaign.settings, **given)
        return lifecycle.change_settings(db, campaign, changed, actor="lea"), people

    return make


def take(db: Database, campaign: Campaign, rater: Rater, *verdicts: str) -> None:
    """Answer the examples that come next."""
    for verdict in verdicts:
        now = training.standing_of(db, campaign, rater)
        kept = training.examples(db, campaign)[now.place - 1]
        marked = training.answer(db, campaign, rater, kept, now.attempt, {"verdict": verdict})
        assert hasattr(marked[0], "right")


def again(db: Database, campaign: Campaign, rater: Rater) -> Rater:
    return raters.find(db, campaign, rater.id)


def test_nobody_works_before_the_training_is_passed(db: Database, trained: Any) -> None:
    campaign, (ada, _) = trained()
    assert training.pending(db, campaign, ada) == "training"
    take(db, campaign, ada, RIGHT[0])
    assert training.pending(db, campaign, ada) == "training"
    take(db, campaign, ada, RIGHT[1])
    assert training.pending(db, campaign, ada) is None
    kept = again(db, campaign, ada)
    assert kept.entry == campaign.settings.entry_version
    assert (kept.state, kept.answered) == ("active", 0)
    assert next(one.action for one in log.entries(db, campaign)) == "training passed"


def test_who_fails_the_last_try_is_out_and_can_be_taken_back(db: Database, trained: Any) -> None:
    campaign, (ada, ben) = trained()
    take(db, campaign, ada, "complete", RIGHT[1])
    kept = again(db, campaign, ada)
    assert (kept.state, kept.works, kept.reason) == ("removed", False, "training: 50% right, 100% needed")
    assert assignment.next_tasks(db, campaign, kept) == []
    with pytest.raises(LinkRefused):
        links.peek_link(db, links.make_link(db, kept, secret=SECRET), secret=SECRET)
    back = raters.reinstate(db, kept, actor="lea")
    assert training.pending(db, campaign, back) is None  # whoever runs the campaign let them in
    assert [(one.rater, one.tries, one.score, one.phase) for one in training.trained(db, campaign)] == [
        ("r001", 1, 0.5, "failed")
    ]
    assert training.pending(db, campaign, ben) == "training"


def test_a_second_try_begins_from_the_first_example(db: Database, trained: Any) -> None:
    campaign, (ada, _) = trained(training_tries=2)
    take(db, campaign, ada, "complete", "complete")
    now = training.standing_of(db, campaign, ada)
    assert (now.phase, now.attempt, now.place) == ("answering", 2, 1)
    take(db, campaign, ada, *RIGHT)
    assert training.standing_of(db, campaign, ada).phase == "passed"
    assert again(db, campaign, ada).state == "active"


def test_with_again_nobody_is_ever_out(db: Database, trained: Any) -> None:
    campaign, (ada, _) = trained(after_failing="again")
    for _ in range(3):
        take(db, campaign, ada, "minor", "minor")
        assert training.pending(db, campaign, again(db, campaign, ada)) == "training"
    assert training.standing_of(db, campaign, ada).finished == 3


def test_uncounted_raters_work_and_leave_every_item_to_others(db: Database, trained: Any) -> None:
    campaign, (ada, ben) = trained(after_failing="uncounted")
    take(db, campaign, ada, "minor", "minor")
    kept = again(db, campaign, ada)
    assert (kept.state, kept.works) == ("removed", True)
    assert training.pending(db, campaign, kept) is None
    links.peek_link(db, links.make_link(db, kept, secret=SECRET), secret=SECRET)
    answered = answer_everything(db, campaign, kept)
    assert answered == 4  # 2 images, 2 systems
    assert analysis.overview(db, campaign).done == 0
    assert analysis.counting(db, campaign)[1] == []
    take(db, campaign, ben, *RIGHT)
    assert answer_everything(db, campaign, ben) == 4
    view = analysis.overview(db, campaign)
    assert (view.done, view.target, view.responses) == (4, 4, 8)  # all eight are stored
    # Taken back, their answers count beside the others.
    raters.reinstate(db, kept, actor="lea")
    assert analysis.overview(db, campaign).done == 8
    assert len(analysis.counting(db, campaign)[1]) == 8


def test_an_uncounted_rater_who_is_removed_gives_back_what_they_hold(db: Database, trained: Any) -> None:
    campaign, (ada, ben) = trained(after_failing="uncounted")
    take(db, campaign, ada, "minor", "minor")
    kept = again(db, campaign, ada)
    (first,) = assignment.next_tasks(db, campaign, kept)
    responses.respond(db, kept, first.token, {"verdict": "minor"}, key="k")
    assert assignment.next_tasks(db, campaign, kept)
    out = raters.remove(db, kept, reason="asked to stop", actor="lea")
    assert not out.works
    assert assignment.next_tasks(db, campaign, out) == []
    take(db, campaign, ben, *RIGHT)
    assert answer_everything(db, campaign, ben) == 4
    with db.read() as connection:
        rows = connection.execute(schema.item.select()).all()
    assert {(row.taken, row.done) for row in rows} == {(1, 1)}


def answer_everything(db: Database, campaign: Campaign, rater: Rater) -> int:
    count = 0
    while tasks := assignment.next_tasks(db, campaign, rater):
        receipt = responses.respond(
            db, rater, tasks[0].token, {"verdict": "minor"}, key=f"{rater.id}-{count}"
        )
        assert isinstance(receipt, Receipt)
        count += 1
    return count


def test_the_first_answer_stands_and_nothing_can_be_changed(db: Database, trained: Any) -> None:
    campaign, (ada, _) = trained(training_tries=2)
    kept = training.examples(db, campaign)[0]
    for verdict in ("minor", RIGHT[0]):
        training.answer(db, campaign, ada, kept, 1, {"verdict": verdict})
    assert training.given(db, campaign, ada, 1, 1) == {"verdict": "minor"}
    assert training.given(db, campaign, ada, 1, 2) is None
    with pytest.raises(DBAPIError), db.write() as connection:
        connection.execute(schema.training_answer.update().values(correct=1))


def test_a_wrong_answer_form_is_told_and_not_stored(db: Database, trained: Any) -> None:
    campaign, (ada, _) = trained()
    kept = training.examples(db, campaign)[0]
    (problem,) = training.answer(db, campaign, ada, kept, 1, {"verdict": "fine"})
    assert "not an option" in problem.message
    assert training.answers(db, campaign) == []


def test_another_training_is_asked_for_and_the_old_answers_stay(db: Database, trained: Any) -> None:
    campaign, (ada, _) = trained()
    take(db, campaign, ada, *RIGHT)
    assert training.pending(db, campaign, ada) is None
    other = training_of(TEXT.replace("A cat.", "A tabby."), campaign.rules())
    changed = set_training(db, campaign, other, actor="lea")
    assert training.pending(db, changed, again(db, campaign, ada)) == "training"
    with db.read() as connection:
        assert len(connection.execute(schema.training_answer.select()).all()) == 2
    none = set_training(db, changed, None, actor="lea")
    assert training.pending(db, none, again(db, campaign, ada)) is None


def test_a_picture_that_is_nowhere_is_refused(db: Database) -> None:
    with pytest.raises(InputError, match='no picture "unicorn'):
        training_of(TEXT.replace("tabby.jpg", "unicorn.jpg"), protocol("tagging"))


def test_a_pass_mark_of_nothing_that_was_stored_once_is_read() -> None:
    assert Settings.from_dict({"training_pass": 0}).training_pass == 0.01
    with pytest.raises(InputError, match="at 0 everyone passes"):
        Settings(training_pass=0)
