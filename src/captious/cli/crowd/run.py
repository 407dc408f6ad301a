"""`captious crowd run`: publish, watch, stop, close, pay; what `captious crowd humanr` does too."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options as shared
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Slug, actor, opened
from captious.cli.crowd import options
from captious.cli.crowd.publish import NOTHING_DONE, planned, show_quote
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.campaigns.records import Campaign
    from captious.campaigns.store.database import Database as OpenDatabase
    from captious.crowd.run import Look, Plan, Rule
    from captious.crowd.studies import Stored

HalfWidth = Annotated[
    float | None,
    typer.Option(
        "--half-width",
        metavar="X",
        help="Stop once every system's mean is known to within this. Default: stop when all work is done.",
    ),
]
Aspect = Annotated[
    str,
    typer.Option("--aspect", metavar="NAME", help="Aspect of --half-width. Default: the protocol's first."),
]
Poll = Annotated[
    float,
    typer.Option("--poll", metavar="SECONDS", min=1, help="Seconds between two checks with the provider."),
]
TopUp = Annotated[
    bool, typer.Option("--top-up", help="Pay the bonus that raises the pay to the minimum wage.")
]
KeepFlagged = Annotated[
    bool,
    typer.Option("--keep-flagged", help="Keep raters who repeat one answer, and decide about them yourself."),
]
NoApprove = Annotated[bool, typer.Option("--no-approve", help="Do not approve, and so pay, automatically.")]
_WHY = {
    "narrow": "every interval is narrow enough",
    "done": "no work or no workers are left",
    "budget": "more places would exceed the budget",
    "closed": "the study was closed",
}


def run(
    slug: Slug,
    provider: options.Provider = "panel",
    option: options.Option = None,
    places: options.Places = None,
    answers: options.Answers = None,
    reward: options.Reward = None,
    minutes: options.Minutes = None,
    currency: options.Currency = "USD",
    budget: options.Budget = None,
    minimum_wage: options.MinimumWage = 15.0,
    base_url: options.BaseUrl = options.LOCAL,
    half_width: HalfWidth = None,
    aspect: Aspect = "",
    level: shared.Level = shared.DEFAULT_LEVEL,
    poll: Poll = 60.0,
    top_up: TopUp = False,
    keep_flagged: KeepFlagged = False,
    no_approve: NoApprove = False,
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
    form: shared.OutputFormat = Format.table,
) -> None:
    """Run a whole study.

    Publishes, watches, stops when the result is known, closes and pays.

    Continues a study that is already open. You can interrupt it at any time: run the same command again
    to resume.

    Example: captious crowd run dogs --provider prolific --half-width 0.05 --budget 120 --confirm
    """
    typed = locals()
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note
    from captious.crowd import studies
    from captious.crowd.base import provider as known
    from captious.crowd.run import Plan

    with opened(database) as db:
        campaign = lifecycle.find(db, slug)
        rule = rule_of(campaign, half_width, level, aspect)
        begun = [one for one in studies.listed(db, campaign) if one.state != "closed"]
        if begun:
            stored: Stored | None = begun[-1]
            study, chosen = begun[-1].study, dict(begun[-1].options)
            provider = begun[-1].provider_name
        else:
            stored = None
            study, chosen = planned(db, campaign, typed)
        if form is not Format.json or not confirm:
            show_quote(study, provider, chosen, form)
        if not confirm:
            note(NOTHING_DONE)
            return
        known(provider, chosen).ready()
        stored = stored or studies.create(db, campaign, study, provider, chosen, actor=actor())
        plan = Plan(rule, approve=not no_approve, top_up=top_up, remove_flagged=not keep_flagged)
        carry_through(db, stored, plan, lambda: _sleep(poll), form)


def rule_of(campaign: Campaign, half_width: float | None, level: float, aspect: str) -> Rule | None:
    """What is scored on the way and when to stop; None where the protocol has no mean to score."""
    from captious.crowd.run import rule_for

    if half_width is None and not campaign.rules().ranges:
        return None
    return rule_for(campaign, half_width or 0.0, level=level, aspect=aspect)


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return True


def carry_through(
    db: OpenDatabase, stored: Stored, plan: Plan, wait: Callable[[], bool], form: Format
) -> Look:
    """Run a study with a live table, and print how it ended."""
    from captious.cli.crowd.tables import look_payload, status_tables
    from captious.cli.output import emit_guarded, note
    from captious.crowd import run as running

    with live(plan) as watch:
        seen, reason = running.run(db, stored, plan, actor=actor(), watch=watch, wait=wait)
    emit_guarded(status_tables(seen, plan.rule), look_payload(seen) | {"stop": reason}, form)
    note(f"stopped: {_WHY[reason]}")
    return seen


@contextmanager
def live(plan: Plan) -> Iterator[Callable[[Look], None]]:
    """A table that is drawn anew at each look on a terminal; elsewhere a line where something changed."""
    from captious.cli.crowd.tables import status_tables

    if not sys.stderr.isatty():
        said = ""

        def tell(seen: Look) -> None:
            nonlocal said
            line = look_line(seen)
            if line != said:
                print(line, file=sys.stderr, flush=True)
            said = line

        yield tell
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    from captious.tables.terminal import to_text

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as screen:

        def draw(seen: Look) -> None:
            screen.update(
                Group(*(Text.from_ansi(to_text(one)) for one in status_tables(seen, plan.rule))), refresh=True
            )

        yield draw


def look_line(seen: Look) -> str:
    """A look in one line, for a log."""
    from captious.crowd.money import shown

    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in seen.found.counts.items())
    known = "; ".join(
        f"{one.system} {one.found.value:+.2f} [{one.found.low:+.2f}, {one.found.high:+.2f}]"
        for one in seen.scores
        if one.found.n
    )
    paid = shown(seen.spent, seen.stored.study.currency)
    parts = [
        f"{seen.done:,} of {seen.target:,} answers",
        counts or "no participants yet",
        f"{paid} paid",
        known,
    ]
    return " · ".join(part for part in parts if part)
