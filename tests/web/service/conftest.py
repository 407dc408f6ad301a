"""A running scoring service, with the scoring process that a server has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("starlette", reason="the scoring service needs captious[web]")

from starlette.testclient import TestClient

from captious.web.service.app import scoring_app
from captious.web.service.limits import Limits
from captious.web.service.service import Service
from captious.web.service.settings import ServiceSettings
from captious.web.service.tokens import TokenStore

METRICS = "bleu1,bleu4,cider,rouge_l,lm,vifidel"
SMALL = Limits(captions=50, text_characters=500, references=10, waiting=8, jobs=3)


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
    secret, _ = TokenStore(folder).create("tests", ["score", "jobs"])
    app = scoring_app(ServiceSettings(METRICS, folder, limits=SMALL))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Running(app.state.service, client, {"Authorization": f"Bearer {secret}"}, folder)
