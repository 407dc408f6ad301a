"""The service beside the campaigns: one address, the same headers, its own limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from captious.web.app import create_app
from captious.web.service.settings import ServiceSettings


def test_scores_come_from_the_address_of_the_campaigns(site: Any, tmp_path: Path) -> None:
    """A body of 600 kB is more than a form may hold, and less than a request for scores may."""
    scoring = ServiceSettings("bleu1", tmp_path / "scoring", open_to_all=True)
    app = create_app(replace(site.settings, scoring=scoring), site.db)
    example = {"caption": "a dog", "references": ["a dog", "the dog " * 300]}
    body = {"metrics": ["bleu1"], "examples": [example] * 250}
    with TestClient(app) as client:
        found = client.post("/api/v1/score", json=body)
        assert found.status_code == 200, found.text
        assert len(found.json()["examples"]) == 250
        assert "default-src 'none'" in found.headers["content-security-policy"]
        assert client.get("/api/v1/openapi.json").json()["servers"] == [{"url": "/api/v1"}]
        assert client.get("/api/v1/score").status_code == 405
        assert client.get("/").status_code == 200


def test_without_scoring_there_is_no_service(site: Any) -> None:
    with TestClient(create_app(site.settings, site.db)) as client:
        assert client.post("/api/v1/score", json={}).status_code == 404
