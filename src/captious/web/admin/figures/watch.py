"""Flags as answers come in, whether or not anybody looks: the rules run beside the server.

A thread looks now and then for campaigns with answers that the rules have not seen, and begins a
process of low priority for each. How far the rules have seen stands in the database with what they
found, so that several server processes do not do the same work twice, and a restart loses nothing.
"""

from __future__ import annotations

import logging
import threading
from types import TracebackType

from sqlalchemy.exc import SQLAlchemyError

from captious.campaigns.quality.control import QUALITY
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Marker
from captious.errors import CaptiousError
from captious.web.admin.figures import background

EVERY = 20.0
# The rules read every answer: not more often than this, however fast answers come in.
REST = 60.0

_log = logging.getLogger("captious.web")


class Watch:
    """Looks after the campaigns of a database while the `with` block runs."""

    def __init__(self, db: Database, *, every: float = EVERY, rest: float = REST) -> None:
        self._db, self._every, self._rest = db, every, rest
        self._tried: dict[int, Marker] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="captious-watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def look(self) -> list[str]:
        """Begin to run the rules where answers have come in; returns for which campaigns."""
        begun = []
        for campaign in lifecycle.listed(self._db):
            seen = snapshots.marker(self._db, campaign)
            if campaign.state == "draft" or not seen.response or self._tried.get(campaign.id) == seen:
                continue
            found = snapshots.latest(self._db, campaign, QUALITY)
            new = found is None or found.last_response_id != seen.response
            if new and (found is None or self._db.now() - (found.time or 0.0) >= self._rest):
                self._tried[campaign.id] = seen
                background.begin(self._db, campaign, QUALITY)
                begun.append(campaign.slug)
        return begun

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            try:
                self.look()
            except (CaptiousError, SQLAlchemyError) as error:
                _log.warning("quality: %s", type(error).__name__)
