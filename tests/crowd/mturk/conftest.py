"""A Mechanical Turk of one's own for each test, and a client of it with made-up credentials."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("boto3", reason="Mechanical Turk needs captious[crowd]")

sys.path.insert(0, str(Path(__file__).parent))

import turk_server

from captious.crowd.providers.mturk.calls import Calls, Site
from captious.crowd.providers.mturk.client import Turk

if TYPE_CHECKING:
    from turk_server import TurkServer


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[str, str]:
    """Credentials in the environment, and none from anywhere else."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", turk_server.ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", turk_server.SECRET_KEY)
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return turk_server.ACCESS_KEY, turk_server.SECRET_KEY


@pytest.fixture(scope="session")
def started() -> Iterator[TurkServer]:
    with turk_server.running() as server:
        yield server


@pytest.fixture
def server(started: TurkServer, credentials: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> TurkServer:
    """The server with an empty market, which the environment names."""
    started.reset()
    monkeypatch.setenv("AWS_ENDPOINT_URL_MTURK", started.api)
    return started


@pytest.fixture
def turk(server: TurkServer) -> Turk:
    return _client(server.api)


@lru_cache(maxsize=1)
def _client(api: str) -> Turk:
    """A client that waits for nothing but the network, and for that half a second."""
    return Turk(Calls(Site("local", api, (api,)), timeout=0.5, wait=turk_server.wait_nothing))
