"""Prolific tells the server that a place has changed."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from fastapi.testclient import TestClient

from captious.campaigns.store.database import Database
from captious.crowd import arrivals, calls, studies, visits
from captious.crowd.reconcile import reconcile
from captious.crowd.values import Arrival
from captious.web.app import create_app
from captious.web.settings import WebSettings


class Desk:
    """A server with a published study whose events are sent to it."""

    def __init__(self, service: Any, db: Database, campaign: Any) -> None:
        self.service, self.world, self.db = service, service.world, db
        plan = {"places": 3, "answers": 2, "reward": 150, "currency": "USD", "minutes": 6.0}
        study = studies.new_study(campaign, "https://rate.example.org", **plan)
        planned = studies.create(db, campaign, study, "prolific", {"events": True}, actor="lea")
        self.stored = calls.publish(db, planned, actor="lea")
        self.client = TestClient(create_app(WebSettings(database="given", secret=b"s" * 32), db))
        self.path = f"/go/{study.key}/events"
        address = self.world.arrive(self.stored.published_at().id, self.world.new())
        given = dict(part.split("=") for part in address.partition("?")[2].split("&"))
        arrival = self.stored.provider().verify(study, self.stored.published_at(), given)
        assert isinstance(arrival, Arrival)
        arrivals.begin(db, self.stored, campaign, arrival, secret=b"s" * 32)
        self.session = given["SESSION_ID"]

    def deliver(self, **changed: Any) -> int:
        """Prolific's last event arrives; the status that Prolific sees."""
        headers, body = self.world.events[-1]
        answer = self.client.post(self.path, headers=headers | changed.pop("headers", {}), content=body)
        return int(answer.status_code)

    def states(self) -> list[str]:
        return [one.state for one in visits.of_study(self.db, self.stored.id)]


@pytest.fixture
def desk(prolific: Any, db: Database, campaign: Any, clock: Any, quick: None) -> Desk:
    prolific.world.skew = 0.0
    prolific.world.now = clock
    return Desk(prolific, db, campaign)


def test_a_place_that_is_returned_is_reclaimed_at_once(desk: Desk) -> None:
    desk.world.leave(desk.session, "RETURNED")
    assert desk.states() == ["active"]
    assert [desk.deliver() for _ in range(3)] == [204, 204, 204]  # the same event, three times
    assert desk.states() == ["returned"]


def test_events_that_nobody_signed_change_nothing(desk: Desk) -> None:
    desk.world.leave(desk.session, "RETURNED")
    assert desk.deliver(headers={"X-Prolific-Request-Signature": "bWFkZSB1cA=="}) == 403
    assert desk.client.post(desk.path, content=b"{}").status_code == 403
    assert desk.states() == ["active"]


def test_an_event_an_hour_old_is_refused_and_polling_finds_the_change(desk: Desk, clock: Any) -> None:
    desk.world.leave(desk.session, "RETURNED")
    clock.move(3600)
    assert desk.deliver() == 403
    assert reconcile(desk.db, desk.stored).counts == {"returned": 1}


def test_while_prolific_does_not_answer_the_event_is_to_come_again(desk: Desk) -> None:
    desk.world.leave(desk.session, "RETURNED")
    desk.service.fail("broken", "GET", "/api/v1/submissions/", times=5)
    assert desk.deliver() == 503
    assert desk.deliver() == 204
    assert desk.states() == ["returned"]


def test_no_study_no_events(desk: Desk) -> None:
    assert desk.client.post("/go/none/events", content=b"{}").status_code == 404
