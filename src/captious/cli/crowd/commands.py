"""`captious crowd`: a campaign at a provider, from the estimate to the last payment."""

from __future__ import annotations

import typer

from captious.cli.crowd import care, publish
from captious.cli.crowd import run as running
from captious.cli.crowd.humanr import humanr

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def about() -> None:
    """Run a campaign with paid participants.

    Estimate, publish, watch, pay, close.

    Nothing changes at a provider and nothing is charged without --confirm.
    """


app.command("providers")(publish.providers)
app.command("estimate")(publish.estimate)
app.command("publish")(publish.publish)
app.command("status")(publish.status)
app.command("run")(running.run)
app.command("humanr")(humanr)
app.command("reconcile")(care.reconcile)
app.command("approve")(care.approve)
app.command("reject")(care.reject)
app.command("bonus")(care.bonus)
app.command("message")(care.message)
app.command("exclude")(care.exclude)
app.command("extend")(publish.extend)
app.command("pause")(care.pause)
app.command("resume")(care.resume)
app.command("close")(care.close)
