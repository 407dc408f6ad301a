"""Warnings that an attack must not multiply: at most one a minute of each kind."""

from __future__ import annotations

import logging
import time

EVERY_SECONDS = 60.0


class LimitedWarnings:
    """Logs a warning unless it has just done so."""

    def __init__(self, log: logging.Logger) -> None:
        self.log = log
        self._next = 0.0

    def say(self, what: str, *values: object) -> None:
        """The warning, or nothing."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + EVERY_SECONDS
            self.log.warning(what, *values)
