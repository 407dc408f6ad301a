"""A marketplace in one file: studies, places, payments. What the simulated provider talks to.

It outlives the program, as a provider does, so that an interrupted run can be taken up again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from captious.crowd.base import CallRefused
from captious.crowd.values import GIVEN_BACK, PlaceState
from captious.errors import InputError
from captious.files import atomically

Record = dict[str, Any]


class Market:
    """The studies of a market by key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Record]:
        """Every study."""
        if not self.path.exists():
            return {}
        try:
            found: dict[str, Record] = orjson.loads(self.path.read_bytes())
        except orjson.JSONDecodeError as error:
            raise InputError(f"{self.path}: not a market of simulated workers: {error}.") from None
        return found

    def study(self, key: str) -> Record:
        """One study; refused as a provider would where there is none."""
        found = self.read().get(key)
        if found is None:
            raise CallRefused(f"market: there is no study {key[:8]}.")
        return found

    def write(self, key: str, study: Record) -> None:
        """Keep a study."""
        whole = self.read() | {key: study}
        with atomically(self.path) as target:
            target.write_bytes(orjson.dumps(whole, option=orjson.OPT_INDENT_2))

    def set_state(self, key: str, state: str) -> None:
        """Open, pause or close a study."""
        self.write(key, self.study(key) | {"state": state})

    def accept(self, key: str, participant: str, now: float) -> str | None:
        """A worker takes a place: its id, None where there is none for them."""
        study = self.study(key)
        places: dict[str, Record] = study["places"]
        taken = sum(one["state"] not in GIVEN_BACK for one in places.values())
        known = any(one["participant"] == participant for one in places.values())
        if study["state"] != "open" or taken >= study["wanted"] or known or participant in study["excluded"]:
            return None
        place = f"place-{len(places) + 1}"
        places[place] = {"participant": participant, "state": "active", "started": now}
        self.write(key, study)
        return place

    def move(
        self, key: str, place: str, state: PlaceState, *, now: float | None = None, code: str = ""
    ) -> None:
        """A place goes on: handed in, given back, paid or refused."""
        study = self.study(key)
        if place not in study["places"]:
            raise CallRefused(f"market: there is no {place}.")
        own = study["places"][place]
        own["state"] = state
        if now is not None:
            own["ended"] = now
        if code:
            own["code"] = code
        self.write(key, study)
