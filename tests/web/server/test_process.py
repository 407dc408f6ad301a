"""The server as a process with several workers, told to renew them."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

START = "import sys; from captious.cli.main import main; sys.exit(main())"
PATIENCE = 90.0


class Process:
    """`captious serve` with its log in a file."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.log = folder / "log"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CAPTIOUS_")}
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, "serve", "--database", "a.db", "--port", "0", *options],
                cwd=folder,
                env=environment,
                stdout=out,
                stderr=out,
            )
        self.until(lambda: "startup complete" in self.said())
        found = re.search(r"captious is running at http://([\d.]+):(\d+)", self.said())
        assert found is not None
        self.address = found[1], int(found[2])

    def said(self) -> str:
        return self.log.read_text()

    def until(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.1)

    def health(self) -> int:
        address = f"http://{self.address[0]}:{self.address[1]}/health"
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return int(answer.status)

    def metrics(self) -> dict[str, float]:
        address = f"http://{self.address[0]}:{self.address[1]}/metrics"
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def workers(self) -> set[int]:
        found = re.findall(r"Started server process \[(\d+)\]", self.said())
        return {int(one) for one in found if Path(f"/proc/{one}").exists() and not _zombie(int(one))}


def _zombie(process: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def make(*options: str) -> Process:
        started.append(Process(tmp_path, *options))
        return started[-1]

    yield make
    for one in started:
        one.process.terminate()
        try:
            one.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            one.process.kill()
            one.process.wait()


def test_workers_are_renewed_without_a_refused_request_and_replaced_when_they_die(
    serve: Any, tmp_path: Path
) -> None:
    server = serve("--workers", "2")
    server.until(lambda: len(server.workers()) == 2)
    first = server.workers()
    asked = [server.health() for _ in range(20)]
    health = 'captious_requests_total{method="GET",route="/health",status="200"}'
    server.until(lambda: server.metrics()["captious_workers"] == 2)
    assert server.metrics()[health] == len(asked)  # whichever worker answered
    server.process.send_signal(signal.SIGHUP)
    server.until(lambda: server.health() == 200 and "all workers are replaced" in server.said())
    second = server.workers()
    assert len(second) == 2
    assert not first & second
    server.until(lambda: server.metrics()["captious_workers"] == 2)
    assert server.metrics()[health] > len(asked)  # what ended workers counted stays
    victim = min(second)
    os.kill(victim, signal.SIGKILL)
    server.until(lambda: len(server.workers() - {victim}) == 2)
    assert server.health() == 200
    # A release that does not start, as one that is older than the database, changes nothing.
    third = server.workers()
    with sqlite3.connect(tmp_path / "a.db", timeout=30) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'from the future'")
    server.process.send_signal(signal.SIGHUP)
    server.until(lambda: "the new worker did not start; the old ones stay" in server.said())
    assert server.workers() == third
    assert server.health() == 200
    server.process.terminate()
    assert server.process.wait(PATIENCE) == 0
    assert server.workers() == set()
    assert "Traceback" not in server.said()
