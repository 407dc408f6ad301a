"""A game that runs can start its pairs from another metric."""

from __future__ import annotations

import pytest

from captious.campaigns.setup import create, lifecycle
from captious.campaigns.setup.first_metrics import change_first_metrics
from captious.campaigns.simulate.habits import simulate_habits
from captious.campaigns.store import log
from captious.campaigns.store.database import Database
from captious.campaigns.work.reading import active_responses, items
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.errors import InputError
from captious.protocols.game.file import with_metrics

SAMPLE = demo_files()


def test_first_ratings_change_and_answers_stay(db: Database) -> None:
    corpus = load_corpus(SAMPLE.systems[:2], [SAMPLE.references], images=SAMPLE.images)
    file = with_metrics(SAMPLE.game.read_text("utf-8"), ["rouge_l"])
    made = create.draft("game", corpus, title="Game", protocol_file=file)
    campaign = lifecycle.open_campaign(db, create.create(db, made, actor="lea"), actor="lea")
    simulate_habits(db, campaign, {"careful": 2}, seed=1, until=30)
    before, answers = items(db, campaign), active_responses(db, campaign)

    changed, count = change_first_metrics(db, campaign, ["bleu4", "cider"], actor="lea")
    assert changed.rules().first_metrics() == ("bleu4", "cider")
    after = {item.key: item for item in items(db, campaign)}
    fresh = create.draft("game", corpus, title="Game", protocol_file=changed.protocol_file)
    for item in fresh.items:
        assert after[item.key].facts == item.facts
    assert count == sum(after[item.key].facts != item.facts for item in before) > 0
    assert active_responses(db, campaign) == answers
    entry = log.entries(db, campaign)[0]
    assert (entry.actor, entry.action) == ("lea", "change first metrics")
    assert entry.detail["before"] == ["rouge_l"] and entry.detail["metrics"] == ["bleu4", "cider"]
    assert simulate_habits(db, changed, {"careful": 2}, seed=1, until=5) == 5  # it goes on


def test_other_protocols_start_from_no_metric(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign("tagging")
    with pytest.raises(InputError, match="do not start from the scores of metrics"):
        change_first_metrics(db, campaign, ["bleu4"], actor="lea")
