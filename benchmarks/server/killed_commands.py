"""Kill a command at a random statement of its work, again and again: whole or absent, and it works then.

    python benchmarks/server/killed_commands.py [sqlite|postgresql …] [--times 50] [--seed 7]

import      an export becomes a campaign with raters and answers
extend      a campaign asks for more answers to each item, and for more items
erase       a rater is erased
delete      a campaign is deleted with its files
migrate     a database of an older version gets the tables of this one

Each runs in a process of its own, which kills itself with SIGKILL before its n-th statement; n is drawn
between the first and the last. Then what is stored is counted, and the same command is given again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from PIL import Image

from captious.campaigns.exchange.export import export
from captious.campaigns.exchange.importing import import_file
from captious.campaigns.people import raters
from captious.campaigns.people.erasure import erase
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.setup.deletion import delete_campaign
from captious.campaigns.simulate.run import SimulatedRater, simulate
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database, database_url, engine_of
from captious.campaigns.store.erasing import finish
from captious.campaigns.store.migrations import revision
from captious.corpus import Corpus
from captious.errors import UnknownNameError
from traffic.databases import database

OLD = "0009"
IMAGES = 6
SLUG = "dogs"
COUNTED = (schema.item, schema.rater, schema.response, schema.assignment, schema.image, schema.campaign)


@dataclass
class Place:
    """A database, its files, and an export to import."""

    url: str
    folder: Path

    def opened(self, **options: Any) -> Database:
        """The database, with its files."""
        return Database.open(self.url, files=self.folder / "files", **options)


def corpus(place: Place, first: int = 0) -> Corpus:
    """Images with a caption and a file each."""
    numbers = range(first, first + IMAGES)
    (place.folder / "given").mkdir(parents=True, exist_ok=True)
    for n in numbers:
        Image.new("RGB", (8, 8), (n, 9, 9)).save(place.folder / "given" / f"{n}.png")
    return Corpus.from_lists(
        [f"A dog at {n}." for n in numbers],
        [[f"Dog {n} runs."] for n in numbers],
        image_ids=[str(n) for n in numbers],
        image_paths={str(n): str(place.folder / "given" / f"{n}.png") for n in numbers},
    )


def made(place: Place) -> None:
    """A campaign that two raters have worked on."""
    with place.opened() as db:
        draft = create.draft("tagging", corpus(place), title=SLUG, options={"raters": 2})
        campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="drill"), actor="drill")
        simulate(db, campaign, [SimulatedRater(f"Rater {n}", {"candidates": 1.0}) for n in "AB"], seed=1)


def exported(place: Place) -> None:
    """An export of such a campaign, and the database without it."""
    made(place)
    with place.opened() as db:
        export(db, lifecycle.find(db, SLUG), place.folder / "export")
        delete_campaign(db, lifecycle.find(db, SLUG), typed=SLUG, actor="drill")


def old(place: Place) -> None:
    """The tables of an older version."""
    with place.opened(new=OLD):
        pass


def counts(place: Place) -> dict[str, int]:
    """How many rows there are, what is asked for, and how many raters have a name."""
    with place.opened() as db, db.read() as connection:
        found = {
            str(table.name): int(
                connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            )
            for table in COUNTED
        }
        found["wanted"] = int(connection.execute(sa.select(sa.func.sum(schema.item.c.target))).scalar() or 0)
        found["named"] = int(
            connection.execute(
                sa.select(sa.func.count()).select_from(schema.rater).where(schema.rater.c.name != "")
            ).scalar_one()
        )
    return found


def tables(place: Place) -> dict[str, int]:
    """Which revision a database is at, and how many tables it has."""
    engine = engine_of(database_url(place.url))
    with engine.connect() as connection, connection.begin():
        at = revision(connection)
        number = len(sa.inspect(connection).get_table_names())
    engine.dispose()
    return {"revision": int(at or 0), "tables": number}


def do_import(db: Database, place: Place) -> None:
    import_file(db, place.folder / "export", actor="drill", images=place.folder / "given")


def do_extend(db: Database, place: Place) -> None:
    lifecycle.extend(db, lifecycle.find(db, SLUG), target=3, corpus=corpus(place, first=100), actor="drill")


def do_erase(db: Database, place: Place) -> None:
    erase(db, raters.listed(db, lifecycle.find(db, SLUG))[0], actor="drill")


def do_delete(db: Database, place: Place) -> None:
    try:
        campaign = lifecycle.find(db, SLUG)
    except UnknownNameError:  # it was killed after the commit: what is left to do is done at the start
        finish(db)
        return
    delete_campaign(db, campaign, typed=SLUG, actor="drill")


def do_migrate(db: Database, place: Place) -> None:
    """Opening the database did it."""


@dataclass
class Drill:
    """What is there before, what is done, and what is counted."""

    before: Callable[[Place], None]
    work: Callable[[Database, Place], None]
    state: Callable[[Place], dict[str, int]] = counts


DRILLS = {
    "import": Drill(exported, do_import),
    "extend": Drill(made, do_extend),
    "erase": Drill(made, do_erase),
    "delete": Drill(made, do_delete),
    "migrate": Drill(old, do_migrate, tables),
}


def child(drill: Drill, place: Place, last: int, told: Any) -> None:
    """Do the work, killed before its statement number `last`; tells how many statements there were."""
    seen = 0

    def count(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == last:
            os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    with place.opened() as db:
        drill.work(db, place)
    told.send(seen)


def run_child(drill: Drill, place: Place, last: int = 0) -> int:
    """How many statements the work took; 0 where it was killed."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(drill, place, last, there))
    process.start()
    there.close()
    process.join()
    try:
        return int(here.recv())
    except EOFError:
        return 0


def stray(place: Place) -> int:
    """Files that no row tells of, once what was left is finished."""
    with place.opened() as db:
        finish(db)
        with db.read() as connection:
            known = set(connection.execute(sa.select(schema.image.c.digest)).scalars())
    images = (place.folder / "files" / "images").rglob("*")
    return sum(path.is_file() and path.name.partition(".")[0] not in known for path in images)


def once(name: str, place: Place, last: int) -> str:
    """Kill a command at a statement; returns what is wrong afterwards, empty where nothing is."""
    drill = DRILLS[name]
    drill.before(place)
    absent = drill.state(place)
    run_child(drill, place, last)
    left = drill.state(place)
    if not run_child(drill, place):
        return f"statement {last}: the same command failed afterwards"
    whole = drill.state(place)
    if left not in (absent, whole):
        return f"statement {last}: neither whole nor absent: {absent} {left} {whole}"
    if whole == absent:
        return f"statement {last}: the command changed nothing"
    if name == "delete" and stray(place):
        return f"statement {last}: files are left"
    return ""


def statements(name: str, place: Place) -> int:
    """How many statements a command takes."""
    DRILLS[name].before(place)
    return run_child(DRILLS[name], place)


@contextmanager
def new_place(kind: str) -> Iterator[Place]:
    """A new database."""
    with database(kind) as found:
        yield Place(found.url, found.folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    chance, good = random.Random(asked.seed), True
    for kind in asked.engines:
        for name in DRILLS:
            with new_place(kind) as place:
                most = statements(name, place)
            wrong = []
            for _ in range(asked.times):
                with new_place(kind) as place:
                    wrong += [said] if (said := once(name, place, chance.randint(1, most))) else []
            good &= not wrong
            print(
                f"{kind}, {name}: killed {asked.times} times at one of {most} statements: "
                f"{wrong or 'whole or absent each time, and done then'}",
                flush=True,
            )
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
