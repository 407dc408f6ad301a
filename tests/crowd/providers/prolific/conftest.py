"""Prolific's protocol on loopback, and the client that speaks to it without waiting for real."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("httpx", reason="Prolific needs captious[crowd]")
pytest.importorskip("pydantic", reason="the local Prolific checks requests with pydantic")

from captious.crowd.providers.prolific import Prolific
from captious.crowd.providers.prolific import wire as wire_module
from captious.crowd.providers.prolific.client import Client
from captious.crowd.providers.prolific.wire import Token, Wire
from captious.crowd.values import OUTCOMES, Place, Study

TOKEN = "prolific-token-7c1f0e5a9b"


@pytest.fixture
def prolific(prolific_service: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A running service; the environment leads there, with the token that it takes."""
    with prolific_service.Service(TOKEN).running() as service:
        monkeypatch.setenv("PROLIFIC_URL", service.address)
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        yield service


@pytest.fixture
def naps() -> list[float]:
    """How long the client was told to wait, which it does not."""
    return []


@pytest.fixture
def client(prolific: Any, naps: list[float]) -> Iterator[Client]:
    wire = Wire(Token(TOKEN), prolific.address, patience=0.5, sleep=naps.append)
    yield Client(wire)
    wire.close()


@pytest.fixture
def fields() -> dict[str, Any]:
    """A study as the API takes it."""
    return {
        "name": "Compare captions",
        "internal_name": "key-1",
        "description": "Two captions of a photo: which is better?",
        "external_study_url": "https://rate.example.org/go/k?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {"code": "C0FFEE42", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
        ],
        "total_available_places": 3,
        "estimated_completion_time": 6,
        "reward": 150,
    }


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One engine is enough here; the journal is tested on both."""
    return sqlite_url


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No real waiting: an answer is late after a quarter of a second, and repeats follow at once."""
    monkeypatch.setattr(wire_module, "PATIENCE", 0.25)
    monkeypatch.setattr(wire_module, "FIRST_WAIT", 0.0)


@pytest.fixture
def plan() -> Study:
    """Three places of ten answers for 1.50 each."""
    codes: dict[Any, str] = {outcome: f"CODE{number}" for number, outcome in enumerate(OUTCOMES)}
    address = "https://rate.example.org/go/k1"
    return Study("k1" * 16, "dogs", "Compare captions", "", address, 3, 10, 150, "USD", 6.0, codes)


class Crowd:
    """A published study and the people who come to it."""

    def __init__(self, service: Any, study: Study, provider: Prolific) -> None:
        self.service, self.world, self.study, self.provider = service, service.world, study, provider
        self.remote = provider.publish(study)

    def arrive(self, name: str = "", **changed: str) -> dict[str, str]:
        """Someone takes a place: what their address says."""
        address = self.world.arrive(self.remote.id, name or self.world.new())
        query = parse_qs(urlsplit(address).query)
        return {name: values[0] for name, values in query.items()} | changed

    def finish(self, name: str = "", outcome: Any = "completed") -> Place:
        """Someone takes a place, works, and comes back with a code: the place as the provider lists it."""
        session = self.arrive(name)["SESSION_ID"]
        self.world.finish(session, self.study.codes[outcome])
        return self.place(session)

    def place(self, session: str) -> Place:
        found = self.provider.places(self.study, self.remote)
        return next(one for one in found if one.id == session)


@pytest.fixture
def crowd(prolific: Any, plan: Study, quick: None) -> Crowd:
    return Crowd(prolific, plan, Prolific())
