"""Logs: when, what, how it went; plain lines or JSON. A link's token opens a door: it is never written.

A line through `logging` costs a record, filters, a formatter and a write to the disk: more than some
requests do. The lines of requests are formatted at once and leave together within a tenth of a second,
and before the process ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal

import orjson

Form = Literal["plain", "json"]
# The request that a task works on, for every line that is logged meanwhile.
request_id: ContextVar[str] = ContextVar("request_id", default="")
WAIT_SECONDS = 0.1
MOST_WAITING = 500  # lines


class AccessHandler(logging.StreamHandler[Any]):
    """Takes the lines of requests, and records as any handler does."""

    def __init__(self, form: Form, redacted: Callable[[str], str], stream: Any = None) -> None:
        super().__init__(stream)
        self.form, self.redacted = form, redacted
        self.waiting: list[str] = []
        self._second, self._stamp = -1, ""

    def request(self, message: str, facts: Mapping[str, Any], request_id: str) -> None:
        """One request has ended."""
        made = self._json if self.form == "json" else self._plain
        self.waiting.append(made(time.time(), message, facts, request_id))
        if len(self.waiting) >= MOST_WAITING:
            self.flush()
        elif len(self.waiting) == 1:
            try:
                asyncio.get_running_loop().call_later(WAIT_SECONDS, self.flush)
            except RuntimeError:
                self.flush()

    def flush(self) -> None:
        """Send off what waits."""
        with self.lock:  # type: ignore[union-attr]
            lines, self.waiting = self.waiting, []
            if lines:
                self.stream.write("".join(lines))
            super().flush()

    def _plain(self, now: float, message: str, facts: Mapping[str, Any], request_id: str) -> str:
        second = int(now)
        if second != self._second:
            self._second, self._stamp = second, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(second))
        milliseconds = int((now - second) * 1000)
        return f"{self._stamp},{milliseconds:03d} INFO {self.redacted(message)} [{request_id}]\n"

    def _json(self, now: float, message: str, facts: Mapping[str, Any], request_id: str) -> str:
        found = {
            "time": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
            "level": "info",
            "logger": "captious.access",
            "message": self.redacted(message),
            "request_id": request_id,
            **{name: self.redacted(one) if isinstance(one, str) else one for name, one in facts.items()},
        }
        return orjson.dumps(found).decode() + "\n"


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
