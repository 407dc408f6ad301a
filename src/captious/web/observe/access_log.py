"""The line that each request leaves in the log, written in one go and sent off a few at a time.

A line through `logging` costs a record, filters, a formatter and a write to the disk: more than some
requests do. These lines are formatted at once and leave together within a tenth of a second, and
before the process ends.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import orjson

Form = Literal["plain", "json"]
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
