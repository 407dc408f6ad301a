"""Figures that need every response, worked out away from the pages.

Few responses are a thread's work of a second. Many take minutes, in which a thread would hold up
every page and every rater: they are worked out by a process of its own, at low priority and one at
a time. Either way the result waits in the database, with its time, for the next page.

`Watch` looks now and then for campaigns with answers that the rules of quality have not seen. How far they
have seen is stored with what they found, so that several server processes do not do the same work twice.
It also erases the raters of campaigns that keep them no longer.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import orjson
from sqlalchemy.exc import SQLAlchemyError

from captious.campaigns.people import raters
from captious.campaigns.people.erasure import erase_due
from captious.campaigns.quality import adjudication
from captious.campaigns.quality import control as quality
from captious.campaigns.quality.control import QUALITY
from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis, course, differences, outlook, separation
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Marker, Snapshot
from captious.errors import CaptiousError

EVERY = 20.0
HOUR = 3600.0
# The rules read every answer: not more often than this, however fast answers come in.
REST = 60.0


class Watch:
    """Looks after the campaigns of a database while the `with` block runs."""

    def __init__(self, db: Database, *, every: float = EVERY, rest: float = REST) -> None:
        self._db, self._every, self._rest = db, every, rest
        self._tried: dict[int, Marker] = {}
        self._erases_at = 0.0
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
                begin(self._db, campaign, QUALITY)
                begun.append(campaign.slug)
        return begun

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            try:
                self.look()
                self.erase_due()
            except (CaptiousError, SQLAlchemyError, OSError) as error:
                _log.warning("quality: %s", type(error).__name__)

    def erase_due(self) -> None:
        """Once an hour, erase the raters whom campaigns keep no longer."""
        if time.monotonic() >= self._erases_at:
            self._erases_at = time.monotonic() + HOUR
            if count := erase_due(self._db):
                _log.info("erased %d raters of campaigns that were closed long enough ago", count)


class OneAtATime:
    """Pieces of work by their keys: those begun take turns."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._guard = threading.Lock()
        self._begun: set[Hashable] = set()

    def begin(self, key: Hashable, name: str, work: Callable[[], None]) -> None:
        """Do the work in a thread of this name, unless work of this key waits or runs already."""
        with self._guard:
            if key in self._begun:
                return
            self._begun.add(key)

        def in_turn() -> None:
            try:
                with self._turn:
                    work()
            finally:
                with self._guard:
                    self._begun.discard(key)

        threading.Thread(target=in_turn, name=name, daemon=True).start()


FIGURES: dict[str, Callable[..., Snapshot]] = {
    analysis.AGREEMENT: analysis.agreement,
    analysis.RESULTS: analysis.results,
    quality.QUALITY: quality.quality_snapshot,
    separation.SEPARATION: separation.separation,
    differences.FOUND: differences.found,
    outlook.OUTLOOK: outlook.outlook_snapshot,
    adjudication.KIND: adjudication.disagreement_snapshot,
    course.PROGRESS: course.progress,
}
FEW_RESPONSES = 2_000
# Asked again this soon, the figures of before will do.
FRESH = 10.0
# Many responses change the figures little by little, and working them out costs minutes.
FRESH_LARGE = 300.0
LOW_PRIORITY = 10
CHILD = "import sys; from captious.web.admin.figures import background; sys.exit(background.main())"

_log = logging.getLogger("captious.web")
_work = OneAtATime()
_children: set[subprocess.Popen[bytes]] = set()
_guard = threading.Lock()


def figures(db: Database, campaign: Campaign, kind: str) -> Snapshot:
    """The kept figures at once; where something has changed, newer ones are begun."""
    if sum(rater.answered for rater in raters.listed(db, campaign)) <= FEW_RESPONSES:
        return FIGURES[kind](db, campaign, fresh_within=FRESH, wait=False)
    found = snapshots.latest(db, campaign, kind)
    if found is not None and (not found.stale or _recent(db, found)):
        return found
    begin(db, campaign, kind)
    if found is None:
        return Snapshot(kind, None, 0, {}, stale=True, pending=True)
    return Snapshot(kind, found.time, found.last_response_id, found.content, True, True)


def _recent(db: Database, found: Snapshot) -> bool:
    return found.time is not None and db.now() - found.time < FRESH_LARGE


def begin(db: Database, campaign: Campaign, kind: str) -> None:
    """Work figures out in a process, unless one is at it already."""
    address = db.engine.url.render_as_string(hide_password=False)
    key = (address, campaign.id, kind)
    asked = {"url": address, "files": str(db.files), "slug": campaign.slug, "kind": kind}
    _work.begin(key, f"captious-{kind}-{campaign.slug}", partial(_run, asked))


def _run(asked: dict[str, str]) -> None:
    # The address may hold a password: it goes through a pipe, not on the command line.
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with _guard:
        _children.add(child)
    _, said = child.communicate(orjson.dumps(asked))
    with _guard:
        _children.discard(child)
    if child.returncode:
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        _log.warning("%s of %s: %s", asked["kind"], asked["slug"], last)


@atexit.register
def _stop() -> None:
    with _guard:
        for child in _children:
            child.kill()


def work_out(asked: dict[str, Any]) -> None:
    """What the process does: open the database, work the figures out, keep them."""
    with Database.open(asked["url"], files=Path(asked["files"]), migrate=False) as db:
        campaign = lifecycle.find(db, asked["slug"])
        FIGURES[asked["kind"]](db, campaign, fresh_within=0.0, wait=True)


def main() -> int:
    """Read one request from standard input and answer by exit code."""
    os.nice(LOW_PRIORITY)
    try:
        work_out(orjson.loads(sys.stdin.buffer.read()))
    except CaptiousError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
