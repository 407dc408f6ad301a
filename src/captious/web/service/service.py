"""The parts of a scoring service put together: started and stopped with the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from captious.web.service.queue.scoring_process import ScoringProcess
from captious.web.service.queue.scoring_queue import QueueFull, ScoringQueue
from captious.web.service.requests import Offer, ScoreRequest
from captious.web.service.settings import ServiceSettings
from captious.web.service.tokens import Meter, TokenStore

TABLES = "df"


class Room:
    """Memory for one body as it comes, until it is answered."""

    def __init__(self, service: Service) -> None:
        self.service, self.taken = service, 0

    def take(self, size: int) -> None:
        """Count what came; `QueueFull` where there is no room for it."""
        self.service.refuse_over(size)
        self.taken += size
        self.service.held_bytes += size


class Service:
    """A scoring service: an offer, a queue before a scoring process, and tokens."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings, self.limits = settings, settings.limits
        self.offer = Offer(settings.metrics, settings.folder / TABLES)
        self.process = ScoringProcess(self.offer, self.limits, nice=settings.nice)
        self.queue = ScoringQueue(self.process, self.limits)
        # Its process is started by the first large request.
        self.large = ScoringQueue(ScoringProcess(self.offer, self.limits, nice=settings.nice), self.limits)
        self.meter = Meter(TokenStore(settings.folder))
        self.held_bytes = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Score while the block runs."""
        self.settings.folder.mkdir(parents=True, exist_ok=True)
        with self.meter.keeping_fresh():
            self.process.start()
            self.queue.start()
            self.large.start()
            try:
                yield
            finally:
                self.queue.stop()
                self.large.stop()

    def queue_for(self, request: ScoreRequest) -> ScoringQueue:
        """Where a request waits: small ones never behind large ones."""
        large = bool(request.pictures) or request.words > self.limits.small_words
        return self.large if large else self.queue

    def why_not_ready(self) -> str:
        """Why a request sent now would not be scored; empty where it would."""
        if self.queue.stopping:
            return "the service is stopping"
        if self.queue.waiting >= self.limits.waiting:
            return "the queue is full"
        return ""

    def refuse_over(self, size: int) -> None:
        """`QueueFull` where there is no room for so many bytes more."""
        if self.held_bytes + size > self.limits.waiting_bytes:
            raise QueueFull(self.queue.wait_seconds())

    @contextmanager
    def room(self, stated: int) -> Iterator[Room]:
        """Memory for a body. What has come of it is counted: stating a length alone takes no room."""
        self.refuse_over(stated)
        room = Room(self)
        try:
            yield room
        finally:
            self.held_bytes -= room.taken
