"""`captious serve` of this tree or of another release, in processes of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

import psutil

import captious
from traffic.campaign import SECRET
from traffic.databases import Place

SERVE = "import sys; from captious.cli.main import main; sys.exit(main())"
# Packages that this release needs and an older one is not given: it runs as its users had it.
NEW_PACKAGES = ("uvloop", "httptools")
START_SECONDS = 90.0


def one_core_each() -> int | None:
    """Keep this process and what it starts on the last core; returns the first, for the server."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return None
    os.sched_setaffinity(0, {cores[-1]})
    return cores[0]


class Server:
    """`captious serve` in processes of its own."""

    def __init__(
        self,
        place: Place,
        workers: int = 1,
        *,
        source: Path | None = None,
        core: int | None = None,
        python: str = sys.executable,
    ) -> None:
        self.place, self.workers, self.core, self.python = place, workers, core, python
        self.source = source or Path(captious.__file__).parent.parent
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    def _hidden(self) -> str:
        """Python that hides the packages which the release does not ask for."""
        if self.python != sys.executable:
            return ""  # it has an environment of its own
        needs = (self.source.parent / "pyproject.toml").read_text()
        hidden = [name for name in NEW_PACKAGES if name not in needs]
        return f"import sys; sys.modules.update(dict.fromkeys({hidden})); " if hidden else ""

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [
            self.python,
            "-c",
            self._hidden() + SERVE,
            "serve",
            "--database",
            self.place.url,
            "--files",
            str(self.place.files),
            "--port",
            str(self.port),
            "--workers",
            str(self.workers),
        ]
        log = (self.place.folder / "server.log").open("ab")
        self.process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=os.environ | {"CAPTIOUS_SECRET": SECRET, "PYTHONPATH": str(self.source)},
        )
        if self.core is not None:
            os.sched_setaffinity(self.process.pid, {self.core})
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5):
                    return
            except (URLError, OSError):
                if time.monotonic() > until or self.process.poll() is not None:
                    raise SystemExit((self.place.folder / "server.log").read_text()) from None
                time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to the server and its workers, and wait until they are gone."""
        if self.process is not None:
            os.killpg(self.process.pid, number)
            self.process.wait()
            self.process = None

    def processor(self) -> float:
        """Seconds of the processor that the server has used."""
        if self.process is None:
            return 0.0
        found = psutil.Process(self.process.pid)
        times = [one.cpu_times() for one in (found, *found.children(recursive=True))]
        return sum(one.user + one.system for one in times)
