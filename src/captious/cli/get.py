"""`captious get`: weights and benchmark data from elsewhere."""

import typer

from captious.cli.benchmarks import benchmarks, rows
from captious.cli.weights import weights

app = typer.Typer(help="Download weights and benchmark data, and list what is here.", no_args_is_help=True)
app.command("weights")(weights)
app.command("benchmarks")(benchmarks)
app.command("rows")(rows)
