"""What Prometheus is told, and who else is not."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient

from captious.web.observe import metrics
from captious.web.observe.logs import JsonLines, Redacting
from captious.web.observe.observer import request_id


def read(text: str) -> dict[str, float]:
    """The samples of an exposition; every family has its help and type before them."""
    found, family = {}, ""
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            family = line.split()[2]
        elif not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            assert name.startswith(family)
            found[name] = float(value)
    return found


def scrape(app: Any, **headers: str) -> dict[str, float]:
    answer = TestClient(app, client=("127.0.0.1", 1)).get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
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
    assert found['captious_requests_total{route="/work/{slug}",method="GET",status="200"}'] == 1
    assert found['captious_requests_total{route="/work/{slug}",method="GET",status="401"}'] == 30
    assert found['captious_requests_total{route="other",method="GET",status="404"}'] == 30
    assert not any("nowhere" in name or "BREW" in name or "none-" in name for name in found)
    assert found['captious_request_seconds_bucket{route="/work/{slug}",le="+Inf"}'] == 31
    assert found['captious_request_seconds_count{route="/work/{slug}"}'] == 31
    assert found["captious_tasks_held"] > 0
    assert found["captious_responses"] == 0
    assert found["captious_requests_in_progress"] == 1  # this one


def test_buckets_hold_what_took_no_longer(site: Any) -> None:
    counted = metrics.Metrics()
    for seconds in (0.001, 0.005, 0.006, 0.4, 99):
        counted.note("/x", "GET", 200, seconds, gone=False)
    found = counted.figures()
    below = {
        edge: found[f'captious_request_seconds_bucket{{route="/x",le="{edge}"}}']
        for edge in ("0.005", "0.01", "0.25", "0.5", "10", "+Inf")
    }
    assert below == {"0.005": 2, "0.01": 3, "0.25": 3, "0.5": 4, "10": 4, "+Inf": 5}
    assert found['captious_request_seconds_sum{route="/x"}'] == pytest.approx(99.412)


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


def test_workers_are_added_up_and_the_dead_keep_what_they_counted(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(metrics.FOLDER, str(tmp_path))
    theirs = {"captious_errors_total": 3.0, "captious_workers": 1.0, "captious_connections": 9.0}
    parent, dead = os.getppid(), 2**22 + 1  # above the most that Linux gives out
    for process in (parent, dead):
        (tmp_path / f"{process}.json").write_bytes(orjson.dumps(theirs))
    metrics.keep({"captious_errors_total": 100.0})  # its own file is not counted twice
    found = scrape(site.app)
    assert found["captious_errors_total"] == 6
    assert found["captious_workers"] == 2
    assert found["captious_connections"] == 9


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
