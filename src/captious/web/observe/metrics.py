"""Figures for Prometheus: requests, latencies, answers, pool, threads, connections, errors.

The text format is Prometheus' own (exposition format 0.0.4). Labels are routes, methods and status
codes, never what a visitor wrote, so that their number stays small. Several workers put their
figures into a folder that they share, and whichever is asked adds them up.
"""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson

from captious._version import __version__

FOLDER = "CAPTIOUS_METRICS_FOLDER"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"
HELP = {
    "captious_requests_total": ("counter", "Requests by route, method and status."),
    "captious_request_seconds": ("histogram", "How long requests took, by route."),
    "captious_hangups_total": ("counter", "Clients that went before their answer."),
    "captious_errors_total": ("counter", "Requests that ended in a status of 500 or above."),
    "captious_requests_in_progress": ("gauge", "Requests that are being answered."),
    "captious_connections": ("gauge", "Open connections."),
    "captious_connections_stalled": ("gauge", "Connections whose client the server waits for."),
    "captious_connections_dropped_total": ("counter", "Stalled connections that made place for others."),
    "captious_connections_timed_out_total": ("counter", "Connections whose client took too long."),
    "captious_connections_refused_total": ("counter", "Connections turned away because all were busy."),
    "captious_threads_busy": ("gauge", "Threads that work on requests."),
    "captious_threads_waiting": ("gauge", "Requests that wait for a thread."),
    "captious_pool_in_use": ("gauge", "Database connections in use."),
    "captious_pool_size": ("gauge", "Database connections that are kept open."),
    "captious_scoring_queue": ("gauge", "Requests that wait to be scored."),
    "captious_process_cpu_seconds_total": ("counter", "Processor time of the server processes."),
    "captious_process_memory_bytes": ("gauge", "Resident memory of the server processes."),
    "captious_process_descriptors": ("gauge", "Open descriptors of the server processes."),
    "captious_workers": ("gauge", "Server processes."),
    "captious_responses": ("gauge", "Responses stored."),
    "captious_tasks_held": ("gauge", "Tasks that raters hold now."),
    "captious_info": ("gauge", "The release."),
}
Figures = dict[str, float]


class Metrics:
    """The figures of one process; names carry their labels, as they are written."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.requests: defaultdict[tuple[str, str, int], int] = defaultdict(int)
        self.errors = self.hangups = 0
        self.times: dict[str, list[float]] = {}
        self.in_progress = 0

    def note(self, route: str, method: str, status: int, seconds: float, *, gone: bool) -> None:
        """One request has ended."""
        method = method if method in METHODS else OTHER
        with self.lock:
            self.requests[route, method, status] += 1
            self.errors += status >= 500
            self.hangups += gone
            found = self.times.get(route)
            if found is None:
                # Counts of each bucket, one above all, and the sum.
                found = self.times[route] = [0.0] * (len(BUCKETS) + 2)
            found[bisect_left(BUCKETS, seconds)] += 1
            found[-1] += seconds

    def figures(self) -> Figures:
        """Everything that is counted here, ready to be added to what others count."""
        with self.lock:
            found: Figures = {"captious_errors_total": self.errors, "captious_hangups_total": self.hangups}
            for (route, method, status), count in self.requests.items():
                labels = f'route="{quoted(route)}",method="{method}",status="{status}"'
                found[f"captious_requests_total{{{labels}}}"] = count
            for route, times in self.times.items():
                found |= _histogram(quoted(route), times)
        found["captious_requests_in_progress"] = self.in_progress
        found["captious_workers"] = 1
        return found | process_figures()


def quoted(value: str) -> str:
    r"""A label's value as the format wants it.

    >>> quoted('/a"b\n')
    '/a\\"b\\n'
    """
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _histogram(route: str, times: list[float]) -> Figures:
    name, found, below = "captious_request_seconds", {}, 0.0
    for edge, count in zip((*BUCKETS, float("inf")), times[:-1], strict=True):
        below += count
        shown = "+Inf" if edge == float("inf") else f"{edge:g}"
        found[f'{name}_bucket{{route="{route}",le="{shown}"}}'] = below
    found[f'{name}_sum{{route="{route}"}}'] = times[-1]
    found[f'{name}_count{{route="{route}"}}'] = below
    return found


def process_figures() -> Figures:
    """What this process takes of the machine."""
    used = os.times()
    found = {"captious_process_cpu_seconds_total": used.user + used.system}
    own = Path("/proc/self")
    if own.exists():  # Linux
        pages = int((own / "statm").read_text().split()[1])
        found["captious_process_memory_bytes"] = float(pages * os.sysconf("SC_PAGE_SIZE"))
        found["captious_process_descriptors"] = float(sum(1 for _ in (own / "fd").iterdir()))
    return found


def exposition(figures: Mapping[str, float]) -> str:
    """The text that Prometheus reads.

    >>> print(exposition({"captious_workers": 2.0}), end="")
    # HELP captious_workers Server processes.
    # TYPE captious_workers gauge
    captious_workers 2
    """
    by_name: dict[str, list[str]] = {}
    for name, value in figures.items():
        family = _family(name)
        by_name.setdefault(family, []).append(f"{name} {value:.12g}")
    lines: list[str] = []
    for family, samples in sorted(by_name.items()):
        kind, says = HELP[family]
        lines += [f"# HELP {family} {says}", f"# TYPE {family} {kind}", *samples]
    return "\n".join(lines) + "\n"


def _family(name: str) -> str:
    plain = name.partition("{")[0]
    for end in ("_bucket", "_sum", "_count"):
        if plain.removesuffix(end) in HELP:
            return plain.removesuffix(end)
    return plain


def added(all_figures: Iterable[Mapping[str, float]]) -> Figures:
    """The figures of several processes in one."""
    found: defaultdict[str, float] = defaultdict(float)
    for figures in all_figures:
        for name, value in figures.items():
            found[name] += value
    return dict(found)


# Several workers.


def keep(figures: Figures) -> None:
    """Put this process' figures where the others find them, if there are others."""
    folder = os.environ.get(FOLDER, "")
    if folder:
        path = Path(folder) / f"{os.getpid()}.json"
        fresh = path.with_suffix(".new")
        fresh.write_bytes(orjson.dumps(figures))
        fresh.replace(path)


def of_others() -> list[Figures]:
    """What other workers count; of those that have ended, only what never goes down."""
    folder = os.environ.get(FOLDER, "")
    found = []
    for path in Path(folder).glob("*.json") if folder else ():
        if path.stem == str(os.getpid()):
            continue
        figures: Figures = orjson.loads(path.read_bytes())
        if not _alive(int(path.stem)):
            figures = {name: value for name, value in figures.items() if HELP[_family(name)][0] != "gauge"}
        found.append(figures)
    return found


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def info() -> Figures:
    """The release, as a label."""
    return {f'captious_info{{version="{quoted(__version__)}"}}': 1.0}


class Remembered:
    """Figures that cost a query: asked for at most every few seconds, however often they are read."""

    def __init__(self, seconds: float = 15.0) -> None:
        self.seconds, self.until, self.found = seconds, 0.0, Figures()

    def fresh(self) -> bool:
        """Whether they may still be shown."""
        return time.monotonic() < self.until

    def put(self, found: Figures) -> Figures:
        """Keep them for a while."""
        self.found, self.until = found, time.monotonic() + self.seconds
        return found
