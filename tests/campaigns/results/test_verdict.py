"""The verdict in words: what a lead reads first."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import Settings
from captious.campaigns.results import verdict as verdicts
from captious.campaigns.results.verdict import agreement_by_aspect, flag_line, money_lines
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.tables import Table


def said(db: Database, campaign: Any) -> dict[str, str]:
    found = verdicts.verdict(db, campaign, verdicts.worked_out(db, campaign))
    return {line.kind: f"{line.tone}: {line.text}" for line in found.lines}


def test_before_anybody_was_added_it_asks_for_raters_and_is_not_alarmed(
    db: Database, make_campaign: Any
) -> None:
    campaign, _ = make_campaign("tagging", images=3, people=0, raters=2, two_rounds=False)
    assert said(db, campaign)["finish"] == (
        "look: There are no raters yet: add at least 2 raters. 12 responses are needed."
    )


def test_it_says_whether_it_can_finish_and_what_is_missing(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    campaign, (ada, boris) = make_campaign("tagging", images=3, people=2, raters=2, two_rounds=False)
    words = said(db, campaign)
    assert words["finish"] == (
        "good: Can finish with the current raters: 12 of 12 responses are missing, and 2 raters can "
        "give them."
    )
    assert "Nobody has answered yet" in words["flags"]
    assert words["time"].startswith("plain: Unknown: the raters who can continue have not answered enough")
    raters.remove(db, boris, reason="left", actor="lea")
    words = said(db, campaign)
    assert words["finish"] == (
        "bad: Cannot finish with the current raters: needs at least 1 more rater. "
        "12 of 12 responses are missing; the current raters can give 6 of them."
    )
    assert words["time"] == "plain: Unknown: more raters are needed first."
    raters.reinstate(db, boris, actor="lea")
    for person in (ada, boris):
        for _ in range(6):
            for task in next_tasks(db, campaign, person):
                respond(db, person, task.token, answers(task.item), key=task.token, seconds=5.0)
    words = said(db, campaign)
    assert words["finish"] == "good: Finished: all 12 responses are in."
    assert "time" not in words


def test_pay_below_the_wage_that_was_wanted_is_something_to_look_at(
    db: Database, make_campaign: Any, answers: Any
) -> None:
    pay = Settings(payment_per_response=0.05, hourly_wage=12.0, currency="EUR")
    campaign, (ada, _) = make_campaign("tagging", images=2, people=2, settings=pay)
    for _ in range(3):
        for task in next_tasks(db, campaign, ada):
            respond(db, ada, task.token, answers(task.item), key=task.token, seconds=20.0)
    # Three answers at 5 cents in a minute: 0.15, which is 9 an hour.
    assert said(db, campaign)["money"] == (
        "look: 0.15 EUR earned so far, 9.00 EUR per hour of work; the target is 12.00."
    )


def test_agreement_below_chance_is_said_where_it_stands() -> None:
    columns = ("aspect", "coefficient", "value", "low", "high", "questions")
    rows = [
        ("helpful", "per cent agreement", 0.2, 0.1, 0.3, 40),
        ("helpful", "alpha, ordinal", -0.12, -0.3, 0.1, 40),
        ("natural", "alpha, ordinal", 0.61, 0.5, 0.7, 40),
    ]
    found = agreement_by_aspect([Table("", columns, rows), Table("", ("rater", "alpha"), [("r1", 0.2)])])
    assert [(one.aspect, one.value) for one in found] == [("helpful", -0.12), ("natural", 0.61)]
    from captious.campaigns.store.snapshots import Snapshot

    (line,) = verdicts.agreement_lines(found, Snapshot("agreement", 1.0, 1, {}), 80)
    assert line.tone == "look"
    assert "helpful -0.12 [-0.30, 0.10], natural 0.61 [0.50, 0.70]" in line.text
    assert "Below 0 is less agreement than by chance: raters interpret helpful differently" in line.text


@pytest.mark.parametrize(
    ("flags", "checked", "responses", "words"),
    [
        (2, True, 9, "2 open flags."),
        (1, True, 9, "1 open flag."),
        (0, True, 9, "No open flags."),
        (0, False, 9, "The quality rules are checking"),
    ],
)
def test_open_flags_are_counted_in_words(flags: int, checked: bool, responses: int, words: str) -> None:
    assert flag_line(flags, checked=checked, responses=responses).text.startswith(words)


def test_without_pay_nothing_is_said_of_money(db: Database, make_campaign: Any) -> None:
    campaign, _ = make_campaign("tagging")
    found = verdicts.verdict(db, campaign, verdicts.worked_out(db, campaign))
    assert money_lines(found.outlook.money) == []
    assert found.to_dict()["can_finish"] is False  # four verdicts a caption, two raters
