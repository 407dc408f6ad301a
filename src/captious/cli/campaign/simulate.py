"""`captious campaign simulate`: raters with known habits, before people come."""

from __future__ import annotations

from typing import Annotated

import typer

from captious.cli import options
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Slug, opened
from captious.cli.output import Format
from captious.errors import InputError

Raters = Annotated[
    str,
    typer.Option(
        "--raters",
        metavar="HABIT=N,...",
        help="Simulated raters by habit: careful=3,hasty=1. Habits: careful, hasty, contrary, leaving.",
    ),
]
Until = Annotated[
    int | None, typer.Option("--until", metavar="N", min=1, help="Stop after this many responses.")
]


def simulate(
    slug: Slug,
    raters: Raters = "careful=3",
    until: Until = None,
    seed: options.Seed = 0,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """Rehearse a campaign with simulated raters.

    Shows what your plan yields and what the quality rules find before people start. Use a campaign that
    no person has answered: create one from the same files. Run the command again to continue, for
    example after --until. The simulated opinions are random and say nothing about your captions.

    Example: captious campaign simulate rehearsal --raters careful=3,hasty=1,leaving=1
    """
    counts = habit_counts(raters)
    from captious.campaigns.quality import control
    from captious.campaigns.results import verdict
    from captious.campaigns.setup import lifecycle
    from captious.campaigns.simulate.habits import simulate_habits
    from captious.cli.campaign import tables as campaign_tables
    from captious.cli.output import emit_guarded, note

    with opened(database) as db:
        one = lifecycle.find(db, slug)
        done = simulate_habits(db, one, counts, seed=seed, until=until)
        if not done:
            raise InputError(
                f"{slug}: these raters have nothing left to answer, so nothing was added. To rehearse again, "
                "create a new campaign from the same files."
            )
        found = verdict.verdict(db, one, verdict.worked_out(db, one))
        flags = control.flags(db, one)
        width = campaign_tables.READABLE if form is Format.table else 0
        tables = [campaign_tables.said(f"{one.title} ({one.slug})", found, width=width)]
        tables += [campaign_tables.flag_table(flags)] if flags else []
        payload = {
            "responses": done,
            "verdict": found.to_dict(),
            "flags": [{"rater": flag.rater, "rule": flag.rule, "why": flag.explanation} for flag in flags],
        }
        emit_guarded(tables, payload, form)
        note(
            f"added {done:,} simulated responses with random opinions: good for a rehearsal, "
            "not for training a metric"
        )


def habit_counts(given: str) -> dict[str, int]:
    """Habits and numbers as they are typed.

    >>> habit_counts("careful=3, hasty=1")
    {'careful': 3, 'hasty': 1}
    """
    found: dict[str, int] = {}
    for part in given.split(","):
        name, _, count = part.strip().partition("=")
        if not name or not count.strip().isdecimal():
            raise InputError(f'--raters "{part.strip()}": write HABIT=NUMBER, such as careful=3.')
        if name.strip() in found:
            raise InputError(f'--raters: "{name.strip()}" is given twice. Give each habit once.')
        found[name.strip()] = int(count)
    return found
