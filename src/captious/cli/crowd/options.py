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
    str, typer.Option("--provider", help="Where participants come from: captious crowd providers.")
]
Option = Annotated[
    list[str] | None, typer.Option("--option", help="An option of the provider: name=value, several times.")
]
Places = Annotated[
    int | None, typer.Option("--places", min=1, help="Participants; else as many as the work needs.")
]
Answers = Annotated[
    int | None, typer.Option("--answers", min=1, help="Answers of each participant; else one group.")
]
Reward = Annotated[
    str | None, typer.Option("--reward", help="Pay of a place; else its time at the minimum wage.")
]
Minutes = Annotated[
    float | None, typer.Option("--minutes", min=0.1, help="Time of a place; else as measured.")
]
Currency = Annotated[str, typer.Option("--currency", help="Of all money here.")]
Budget = Annotated[
    str | None, typer.Option("--budget", help="The most that the study may cost, fees included.")
]
MinimumWage = Annotated[float, typer.Option("--minimum-wage", min=0, help="Warn below this pay an hour.")]
Title = Annotated[
    str, typer.Option("--title", help="What participants read first; else the campaign's title.")
]
Description = Annotated[str, typer.Option("--description", help="What participants read next.")]
Screening = Annotated[
    Path | None, typer.Option("--screening", help="Questions that decide who may take part (YAML).")
]
Comprehension = Annotated[
    Path | None, typer.Option("--comprehension", help="Questions about the instructions, two tries (YAML).")
]
Repeat = Annotated[
    str,
    typer.Option(
        "--repeat", help="Who took part before: turned away in this campaign, everywhere, or allowed."
    ),
]
BaseUrl = Annotated[
    str,
    typer.Option("--base-url", envvar="CAPTIOUS_BASE_URL", help="Where participants reach captious serve."),
]
Confirm = Annotated[bool, typer.Option("--confirm", help="Do it. Without it nothing is changed anywhere.")]
StudyKey = Annotated[
    str, typer.Option("--study", help="The study, by the beginning of its key; else the latest.")
]
PlaceIds = Annotated[list[str] | None, typer.Option("--place", help="A place by its id, several times.")]


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
