"""The token is in no log, error, database, backup or export, whatever goes wrong."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.exchange.export import export
from captious.campaigns.store.backup import backup
from captious.campaigns.store.database import Database
from captious.crowd import calls, studies, visits
from captious.crowd.providers.prolific import Prolific
from captious.crowd.reconcile import reconcile
from captious.errors import CaptiousError

NO = "may not do that"


class Said:
    """Everything that a person is told when something fails."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def of(self, act: Callable[[], Any]) -> None:
        with pytest.raises(CaptiousError) as caught:
            act()
        trace = "".join(traceback.format_exception(caught.value))
        self.texts.append(f"{trace} {caught.value!r} {caught.value.typed}")


def trouble(prolific: Any, db: Database, campaign: Any, said: Said) -> studies.Stored:
    """A study through faults of every kind, ending with a service that repeats what it was sent."""
    plan = {"places": 2, "answers": 2, "reward": 150, "currency": "USD", "minutes": 6.0}
    study = studies.new_study(campaign, "https://rate.example.org", **plan)
    stored = studies.create(db, campaign, study, "prolific", {"events": True}, actor="lea")
    for kind in ("lost", "busy", "broken after", "cut"):
        prolific.fail(
            kind, "POST", "/api/v1/studies/[0-9a-f]+/transition/" if kind == "cut" else ".*/studies/"
        )
        said.of(lambda: calls.publish(db, stored, actor="lea"))
        prolific.world.studies.clear()
    stored = calls.publish(db, stored, actor="lea")
    world = prolific.world
    session = world.arrive(stored.published_at().id, world.new()).rpartition("=")[2]
    world.finish(session, study.codes["completed"])
    prolific.fail("broken", "GET", ".*", times=5)
    said.of(lambda: reconcile(db, stored))
    reconcile(db, stored)
    (visit,) = visits.of_study(db, stored.id)
    world.studies[stored.published_at().id]["reward"] = 10**9
    prolific.parrot = f"Token {world.token} {NO}"
    said.of(lambda: calls.approve(db, stored, visit))
    world.token = "another"
    said.of(lambda: calls.approve(db, stored, visit))
    said.of(lambda: Prolific().find("x"))
    return stored


def test_the_token_is_nowhere(
    contents: Any,
    prolific: Any,
    db: Database,
    campaign: Any,
    quick: None,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    secrets, said = [prolific.world.token], Said()
    stored = trouble(prolific, db, campaign, said)
    secrets.append(prolific.world.secret)
    assert len(said.texts) == 8 and NO in said.texts[5]
    backup(db, tmp_path / "kept.zip")
    export(db, campaign, tmp_path / "export")
    told = {"errors": " ".join(said.texts), "logs": caplog.text, "output": "".join(capfd.readouterr())}
    told["values"] = repr((stored, stored.provider()))
    for place, text in told.items():
        assert not any(secret in text for secret in secrets), place
    files = contents(tmp_path)
    assert any(stored.study.key.encode() in content for content in files.values())
    for name, content in files.items():
        assert not any(secret.encode() in content for secret in secrets), name
    # The logs of requests were among what was looked at.
    assert "HTTP Request: POST" in caplog.text and "receive_response_headers" in caplog.text
