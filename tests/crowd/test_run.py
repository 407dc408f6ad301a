"""A whole study with simulated workers: published, watched, stopped, closed, paid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import Settings
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.simulate.run import Clock
from captious.campaigns.store.database import Database
from captious.corpus import Corpus
from captious.crowd import calls, journal, studies, visits
from captious.crowd import workers as workers_module
from captious.crowd.base import CallUnsure
from captious.crowd.providers.simulated import Market, Simulated
from captious.crowd.run import Plan, look, rule_for, run
from captious.crowd.workers import Workforce, crowd_of

# Each model caption is worse than the human one by 0.4 on the scale from 0 to 1, so that every careful
# rater says 5 + 4 * (0.5 - 0.9) = 3.4, rounded 3, and HUMANr is (3 - 5) / 4 = -0.5.
QUALITY = {"m1": 0.4}
KNOWN = -0.5


class Trial:
    """A campaign of so many images, a study at the market, and workers."""

    def __init__(self, folder: Path, images: int = 60, **plan: Any) -> None:
        self.clock = Clock(1_700_000_000.0)
        self.path = folder / "trial.db"
        self.db = Database.open(self.path, clock=self.clock)
        corpus = Corpus.from_lists(
            [f"A dog at place {image}." for image in range(images)],
            [[f"Dog {image} runs.", f"The dog at {image}."] for image in range(images)],
            image_ids=[f"i{image}" for image in range(images)],
            systems=["m1"] * images,
        )
        settings = Settings(straight_line=8)
        draft = create.draft("humanr", corpus, title="Dogs", options={"baseline": False}, settings=settings)
        made = create.create(self.db, draft, actor="lea")
        self.campaign = lifecycle.open_campaign(self.db, made, actor="lea")
        given = {"places": 7, "answers": 10, "reward": 50, "currency": "USD", "minutes": 1.0} | plan
        study = studies.new_study(self.campaign, "http://localhost", **given)
        market = {"market": str(folder / "market.json")}
        self.stored = studies.create(self.db, self.campaign, study, "simulated", market, actor="lea")
        self.market = Market(folder / "market.json")

    def workers(self, **shares: int) -> Workforce:
        people = crowd_of(shares, QUALITY, noise=0.15, seconds=6.0, slow_seconds=400.0)  # type: ignore[arg-type]
        return Workforce(self.db, self.stored, people, self.clock, seed=1)

    def run(self, plan: Plan, wait: Any) -> Any:
        return run(self.db, self.stored, plan, actor="lea", watch=lambda seen: None, wait=wait)

    def places(self) -> dict[str, str]:
        found = self.market.study(self.stored.study.key)["places"]
        return {one["participant"]: one["state"] for one in found.values()}


def test_good_lazy_one_sided_slow_and_leaving_workers(tmp_path: Path) -> None:
    trial = Trial(tmp_path, images=45)
    rule = rule_for(trial.campaign, 0.01)
    force = trial.workers(good=7, lazy=3, left=2, slow=1, leaving=1)
    seen, reason = trial.run(Plan(rule, remove_flagged=True), force.step)
    assert (reason, seen.done, seen.target) == ("done", 45, 45)
    (score,) = seen.scores
    assert score.found.low <= KNOWN <= score.found.high
    assert score.found.value == pytest.approx(KNOWN, abs=0.1)
    states = {one.name: one.state for one in raters.listed(trial.db, trial.campaign)}
    assert all(state == "removed" for name, state in states.items() if name.startswith(("lazy", "left")))
    assert all(state == "withdrawn" for name, state in states.items() if name.startswith(("slow", "leaving")))
    assert {state for name, state in states.items() if name.startswith("good")} == {"active"}
    # Only those who did the work are paid; the others' places went to somebody else.
    places = trial.places()
    assert {name.split("-")[0] for name, state in places.items() if state == "approved"} == {"good"}
    assert {places[name] for name in places if name.startswith("slow")} == {"timed_out"}
    assert {places[name] for name in places if name.startswith("leaving")} == {"returned"}
    assert studies.by_key(trial.db, trial.stored.study.key).state == "closed"


def test_it_stops_once_the_interval_is_narrow_enough(tmp_path: Path) -> None:
    trial = Trial(tmp_path, images=120, places=14)
    rule = rule_for(trial.campaign, 0.3)
    seen, reason = trial.run(Plan(rule), trial.workers(good=30).step)
    assert reason == "narrow" and seen.done < seen.target
    assert seen.scores[0].found.half_width <= 0.3
    assert seen.scores[0].found.low <= KNOWN <= seen.scores[0].found.high
    # Places that nobody took cost nothing: 120% of $0.50 for each that was approved.
    approved = sum(state == "approved" for state in trial.places().values())
    assert seen.spent == approved * 60 < seen.committed


def test_the_budget_ends_it_before_a_call_that_would_break_it(tmp_path: Path) -> None:
    # 7 places at $0.50 and 20% are $4.20; lazy workers waste them all, and an extension costs $0.60 a place.
    trial = Trial(tmp_path, images=20, budget=430)
    seen, reason = trial.run(Plan(), trial.workers(lazy=9).step)
    assert reason == "budget" and seen.committed == 420
    assert trial.market.study(trial.stored.study.key)["wanted"] == 7


def test_a_low_wage_is_topped_up_once(tmp_path: Path) -> None:
    trial = Trial(tmp_path, images=18, places=2, reward=10)
    plan = Plan(top_up=True)
    seen, _ = trial.run(plan, trial.workers(good=3).step)
    bonuses = trial.market.study(trial.stored.study.key)["bonuses"]
    assert len(bonuses) == 2 and len({one["place"] for one in bonuses}) == 2
    assert not seen.wage.below
    trial.run(plan, lambda: False)
    assert trial.market.study(trial.stored.study.key)["bonuses"] == bonuses


@pytest.mark.parametrize("cut_at", ["respond", "move"])
def test_a_worker_who_was_cut_off_goes_on_at_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut_at: str
) -> None:
    trial = Trial(tmp_path, images=18, places=2)
    where = workers_module if cut_at == "respond" else Market
    real, calls = getattr(where, cut_at), []

    # The program is killed in the middle of the work, or after it and before it is handed in.
    def killed(*given: Any, **more: Any) -> Any:
        calls.append(given)
        if len(calls) == (5 if cut_at == "respond" else 1):
            raise KeyboardInterrupt
        return real(*given, **more)

    monkeypatch.setattr(where, cut_at, killed)
    with pytest.raises(KeyboardInterrupt):
        trial.run(Plan(), trial.workers(good=3).step)
    assert list(trial.places().values()) == ["active"]
    seen, reason = trial.run(Plan(), trial.workers(good=3).step)
    assert reason == "done"
    assert list(trial.places().values()) == ["approved", "approved"]
    assert seen.spent == 2 * 60


def test_a_run_that_was_cut_off_is_taken_up_without_a_second_study_or_payment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(tmp_path, images=18, places=2)
    publish, approve = Simulated.publish, Simulated.approve
    cut = {"publish": 0, "approve": 0}

    # The provider does what it is asked, and the reply is lost.
    def lost(name: str, do: Any) -> Any:
        def call(self: Any, *given: Any) -> Any:
            do(self, *given)
            cut[name] += 1
            if cut[name] == 1:
                raise CallUnsure(f"{name}: no answer in 30 s.")
            return publish(self, *given) if name == "publish" else None

        return call

    monkeypatch.setattr(Simulated, "publish", lost("publish", publish))
    monkeypatch.setattr(Simulated, "approve", lost("approve", approve))
    force = None
    for _ in range(3):
        try:
            force = force or trial.workers(good=3)
            seen, reason = trial.run(Plan(), force.step)
            break
        except CallUnsure:
            force = None
    assert reason == "done" and len(trial.market.read()) == 1
    assert list(trial.places().values()) == ["approved", "approved"]
    assert seen.spent == 2 * 60
    assert not journal.calls(trial.db, trial.stored.id, state="open")
    assert len(raters.listed(trial.db, trial.campaign)) == 2


def test_looking_changes_nothing_the_second_time(tmp_path: Path) -> None:
    trial = Trial(tmp_path, images=18, places=2)
    trial.stored = calls.publish(trial.db, trial.stored, actor="lea")
    force = trial.workers(leaving=1, good=1)
    while force.step():
        pass
    first = look(trial.db, trial.stored, Plan())
    again = look(trial.db, trial.stored, Plan())
    assert first.found.reclaimed == 1 and again.found.reclaimed == 0
    assert (first.found.due, first.done) == (again.found.due, again.done)
    assert len(visits.of_study(trial.db, trial.stored.id)) == 2
