"""What Prometheus is told, and who else is not."""

from __future__ import annotations

import logging
import re
from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient

from captious.web.observe.logs import JsonLines, Redacting
from captious.web.observe.observer import request_id


def read(text: str) -> dict[str, float]:
    """The samples of an exposition, by their names with labels."""
    pairs = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


def scrape(app: Any, **headers: str) -> dict[str, float]:
    answer = TestClient(app, client=("127.0.0.1", 1)).get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return read(answer.text)


def test_requests_are_counted_by_route_and_never_by_what_visitors_write(site: Any) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    visitor.page("/work/dogs")
    for at in range(30):
        visitor.get(f"/nowhere/{at}")
        visitor.get(f"/work/none-{at}")
    visitor.client.request("BREW", "/")
    found = scrape(site.app)
    assert found['captious_requests_total{method="GET",route="/work/{slug}",status="200"}'] == 1
    assert found['captious_requests_total{method="GET",route="/work/{slug}",status="401"}'] == 30
    assert found['captious_requests_total{method="GET",route="other",status="404"}'] == 30
    assert not any("nowhere" in name or "BREW" in name or "none-" in name for name in found)
    assert found['captious_request_seconds_bucket{le="+Inf",route="/work/{slug}"}'] == 31
    assert found['captious_request_seconds_count{route="/work/{slug}"}'] == 31
    assert found["captious_tasks_held"] > 0
    assert found["captious_responses"] == 0
    assert found["captious_requests_in_progress"] == 1  # this one


@pytest.mark.parametrize(
    ("peer", "headers", "token", "status"),
    [
        ("127.0.0.1", {}, "", 200),
        ("::1", {}, "", 200),
        ("203.0.113.9", {}, "", 404),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}, "", 404),
        ("127.0.0.1", {"Forwarded": "for=203.0.113.9"}, "", 404),
        ("127.0.0.1", {"X-Real-IP": "203.0.113.9"}, "", 404),
        ("127.0.0.1", {"X-Forwarded-Proto": "https"}, "", 404),
        ("127.0.0.1", {"Via": "1.1 proxy"}, "", 404),
        ("127.0.0.1", {"Host": "rate.example.org"}, "", 404),
        ("127.0.0.1", {"Host": "127.0.0.1:8000"}, "", 200),
        ("127.0.0.1", {}, "hush", 404),
        ("203.0.113.9", {"Authorization": "Bearer wrong"}, "hush", 404),
        ("203.0.113.9", {"Authorization": "Bearer hush"}, "hush", 200),
    ],
)
def test_the_public_sees_no_figures(
    make_site: Any, site: Any, peer: str, headers: dict[str, str], token: str, status: int
) -> None:
    app = make_site(site.db, metrics_token=token, base_url="https://rate.example.org/a").app
    assert TestClient(app, client=(peer, 1)).get("/metrics", headers=headers).status_code == status


def test_a_line_of_json_has_the_request_and_no_token(site: Any) -> None:
    kept: list[dict[str, Any]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            kept.append(orjson.loads(self.format(record)))

    handler = Kept()
    handler.setFormatter(JsonLines())
    handler.addFilter(Redacting())
    log = logging.getLogger("captious.access")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        answer = site.visitor().get("/join/AQAAsecret?x=1")
    finally:
        log.removeHandler(handler)
    (line,) = kept
    assert line["request_id"] == answer.headers["x-request-id"]
    assert re.fullmatch("[0-9a-f]{16}", line["request_id"])
    assert (line["method"], line["path"], line["status"]) == ("GET", "/join/…", 403)
    assert line["milliseconds"] > 0
    assert "AQAAsecret" not in str(line)
    assert request_id.get() == ""
