"""`captious campaign payout`: what raters have earned by their points."""

from __future__ import annotations

from typing import Annotated

import typer

from captious.cli import options
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Slug, opened
from captious.cli.output import Format
from captious.errors import InputError
from captious.tables import Cell, Number, Table

PerPoint = Annotated[float, typer.Option("--per-point", metavar="AMOUNT", min=0, help="Pay per point.")]
Least = Annotated[
    float, typer.Option("--at-least", metavar="AMOUNT", min=0, help="Minimum pay of every rater.")
]


def payout(
    slug: Slug,
    per_point: PerPoint = 0.0,
    at_least: Least = 0.0,
    database: Database = DEFAULT_DATABASE,
    form: options.OutputFormat = Format.table,
) -> None:
    """Show each rater's points and the reward they earn.

    Example: captious campaign payout rating-game --per-point 0.05 --at-least 2
    """
    from captious.campaigns.people import raters
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import emit_guarded
    from captious.protocols.capabilities import Game

    with opened(database) as db:
        campaign = lifecycle.find(db, slug)
        rules = campaign.rules()
        if Game.of(rules).score_of({}) is None:
            raise InputError(
                f"{slug}: the protocol {campaign.protocol} gives no points. Pay per response instead."
            )
        people = [one for one in raters.listed(db, campaign) if one.answered]
    earned = [(one, Game.of(rules).score_of(one.record or {}) or 0) for one in people]
    rows: list[list[Cell]] = []
    payload = []
    for one, points in sorted(earned, key=lambda pair: (-pair[1], pair[0].pseudonym)):
        reward = max(at_least, per_point * points)
        hours = one.seconds / 3600
        wage = reward / hours if hours else float("nan")
        rows.append(
            [
                one.pseudonym,
                one.answered,
                points,
                Number(reward, f"{reward:.2f}"),
                Number(wage, f"{wage:.2f}"),
            ]
        )
        payload.append(
            {
                "rater": one.pseudonym,
                "answered": one.answered,
                "points": points,
                "reward": reward,
                "hours": hours,
            }
        )
    unit = campaign.settings.currency or "reward"
    emit_guarded(Table("", ["rater", "answers", "points", unit, "per hour"], rows), {"raters": payload}, form)
