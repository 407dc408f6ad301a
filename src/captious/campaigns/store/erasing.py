"""The one way past the append-only tables, and what it leaves to be done once it is committed.

Whoever erases deletes rows in one transaction, and only then files: what a kill leaves is found at the
next start (`finish`). Old pages of SQLite hold what was deleted until the file is written anew; that it is
to be written is noted in the same transaction (`user_version`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, delete, insert, select

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database

T = TypeVar("T")
# A file that no row tells of may belong to a campaign that is just being stored.
GRACE = 3600.0


def erasing(
    db: Database, work: Callable[[Connection], T], campaign_id: int, rater_id: int | None = None
) -> T:
    """Run `work` in a transaction that may change append-only rows of a campaign, or of one of its raters."""
    table = schema.erasing

    def run(connection: Connection) -> T:
        connection.execute(insert(table).values(campaign_id=campaign_id, rater_id=rater_id))
        if db.kind == "sqlite":
            connection.exec_driver_sql("PRAGMA user_version = 1")
        result = work(connection)
        connection.execute(delete(table))
        return result

    return db.transact(run)


def let_go(paths: Iterable[Path]) -> None:
    """Files that no row will tell of once the transaction is committed: they need not wait to be removed."""
    for path in paths:
        with suppress(FileNotFoundError):
            os.utime(path, (0, 0))


def finish(db: Database) -> int:
    """Remove files that no row tells of; write SQLite's file anew where something was erased; how many."""
    removed = _sweep(db)
    if db.kind == "sqlite":
        with db.read() as connection:
            due = connection.exec_driver_sql("PRAGMA user_version").scalar()
        if due:
            db.rewrite()
            with db.write() as connection:
                connection.exec_driver_sql("PRAGMA user_version = 0")
    return removed


def _sweep(db: Database) -> int:
    if db.folder is None:
        return 0
    count = 0
    for folder, column in (("images", schema.image.c.digest), ("recordings", schema.recording.c.name)):
        old = [path for path in (db.folder / folder).glob("*/*") if _age(path) > GRACE]
        if not old:
            continue
        with db.read() as connection:
            known = set(connection.execute(select(column).distinct()).scalars())
        for path in old:
            # Storing the same content again makes the file young. Smaller copies begin with the digest.
            owner = path.name.partition(".")[0] if folder == "images" else path.name
            if owner not in known and _age(path) > GRACE:
                path.unlink(missing_ok=True)
                count += 1
    return count


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
