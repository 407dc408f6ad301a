"""Failures of a transaction that pass by themselves: a race that was lost, or a database that is down,

full, locked or read-only for now. Whoever asks then is told to come back (503), not that something is
wrong here (500).
"""

from __future__ import annotations

import errno

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionError

# PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html. Connection exceptions,
# insufficient resources (full disk, too many connections), operator intervention, system errors.
_CLASSES = ("08", "53", "57", "58")
READ_ONLY = "25006"
_STATES = (READ_ONLY, "55P03")  # and a lock that is not available
_SQLITE = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_READONLY",
    "SQLITE_CANTOPEN",
)
_FILES = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


class LostRaceError(Exception):
    """Another transaction was faster: this one is rolled back and run again."""


def is_outage(error: BaseException) -> bool:
    """Whether an error is that of a database or a disk which may be well again soon.

    >>> is_outage(OSError(errno.ENOSPC, "No space left on device")), is_outage(ValueError())
    (True, False)
    """
    if isinstance(error, NoConnectionError):
        return True
    if not isinstance(error, DBAPIError):
        return isinstance(error, OSError) and error.errno in _FILES
    if error.connection_invalidated:
        return True
    name = getattr(error.orig, "sqlite_errorname", None)
    if name is not None:
        return str(name).startswith(_SQLITE)
    state = getattr(error.orig, "sqlstate", None)
    if state is None:
        # The driver itself could not connect, or lost the connection.
        return type(error.orig).__name__ in ("OperationalError", "ConnectionTimeout")
    return str(state).startswith(_CLASSES) or state in _STATES


def is_read_only(error: DBAPIError) -> bool:
    """Whether the database took no writes: connections that were opened then may stay so."""
    name = getattr(error.orig, "sqlite_errorname", None) or ""
    return getattr(error.orig, "sqlstate", None) == READ_ONLY or name.startswith("SQLITE_READONLY")
