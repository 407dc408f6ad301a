"""The service without campaigns is reached, watched and guarded as the whole application is."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from captious.web.service.app import around
from captious.web.service.service import Service
from captious.web.service.settings import Limits, ServiceSettings
from captious.web.settings import Reach

PROXY, VISITOR = "10.1.2.3", "198.51.100.7"


def client(folder: Path, peer: str = "127.0.0.1", **reach: Any) -> TestClient:
    """A visitor of a service that nobody has started: what is asked here needs no scores."""
    service = Service(ServiceSettings("bleu1", folder, limits=Limits(upload_bytes=2000)))
    return TestClient(around(service, Reach(**reach)), client=(peer, 50_000), raise_server_exceptions=False)


def test_only_the_names_of_the_site_are_answered(tmp_path: Path) -> None:
    visitor = client(tmp_path, allowed_hosts=("score.example.org",))
    for path in ("/api/v1/metrics", "/api/v1/openapi.json", "/else"):
        refused = visitor.get(path, headers={"Host": "evil.example"})
        assert refused.status_code == 400
        assert "--allowed-hosts" in refused.json()["error"]
    assert visitor.get("/api/v1/openapi.json", headers={"Host": "score.example.org"}).status_code == 200
    assert visitor.get("/health", headers={"Host": "10.0.0.5"}).status_code == 200


@pytest.mark.parametrize(("peer", "shown"), [(PROXY, VISITOR), ("203.0.113.9", "203.0.113.9")])
def test_only_trusted_proxies_say_who_asks(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, peer: str, shown: str
) -> None:
    visitor = client(tmp_path, peer, trusted_proxies=("10.0.0.0/8",))
    with caplog.at_level(logging.INFO):
        visitor.get("/api/v1/metrics", headers={"X-Forwarded-For": VISITOR})
    (line,) = [one.getMessage() for one in caplog.records if one.name == "captious.access"]
    assert re.fullmatch(rf'{shown} "GET /api/v1/metrics HTTP/1.1" 401 [\d.]+ ms', line)


@pytest.mark.parametrize(
    ("peer", "headers", "token", "status"),
    [
        ("127.0.0.1", {}, "", 200),
        ("203.0.113.9", {}, "", 404),
        ("127.0.0.1", {"X-Forwarded-For": VISITOR}, "", 404),
        ("203.0.113.9", {"Authorization": "Bearer hush"}, "hush", 200),
    ],
)
def test_figures_are_for_this_machine_or_for_who_has_the_token(
    tmp_path: Path, peer: str, headers: dict[str, str], token: str, status: int
) -> None:
    visitor = client(tmp_path, peer, metrics_token=token)
    for _ in range(3):
        visitor.post("/api/v1/score", json={})
    found = visitor.get("/metrics", headers=headers)
    assert found.status_code == status
    if status == 200:
        lines = found.text.splitlines()
        assert 'captious_requests_total{method="POST",route="/api/v1/…",status="401"} 3.0' in lines
        assert "captious_scoring_queue 0.0" in lines
        assert not any(line.startswith("captious_responses ") for line in lines)


def test_every_answer_has_an_id_and_the_headers_of_the_site(tmp_path: Path) -> None:
    visitor = client(tmp_path, secure_cookies=True)
    for found in (visitor.get("/health"), visitor.post("/api/v1/score", json={}), visitor.get("/else")):
        assert re.fullmatch("[0-9a-f]{16}", found.headers["x-request-id"])
        assert "default-src 'none'" in found.headers["content-security-policy"]
        assert found.headers["strict-transport-security"] == "max-age=31536000"
        assert found.headers["cache-control"] == "no-store"


def test_a_body_over_every_limit_is_refused_by_its_stated_length(tmp_path: Path) -> None:
    refused = client(tmp_path).post("/api/v1/score", content=b"x" * 2001)
    assert (refused.status_code, refused.json()) == (
        413,
        {"error": "The body is too large. Send less in one request."},
    )


def test_it_may_lie_below_a_path(tmp_path: Path) -> None:
    visitor = client(tmp_path, base_url="https://lab.example.org/scores")
    assert visitor.get("/scores/health").status_code == 200
    assert visitor.get("/scores/api/v1/openapi.json").json()["servers"] == [{"url": "/scores/api/v1"}]


def test_ready_until_it_stops(tmp_path: Path) -> None:
    visitor = client(tmp_path)
    assert visitor.get("/ready").json() == {"status": "ready", "reason": ""}
    assert visitor.head("/ready").status_code == 200
    visitor.app.state.service.queue.stopping = True  # type: ignore[attr-defined]
    found = visitor.get("/ready")
    assert (found.status_code, found.json()["reason"]) == (503, "the service is stopping")
    assert int(found.headers["retry-after"]) > 0
