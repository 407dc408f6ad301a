"""The history of the tables: each change is a revision in `versions`, run by Alembic.

There is no alembic.ini and no env.py: the connection is the caller's, and so is its transaction.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, inspect, text

from captious.errors import InputError

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

HEAD = "0010"
# Two servers that start together must not both migrate; any fixed number does.
_ADVISORY_LOCK = 7_466_301


def upgrade_on_open(engine: Engine, *, migrate: bool = True, new: str = HEAD) -> None:
    """Bring a database up to date, or refuse it with one line that says what to do.

    An empty one gets the tables of the revision `new`.
    """
    with engine.connect() as connection, connection.begin():
        found = revision(connection)
    if found == HEAD:
        return
    if found is not None and found not in revisions():
        raise InputError(
            f"database: another version of captious made it (revision {found}; this one knows {HEAD}). "
            "Open it with that version, or upgrade captious."
        )
    if found is not None and not migrate:
        raise InputError(
            f"database: it is at revision {found}, and {HEAD} is needed. "
            "Back it up, then run: captious campaign migrate"
        )
    with engine.connect() as plain:
        connection = plain.execution_options(captious_writes=True)
        with connection.begin():
            migrate_to(connection, HEAD if revision(connection) else new)


def revision(connection: Connection) -> str | None:
    """The revision that the database is at; None where it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def revisions() -> list[str]:
    """Every revision, newest first."""
    return [script.revision for script in _scripts().walk_revisions()]


def migrate_to(connection: Connection, target: str) -> None:
    """Upgrade to a revision inside the caller's transaction."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext

    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"))
    scripts = _scripts()

    def steps(current: Any, _context: Any) -> Any:
        return scripts._upgrade_revs(target, current)

    with EnvironmentContext(Config(), scripts, fn=steps, destination_rev=target) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()


def _scripts() -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(Path(__file__).parent))
