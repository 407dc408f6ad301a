"""Raters with known preferences: what comes out is what can be worked out by hand."""

from __future__ import annotations

import pytest

from captious.campaigns.people import raters
from captious.campaigns.quality import control as quality
from captious.campaigns.results import analysis
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store.database import Database
from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols.simulation import SimulatedRater


@pytest.fixture
def humanr(db, make_campaign):
    """A finished HUMANr campaign, and its tables by title."""

    def run(people: list[SimulatedRater], images: int = 12):
        campaign, _ = make_campaign("humanr", images=images, people=0)
        simulate(db, campaign, people, seed=3)
        return campaign, {table.title: table for table in analysis.result_tables(db, campaign)}

    return run


def _one_system(db: Database, images: int):
    corpus = Corpus.from_lists(
        [f"A dog at place {image}." for image in range(images)],
        [[f"Dog {image} runs."] for image in range(images)],
        image_ids=[f"i{image}" for image in range(images)],
        systems=["m1"] * images,
    )
    draft = create.draft("humanr", corpus, title="One", options={"baseline": False})
    return lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")


def test_humanr_comes_out_as_the_raters_prefer(db, humanr):
    # Human captions are worth 0.75, m1's 0.25 and m2's 1. Preferences -0.5 and +0.25 turned to the
    # system: ratings 5 - 2 = 3 and 5 + 1 = 6 with the candidate on the right, 7 and 4 on the left.
    # (3 - 5) / 4 = -0.5 and (6 - 5) / 4 = 0.25, whatever the side; two human captions are even.
    quality_of = {"m1": 0.25, "m2": 1.0}
    people = [SimulatedRater(f"p{k}", quality_of, human=0.75) for k in range(5)]
    campaign, tables = humanr(people)
    rows = {row[0]: row for row in tables["HUMANr"].rows}
    for system, expected in (("m1", -0.5), ("m2", 0.25), ("human-human", 0.0)):
        assert rows[system][1:4] == (expected, expected, expected)  # HUMANr, low, high
    assert rows["m1"][5] == -0.5  # from the baseline
    # p of a randomisation test: every image differs by the same amount, so that only when all
    # swaps fall alike is the difference reached: below 1 in 1000 with the dozen images.
    assert rows["m1"][6] < 0.01
    assert not tables["Raters removed"].rows
    assert analysis.overview(db, campaign).raters_removed == 0


def test_humanr_intervals_are_those_of_a_binomial(db):
    # On half of 40 images m1 is as good as the human caption (0), on half it is worthless (-1).
    # The bootstrap over images draws a binomial share of -1s: B(40, 0.5), whose 2.5% and 97.5%
    # points are 14 and 26, hence -26/40 = -0.65 and -14/40 = -0.35.
    own = {(f"i{k}", "m1"): 1.0 if k % 2 else 0.0 for k in range(40)}
    people = [SimulatedRater(f"p{k}", own, human=1.0) for k in range(4)]
    campaign = _one_system(db, 40)
    simulate(db, campaign, people, seed=3)
    _, humanr, low, high, n = analysis.result_tables(db, campaign)[0].rows[0][:5]
    assert (humanr, n) == (-0.5, 40)
    assert low == pytest.approx(-0.65, abs=0.03)
    assert high == pytest.approx(-0.35, abs=0.03)


def test_who_prefers_a_planted_caption_is_removed_with_every_response(db, humanr):
    fair = [SimulatedRater(f"p{k}", {"m1": 0.5, "m2": 0.5}, human=1.0) for k in range(5)]
    # The careless one would pull m1 and m2 up to +1 if anything of theirs counted.
    careless = SimulatedRater("x", {"m1": 1.0, "m2": 1.0}, human=0.0, attentive=False)
    campaign, tables = humanr([careless, *fair])
    people = {one.name: one for one in raters.listed(db, campaign)}
    assert people["x"].state == "removed"
    assert [one.name for one in people.values() if one.state != "active"] == ["x"]
    assert tables["Raters removed"].rows == ((people["x"].pseudonym,),)
    assert {row[0]: row[1] for row in tables["HUMANr"].rows} == {"human-human": 0.0, "m1": -0.5, "m2": -0.5}
    # Their comparisons were open again, and the others finished them: 12 images, 3 kinds.
    assert analysis.overview(db, campaign).done == 36
    (flag,) = quality.flags(db, campaign)
    assert (flag.rater, flag.rule, flag.decision) == ("r001", "attention", "upheld")


def test_a_dismissed_check_brings_the_responses_back(db, humanr):
    fair = [SimulatedRater(f"p{k}", {"m1": 0.5, "m2": 0.5}, human=1.0) for k in range(5)]
    careless = SimulatedRater("x", {"m1": 1.0, "m2": 1.0}, human=0.0, attentive=False)
    campaign, _ = humanr([careless, *fair])
    (flag,) = quality.flags(db, campaign)
    quality.decide(db, flag.id, "dismissed", actor="lea")
    tables = {t.title: t for t in analysis.result_tables(db, campaign, fresh_within=0)}
    assert not tables["Raters removed"].rows
    by_system = {row[0]: row for row in tables["HUMANr"].rows}
    answered = next(one for one in raters.listed(db, campaign) if one.name == "x").answered
    # All comparisons but the failed check: 36 of the others, and theirs beside.
    assert sum(row[4] for row in by_system.values()) == 36 + answered - 1
    assert max(by_system["m1"][1], by_system["m2"][1]) > -0.5
    quality.decide(db, flag.id, "upheld", actor="lea")
    again = {t.title: t for t in analysis.result_tables(db, campaign, fresh_within=0)}
    assert {row[0]: row[1] for row in again["HUMANr"].rows}["m1"] == -0.5


def test_the_work_stops_where_it_is_told_to(db, make_campaign):
    campaign = make_campaign("tagging", people=0, raters=1)[0]
    people = [SimulatedRater("p", {"m1": 0.5, "m2": 0.5})]
    assert simulate(db, campaign, people, seed=1, until=3) == 3
    assert simulate(db, campaign, people, seed=1) == 5  # 4 images x 2 captions in all
    assert simulate(db, campaign, people, seed=1) == 0


@pytest.mark.parametrize("protocol", ["thumb", "audit", "generic"])
def test_every_protocol_can_be_simulated(db, make_campaign, protocol):
    campaign = make_campaign(protocol, images=3, people=0)[0]
    people = [SimulatedRater(f"p{k}", {"m1": 0.9, "m2": 0.2}, noise=0.1) for k in range(2)]
    simulate(db, campaign, people, seed=1)
    view = analysis.overview(db, campaign)
    assert view.done == view.target > 0
    means = analysis.result_tables(db, campaign)[0]
    assert means.rows


def test_a_rater_without_an_opinion_is_refused(db, make_campaign):
    campaign = make_campaign("tagging", people=0, raters=1)[0]
    with pytest.raises(InputError, match='p has no opinion of system "m1"'):
        simulate(db, campaign, [SimulatedRater("p", {"m2": 0.5})], seed=1)
