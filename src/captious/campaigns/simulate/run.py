"""Raters with known preferences, who go through assignment and response as people would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import select

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater, Source, Task
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import keep
from captious.campaigns.work.assignment import next_tasks
from captious.campaigns.work.responses import respond
from captious.errors import InputError
from captious.protocols import HumanProtocol
from captious.protocols.base import draws
from captious.protocols.simulation import SimulatedRater, Someone

SIMULATED: Source = "simulated"


class Clock:
    """A clock that stands still until it is moved; for a database that is filled in advance."""

    def __init__(self, start: float) -> None:
        self.time = start

    def __call__(self) -> float:
        """The time now."""
        return self.time

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.time += seconds


def simulate(
    db: Database,
    campaign: Campaign,
    people: Sequence[SimulatedRater],
    *,
    seed: int,
    until: int | None = None,
    clock: Clock | None = None,
) -> int:
    """Let the raters work in turns, a group each, until nothing is left or `until` responses came.

    Raters whose names the campaign does not know are added. Returns how many responses came in.
    With a `clock` each response takes its time.
    """
    rules = campaign.rules()
    known = _joined(db, campaign, people)
    generators = {one.name: draws(seed, "simulate", campaign.slug, one.name) for one in people}
    given: Counter[str] = Counter()
    done, working = 0, list(people)
    while working and (until is None or done < until):
        still = []
        for person in working:
            tasks = [] if _gone(person, given) else next_tasks(db, campaign, known[person.name])
            if tasks:
                still.append(person)
            for task in tasks:
                if (until is not None and done >= until) or _gone(person, given):
                    break
                rng = generators[person.name]
                someone = Someone(
                    person, rng, rules.human_sources, lambda content: keep(db, campaign, content)
                )
                if not _answer(db, rules, someone, known[person.name], task, clock):
                    break
                given[person.name] += 1
                done += 1
        working = still
    return done


def _gone(person: SimulatedRater, given: Mapping[str, int]) -> bool:
    return person.leaves_after is not None and given.get(person.name, 0) >= person.leaves_after


def _joined(db: Database, campaign: Campaign, people: Sequence[SimulatedRater]) -> dict[str, Rater]:
    there = {rater.name: rater for rater in raters.listed(db, campaign)}
    new = [NewRater(one.name, native=one.native) for one in people if one.name not in there]
    added = raters.add(db, campaign, new, actor=SIMULATED) if new else []
    return there | {rater.name: rater for rater in added}


def _answer(
    db: Database, rules: HumanProtocol, someone: Someone, rater: Rater, task: Task, clock: Clock | None
) -> bool:
    """Answer one task; False where the rater has been removed on the way."""
    person = someone.rater
    seconds = round(max(0.2, float(someone.rng.gamma(4.0, person.seconds / 4.0))), 1)
    if clock is not None:
        clock.move(seconds)
    answers = rules.simulated(task.item, someone)
    key = f"simulated-{task.item.key}"
    found = respond(db, rater, task.token, answers, key=key, seconds=seconds, source=SIMULATED)
    if isinstance(found, list):
        raise InputError(f"{person.name}: {found[0].message}")
    # Only a failed check removes anyone on the way.
    return not task.item.check or _state(db, rater) == "active"


def _state(db: Database, rater: Rater) -> str:
    table = schema.rater
    with db.read() as connection:
        found = connection.execute(select(table.c.state).where(table.c.id == rater.id))
        return str(found.scalar_one())
