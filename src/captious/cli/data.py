"""`captious data`: what is done to captions and images themselves, before or after they are scored."""

import typer

from captious.cli.check import check
from captious.cli.detect import detect
from captious.cli.df import df
from captious.cli.filter import filter_command
from captious.cli.stats import stats

app = typer.Typer(
    help="Check, describe and filter captions; find objects; count words.", no_args_is_help=True
)
app.command("check")(check)
app.command("stats")(stats)
app.command("filter")(filter_command)
app.command("detect")(detect)
app.command("df")(df)
