"""`captious train`: fit a model to captions or judgments."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from captious.cli.train.captious import train_captious
from captious.cli.train.invented import train_invented
from captious.cli.train.lm import lm
from captious.cli.train.metric import metric
from captious.cli.train.rating import rating
from captious.cli.train.vcrscore import vcrscore

OWN = "NAME"


class NamesOfOwn(TyperGroup):
    """A group in which any name that is no recipe is that of a metric of the user's own."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The recipe of that name, or the trainer of a metric with that name."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return OWN, self.commands[OWN], args
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=NamesOfOwn, help="Train a metric or a language model and save it.", no_args_is_help=True
)


@app.callback()
def about() -> None:
    """Train a metric or a language model and save it.

    Example: captious train helpful --judgments judgments.jsonl --features cider,sentsim.mean
    """


app.command(OWN)(metric)
app.command("captious")(train_captious)
app.command("invented")(train_invented)
app.command("vcrscore")(vcrscore)
app.command("rating")(rating)
app.command("lm")(lm)
