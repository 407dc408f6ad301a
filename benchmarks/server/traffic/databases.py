"""A new database for a run: a SQLite file, or a real PostgreSQL server of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass
class Place:
    """Where the data of a run are."""

    kind: str
    url: str
    folder: Path

    @property
    def files(self) -> Path:
        """The folder of the images."""
        return self.folder / "files"


@contextmanager
def database(kind: str) -> Iterator[Place]:
    """A new database in a temporary folder; PostgreSQL is a real server of its own."""
    with tempfile.TemporaryDirectory(prefix="captious-load-") as name:
        folder = Path(name)
        if kind == "sqlite":
            yield Place(kind, str(folder / "load.db"), folder)
            return
        folder.chmod(0o755)  # PostgreSQL's own user walks through it
        yield Place(kind, start_postgresql(folder), folder)
        stop_postgresql(folder)


_POSTGRESQL = """
import sys, warnings
warnings.simplefilter("ignore")
import pgserver
print(pgserver.get_server(sys.argv[1], cleanup_mode=None).get_uri())
"""


def start_postgresql(folder: Path) -> str:
    """Start the server of a folder, made where it is new; returns its address."""
    command = [sys.executable, "-c", _POSTGRESQL, str(folder / "data")]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def stop_postgresql(folder: Path, number: signal.Signals = signal.SIGINT) -> None:
    """Stop the server if it runs; with SIGKILL it and all its processes are gone at once."""
    running = folder / "data" / "postmaster.pid"
    if not running.exists():
        return
    postmaster = psutil.Process(int(running.read_text().split()[0]))
    workers = postmaster.children(recursive=True) if number == signal.SIGKILL else []
    for process in (postmaster, *workers):
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
    psutil.wait_procs([postmaster, *workers], timeout=30)


def postgresql_processes(place: Place) -> list[int]:
    """The processes of the database server; SQLite has none of its own."""
    if place.kind == "sqlite":
        return []
    postmaster = psutil.Process(int((place.folder / "data" / "postmaster.pid").read_text().split()[0]))
    return [one.pid for one in (postmaster, *postmaster.children(recursive=True))]


def postgresql_processor(place: Place) -> float:
    """Seconds of the processor that the database server has used; SQLite is part of ours."""
    times = [psutil.Process(one).cpu_times() for one in postgresql_processes(place)]
    return sum(one.user + one.system for one in times)
