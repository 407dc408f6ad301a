"""What the commands of `captious campaign` share: where the database is, and who is typing."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from captious.errors import InputError, MissingDependencyError, one_line

if TYPE_CHECKING:
    from captious.campaigns.records import Campaign, Rater
    from captious.campaigns.store.database import Database as OpenDatabase
    from captious.corpus import Corpus

DEFAULT_DATABASE = "captious.db"

Database = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="DATABASE",
        envvar="CAPTIOUS_DATABASE",
        help="SQLite file or postgresql://… address of the campaigns.",
    ),
]
Files = Annotated[
    Path | None,
    typer.Option(
        "--files",
        metavar="DIR",
        envvar="CAPTIOUS_FILES",
        help="Folder of the images. Default: next to the SQLite file.",
        show_default=False,
    ),
]
Slug = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Name of the campaign.", show_default=False)]


def opened(database: str, files: Path | None = None, *, new: bool = False) -> OpenDatabase:
    """The database; one that is not there yet is made only where that is meant."""
    require_database_library()
    from captious.campaigns.store.database import Database as Opened

    if not new and "://" not in database and not Path(database).exists():
        raise InputError(
            f"{database}: there is no such database. Create a campaign first, or give another "
            "database with --database."
        )
    return Opened.open(database, files=files)


def require_database_library() -> None:
    """Refuse early where the extra is not installed."""
    from importlib.util import find_spec

    for module, name in (("sqlalchemy", "SQLAlchemy"), ("alembic", "Alembic")):
        if find_spec(module) is None:
            raise MissingDependencyError(f"campaigns need {name}", "web")


def require_found(corpus: Corpus, images: Path | None) -> None:
    """Refuse a folder of images that holds none of the corpus's."""
    if images is None or any(corpus.image_paths or ()):
        return
    wanted = one_line(corpus.image_ids[0], 40)
    raise InputError(
        f"{images}: contains none of the {len(corpus.image_ids):,} images. Name each file after its "
        f'image\'s id: for "{wanted}", captious looks for {Path(wanted).stem}.jpg, .png and so on. '
        "Or give --references as a COCO file, which names the files."
    )


def actor() -> str:
    """Who the log says it was: the user of this machine."""
    try:
        return f"cli:{getpass.getuser()}"
    except (OSError, KeyError):
        return "cli"


def rater_of(db: OpenDatabase, campaign: Campaign, named: str) -> Rater:
    """A rater by pseudonym, or by name where only one has it."""
    from captious.campaigns.people import raters
    from captious.errors import UnknownNameError

    everyone = raters.listed(db, campaign)
    found = [one for one in everyone if one.pseudonym == named] or [
        one for one in everyone if one.name.casefold() == named.casefold()
    ]
    if len(found) > 1:
        both = ", ".join(one.pseudonym for one in found)
        raise InputError(f'"{named}" is the name of {both}. Give the pseudonym.')
    if not found:
        raise UnknownNameError("rater", named, [one.pseudonym for one in everyone])
    return found[0]
