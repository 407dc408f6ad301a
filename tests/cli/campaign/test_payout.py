"""`captious campaign payout`: points become money."""

from __future__ import annotations

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup.create import create, draft
from captious.campaigns.setup.lifecycle import open_campaign
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus

QUICK = "rules: {trial_pairs: 0, wait_seconds: 0}"


@pytest.fixture
def played(tmp_path, monkeypatch) -> None:
    """Two raters agree on three pairs: the second gets two points for each."""
    monkeypatch.setenv("CAPTIOUS_DATABASE", str(tmp_path / "captious.db"))
    corpus = Corpus.from_lists(["A.", "B.", "C."], image_ids=["1", "2", "3"])
    with Database.open(tmp_path / "captious.db") as db:
        game = create(db, draft("game", corpus, title="Game", protocol_file=QUICK), actor="lea")
        campaign = open_campaign(db, game, actor="lea")
        people = raters.add(db, campaign, [NewRater("Ann"), NewRater("Bob")], actor="lea")
        for rater in people:
            for turn in range(3):
                (task,) = assignment.next_tasks(db, campaign, rater)
                responses.respond(db, rater, task.token, {"rating": 4}, key=f"{rater.id}-{turn}")
        tags = create(db, draft("tagging", corpus, title="Tags"), actor="lea")
        open_campaign(db, tags, actor="lea")


def test_points_become_a_reward(run, played) -> None:
    found = run("campaign", "payout", "game", "--per-point", "0.5", "--at-least", "1", "--format", "json")
    assert found.code == 0, found.err
    rows = [(one["rater"], one["points"], one["reward"]) for one in found.json["raters"]]
    # 3 x 2 points at 0.5 each; the first to rate gets no points, and the least.
    assert rows == [("r002", 6, 3.0), ("r001", 0, 1.0)]


def test_a_protocol_without_points_is_told(run, played) -> None:
    found = run("campaign", "payout", "tags", "--per-point", "1")
    assert found.code == 2 and "gives no points" in found.err
