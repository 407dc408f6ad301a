from __future__ import annotations

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.errors import InputError


def test_raters_get_pseudonyms_in_order(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign(people=0)
    new = [NewRater(" Ada  L. ", "ada@example.org", native=True), NewRater("Bob")]
    ada, bob = raters.add(db, campaign, new, actor="lea")
    assert (ada.pseudonym, ada.name, ada.email, ada.native) == ("r001", "Ada L.", "ada@example.org", True)
    assert (bob.pseudonym, bob.state, bob.answered) == ("r002", "active", 0)
    (cyd,) = raters.add(db, campaign, [NewRater("Cyd")], actor="lea")
    assert cyd.pseudonym == "r003"
    assert raters.listed(db, campaign) == [ada, bob, cyd]
    assert raters.find(db, campaign, bob.id) == bob
    # The log names pseudonyms only.
    assert "Ada" not in str(log.entries(db, campaign))


def test_a_rater_of_another_campaign_is_not_found(db: Database, make_campaign) -> None:
    _, (rater, _) = make_campaign(title="One")
    other, _ = make_campaign(title="Two")
    with pytest.raises(InputError, match="no such rater"):
        raters.find(db, other, rater.id)


@pytest.mark.parametrize(
    "new",
    [NewRater(""), NewRater("<<>>"), NewRater("x" * 201), NewRater("A", "no address"), NewRater("a\x00")],
)
def test_bad_raters_are_one_line(db: Database, make_campaign, new: NewRater) -> None:
    campaign, _ = make_campaign(people=0)
    with pytest.raises(InputError):
        raters.add(db, campaign, [NewRater("Fine"), new], actor="lea")
    assert raters.listed(db, campaign) == []


def test_names_of_any_script(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign(people=0)
    names = ["李", "नीलम", "סיגל", "Þóra", "ณัฐ", "7", "(Bo)"]
    raters.add(db, campaign, [NewRater(name) for name in names], actor="lea")
    assert [rater.name for rater in raters.listed(db, campaign)] == names


def test_markup_and_sql_in_names_are_text(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign(people=0)
    nasty = "<script>'; DROP TABLE rater; --"
    raters.add(db, campaign, [NewRater(nasty)], actor="lea")
    assert [rater.name for rater in raters.listed(db, campaign)] == [nasty]


def test_removal_frees_slots_and_keeps_responses(db: Database, make_campaign, answers) -> None:
    campaign, (one, two) = make_campaign("humanr", images=12)
    held = assignment.next_tasks(db, campaign, one)
    for task in held[:4]:
        responses.respond(db, one, task.token, answers(task.item), key=task.token)
    out = raters.remove(db, one, reason="sent by mistake", actor="lea")
    assert (out.state, out.reason, out.answered) == ("removed", "sent by mistake", 4)
    assert len([*responses.stored(db, campaign)]) == 4
    assert responses.latest_responses(db, campaign)[1] == []
    # Every comparison is open again.
    done = set()
    while tasks := assignment.next_tasks(db, campaign, two):
        for task in tasks:
            responses.respond(db, two, task.token, answers(task.item), key=task.token)
            done.add(task.item.image)
    assert len(done) == 12
    back = raters.reinstate(db, one, actor="mia")
    assert (back.state, back.reason) == ("active", "")
    assert {r.rater for r in responses.latest_responses(db, campaign)[1]} == {"r001", "r002"}
    actions = [(entry.actor, entry.action, entry.subject) for entry in log.entries(db, campaign)]
    assert actions[:2] == [("mia", "reinstate rater", "r001"), ("lea", "remove rater", "r001")]


def test_removing_twice_frees_once(db: Database, make_campaign) -> None:
    campaign, (one, two) = make_campaign("thumb", images=1)
    assignment.next_tasks(db, campaign, one)
    raters.remove(db, one, reason="first", actor="lea")
    raters.withdraw(db, one, actor="lea")
    assert len(assignment.next_tasks(db, campaign, two)) == 1
    raters.reinstate(db, one, actor="lea")
    raters.reinstate(db, one, actor="lea")
    assert assignment.next_tasks(db, campaign, one) == []


def test_what_a_removed_rater_called_for_is_called_off(db: Database, make_campaign, answers) -> None:
    campaign, (one, two) = make_campaign("thumb", images=1)
    (task,) = assignment.next_tasks(db, campaign, one)
    responses.respond(db, one, task.token, answers(task.item) | {"A.recall": 1}, key="k")
    raters.remove(db, one, reason="careless", actor="lea")
    # The first stage is open again, the second is not until someone else has done the first.
    (first,) = assignment.next_tasks(db, campaign, two)
    assert first.item.stage == "first"
    responses.respond(db, two, first.token, answers(first.item), key="k")
    (three,) = raters.add(db, campaign, [NewRater("Three")], actor="lea")
    (second,) = assignment.next_tasks(db, campaign, three)
    assert second.item.stage == "second"
    assert second.item.prior["A.recall"] == 5.0
    assert second.item.not_for == {"r002"}


def test_a_reinstated_raters_next_stage_is_open_again(db: Database, make_campaign, answers) -> None:
    campaign, (one, two) = make_campaign("thumb", images=1)
    (task,) = assignment.next_tasks(db, campaign, one)
    responses.respond(db, one, task.token, answers(task.item), key="k")
    raters.remove(db, one, reason="a test", actor="lea")
    raters.reinstate(db, one, actor="lea")
    (second,) = assignment.next_tasks(db, campaign, two)
    assert second.item.stage == "second"
