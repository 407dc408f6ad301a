"""Plain logs: when, what, how it went. A link's token opens a door, so it is never written."""

from __future__ import annotations

import logging
import re
from typing import Any

FORM = "%(asctime)s %(levelname)s %(message)s"
_DOORS = re.compile(r"/(join|setup|demo)/[^\s?\"']+")


def redacted(text: str) -> str:
    """An address without the part that opens something.

    >>> redacted("/join/abc.def?x=1")
    '/join/…?x=1'
    """
    return _DOORS.sub(r"/\1/…", text)


class Redacting(logging.Filter):
    """Takes tokens out of every line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record's texts in place and let it pass."""
        if isinstance(record.msg, str):
            record.msg = redacted(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(redacted(value) if isinstance(value, str) else value for value in record.args)
        return True


def configuration(level: str = "INFO") -> dict[str, Any]:
    """The logging of the server and the application, to stderr."""
    quiet = {"level": "WARNING", "handlers": ["plain"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"redact": {"()": Redacting}},
        "formatters": {"plain": {"format": FORM}},
        "handlers": {
            "plain": {
                "class": "logging.StreamHandler",
                "formatter": "plain",
                "filters": ["redact"],
                "stream": "ext://sys.stderr",
            }
        },
        "loggers": {
            "uvicorn": {"level": level, "handlers": ["plain"], "propagate": False},
            "uvicorn.access": {"level": level, "handlers": ["plain"], "propagate": False},
            "captious": {"level": level, "handlers": ["plain"], "propagate": False},
            "alembic": quiet,
        },
    }
