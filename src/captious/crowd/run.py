"""A study from publishing to paying, in steps that can each be taken up again after a crash.

publish, then look again and again: reconcile with the provider, pay what is due, score, and stop once
the result is known well enough, all work is done, or the budget is used up; then close, let those who
have begun finish, pay them, and bring everyone to the minimum wage where that is wanted.

It stops where the result is known well enough: means by system, with intervals that hold at every look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Literal, NamedTuple

from captious.campaigns.quality import control, flags
from captious.campaigns.quality.rules import ATTENTION, ONE_VALUE, RUN
from captious.campaigns.records import Campaign
from captious.campaigns.results.analysis import counting, overview
from captious.campaigns.results.image_means import image_means
from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.crowd import calls, journal, planning, studies, visits
from captious.crowd.journal import BudgetExceeded
from captious.crowd.planning import Wage
from captious.crowd.reconcile import Reconciled, known_now, reconcile
from captious.crowd.studies import Stored
from captious.crowd.values import GIVEN_BACK
from captious.errors import InputError
from captious.stats import Sequential, sequential_mean


@dataclass(frozen=True)
class Rule:
    """Stop once every system's mean of `aspect` is known to within `half_width`; 0: only score.

    The error rate 1 - `level` is that of all systems together and of all looks: with k systems each
    interval has the level 1 - (1 - level) / k (Bonferroni).
    """

    aspect: str
    bounds: tuple[float, float]
    half_width: float
    level: float = 0.95

    def __post_init__(self) -> None:
        low, high = self.bounds
        if not 0 <= self.half_width < (high - low) / 2:
            raise InputError(
                f"half width: {self.half_width:g} is too large: {self.aspect} ranges from {low:g} to "
                f"{high:g}. Give less than {(high - low) / 2:g}."
            )


class Score(NamedTuple):
    """What is known of a system so far."""

    system: str
    found: Sequential


def rule_for(campaign: Campaign, half_width: float, *, level: float = 0.95, aspect: str = "") -> Rule:
    """The rule for a campaign: its protocol says which means it reports, and their range."""
    ranges = campaign.rules().ranges
    if not ranges:
        raise InputError(
            f"{campaign.protocol}: this protocol reports no mean of known range, so the half width "
            "does not apply. Leave it out: the study ends when all places are filled."
        )
    name = aspect or next(iter(ranges))
    if name not in ranges:
        raise InputError(f'aspect "{name}": {campaign.protocol} has {", ".join(ranges)}.')
    return Rule(name, ranges[name], half_width, level)


def scores(db: Database, campaign: Campaign, rule: Rule) -> list[Score]:
    """Every system's mean over the images that have all their answers, in the order of their completion."""
    items, responses = counting(db, campaign)
    found = image_means(campaign.rules(), items, responses, rule.aspect)
    level = 1 - (1 - rule.level) / max(1, len(found))
    return [
        Score(system, sequential_mean([one.value for one in means], bounds=rule.bounds, level=level))
        for system, means in found.items()
    ]


def enough(found: Iterable[Score], rule: Rule) -> bool:
    """Whether every system's interval is narrow enough."""
    known = list(found)
    return bool(known) and all(one.found.n and one.found.half_width <= rule.half_width for one in known)


# What a study ended by: the result is known well enough, nothing is left to do, the budget or the places
# are used up, someone closed it.
Stop = Literal["narrow", "done", "budget", "closed"]
TOP_UP = "To bring your pay to the minimum hourly wage that we promise."
# Flags that need no second opinion before work is left out of a running result.
CLEAR = (ATTENTION, RUN, ONE_VALUE)


@dataclass(frozen=True)
class Plan:
    """How a study is run. `rule` None: until all work is done. Money in minor units."""

    rule: Rule | None = None
    approve: bool = True
    top_up: bool = False
    remove_flagged: bool = False
    extend: bool = True


@dataclass(frozen=True)
class Look:
    """How a study stands: what a table shows while it runs."""

    stored: Stored
    found: Reconciled
    done: int
    target: int
    raters_removed: int
    scores: tuple[Score, ...]
    committed: int
    spent: int
    wage: Wage
    hours_left: float | None
    stop: Stop | None

    @property
    def active(self) -> int:
        """How many participants are at work."""
        return self.found.counts.get("active", 0)


def look(db: Database, stored: Stored, plan: Plan, *, ask: bool = True) -> Look:
    """Reconcile and score; nothing here costs money. Without `ask` by what is stored here alone."""
    stored = studies.by_key(db, stored.study.key)
    if plan.remove_flagged:
        remove_flagged(db, stored)
    found = reconcile(db, stored) if ask else known_now(db, stored)
    campaign = lifecycle.by_id(db, stored.campaign_id)
    view = overview(db, campaign)
    known = tuple(scores(db, campaign, plan.rule)) if plan.rule is not None else ()
    measured = planning.of_study(db, stored)
    return Look(
        stored,
        found,
        view.done,
        view.target,
        view.raters_removed,
        known,
        journal.committed(db, stored.id),
        spent(db, stored),
        measured,
        view.hours_left,
        _stop(stored, plan, known, view.done >= view.target),
    )


def _stop(stored: Stored, plan: Plan, known: tuple[Score, ...], all_done: bool) -> Stop | None:
    if stored.state == "closed":
        return "closed"
    if plan.rule is not None and enough(known, plan.rule):
        return "narrow"
    return "done" if all_done else None


def spent(db: Database, stored: Stored) -> int:
    """What is paid for sure: approved places and bonuses, with their fees."""
    provider, study = stored.provider(), stored.study
    approved = sum(one.state == "approved" for one in visits.of_study(db, stored.id))
    whole = provider.quote(study)
    each = whole.total / study.places
    paid = journal.calls(db, stored.id, action="bonus", state="done")
    return round(approved * each) + sum(call.amount for call in paid)


def remove_flagged(db: Database, stored: Stored) -> int:
    """Remove participants whose work breaks a clear rule; how many. A person can take it back."""
    campaign = lifecycle.by_id(db, stored.campaign_id)
    own = {one.rater_id for one in visits.of_study(db, stored.id)}
    removed = 0
    for flag in control.run_quality(db, campaign):
        if flag.rater_id in own and flag.rule in CLEAR and not flag.decision:
            flags.decide(db, flag.id, "upheld", actor="crowd run")
            removed += 1
    return removed


def run(
    db: Database,
    stored: Stored,
    plan: Plan,
    *,
    actor: str,
    watch: Callable[[Look], None],
    wait: Callable[[], bool],
) -> tuple[Look, Stop]:
    """Carry a study through. `wait` passes the time between two looks, and says whether to go on."""
    if stored.state != "closed":
        stored = calls.publish(db, stored, actor=actor)
    while True:
        seen = look(db, stored, plan)
        if plan.approve:
            pay_due(db, seen)
        watch(seen)
        reason = seen.stop
        if reason is None and not _places_left(db, seen):
            reason = _refill(db, seen, plan, actor)
        if reason is not None:
            break
        if not wait():
            # Nobody comes and nobody is told why: what is there is all there is.
            reason = "done"
            break
    stored = calls.close(db, studies.by_key(db, stored.study.key), actor=actor)
    while look(db, stored, plan).active and wait():
        pass
    return finish(db, stored, plan, actor=actor), reason


def finish(db: Database, stored: Stored, plan: Plan, *, actor: str) -> Look:
    """Close the campaign, pay what is due, and top up where the wage is too low."""
    campaign = lifecycle.by_id(db, stored.campaign_id)
    if campaign.state in ("open", "paused"):
        lifecycle.close(db, campaign, actor=actor)
    seen = look(db, stored, plan)
    if plan.approve:
        pay_due(db, seen)
    if plan.top_up and seen.wage.bonus:
        top_up(db, seen)
    return look(db, stored, plan)


def pay_due(db: Database, seen: Look) -> int:
    """Approve the places that are done, and end what was cut off; how many are due."""
    cut_off = {
        call.request.get("place")
        for call in journal.calls(db, seen.stored.id, action="approve", state="open")
    }
    again = [one for one in visits.of_study(db, seen.stored.id) if one.place in cut_off]
    for visit in {one.id: one for one in [*again, *seen.found.due]}.values():
        calls.approve(db, seen.stored, visit)
    return len(seen.found.due)


def top_up(db: Database, seen: Look) -> int:
    """Pay the bonus that brings the median to the minimum wage to every approved place; how many."""
    approved = [one for one in visits.of_study(db, seen.stored.id) if one.state == "approved"]
    for visit in approved:
        calls.bonus(db, seen.stored, visit, seen.wage.bonus, TOP_UP)
    return len(approved)


def _places_left(db: Database, seen: Look) -> bool:
    """Whether somebody works, or may still come.

    At a provider work that failed fills its place until it is rejected or returned.
    """
    everyone = visits.of_study(db, seen.stored.id)
    if seen.stored.provider().has_service:
        filled = sum(one.state not in GIVEN_BACK for one in everyone)
    else:
        filled = sum(one.taken for one in everyone)
    return seen.active > 0 or filled < seen.stored.study.places


def _refill(db: Database, seen: Look, plan: Plan, actor: str) -> Stop | None:
    """All places are used and work is left, because some of it was thrown out: ask for more places."""
    if not plan.extend:
        return "done"
    study = seen.stored.study
    more = max(1, ceil((seen.target - seen.done) / study.answers))
    try:
        calls.extend(db, seen.stored, study.places + more, actor=actor)
    except BudgetExceeded:
        return "budget"
    return None
