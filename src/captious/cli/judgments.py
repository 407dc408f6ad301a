"""`captious judgments`: what is computed from the judgments of people."""

import typer

from captious.cli.aggregate import aggregate
from captious.cli.agreement import agreement
from captious.cli.audit import audit
from captious.cli.plan import plan

app = typer.Typer(
    help="Plan judgments, measure agreement, combine ratings, count errors.", no_args_is_help=True
)
app.command("plan")(plan)
app.command("agreement")(agreement)
app.command("aggregate")(aggregate)
app.command("audit")(audit)
