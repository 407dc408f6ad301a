"""Tables of `captious crowd`: quotes, studies, places and what a run has found."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from captious.crowd.money import major, shown
from captious.tables import Cell, Number, Table, moment, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from captious.crowd.planning import Wage
    from captious.crowd.reconcile import Reconciled
    from captious.crowd.run import Look, Rule
    from captious.crowd.studies import Stored
    from captious.crowd.values import Quote, Study
    from captious.crowd.visits import Visit


def money(units: int, currency: str) -> Number:
    """An amount as a cell."""
    return Number(float(major(units, currency)), shown(units, currency))


def quote_table(study: Study, quote: Quote, title: str) -> Table:
    """What something costs, line by line, and the wage that it pays."""
    rows: list[list[Cell]] = [[line.text, money(line.amount, quote.currency)] for line in quote.lines]
    rows.append(["total", money(quote.total, quote.currency)])
    if study.budget is not None:
        rows.append(["budget", money(study.budget, study.currency)])
    hourly = round(study.hourly)
    note = (
        f"each place: {study.answers} answers in about {study.minutes:g} min for "
        f"{shown(study.reward, study.currency)}, or {shown(hourly, study.currency)} an hour"
    )
    if hourly < study.minimum_wage:
        note += f"\nbelow the minimum wage of {shown(study.minimum_wage, study.currency)} an hour"
    return Table(title, ["estimate", quote.currency], rows, note)


def quote_payload(study: Study, quote: Quote, provider: str) -> dict[str, Any]:
    """The same as plain values; money in minor units."""
    return {
        "provider": provider,
        "places": study.places,
        "answers": study.answers,
        "minutes": study.minutes,
        "currency": quote.currency,
        "reward": study.reward,
        "hourly": round(study.hourly),
        "minimum_wage": study.minimum_wage,
        "budget": study.budget,
        "lines": [dataclasses.asdict(line) for line in quote.lines],
        "fee": quote.fee,
        "total": quote.total,
    }


def status_tables(seen: Look, rule: Rule | None = None) -> list[Table]:
    """How a study stands: places, work, money, wage, and the scores so far."""
    study, currency = seen.stored.study, seen.stored.study.currency
    facts: list[list[Cell]] = [
        ["state", seen.stored.state],
        ["link for participants", (seen.stored.remote and seen.stored.remote.address) or study.address],
        ["places", study.places],
        *state_rows(seen.found),
        ["answers", f"{seen.done:,} of {seen.target:,}"],
        ["raters removed", seen.raters_removed],
        ["hours of work left", number(seen.hours_left, 1)],
        ["paid so far", money(seen.spent, currency)],
        ["committed", money(seen.committed, currency)],
        ["budget", "none" if study.budget is None else money(study.budget, currency)],
        *wage_rows(seen.wage, currency),
        ["due for approval", len(seen.found.due)],
        ["to review", len(seen.found.review)],
    ]
    tables = [Table(f"{study.title}: {seen.stored.provider().title}", ["study", ""], facts)]
    if rule is not None:
        tables.append(score_table(seen, rule))
    if seen.found.review:
        tables.append(review_table(seen.found))
    return tables


def state_rows(found: Reconciled) -> list[list[Cell]]:
    """The places by state."""
    return [[name.replace("_", " "), count] for name, count in found.counts.items()]


def wage_rows(wage: Wage, currency: str) -> list[list[Cell]]:
    """The wage, and what would mend it."""
    if wage.hourly is None or wage.median_seconds is None:
        return [["hourly pay", "no timing data yet"]]
    rows: list[list[Cell]] = [
        ["median minutes per place", number(wage.median_seconds / 60, 1)],
        ["hourly pay", money(wage.hourly, currency)],
    ]
    if wage.below:
        rows.append(["below the minimum wage of", money(wage.minimum, currency)])
        rows.append(["bonus per place to reach it", money(wage.bonus, currency)])
    return rows


def score_table(seen: Look, rule: Rule) -> Table:
    """The means so far, with intervals that hold at every look."""
    rows: list[list[Cell]] = [
        [one.system, number(one.found.value), number(one.found.low), number(one.found.high), one.found.n]
        for one in seen.scores
    ]
    note = (
        f"{rule.level:.0%} intervals, valid jointly for all systems and checks (Waudby-Smith and Ramdas 2024)"
    )
    if rule.half_width:
        note += f"; stops at ± {rule.half_width:g}"
    return Table(
        f"{rule.aspect.capitalize()} so far", ["system", "mean", "low", "high", "images"], rows, note
    )


def review_table(found: Reconciled) -> Table:
    """Places that a person should look at."""
    rows: list[list[Cell]] = [
        [one.visit.place, one.visit.participant, one.visit.state, one.reason] for one in found.review
    ]
    return Table("To review", ["place", "participant", "state", "why"], rows)


def places_table(found: Sequence[Visit]) -> Table:
    """One line a place."""
    rows: list[list[Cell]] = [
        [
            one.place,
            one.participant,
            one.state,
            one.outcome or "-",
            moment(one.arrived),
            number(None if one.seconds is None else one.seconds / 60, 1),
        ]
        for one in found
    ]
    return Table("Places", ["place", "participant", "state", "ended as", "arrived", "minutes"], rows)


def studies_table(found: Sequence[Stored]) -> Table:
    """One line a study."""
    rows: list[list[Cell]] = [
        [one.study.key[:8], one.provider_name, one.state, one.study.places, moment(one.published)]
        for one in found
    ]
    return Table("Studies", ["study", "provider", "state", "places", "published"], rows)


def look_payload(seen: Look) -> dict[str, Any]:
    """A look as plain values; money in minor units."""
    return {
        "study": seen.stored.study.key,
        "provider": seen.stored.provider_name,
        "state": seen.stored.state,
        "link": seen.stored.remote.address if seen.stored.remote else "",
        "places": {"wanted": seen.stored.study.places, **seen.found.counts},
        "answers": {"done": seen.done, "target": seen.target},
        "raters_removed": seen.raters_removed,
        "currency": seen.stored.study.currency,
        "spent": seen.spent,
        "committed": seen.committed,
        "budget": seen.stored.study.budget,
        "wage": seen.wage._asdict() | {"below": seen.wage.below},
        "hours_left": seen.hours_left,
        "due": [one.place for one in seen.found.due],
        "review": [{"place": one.visit.place, "reason": one.reason} for one in seen.found.review],
        "reclaimed": seen.found.reclaimed,
        "scores": {
            one.system: {
                "mean": one.found.value,
                "low": one.found.low,
                "high": one.found.high,
                "images": one.found.n,
                "level": one.found.level,
            }
            for one in seen.scores
        },
        "stop": seen.stop,
    }
