"""Simulated workers: they take a place, arrive, answer, hand in, give up or run out of time.

They go the way of people: through the provider's check, quota, assignment, storage and the last page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from captious.campaigns.records import Campaign, Rater, Task
from captious.campaigns.setup import lifecycle
from captious.campaigns.simulate.run import SIMULATED, Clock
from captious.campaigns.store.database import Database
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.crowd import arrivals, studies, visits
from captious.crowd.providers.simulated import PLACE, WORKER, Market, Simulated
from captious.crowd.studies import Stored
from captious.crowd.values import Outcome, Refused
from captious.crowd.visits import Visit
from captious.errors import InputError
from captious.protocols import Item
from captious.protocols.base import draws
from captious.protocols.simulation import SimulatedRater, Someone

Kind = Literal["good", "lazy", "left", "slow", "leaving"]
KINDS: tuple[Kind, ...] = ("good", "lazy", "left", "slow", "leaving")
SECRET = b"workers of a program need no secret"
# Someone who gives up does so after a few answers.
GIVES_UP_AFTER = 4


@dataclass(frozen=True)
class Worker:
    """Someone at the market: good ones look, lazy ones click at random, some always take the left
    caption, some are too slow for the time allowed, some leave on the way."""

    name: str
    kind: Kind
    rater: SimulatedRater


def crowd_of(
    shares: Mapping[Kind, int],
    quality: Mapping[str | tuple[str, str], float],
    *,
    noise: float,
    seconds: float,
    slow_seconds: float,
) -> list[Worker]:
    """Workers in turns, so many of each kind, who agree on `quality` but for the noise."""
    made: list[list[Worker]] = []
    for kind, count in shares.items():
        habit: Literal["careful", "random"] = "random" if kind == "lazy" else "careful"
        pace = slow_seconds if kind == "slow" else 1.0 if kind == "lazy" else seconds
        own = []
        for at in range(count):
            name = f"{kind}-{at + 1}"
            rater = SimulatedRater(
                name, quality, noise=noise, attentive=kind != "lazy", habit=habit, seconds=pace
            )
            own.append(Worker(name, kind, rater))
        made.append(own)
    # Spread evenly: each kind's share holds in every stretch of the list.
    placed = [((at + 0.5) / len(own), one) for own in made for at, one in enumerate(own)]
    return [one for _, one in sorted(placed, key=lambda pair: (pair[0], pair[1].name))]


class Workforce:
    """The workers of a study; each step lets the next of them come."""

    def __init__(
        self, db: Database, stored: Stored, workers: Sequence[Worker], clock: Clock, *, seed: int
    ) -> None:
        self.db, self.key, self.clock, self.seed = db, stored.study.key, clock, seed
        provider = stored.provider()
        if not isinstance(provider, Simulated):
            raise InputError("simulated workers need --provider simulated.")
        self.provider, self.market = provider, Market(provider.where().path)
        places = self.market.read().get(self.key, {"places": {}})["places"]
        # Whoever was at work when an earlier run was cut off goes on first, at their own place.
        self.begun = {one["participant"]: place for place, one in places.items() if one["state"] == "active"}
        gone = {one["participant"] for one in places.values()} - self.begun.keys()
        left = [one for one in workers if one.name not in gone]
        self.waiting = sorted(left, key=lambda one: one.name not in self.begun)

    def step(self) -> bool:
        """Let the next worker take a place and work; False where nobody is left or no place is."""
        if not self.waiting:
            return False
        worker = self.waiting[0]
        place = self.begun.pop(worker.name, None) or self.market.accept(self.key, worker.name, self.clock())
        if place is None:
            return False
        self.waiting.pop(0)
        stored = studies.by_key(self.db, self.key)
        campaign = lifecycle.by_id(self.db, stored.campaign_id)
        parameters = {WORKER: worker.name, PLACE: place}
        arrival = self.provider.verify(stored.study, stored.published_at(), parameters)
        if isinstance(arrival, Refused):
            raise InputError(f"{worker.name}: the market has no record of its own place.")
        visit = arrivals.begin(self.db, stored, campaign, arrival, secret=SECRET)
        if not isinstance(visit, Visit):
            ended = self._visit(stored, place)
            if ended is not None and ended.outcome:  # finished with us, and not yet handed in at the market
                self._hand_in(stored, place, ended.outcome)
            else:
                self.market.move(self.key, place, "returned", now=self.clock())
            return True
        rater = arrivals.admit(self.db, stored, campaign, visit)
        self._work(stored, campaign, worker, rater, place)
        return True

    def _work(self, stored: Stored, campaign: Campaign, worker: Worker, rater: Rater, place: str) -> None:
        rng = draws(self.seed, "worker", worker.name)
        began, answered = self.clock(), 0
        while tasks := next_tasks(self.db, campaign, rater):
            for task in tasks:
                if worker.kind == "leaving" and answered >= GIVES_UP_AFTER:
                    self.market.move(self.key, place, "returned", now=self.clock())
                    return
                self._answer(campaign, worker, rater, task, rng)
                answered += 1
                if self.clock() - began > visits.allowed_seconds(stored.study):
                    self.market.move(self.key, place, "timed_out", now=self.clock())
                    return
        visit = self._visit(stored, place)
        outcome = None if visit is None else arrivals.finish(self.db, stored, campaign, visit)
        self._hand_in(stored, place, outcome or "completed")

    def _visit(self, stored: Stored, place: str) -> Visit | None:
        with self.db.read() as connection:
            return visits.at_place(connection, stored.id, place)

    def _hand_in(self, stored: Stored, place: str, outcome: Outcome) -> None:
        self.market.move(self.key, place, "submitted", now=self.clock(), code=stored.study.codes[outcome])

    def _answer(
        self, campaign: Campaign, worker: Worker, rater: Rater, task: Task, rng: np.random.Generator
    ) -> None:
        rules = campaign.rules()
        seconds = round(max(0.2, float(rng.gamma(4.0, worker.rater.seconds / 4.0))), 1)
        self.clock.move(seconds)
        if worker.kind == "left":
            answers = first_answers(task.item)
        else:
            answers = rules.simulated(task.item, Someone(worker.rater, rng, rules.human_sources))
        key = f"simulated-{task.item.key}"
        found = respond(self.db, rater, task.token, answers, key=key, seconds=seconds, source=SIMULATED)
        if isinstance(found, list):
            raise InputError(f"{worker.name}: {found[0].message}")


def first_answers(item: Item) -> dict[str, Any]:
    """What someone answers who always takes the first option: of two captions, the left one."""
    keys = [caption.key for caption in item.captions]
    found: dict[str, Any] = {}
    for field in item.form.fields:
        least = (
            {field.caption: 0.0}
            if field.caption or len(keys) < 2
            else dict.fromkeys(keys, 0.0) | {keys[0]: 1.0}
        )
        if field.when is None or field.when.holds(found):
            found[field.name] = field.rules.simulated(field, least)
    return found
