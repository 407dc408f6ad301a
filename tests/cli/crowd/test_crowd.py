"""`captious crowd`: nothing happens without --confirm, and what happens is printed first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.corpus import Corpus
from captious.crowd import arrivals, studies, visits
from captious.crowd.values import Arrival

IMAGES = 45


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """An open HUMANr campaign of 45 comparisons: five groups of nine, and a check in each."""
    path = tmp_path / "crowd.db"
    corpus = Corpus.from_lists(
        [f"A dog at place {image}." for image in range(IMAGES)],
        [[f"Dog {image} runs.", f"The dog at {image}."] for image in range(IMAGES)],
        image_ids=[f"i{image}" for image in range(IMAGES)],
        systems=["m1"] * IMAGES,
    )
    with Database.open(path) as db:
        draft = create.draft("humanr", corpus, title="Dogs", options={"baseline": False})
        lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
    return path


def published(database: Path) -> Any:
    with Database.open(database) as db:
        return studies.listed(db, lifecycle.find(db, "dogs"))


def work(database: Path, name: str) -> str:
    """Someone does a whole place."""
    with Database.open(database) as db:
        campaign = lifecycle.find(db, "dogs")
        stored = studies.find(db, campaign)
        visit = arrivals.begin(db, stored, campaign, Arrival(name, name), secret=b"s" * 32)
        assert isinstance(visit, visits.Visit)
        rater = arrivals.admit(db, stored, campaign, visit)
        for task in next_tasks(db, campaign, rater):
            value = 9.0 if task.item.check == "left" else 1.0
            respond(db, rater, task.token, {"preference": value}, key=task.token)
        return rater.pseudonym


def test_the_estimate_says_how_it_comes_about(run: Any, database: Path) -> None:
    asked = (
        "crowd",
        "estimate",
        "dogs",
        "--reward",
        "0.25",
        "--option",
        "fee_percent=20",
        "--database",
        database,
    )
    found = run(*asked, "--format", "json").json
    # 45 comparisons and 5 checks are 50 answers: 5 places of 10, at 25 cents and 20%.
    assert (found["places"], found["answers"], found["total"], found["fee"]) == (5, 10, 150, 25)
    assert found["hourly"] == 1500  # ten answers of six seconds each are a minute
    table = run(*asked).out
    assert "5 places at $0.25" in table and "$1.50" in table and "$15.00 an hour" in table
    low = run("crowd", "estimate", "dogs", "--reward", "0.10", "--database", database)
    assert "below the minimum wage of $15.00" in low.out


def test_nothing_is_published_without_confirm_and_once_with_it(run: Any, database: Path) -> None:
    asked = ("crowd", "publish", "dogs", "--places", "3", "--database", database)
    dry = run(*asked)
    assert dry.code == 0 and "3 places at $0.25" in dry.out and "Add --confirm" in dry.err
    assert published(database) == []
    done = run(*asked, "--option", "parameter=pid", "--confirm")
    (stored,) = published(database)
    assert (stored.state, stored.study.places) == ("open", 3)
    assert f"http://localhost:8000/go/{stored.study.key}?pid=" in done.err


def test_a_budget_below_the_cost_is_refused_before_anything_is_stored(run: Any, database: Path) -> None:
    asked = ("crowd", "publish", "dogs", "--reward", "2", "--budget", "9", "--database", database)
    for confirm in ((), ("--confirm",)):
        refused = run(*asked, *confirm)
        assert refused.code == 2
        assert "costs $10.00" in refused.err and "$9.00" in refused.err and "Traceback" not in refused.err
    assert published(database) == []
    # The next try is planned anew: the budget can be raised, as the message says.
    raised = run(*asked[:-4], "--budget", "10", "--database", database, "--confirm")
    assert (raised.code, [one.state for one in published(database)]) == (0, ["open"]), raised.err


def test_a_closed_campaign_is_not_offered(run: Any, database: Path) -> None:
    assert run("campaign", "close", "dogs", "--database", database).code == 0
    for command in ("publish", "run"):
        refused = run("crowd", command, "dogs", "--database", database, "--confirm")
        assert (refused.code, "the campaign is closed" in refused.err) == (2, True), refused.err
    assert published(database) == []


def test_a_place_from_arrival_to_bonus(run: Any, database: Path) -> None:
    at = ("--database", database)
    run("crowd", "publish", "dogs", "--places", "2", "--reward", "0.25", "--confirm", *at)
    work(database, "ada")
    seen = run("crowd", "reconcile", "dogs", "--format", "json", *at).json
    assert seen["due"] == ["ada"] and seen["answers"] == {"done": 9, "target": 45}
    dry = run("crowd", "approve", "dogs", "--all-due", *at)
    assert "places to approve: 1; rewards: $0.25" in dry.err and "Add --confirm" in dry.err
    assert run("crowd", "reconcile", "dogs", "--format", "json", *at).json["due"] == ["ada"]
    run("crowd", "approve", "dogs", "--all-due", "--confirm", *at)
    paid = (
        "crowd",
        "bonus",
        "dogs",
        "--place",
        "ada",
        "--amount",
        "0.10",
        "--reason",
        "Thank you.",
        "--confirm",
    )
    for _ in range(2):
        assert run(*paid, *at).code == 0
    found = run("crowd", "status", "dogs", "--format", "json", *at).json
    # 25 cents and one bonus of 10, however often it is asked for.
    assert (found["spent"], found["places"]["approved"]) == (35, 1)
    assert "ada" in run("crowd", "status", "dogs", *at).out


def test_rejected_work_no_longer_counts(run: Any, database: Path) -> None:
    at = ("--database", database)
    run("crowd", "publish", "dogs", "--confirm", *at)
    work(database, "eve")
    assert run("crowd", "reject", "dogs", "--place", "eve", "--confirm", *at).code == 2
    run("crowd", "reject", "dogs", "--place", "eve", "--reason", "No answer fits.", "--confirm", *at)
    found = run("crowd", "status", "dogs", "--format", "json", *at).json
    assert found["answers"]["done"] == 0 and found["places"]["rejected"] == 1
    with Database.open(database) as db:
        assert raters.listed(db, lifecycle.find(db, "dogs"))[0].reason == "rejected: No answer fits."


def test_pause_resume_extend_exclude_and_close(run: Any, database: Path) -> None:
    at = ("--database", database)
    run("crowd", "publish", "dogs", "--places", "2", "--reward", "0.25", "--confirm", *at)
    assert "nothing was changed" in run("crowd", "pause", "dogs", *at).err
    for command, state in (("pause", "paused"), ("resume", "open")):
        assert f"the study is {state}" in run("crowd", command, "dogs", "--confirm", *at).err
    assert "3 more places cost $0.75" in run("crowd", "extend", "dogs", "--places", "5", *at).err
    run("crowd", "extend", "dogs", "--places", "5", "--confirm", *at)
    assert published(database)[0].study.places == 5
    assert run("crowd", "extend", "dogs", "--places", "4", "--confirm", *at).code == 2
    assert run("crowd", "exclude", "dogs", "eve", "--confirm", *at).code == 0
    assert run("crowd", "message", "dogs", "--to", "eve", "--text", "Hello", "--confirm", *at).code == 2
    assert "the study is closed" in run("crowd", "close", "dogs", "--confirm", *at).err


def test_bad_input_is_one_line(run: Any, database: Path, tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text("- {ask: Well, choices: [a], right: a}")
    cases = [
        (["estimate", "dogs", "--provider", "pannel"], "Did you mean"),
        (["estimate", "dogs", "--reward", "1,50"], "not an amount of money"),
        (["estimate", "dogs", "--currency", "dollars"], "three-letter code"),
        (["estimate", "dogs", "--option", "colour=red"], "unknown option"),
        (["publish", "dogs", "--screening", str(tmp_path / "q.yaml")], "two choices"),
        (["publish", "dogs", "--base-url", "rate.example", "--confirm"], "Give http://HOST"),
        (["status", "dogs"], "Run `captious crowd publish` first"),
        (["approve", "dogs"], "give one of them"),
        (["run", "dogs", "--half-width", "3"], "Give less than 1"),
    ]
    for arguments, says in cases:
        found = run("crowd", *arguments, "--database", database)
        assert (found.code, says in found.err, found.err.count("\n")) == (2, True, 1), (arguments, found.err)


def test_every_provider_and_its_options_are_listed(run: Any) -> None:
    found = run("crowd", "providers", "--format", "json").json["providers"]
    assert {"panel", "simulated"} <= set(found) and "parameter" in found["panel"]["options"]


def test_no_message_or_table_holds_a_credential(
    run: Any, database: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hidden = "correct-horse-battery-staple"
    for name in ("CAPTIOUS_PANEL_SECRET", "PROLIFIC_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"):
        monkeypatch.setenv(name, hidden)
    said = [
        run("crowd", command, "dogs", "--option", "signature=h", "--confirm", "--database", database)
        for command in ("publish",)
    ]
    said += [
        run("crowd", command, "dogs", "--database", database)
        for command in ("status", "reconcile", "estimate")
    ]
    assert all(hidden not in one.out + one.err for one in said)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert hidden.encode() not in stored
    assert json.loads(json.dumps(published(database)[0].options))["signature"] == "h"
