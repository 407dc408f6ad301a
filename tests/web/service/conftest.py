"""A running scoring service, with the scoring process that a server has."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("starlette", reason="the scoring service needs captious[web]")

import uvicorn
from starlette.testclient import TestClient

from captious.web.service.app import around, scoring_app
from captious.web.service.service import Service
from captious.web.service.settings import Limits, ServiceSettings
from captious.web.service.tokens import TokenStore

METRICS = "bleu1,bleu4,cider,rouge_l,lm,vifidel,spice"
SMALL = Limits(waiting=8)


class InThread(uvicorn.Server):
    """A web server in a thread of the tests, on a free port."""

    @contextmanager
    def serving(self) -> Iterator[str]:
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        while not self.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{self.servers[0].sockets[0].getsockname()[1]}"
        self.should_exit = True
        thread.join()


class Running(NamedTuple):
    """A service, a client without a token, and the header of a token that may do everything."""

    service: Service
    client: TestClient
    token: dict[str, str]
    folder: Path

    def score(self, **body: Any) -> Any:
        return self.client.post("/api/v1/score", json=body, headers=self.token)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("scoring")
    secret, _ = TokenStore(folder).create("tests")
    app = scoring_app(ServiceSettings(METRICS, folder, limits=SMALL))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Running(app.state.service, client, {"Authorization": f"Bearer {secret}"}, folder)


@pytest.fixture(scope="module")
def address(running: Running) -> Iterator[str]:
    """The running service over real HTTP."""
    config = uvicorn.Config(around(running.service), port=0, log_level="error", lifespan="off")
    with InThread(config).serving() as address:
        yield address
