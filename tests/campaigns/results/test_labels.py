"""Labels from rater models in a campaign: shown where raters overlap, and in the export."""

from __future__ import annotations

import json

from captious.campaigns.exchange.export import export
from captious.campaigns.results import analysis
from captious.campaigns.simulate.run import simulate
from captious.protocols.simulation import SimulatedRater

OPINION = {"m1": 0.9, "m2": 0.3}


def _people(count):
    careful = [SimulatedRater(f"c{n}", OPINION, noise=0.05) for n in range(count - 1)]
    return [*careful, SimulatedRater("guess", OPINION, habit="random")]


def test_who_guesses_is_the_least_able(db, make_campaign, tmp_path):
    campaign, _ = make_campaign("tagging", images=12, people=0, raters=3, two_rounds=False)
    simulate(db, campaign, _people(3), seed=3)
    by_system, able = analysis.results(db, campaign).more()[-2:]
    assert by_system.columns[2:6] == ("mean", "vote", "Dawid-Skene", "MACE")
    assert {row[1] for row in by_system.rows} == {"m1", "m2"}
    # The raters were added in the order of their names: the last one guesses.
    assert [row[1] for row in able.rows][-1] == "r003"
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    rows = [json.loads(line) for line in (tmp_path / "out" / "labels.jsonl").read_text().splitlines()]
    assert len(rows) == 24
    assert {"mean", "vote", "dawid_skene", "mace", "ratings"} <= set(rows[0])
    told = [json.loads(line) for line in (tmp_path / "out" / "abilities.jsonl").read_text().splitlines()]
    assert min(told, key=lambda one: one["mace"])["rater"] == "r003"


def test_without_overlap_the_table_says_why(db, make_campaign, tmp_path):
    campaign, _ = make_campaign("tagging", images=3, people=0, raters=2, two_rounds=False)
    simulate(db, campaign, _people(2), seed=3)
    (table,) = [one for one in analysis.results(db, campaign).more() if one.chart is None]
    assert table.rows == ()
    assert "0 items have ratings by at least 3 raters" in table.note
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    assert not (tmp_path / "out" / "labels.jsonl").exists()
