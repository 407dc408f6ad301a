"""`captious get weights`: what is here, what can be fetched, and whether it is what was published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.output import Format
from captious.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from captious.models.weights import Status
    from captious.tables import Cell, Table


def weights(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="Weights, or a metric for all weights it needs. Default: list all."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--verify", help="Compare with the checksums; without names, all installed weights."),
    ] = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """Download model weights, list them, or verify them.

    Without names, lists which metrics use which weights, whether they are installed, their size,
    licence and source. With --verify, exit code 1 if a file has changed or is missing.

    Example: captious get weights clipscore
    """
    from captious.cli.output import emit

    if check:
        _verify(names or [], form)
    elif names:
        if form is not Format.table:
            raise InputError("--format is for the list and for --verify. Leave out the names, or the format.")
        fetch(names)
    else:
        users = statuses()
        emit(weight_table(users), payload(users), form)


def _verify(names: list[str], form: Format) -> None:
    from captious.cli.output import emit, note
    from captious.models import weights
    from captious.tables import Table

    wanted = [one for name in names for one in _named(name)]
    if not names:
        wanted = [one.name for one in statuses() if one.present]
    if not wanted and form is Format.table:
        if not names:  # else a line has said so
            note("no weights are on this machine. captious get weights shows what there is to get")
        return
    found = [file for one in dict.fromkeys(wanted) for file in weights.verify(one)]
    rows: list[list[Cell]] = [
        [one.weights, one.state, one.sha256[:16], one.against, one.file] for one in found
    ]
    table = Table("", ["weights", "state", "SHA-256 begins", "compared with", "file"], rows)
    emit(table, [one._asdict() for one in found], form)
    if any(one.state in ("changed", "missing") for one in found):
        raise typer.Exit(1)


def fetch(names: Iterable[str]) -> None:
    """Fetch weights by name, or all that a metric runs, and say where they are."""
    from captious.cli.output import note
    from captious.models import weights

    for name in names:
        for one in _named(name):
            note(f"{one}: {weights.fetch(one).path}")


def _named(name: str) -> tuple[str, ...]:
    """The weights of a name; a line where a metric runs none."""
    from captious.cli.output import note
    from captious.metrics.declared import weights_of

    needed = weights_of(name)
    if not needed:
        note(f"{name}: needs no weights")
    return needed


def statuses() -> dict[Status, list[str]]:
    """The known weights as they are here, each with the metrics that run them."""
    from captious.metrics.declared import users_of_weights
    from captious.models.weights import status

    return {status(one): names for one, names in users_of_weights().items()}


def payload(users: dict[Status, list[str]]) -> dict[str, dict[str, object]]:
    """The same for JSON."""
    return {one.name: one._asdict() | {"metrics": names} for one, names in users.items()}


def weight_table(users: dict[Status, list[str]]) -> Table:
    """The weights as a table."""
    from captious.tables import Table

    rows: list[list[Cell]] = [
        [
            one.name,
            ", ".join(names),
            "present" if one.present else "missing",
            one.size,
            one.revision,
            one.licence,
            one.path or one.command,
        ]
        for one, names in users.items()
    ]
    header = [
        "weights",
        "used by",
        "state",
        "size",
        "revision",
        "licence",
        "location, or command to get them",
    ]
    return Table("", header, rows)
