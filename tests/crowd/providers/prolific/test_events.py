"""Events that Prolific sends: signed ones are heard, others are not, and a second delivery does no harm."""

from __future__ import annotations

import hmac
import time
from dataclasses import replace
from typing import Any

import pytest

from captious.crowd.providers.prolific import Prolific
from captious.crowd.providers.prolific.account import SIGNATURE, TIMESTAMP


@pytest.fixture
def told(crowd: Any) -> Any:
    """A study whose events are sent, and someone who has finished it."""
    crowd.provider = Prolific(events=True)
    crowd.study = replace(crowd.study, key="e1" * 16, address="https://rate.example.org/go/e1")
    crowd.remote = crowd.provider.publish(crowd.study)
    crowd.done = crowd.finish()
    return crowd


def hear(crowd: Any, headers: dict[str, str], body: bytes, now: float | None = None) -> str | None:
    at = time.time() if now is None else now
    found: str | None = crowd.provider.heard(crowd.study, crowd.remote, headers, body, at)
    return found


def test_publishing_subscribes_once_and_closing_ends_it(told: Any) -> None:
    told.provider.publish(told.study)
    (hook,) = told.world.hooks.values()
    assert hook["target_url"] == "https://rate.example.org/go/e1/events"
    told.provider.close(told.study, told.remote)
    assert told.world.hooks == {}


def test_a_secret_that_the_workspace_has_is_not_replaced(crowd: Any) -> None:
    crowd.world.secret = "hook-of-another-program"
    Prolific(events=True).publish(replace(crowd.study, key="e2" * 16))
    assert crowd.world.secret == "hook-of-another-program"


def test_signed_events_name_the_place_as_often_as_they_come(told: Any) -> None:
    headers, body = told.world.events[-1]
    assert [hear(told, headers, body) for _ in range(3)] == [told.done.id] * 3
    # Names of headers come in any case.
    assert hear(told, {name.lower(): value for name, value in headers.items()}, body) == told.done.id


def test_a_flood_of_events_is_no_flood_of_requests(told: Any) -> None:
    headers, body = told.world.events[-1]
    now = time.time()
    for _ in range(20):
        hear(told, headers, body, now)
        hear(told, headers | {"X-Prolific-Request-Signature": "bWFkZSB1cA=="}, body, now)
    assert told.service.count("GET", "/api/v1/hooks/secrets/") <= 2  # once to publish, once to hear


@pytest.mark.parametrize("fake", ["body", "signature", "secret", "old", "future", "none"])
def test_nobody_listens_to_fakes(fake: str, told: Any) -> None:
    headers, body = told.world.events[-1]
    at = time.time()
    if fake == "body":
        body = body.replace(b"AWAITING REVIEW", b"APPROVED")
    elif fake == "signature":
        headers = headers | {"X-Prolific-Request-Signature": "bWFkZSB1cA=="}
    elif fake == "secret":
        stamp = headers["X-Prolific-Request-Timestamp"]
        own = hmac.new(b"guessed", stamp.encode() + body, "sha256").hexdigest()
        headers = {TIMESTAMP: stamp, SIGNATURE: own}
    elif fake in ("old", "future"):  # a delivery that was recorded, or clocks that are an hour apart
        at += 3600 if fake == "old" else -3600
    else:
        headers = {}
    assert hear(told, headers, body, at) is None


def test_an_event_of_something_else_names_no_place(told: Any) -> None:
    hook = next(iter(told.world.hooks.values()))
    hook["event_type"] = "study.status.change"
    told.provider.pause(told.study, told.remote)
    headers, body = told.world.events[-1]
    assert hear(told, headers, body) == ""
