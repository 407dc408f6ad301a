"""Quality control of a campaign: every rule on every rater, each rater's work in numbers, and their chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from captious.campaigns.people import raters
from captious.campaigns.quality import flags as flag_store
from captious.campaigns.quality.evidence import Gathered, gather, median
from captious.campaigns.quality.flags import BY_RULE, Decision, Flag, decide, flags, reason_of
from captious.campaigns.quality.rules import (
    ATTENTION,
    FEWEST_SHARED,
    Finding,
    attention_rule,
    consensus_rule,
    copied_rule,
    gold_rule,
    longest_run,
    one_value_rule,
    run_rule,
    time_rule,
)
from captious.campaigns.records import Campaign, Rater, Settings
from captious.campaigns.store import schema, snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Snapshot
from captious.campaigns.work import responses
from captious.campaigns.work.removal import take_out
from captious.tables import Chart, Table

__all__ = [
    "BY_RULE",
    "Decision",
    "Flag",
    "RaterQuality",
    "check_rater",
    "decide",
    "flags",
    "quality_rows",
    "quality_snapshot",
    "rater_quality",
    "run_quality",
]

QUALITY = "quality"
Consensus = dict[str, tuple[float, int]]


@dataclass(frozen=True)
class RaterQuality:
    """One rater's work in numbers; NaN where there is nothing to measure.

    `agreement` is the correlation with the mean of the others over `shared` answers.
    """

    rater: str
    rater_id: int
    state: str
    answered: int
    median_seconds: float
    fast_share: float
    checks: int
    checks_failed: int
    gold: int
    gold_right: int
    longest_run: int
    agreement: float
    shared: int
    flags: tuple[str, ...]


def run_quality(db: Database, campaign: Campaign) -> list[Flag]:
    """Apply every rule to every rater; returns the flags that wait for a decision.

    Reads every response: seconds with many. Pages call `quality_snapshot(…, wait=False)`.
    """
    seen = snapshots.marker(db, campaign)
    snapshots.keep(db, campaign, QUALITY, _measure(db, campaign), seen)
    return [flag for flag in flags(db, campaign) if not flag.decision]


def _measure(db: Database, campaign: Campaign) -> snapshots.Content:
    """Run the rules, store the flags, and return each rater's numbers."""
    people = raters.listed(db, campaign)
    found = _gathered(db, campaign, people)
    consensus = found.consensus()
    alike, usual, pairs = found.alike()
    copied = {rater: copied_rule(same, usual, pairs) for rater, same in alike.items()}
    findings = {
        person.id: _findings(
            person.pseudonym, found, campaign.settings, consensus, copied.get(person.pseudonym)
        )
        for person in people
        if person.pseudonym in found.work
    }
    flag_store.store(db, campaign, people, findings)
    return {"raters": [_numbers(person, found, campaign.settings, consensus) for person in people]}


def _gathered(db: Database, campaign: Campaign, people: Sequence[Rater]) -> Gathered:
    items = {item.key: item for item in responses.items(db, campaign)}
    counted = frozenset(person.pseudonym for person in people if person.state == "active")
    table = schema.item
    wanted = select(table.c.key, table.c.gold).where(
        table.c.campaign_id == campaign.id, table.c.gold.is_not(None)
    )
    with db.read() as connection:
        gold = {key: expected for key, expected in connection.execute(wanted) if expected}
    stored = responses.stored(db, campaign)
    return gather(campaign.rules(), items, stored, counted=counted, gold=gold)


def _findings(
    rater: str, found: Gathered, settings: Settings, consensus: Consensus, copied: Finding | None
) -> list[Finding]:
    work = found.work[rater]
    answers = [answer for _, answer in work.said]
    others = found.others(rater)
    r, n = consensus.get(rater, (math.nan, 0))
    each = (
        attention_rule(work.failed, work.passed),
        time_rule(work.seconds, settings.minimum_seconds),
        run_rule(answers, settings.straight_line, found.usual(rater, others)),
        one_value_rule(answers, others),
        gold_rule(work.gold),
        consensus_rule(r, n, floor=settings.consensus_floor, better=_better(consensus)),
        copied,
    )
    return [finding for finding in each if finding is not None]


def _better(consensus: Consensus) -> float:
    """What a quarter of the raters reach or surpass; of those with enough answers to tell."""
    known = [r for r, n in consensus.values() if not math.isnan(r) and n >= FEWEST_SHARED]
    return float(np.quantile(known, 0.75)) if known else math.nan


def _numbers(person: Rater, found: Gathered, settings: Settings, consensus: Consensus) -> dict[str, Any]:
    work = found.work.get(person.pseudonym)
    seconds = work.seconds if work else []
    r, n = consensus.get(person.pseudonym, (math.nan, 0))
    fast = sum(one < settings.minimum_seconds for one in seconds)
    return {
        "rater_id": person.id,
        "median_seconds": median(seconds),
        "fast_share": fast / len(seconds) if seconds else math.nan,
        "checks": len(work.failed) + work.passed if work else 0,
        "checks_failed": len(work.failed) if work else 0,
        "gold": len(work.gold) if work else 0,
        "gold_right": sum(work.gold.values()) if work else 0,
        "longest_run": longest_run([answer for _, answer in work.said])[1] if work else 0,
        "agreement": r,
        "shared": n,
    }


def quality_snapshot(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> Snapshot:
    """Each rater's numbers with the time at which they were computed; the rules run on the way."""
    return snapshots.current(
        db, campaign, QUALITY, lambda: _measure(db, campaign), fresh_within=fresh_within, wait=wait
    )


def rater_quality(
    db: Database, campaign: Campaign, *, fresh_within: float = 10.0, wait: bool = True
) -> list[RaterQuality]:
    """Every rater's work in numbers."""
    kept = quality_snapshot(db, campaign, fresh_within=fresh_within, wait=wait)
    return quality_rows(db, campaign, kept)


_NOTHING: dict[str, Any] = {
    "median_seconds": None,
    "fast_share": None,
    "checks": 0,
    "checks_failed": 0,
    "gold": 0,
    "gold_right": 0,
    "longest_run": 0,
    "agreement": None,
    "shared": 0,
}


def quality_rows(db: Database, campaign: Campaign, kept: Snapshot) -> list[RaterQuality]:
    """The kept numbers beside each rater's present state and flags that are not dismissed."""
    by_rater = {row["rater_id"]: row for row in kept.content.get("raters", [])}
    pointed: dict[int, list[str]] = {}
    for flag in flags(db, campaign):
        if flag.decision != "dismissed":
            pointed.setdefault(flag.rater_id, []).append(flag.rule)
    found = []
    for person in raters.listed(db, campaign):
        row = by_rater.get(person.id, _NOTHING)
        numbers: dict[str, Any] = {name: math.nan if row[name] is None else row[name] for name in _NOTHING}
        found.append(
            RaterQuality(
                rater=person.pseudonym,
                rater_id=person.id,
                state=person.state,
                answered=person.answered,
                flags=tuple(pointed.get(person.id, ())),
                **numbers,
            )
        )
    return found


def check_rater(db: Database, campaign: Campaign, rater: Rater) -> Flag | None:
    """Remove a rater who preferred a planted caption, with a flag that says so and can be undone.

    Reads only the rater's answers to checks. A flag that someone has dismissed stays dismissed.
    """
    answered = _checks_of(db, rater)
    rules = campaign.rules()
    failed = []
    for key, answers in answered.items():
        shown = responses.item(db, campaign, key)
        given = rules.validate(shown, answers, rater=rater.pseudonym)
        if not isinstance(given, list) and rules.removed_raters([shown], [given]):
            failed.append(key)
    finding = attention_rule(failed, len(answered) - len(failed))
    if finding is None:
        return None
    own = next((f for f in flags(db, campaign) if (f.rater_id, f.rule) == (rater.id, ATTENTION)), None)
    if own is not None:
        return own

    def work(connection: Connection) -> None:
        take_out(connection, rater.id, "removed", reason_of(finding.rule, finding.explanation))
        flag_store.add(connection, campaign.id, rater.id, finding, time=db.now(), removed=True)

    db.transact(work)
    return _attention_flag(db, campaign, rater)


def _attention_flag(db: Database, campaign: Campaign, rater: Rater) -> Flag | None:
    own = (flag for flag in flags(db, campaign) if flag.rater_id == rater.id)
    return next((flag for flag in own if flag.rule == ATTENTION), None)


def _checks_of(db: Database, rater: Rater) -> dict[str, dict[str, Any]]:
    """The rater's latest answers to attention checks, by item."""
    response, item = schema.response, schema.item
    wanted = (
        select(item.c.key, response.c.answers)
        .join(item, item.c.id == response.c.item_id)
        .where(response.c.rater_id == rater.id, item.c.is_check.is_(True))
        .order_by(response.c.id)
    )
    with db.read() as connection:
        return {row.key: row.answers for row in connection.execute(wanted)}


TITLE = "Raters: pace and agreement"
# Pace and agreement of fewer answers say nothing about a rater.
FEWEST_ANSWERS = 5
HOW = (
    "Further left: faster. Higher: closer to the mean of the other raters (correlation; guessing gives 0). "
    "Triangle: flagged by a rule. Cross: removed. Raters who share no items with others appear only in the "
    "table."
)


def rater_table(rows: Sequence[RaterQuality]) -> list[Table]:
    """A row for each rater with enough answers; nothing where no two can be drawn."""
    found = [
        (row.rater, row.median_seconds, row.agreement, row.shared, row.answered, _standing(row))
        for row in rows
        if row.answered >= FEWEST_ANSWERS
    ]
    drawable = [row for row in found if not (math.isnan(row[1]) or math.isnan(row[2]))]
    if len(drawable) < 2:
        return []
    chart = Chart(
        "points", "median seconds", "agreement", series="rater", mark="standing", y_scale=(-1.0, 1.0), how=HOW
    )
    columns = ("rater", "median seconds", "agreement", "shared answers", "answers", "standing")
    return [Table(TITLE, columns, tuple(found), chart=chart)]


def _standing(row: RaterQuality) -> str:
    if row.state != "active":
        return "removed"
    return f"flagged: {', '.join(row.flags)}" if row.flags else "no flag"
