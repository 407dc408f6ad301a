"""Simulated workers: a provider in a file, to try a whole study before it costs anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import orjson

from captious.crowd.base import CallRefused, Provider, register
from captious.crowd.money import share, shown
from captious.crowd.values import (
    GIVEN_BACK,
    Arrival,
    Bonus,
    Completion,
    Line,
    Outcome,
    Place,
    PlaceState,
    Quote,
    Refused,
    Remote,
    RemoteStatus,
    Study,
)
from captious.errors import InputError
from captious.files import atomically
from captious.protocols.options import option

# A marketplace in one file: studies, places, payments. What the simulated provider talks to.
# It outlives the program, as a provider does, so that an interrupted run can be taken up again.


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


PLACE, WORKER = "place", "worker"


@register("simulated")
@dataclass(frozen=True)
class Simulated(Provider):
    """Workers of a program, and money of nobody."""

    title: ClassVar[str] = "Simulated workers"
    summary: ClassVar[str] = "a dry run: simulated workers, no money"
    arrival_parameters: ClassVar[tuple[str, ...]] = (WORKER, PLACE)
    public: ClassVar[bool] = False

    market: str = option("", "File that stores the simulated market", shown=False)
    fee_percent: float = option(20.0, "Fee on rewards and bonuses, in percent", high=1000)

    def ready(self) -> None:
        """The market is a file."""
        if not self.market:
            raise InputError("market: name a file to store the simulated market in.")

    def where(self) -> Market:
        """The market."""
        self.ready()
        return Market(Path(self.market))

    def quote(self, study: Study) -> Quote:
        """Rewards and fee."""
        text = f"{study.places:,} places at {shown(study.reward, study.currency)}"
        return self._quote(study, study.places, study.places * study.reward, text)

    def bonus_quote(self, study: Study, amounts: Sequence[int]) -> Quote:
        """Bonuses and fee."""
        return self._quote(study, len(amounts), sum(amounts), f"{len(amounts):,} bonuses")

    def _quote(self, study: Study, places: int, reward: int, text: str) -> Quote:
        fee = share(reward, str(self.fee_percent / 100))
        lines = (Line(text, reward), Line(f"fee, {self.fee_percent:g}%", fee))
        return Quote(places, reward, fee, study.currency, lines)

    def find(self, key: str) -> Remote | None:
        """The study in the market."""
        return Remote(key) if key in self.where().read() else None

    def publish(self, study: Study, left: Remote | None = None) -> Remote:
        """Put the study into the market, open."""
        if left is None:
            new = {
                "state": "open",
                "wanted": study.places,
                "places": {},
                "bonuses": [],
                "messages": [],
                "excluded": [],
            }
            self.where().write(study.key, new)
        else:
            self.where().set_state(study.key, "open")
        return Remote(study.key)

    def status(self, study: Study, remote: Remote) -> RemoteStatus:
        """As the market has it."""
        own = self.where().study(remote.id)
        counts = Counter(one["state"] for one in own["places"].values())
        paid = counts["approved"] * study.reward + sum(one["amount"] for one in own["bonuses"])
        spent = paid + share(paid, str(self.fee_percent / 100))
        return RemoteStatus(own["state"], own["wanted"], dict(counts), spent)

    def places(self, study: Study, remote: Remote) -> list[Place]:
        """Every place of the study."""
        own = self.where().study(remote.id)["places"]
        return [
            Place(
                name, one["participant"], one["state"], one["started"], one.get("ended"), one.get("code", "")
            )
            for name, one in own.items()
        ]

    def bonuses(self, study: Study, remote: Remote) -> list[Bonus]:
        """Every bonus of the study."""
        own = self.where().study(remote.id)["bonuses"]
        return [Bonus(one["place"], one["amount"], one["key"]) for one in own]

    def verify(self, study: Study, remote: Remote, parameters: Mapping[str, str]) -> Arrival | Refused:
        """The place must be the worker's own, and open."""
        place, worker = parameters.get(PLACE, ""), parameters.get(WORKER, "")
        if not place or not worker:
            return Refused("missing")
        own = self.where().study(remote.id)["places"].get(place)
        if own is None or own["participant"] != worker:
            return Refused("forged")
        return Arrival(worker, place) if own["state"] == "active" else Refused("over")

    def completion(self, study: Study, remote: Remote, arrival: Arrival, outcome: Outcome) -> Completion:
        """A code to hand in."""
        return Completion(study.codes.get(outcome, ""))

    def approve(self, study: Study, remote: Remote, place: Place) -> None:
        """Pay the reward."""
        if self._place(remote, place)["state"] != "approved":
            self.where().move(remote.id, place.id, "approved")

    def reject(self, study: Study, remote: Remote, place: Place, reason: str) -> None:
        """Refuse the work; paid work cannot be refused."""
        if self._place(remote, place)["state"] == "approved":
            raise CallRefused(f"market: {place.id} has already been paid.")
        self.where().move(remote.id, place.id, "rejected")

    def bonus(self, study: Study, remote: Remote, place: Place, amount: int, reason: str, key: str) -> None:
        """Pay a bonus, once for each key."""
        market = self.where()
        own = market.study(remote.id)
        if all(one["key"] != key for one in own["bonuses"]):
            own["bonuses"].append({"place": place.id, "amount": amount, "key": key})
            market.write(remote.id, own)

    def message(self, study: Study, remote: Remote, participants: Sequence[str], text: str) -> None:
        """Keep the message."""
        market = self.where()
        own = market.study(remote.id)
        own["messages"].append({"to": list(participants), "text": text})
        market.write(remote.id, own)

    def exclude(self, study: Study, remote: Remote, participants: Sequence[str]) -> Remote:
        """Give them no place."""
        market = self.where()
        own = market.study(remote.id)
        own["excluded"] = sorted({*own["excluded"], *participants})
        market.write(remote.id, own)
        return remote

    def extend(self, study: Study, remote: Remote, key: str) -> Remote:
        """So many places in all."""
        market = self.where()
        market.write(remote.id, market.study(remote.id) | {"wanted": study.places})
        return remote

    def pause(self, study: Study, remote: Remote) -> Remote:
        """Give out no place."""
        self.where().set_state(remote.id, "paused")
        return remote

    def resume(self, study: Study, remote: Remote) -> Remote:
        """Give out places."""
        self.where().set_state(remote.id, "open")
        return remote

    def close(self, study: Study, remote: Remote) -> Remote:
        """Give out no place any more."""
        self.where().set_state(remote.id, "closed")
        return remote

    def _place(self, remote: Remote, place: Place) -> dict[str, object]:
        own: dict[str, dict[str, object]] = self.where().study(remote.id)["places"]
        if place.id not in own:
            raise CallRefused(f"market: there is no {place.id}.")
        return own[place.id]
