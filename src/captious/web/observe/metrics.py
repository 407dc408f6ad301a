"""Metrics for Prometheus: requests, times, pool, threads, the scoring queue.

Labels are routes, methods and status codes, never what a visitor wrote, so that their number stays small.
Several workers write into a folder that they share (prometheus-client's multiprocess mode), and whichever
is asked answers for all.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)
from sqlalchemy.pool import QueuePool

from captious._version import __version__

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus-client reads it when it is imported
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"
STORED_SECONDS = 15.0  # for which values that cost a query are shown again
GAUGES = {
    "captious_requests_in_progress": "Requests that are being answered.",
    "captious_threads_busy": "Threads that work on requests.",
    "captious_threads_waiting": "Requests that wait for a thread.",
    "captious_pool_in_use": "Database connections in use.",
    "captious_pool_size": "Database connections that are kept open.",
    "captious_scoring_queue": "Requests that wait to be scored.",
    "captious_process_cpu_seconds": "Processor time of the server processes that run.",
    "captious_process_memory_bytes": "Resident memory of the server processes.",
    "captious_workers": "Server processes.",
}
STORED = {"captious_responses": "Responses stored.", "captious_tasks_held": "Tasks that raters hold now."}
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "captious_requests",
            "Requests by route, method and status.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self.times = Histogram(
            "captious_request_seconds",
            "How long requests took, by route.",
            ("route",),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.errors = Counter(
            "captious_errors", "Requests that ended in a status of 500 or above.", registry=self.registry
        )
        self.hangups = Counter(
            "captious_hangups", "Clients that went before their answer.", registry=self.registry
        )
        self.gauges: dict[str, Gauge] = {}
        self.in_progress = 0
        self.stored_until = 0.0
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._histograms: dict[str, Histogram] = {}
        Gauge(
            "captious_info", "The release.", ("version",), registry=self.registry, multiprocess_mode="max"
        ).labels(__version__).set(1)

    def note(self, route: str, method: str, status: int, seconds: float, *, gone: bool) -> None:
        """One request has ended."""
        method = method if method in METHODS else OTHER
        counter = self._counters.get((route, method, status))
        if counter is None:  # `labels` takes longer than a dictionary
            counter = self._counters[route, method, status] = self.requests.labels(route, method, status)
        counter.inc()
        histogram = self._histograms.get(route)
        if histogram is None:
            histogram = self._histograms[route] = self.times.labels(route)
        histogram.observe(seconds)
        if status >= 500:
            self.errors.inc()
        if gone:
            self.hangups.inc()

    def sample(self, state: Any) -> None:
        """Set what is not counted but looked at; `state` is that of the application."""
        threads = current_default_thread_limiter().statistics()
        found = {
            "captious_requests_in_progress": self.in_progress,
            "captious_threads_busy": threads.borrowed_tokens,
            "captious_threads_waiting": threads.tasks_waiting,
            "captious_process_cpu_seconds": sum(os.times()[:2]),
            "captious_process_memory_bytes": resident_bytes(),
            "captious_workers": 1,
        }
        pool = state.db.engine.pool if hasattr(state, "db") else None
        if isinstance(pool, QueuePool):
            found |= {"captious_pool_in_use": pool.checkedout(), "captious_pool_size": pool.size()}
        if state.service is not None:
            found["captious_scoring_queue"] = state.service.queue.waiting
        for name, value in found.items():
            self._gauge(name, GAUGES[name], "livesum").set(value)

    def store(self, found: dict[str, float]) -> None:
        """Keep what a query has found, for a while."""
        for name, value in found.items():
            self._gauge(name, STORED[name], "mostrecent").set(value)
        self.stored_until = time.monotonic() + STORED_SECONDS

    def exposition(self) -> bytes:
        """The text that Prometheus reads, of all workers."""
        if not os.environ.get(FOLDER):
            return generate_latest(self.registry)
        everyone = CollectorRegistry()
        multiprocess.MultiProcessCollector(everyone)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)

    def _gauge(self, name: str, says: str, mode: Any) -> Gauge:
        found = self.gauges.get(name)
        if found is None:
            found = self.gauges[name] = Gauge(name, says, registry=self.registry, multiprocess_mode=mode)
        return found


def forget(process: int) -> None:
    """A worker has ended: what it counted stays, what it held goes."""
    multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]


def resident_bytes(process: int | str = "self") -> int:
    """Memory that a process holds now; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
