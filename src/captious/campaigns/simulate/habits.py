"""Raters with known habits, to see what a campaign's verdict and rules make of them before people come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import select

from captious.campaigns.records import Campaign
from captious.campaigns.results.analysis import overview
from captious.campaigns.results.image_means import judged_systems
from captious.campaigns.simulate.demo import in_the_past
from captious.campaigns.simulate.run import SIMULATED, Clock, simulate
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.errors import InputError, UnknownNameError
from captious.protocols.base import draws
from captious.protocols.item import Item
from captious.protocols.simulation import SimulatedRater

DAY = 24 * 3600.0
MOST = 1000
Quality = Mapping[str | tuple[str, str], float]

# Careful raters look, and slip now and then; hasty ones do not look and need less than a second;
# contrary ones look and say the opposite; those who leave are careful as long as they stay.
HABITS: dict[str, SimulatedRater] = {
    "careful": SimulatedRater("careful", noise=0.12, seconds=9),
    "hasty": SimulatedRater("hasty", habit="random", attentive=False, seconds=0.8),
    "contrary": SimulatedRater("contrary", habit="contrary", noise=0.12, seconds=9),
    "leaving": SimulatedRater("leaving", noise=0.12, seconds=9, leaves_after=5),
}


def people(counts: Mapping[str, int], quality: Quality) -> list[SimulatedRater]:
    """So many raters of each habit, with the same opinions of captions.

    >>> [one.name for one in people({"careful": 2, "hasty": 1}, {"m1": 0.5})]
    ['careful 1', 'careful 2', 'hasty 1']
    """
    found = []
    for habit, count in counts.items():
        if habit not in HABITS:
            raise UnknownNameError("habit", habit, HABITS)
        if not 0 <= count <= MOST:
            raise InputError(f"{habit}: {count} raters. Give 0 to {MOST:,}.")
        found += [replace(HABITS[habit], name=f"{habit} {at}", quality=quality) for at in range(1, count + 1)]
    return found


def opinions(items: Sequence[Item], *, seed: int) -> Quality:
    """How good each caption is, drawn: a level for each system, and its images around it."""
    systems = judged_systems(items)
    levels = draws(seed, "levels").permutation(len(systems)) + 1
    found: dict[str | tuple[str, str], float] = {}
    for system, level in zip(systems, levels.tolist(), strict=True):
        mean = level / (len(systems) + 1)
        found[system] = mean
        rng = draws(seed, "opinions", system)
        for image in dict.fromkeys(item.image for item in items):
            found[image, system] = float(min(1.0, max(0.0, rng.normal(mean, 0.2))))
    return found


def simulate_habits(
    db: Database, campaign: Campaign, counts: Mapping[str, int], *, seed: int = 0, until: int | None = None
) -> int:
    """Let raters of known habits work through a campaign that no person has answered in.

    Their answers lie in the past and end about now; those who leave left a day before.
    Returns how many responses came in.
    """
    _require_no_people(db, campaign)
    _require_work(db, campaign)
    rules = campaign.rules()
    everyone = people(counts, opinions(responses.items(db, campaign), seed=seed))
    if not everyone:
        raise InputError("no rater: give habits and numbers, such as careful=3.")
    leaving = [one for one in everyone if one.leaves_after is not None]
    staying = [one for one in everyone if one.leaves_after is None]
    wanted = sum(item.target for item in responses.items(db, campaign) if item.counts)
    slowest = max(one.seconds for one in everyone)
    clock = Clock(db.now() - 2 * DAY - slowest * 2 * rules.asked(wanted).responses)
    with in_the_past(db, clock) as past:
        first = simulate(past, campaign, leaving, seed=seed, until=until, clock=clock)
        clock.time = max(clock.time + 1.5 * DAY, db.now() - slowest * rules.asked(wanted).responses)
        rest = None if until is None else until - first
        return first + simulate(past, campaign, staying, seed=seed, until=rest, clock=clock)


def _require_work(db: Database, campaign: Campaign) -> None:
    """Refuse to add raters to a campaign that has nothing for them."""
    view = overview(db, campaign)
    if view.target and view.done >= view.target:
        raise InputError(
            f"{campaign.slug}: all responses asked for are in, so nothing was added. To rehearse again, "
            "create a new campaign from the same files."
        )


def _require_no_people(db: Database, campaign: Campaign) -> None:
    """Made-up answers must not stand among people's."""
    table = schema.response.c
    wanted = select(table.id).where(table.campaign_id == campaign.id, table.source != SIMULATED).limit(1)
    with db.read() as connection:
        if connection.execute(wanted).first() is not None:
            raise InputError(
                f"{campaign.slug}: it has answers by people. Simulate in a separate campaign, created from "
                "the same files."
            )
    if campaign.state != "open":
        how = "Open" if campaign.state == "draft" else "Resume"
        raise InputError(f"{campaign.slug} is {campaign.state}: nobody can rate. {how} it first.")
