"""What happened to each request: its id, its status, how long it took: in the log and for Prometheus.

Plain ASGI around everything else, so that it sees errors and clients that hung up as well. Labels of
metrics are routes, methods and status codes, never what a visitor wrote, so that their number stays small.
Several workers write into a folder that they share (prometheus-client's multiprocess mode), and whichever
is asked answers for all.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

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
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from captious._version import __version__
from captious.web.observe.logs import AccessHandler, request_id

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
            found["captious_scoring_queue"] = state.service.queue.waiting + state.service.large.waiting
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


log = logging.getLogger("captious.access")
HEADER = b"x-request-id"
WORK = "/work/"
MOUNTED = ("/static/", "/api/v1/")
_PLAIN = re.compile(r"[A-Za-z0-9/._~-]*")
GONE = 499  # As nginx writes it: the client went before it had the answer.


class Observer:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give the request an id, let it through, and say how it went."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = Seen(scope, receive, send)
        self.metrics.in_progress += 1
        try:
            await self.app(scope, seen.receive, seen.send)
        finally:
            self.metrics.in_progress -= 1
            seen.note(self.metrics)


class Seen:
    """One request on its way."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self.id = secrets.token_hex(8)
        self.begun = time.perf_counter()
        self.status = 0
        self.whole = self.gone = False
        request_id.set(self.id)

    async def receive(self) -> Message:
        """What comes in; a client that goes before its answer is noted."""
        message = await self._receive()
        self.gone |= message["type"] == "http.disconnect" and not self.whole
        return message

    async def send(self, message: Message) -> None:
        """What goes out, with the id."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message.setdefault("headers", [])
            if HEADER not in dict(headers):
                headers.append((HEADER, self.id.encode()))
        elif message["type"] == "http.response.body":
            self.whole = not message.get("more_body", False)
        await self._send(message)

    def note(self, metrics: Metrics) -> None:
        """Count it, and write one line; a fault of ours that nobody has answered yet will be a 500."""
        status = GONE if self.gone else self.status or 500
        took = time.perf_counter() - self.begun
        scope, method = self.scope, self.scope["method"]
        metrics.note(route_of(scope), method, status, took, gone=self.gone)
        # Clients that hang up can be many, and none of them is news.
        level = logging.DEBUG if status == GONE else logging.INFO
        if not log.isEnabledFor(level):
            return
        path, client = written(scope["path"]), (scope.get("client") or ("-",))[0]
        version, milliseconds = scope.get("http_version", "1.1"), took * 1000
        says = f'{client} "{method} {target(scope, path)} HTTP/{version}" {status} {milliseconds:.1f} ms'
        quick = log.handlers[0] if len(log.handlers) == 1 else None
        if isinstance(quick, AccessHandler) and quick.form == "plain":
            quick.request(says, {}, self.id)  # A plain line says no more.
            return
        facts = {
            "method": method,
            "path": path,
            "status": status,
            "milliseconds": round(milliseconds, 2),
            "client": client,
        }
        if isinstance(quick, AccessHandler):
            quick.request(says, facts, self.id)
        else:
            log.log(level, "%s", says, extra={"facts": facts})


def route_of(scope: Scope) -> str:
    """The route that answered, by its pattern: what a visitor writes never becomes a label."""
    route = scope.get("route")
    found = getattr(route, "path_format", "") or getattr(route, "path", "")
    if found:
        return str(found)
    if scope["path"].startswith(WORK):  # answers are taken without a route
        return "/work/{slug}/{task}"
    mounted = next((one for one in MOUNTED if scope["path"].startswith(one)), "")
    return f"{mounted}…" if mounted else OTHER


def written(path: str) -> str:
    """A path so written that it stays on one line.

    >>> written("/work/dogs"), written("/a b\\n")
    ('/work/dogs', '/a%20b%0A')
    """
    return path if _PLAIN.fullmatch(path) else quote(path)


def target(scope: Scope, path: str) -> str:
    """The address that was asked for: the path as it is written, and the query."""
    query: bytes = scope.get("query_string", b"")
    return f"{path}?{query.decode('ascii', 'backslashreplace')}" if query else path
