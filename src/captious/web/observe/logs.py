"""Logs: when, what, how it went; plain lines or JSON. A link's token opens a door: it is never written."""

from __future__ import annotations

import json
import logging
import re
import time
from datetime import UTC, datetime
from typing import Any

from captious.web.observe.access_log import AccessHandler, Form
from captious.web.observe.observer import request_id

FORM = "%(asctime)s %(levelname)s %(message)s%(request)s"
_DOORS = re.compile(r"/(join|setup|demo)/[^\s?\"']+")
# The ids of a crowd's participant let whoever has them go on with their work.
_PARTICIPANTS = re.compile(r"(/go/[^\s?]+\?)\S+")
_SECRETIVE = re.compile("/(?:join|setup|demo|go)/")


def redacted(text: str) -> str:
    """An address without the part that opens something.

    >>> redacted("/join/abc.def?x=1")
    '/join/…?x=1'
    >>> redacted("GET /go/4f2a?PROLIFIC_PID=5d1&SESSION_ID=9c2 HTTP/1.1")
    'GET /go/4f2a?… HTTP/1.1'
    """
    if _SECRETIVE.search(text) is None:
        return text
    return _PARTICIPANTS.sub(r"\1…", _DOORS.sub(r"/\1/…", text))


class Redacting(logging.Filter):
    """Takes tokens out of every line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record's texts in place and let it pass."""
        if isinstance(record.msg, str):
            record.msg = redacted(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(redacted(value) if isinstance(value, str) else value for value in record.args)
        return True


class Plain(logging.Formatter):
    """A line for people: the time, the level, what happened, and the request that it belongs to."""

    _second, _shown = 0, ""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """The time; that of one second is written once."""
        second = int(record.created)
        if second != self._second:
            self._shown = time.strftime(datefmt or self.default_time_format, self.converter(second))
            self._second = second
        return f"{self._shown},{int(record.msecs):03d}"

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        found = request_id.get()
        record.request = f" [{found}]" if found else ""
        return super().format(record)


class JsonLines(logging.Formatter):
    """One JSON object a line, for programs that gather logs."""

    def format(self, record: logging.LogRecord) -> str:
        """The object; a request's own facts stand beside the message."""
        found: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id.get():
            found["request_id"] = request_id.get()
        for name, value in getattr(record, "facts", {}).items():
            found[name] = redacted(value) if isinstance(value, str) else value
        if record.exc_info:
            found["exception"] = redacted(self.formatException(record.exc_info))
        return json.dumps(found, ensure_ascii=False)


def configuration(level: str = "INFO", form: Form = "plain") -> dict[str, Any]:
    """The logging of the server and the application, to stderr."""
    quiet = {"level": "WARNING", "handlers": ["lines"], "propagate": False}
    usual = {"level": level, "handlers": ["lines"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"redact": {"()": Redacting}},
        "formatters": {"plain": {"()": Plain, "format": FORM}, "json": {"()": JsonLines}},
        "handlers": {
            "lines": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["redact"],
                "stream": "ext://sys.stderr",
            },
            "requests": {
                "()": AccessHandler,
                "form": form,
                "redacted": redacted,
                "formatter": form,
                "filters": ["redact"],
                "stream": "ext://sys.stderr",
            },
        },
        "loggers": {
            "uvicorn": usual,
            "captious": usual,
            "captious.access": usual | {"handlers": ["requests"]},
            "alembic": quiet,
            # It warns of every write to a client that has gone.
            "asyncio": quiet | {"level": "ERROR"},
        },
    }
