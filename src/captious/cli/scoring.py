"""The scoring service on the command line: what `captious serve` offers, and its tokens."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.cli import options
from captious.cli.output import Format

if TYPE_CHECKING:
    from captious.web.service.settings import ServiceSettings

DEFAULT_FOLDER = Path("captious-scoring")

Scoring = Annotated[
    str,
    typer.Option(
        "--scoring",
        metavar="LIST",
        envvar="CAPTIOUS_SCORING",
        help="Metrics to offer over HTTP at /api/v1, named as in `captious score --metrics`. Default: none.",
    ),
]
Folder = Annotated[
    Path,
    typer.Option(
        "--scoring-folder",
        metavar="DIR",
        envvar="CAPTIOUS_SCORING_FOLDER",
        help="Folder of the scoring service: tokens, and df/NAME.npz for cider[df=NAME].",
    ),
]
Open = Annotated[
    bool, typer.Option("--scoring-open", help="Let everyone who can reach the server score without a token.")
]
Only = Annotated[
    bool,
    typer.Option(
        "--scoring-only", help="Run only the scoring service, without campaigns and their database."
    ),
]

tokens = typer.Typer(help="Create, list and revoke the tokens of the scoring service.", no_args_is_help=True)


def settled(
    metrics: str, folder: Path, host: str, base_url: str, *, open_to_all: bool, alone: bool
) -> ServiceSettings | None:
    """The service that was asked for, checked before anything starts; None for none."""
    from captious.errors import InputError
    from captious.web.service.settings import ServiceSettings, to_environment

    if not metrics:
        if alone:
            raise InputError("--scoring-only needs --scoring METRICS, for example --scoring classic,spice.")
        return None
    from captious.web.service.requests import Offer
    from captious.web.service.tokens import TokenStore

    Offer(metrics).ready()
    known = TokenStore(folder).all()
    living = [token for token in known if token.revoked is None]
    here_only = _is_loopback(host) and not base_url
    if not (living or open_to_all or here_only):
        raise InputError(
            "--scoring: other machines can reach the service, but there is no token. Create one with "
            f"captious serve token create NAME --scoring-folder {folder}, or add --scoring-open."
        )
    # Who has ever made a token wants tokens, also after the last was revoked.
    anyone = open_to_all or (here_only and not known)
    found = ServiceSettings(metrics, folder, open_to_all=anyone)
    to_environment(found, alone=alone)
    return found


def _is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address.

    >>> _is_loopback("127.0.0.1"), _is_loopback("localhost"), _is_loopback("0.0.0.0"), _is_loopback("::1")
    (True, True, False, True)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def say(settings: ServiceSettings | None, address: str) -> None:
    """Say where the service is and who may use it."""
    if settings is None:
        return
    who = "without a token" if settings.open_to_all else "with a token"
    typer.echo(f"Scoring ({settings.metrics}) is available at {address}/api/v1/score, {who}")


@tokens.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the token, such as who will use it.")],
    folder: Folder = DEFAULT_FOLDER,
    per_minute: Annotated[
        int | None,
        typer.Option(
            "--per-minute", metavar="N", min=1, help="Quota of captions per minute. Default: no limit."
        ),
    ] = None,
    per_day: Annotated[
        int | None,
        typer.Option(
            "--per-day", metavar="N", min=1, help="Quota of captions per day (UTC). Default: no limit."
        ),
    ] = None,
) -> None:
    """Create a token. It is printed only once; the service stores only its digest.

    Example: captious serve token create website --per-day 10000
    """
    from captious.cli.output import note
    from captious.web.service.tokens import TokenStore

    secret, made = TokenStore(folder).create(name, per_minute, per_day)
    note(f"token {made.id} for {made.name}. Save it now: it is not shown again.")
    typer.echo(secret)


@tokens.command("list")
def listed(
    folder: Folder = DEFAULT_FOLDER,
    csv_safe: options.CsvSafe = False,
    form: options.OutputFormat = Format.table,
) -> None:
    """List the tokens and what each has used today.

    Example: captious serve token list
    """
    import time
    from datetime import UTC, datetime

    from captious.cli.output import emit
    from captious.tables import Table
    from captious.web.service.tokens import DAY, TokenStore

    store = TokenStore(folder)
    used = store.used(int(time.time() // DAY))
    rows = [
        {
            "id": one.id,
            "name": one.name,
            "per minute": one.per_minute,
            "per day": one.per_day,
            "used today": used.get(one.id, 0),
            "created": datetime.fromtimestamp(one.created, UTC).date().isoformat(),
            "state": "active" if one.revoked is None else "revoked",
        }
        for one in store.all()
    ]
    columns = ["id", "name", "per minute", "per day", "used today", "created", "state"]
    cells = [["" if row[column] is None else row[column] for column in columns] for row in rows]
    emit(Table("", columns, cells), {"tokens": rows}, form, csv_safe=csv_safe)  # type: ignore[arg-type]


@tokens.command("revoke")
def revoke(
    which: Annotated[str, typer.Argument(metavar="TOKEN", help="Id or name of the token.")],
    folder: Folder = DEFAULT_FOLDER,
) -> None:
    """Revoke a token. A running server applies this within seconds.

    Example: captious serve token revoke website
    """
    from captious.web.service.tokens import TokenStore

    ended = TokenStore(folder).revoke(which)
    typer.echo(f"token {ended.id} ({ended.name}) is revoked")
