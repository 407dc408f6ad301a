"""`captious crowd`: a campaign at a provider, from the estimate to the last payment."""

from __future__ import annotations

import typer

from captious.cli.crowd import care, publish
from captious.cli.crowd import run as running

app = typer.Typer(
    help="A campaign at a crowd provider: estimate, publish, watch, pay, close.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def about() -> None:
    """A campaign at a crowd provider: estimate, publish, watch, pay, close.

    Nothing is changed at a provider, and nothing costs money, without --confirm.
    """


app.command("providers")(publish.providers)
app.command("estimate")(publish.estimate)
app.command("publish")(publish.publish)
app.command("status")(publish.status)
app.command("run")(running.run)
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
