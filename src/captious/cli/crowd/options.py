"""Options that the commands of `captious crowd` share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from captious.errors import InputError, one_line

if TYPE_CHECKING:
    from captious.campaigns.records import Campaign
    from captious.campaigns.store.database import Database
    from captious.crowd.studies import Stored
    from captious.crowd.values import Question
    from captious.crowd.visits import Visit

LOCAL = "http://localhost:8000"

Provider = Annotated[
    str,
    typer.Option(
        "--provider", metavar="NAME", help="Provider of participants; `captious crowd providers` lists them."
    ),
]
Option = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Option of the provider, as name=value; repeatable."),
]
Places = Annotated[
    int | None,
    typer.Option(
        "--places",
        metavar="N",
        min=1,
        help="Number of participants. Default: as many as the remaining work needs.",
    ),
]
TotalPlaces = Annotated[
    int | None, typer.Option("--places", metavar="N", min=1, help="New total number of places.")
]
Answers = Annotated[
    int | None,
    typer.Option(
        "--answers", metavar="N", min=1, help="Answers per participant. Default: one group of the protocol."
    ),
]
Reward = Annotated[
    str | None,
    typer.Option(
        "--reward",
        metavar="AMOUNT",
        help="Pay per place, such as 0.25. Default: --minutes at --minimum-wage.",
    ),
]
Minutes = Annotated[
    float | None,
    typer.Option(
        "--minutes",
        metavar="X",
        min=0.1,
        help="Minutes per place. Default: as measured, else as in the paper.",
    ),
]
Currency = Annotated[
    str, typer.Option("--currency", metavar="CODE", help="Currency of all amounts, as a three-letter code.")
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="AMOUNT", help="Most that the study may cost, fees included. Default: no limit."
    ),
]
MinimumWage = Annotated[
    float,
    typer.Option(
        "--minimum-wage", metavar="AMOUNT", min=0, help="Warn when the hourly pay is below this amount."
    ),
]
Title = Annotated[
    str,
    typer.Option(
        "--title", metavar="TEXT", help="Title that participants read. Default: the campaign's title."
    ),
]
Description = Annotated[
    str,
    typer.Option("--description", metavar="TEXT", help="Description that participants read below the title."),
]
Screening = Annotated[
    Path | None,
    typer.Option("--screening", metavar="FILE", help="YAML file of questions that decide who may take part."),
]
Comprehension = Annotated[
    Path | None,
    typer.Option(
        "--comprehension", metavar="FILE", help="YAML file of questions about the instructions; two tries."
    ),
]
Repeat = Annotated[
    str,
    typer.Option(
        "--repeat",
        metavar="campaign|everywhere|allowed",
        help="Turn away people who took part before: in this campaign (campaign), in any (everywhere) or "
        "never (allowed).",
    ),
]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url", metavar="URL", envvar="CAPTIOUS_BASE_URL", help="Public address of `captious serve`."
    ),
]
Confirm = Annotated[
    bool, typer.Option("--confirm", help="Carry it out. Without this option nothing changes.")
]
StudyKey = Annotated[
    str,
    typer.Option(
        "--study", metavar="KEY", help="Study, by the first characters of its key. Default: the latest."
    ),
]
PlaceIds = Annotated[
    list[str] | None, typer.Option("--place", metavar="ID", help="Id of a place; repeatable.")
]


def provider_options(given: list[str] | None) -> dict[str, Any]:
    """Options of a provider as typed.

    >>> provider_options(["parameter=pid"])
    {'parameter': 'pid'}
    """
    found = {}
    for text in given or []:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise InputError(f'--option "{one_line(text, 40)}": write name=value.')
        found[name.strip()] = value.strip()
    return found


def questions(path: Path | None) -> tuple[Question, ...]:
    """The questions of a file."""
    if path is None:
        return ()
    from captious.crowd.planning import read_questions

    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text.") from None
    return read_questions(text, str(path))


def study_of(db: Database, campaign: Campaign, key: str) -> Stored:
    """The study that a command is about."""
    from captious.crowd import studies

    return studies.find(db, campaign, key)


def places_of(db: Database, stored: Stored, ids: list[str] | None) -> list[Visit]:
    """The visits of the places that were named."""
    from captious.crowd import visits
    from captious.errors import UnknownNameError

    known = {one.place: one for one in visits.of_study(db, stored.id)}
    for one in ids or []:
        if one not in known:
            raise UnknownNameError("place", one, known)
    return [known[one] for one in ids or []]


def secret(database: str) -> bytes:
    """The installation's secret, with which excluded participants are hashed."""
    from captious.web.settings import find_secret

    return find_secret(database)


def market_beside(database: str) -> str:
    """The file of the simulated market that belongs to a database."""
    path = Path(database.removeprefix("sqlite:///") if "://" not in database else "captious.db")
    return os.fspath(path.with_name(f"{path.name}.market.json").absolute())
