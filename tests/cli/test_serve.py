"""The server as a person starts and stops it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

START = "import sys; from captious.cli.serve import serve; import typer; typer.run(serve)"
PATIENCE = 60


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """`serve` leaves its settings in the environment, for its workers; other tests must not find them."""
    with mock.patch.dict(os.environ):
        yield


class Started:
    """A server process and what it has printed."""

    def __init__(self, folder: Path, *options: str) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CAPTIOUS_")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, "--port", "0", *options],
            cwd=folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.printed = ""

    def line(self, pattern: str) -> str:
        """The first printed line that holds a pattern, and the part of it that matches."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed += line
            found = re.search(pattern, line)
            if found:
                return found[0]
        raise AssertionError(f"{pattern} was not printed: {self.process.communicate()}")

    def stop(self) -> tuple[int, str]:
        """Ask it to stop; the exit code and what it logged."""
        self.process.send_signal(signal.SIGTERM)
        _, logged = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, logged


def get(address: str) -> tuple[int, str]:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[type[Started]]:
    started: list[Started] = []

    def make(*options: str) -> Started:
        started.append(Started(tmp_path, *options))
        return started[-1]

    yield make  # type: ignore[misc]
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_first_run_leads_to_the_owner_and_stops_in_order(start, tmp_path, workers: str) -> None:
    server = start("--database", "study.db", "--workers", workers)
    address = server.line(r"http://127\.0\.0\.1:\d+")
    setup = server.line(r"http://\S+/setup/\S+")
    assert get(f"{address}/health")[0] == 200
    status, page = get(setup)
    assert (status, "Create the owner" in page) == (200, True)
    secret = tmp_path / "study.db.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    code, logged = server.stop()
    assert code == 0
    assert "Traceback" not in logged
    assert "/setup/… " in logged
    assert setup.rpartition("/")[2] not in logged
    assert secret.read_text().strip() not in logged + server.printed


def test_the_demo_is_ready_to_click_and_leaves_nothing_behind(
    start, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    server = start("--demo")
    entrance = server.line(r"http://\S+/demo/\S+")
    joins = [server.line(r"http://\S+/join/\S+") for _ in range(4)]
    assert get(entrance)[0] == 200
    for join in joins:
        status, page = get(join)
        assert (status, "Start" in page) == (200, True)
    assert server.stop()[0] == 0
    assert list(scratch.iterdir()) == []


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        run = (
            "import sys, captious.cli.serve as s\n"
            "from captious.errors import CaptiousError\n"
            "try: s.serve(database='a.db', port=int(sys.argv[1]), base_url='', host='127.0.0.1',\n"
            "             files=None, workers=1, demo=False, browse=False)\n"
            "except CaptiousError as error: sys.exit(str(error))"
        )
        found = subprocess.run(
            [sys.executable, "-c", run, port], cwd=tmp_path, text=True, capture_output=True, check=False
        )
    assert found.returncode == 1
    assert f"127.0.0.1, port {port}: Address already in use." in found.stderr
    assert "Traceback" not in found.stderr


def test_a_base_url_that_is_none_is_said_in_one_line(tmp_path: Path) -> None:
    from captious.cli.serve import serve
    from captious.errors import InputError

    with pytest.raises(InputError, match='base URL "nonsense" is not the address of a site'):
        serve(str(tmp_path / "a.db"), port=0, base_url="nonsense")
    assert not (tmp_path / "a.db").exists()


def test_a_database_in_a_folder_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    from captious.cli.serve import serve
    from captious.errors import InputError

    with pytest.raises(InputError, match=r"nowhere: there is no such folder for the database\. Create it"):
        serve(str(tmp_path / "nowhere" / "a.db"), port=0)


def test_the_scoring_service_alone_has_its_names_its_figures_and_its_log(start) -> None:
    server = start(
        "--scoring-only", "--scoring", "bleu1", "--log", "json", "--allowed-hosts", "score.example.org"
    )
    address = server.line(r"http://127\.0\.0\.1:\d+")
    assert get(f"{address}/ready")[0] == 200
    assert get(f"{address}/api/v1/metrics")[0] == 400  # asked for by its number, not by its name
    counted = 'captious_requests_total{method="GET",route="/ready",status="200"} 1.0'
    assert counted in get(f"{address}/metrics")[1]
    code, logged = server.stop()
    assert code == 0
    lines = [json.loads(line) for line in logged.splitlines()]
    asked = [line for line in lines if line["logger"] == "captious.access"]
    assert [(line["path"], line["status"]) for line in asked] == [
        ("/ready", 200),
        ("/api/v1/metrics", 400),
        ("/metrics", 200),
    ]
    assert all(line["request_id"] and line["milliseconds"] > 0 for line in asked)
