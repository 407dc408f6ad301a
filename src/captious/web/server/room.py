"""Who is connected, whom the server waits for, and who must go when the room is full.

A connection is *stalled* while the server waits for its client: for the head or the rest of a
request, for the next request, or for the client to take the answer. Only stalled connections run
against a time limit, and when the room is full the one that stalled first makes place for the
newcomer: ten thousand clients who send nothing cannot keep out one who does.
"""

from __future__ import annotations

import logging
from typing import Protocol

from captious.web.observe.limited_warnings import LimitedWarnings
from captious.web.server.limits import Limits


class Client(Protocol):
    """What the room knows of a connection."""

    def overdue(self, now: float) -> bool:
        """Whether its client has had all its time."""

    def dismiss(self) -> None:
        """Close it because its time is over, with a word where one fits."""

    def drop(self) -> None:
        """Close it at once."""


class Room:
    """The connections of one server process."""

    def __init__(self, limits: Limits, most: int) -> None:
        self.limits, self.most = limits, most
        self.stalled: dict[Client, None] = {}  # in the order in which they stalled
        self.present = self.evicted = self.timed_out = self.turned_away = 0
        self._warnings = LimitedWarnings(logging.getLogger("captious.web.server"))

    def enter(self) -> bool:
        """Whether there is place for one more, made where need be."""
        if self.present >= self.most and not self.make_place():
            self.turned_away += 1
            self.say("all connections are busy; newcomers are turned away")
            return False
        self.present += 1
        return True

    def leave(self, client: Client) -> None:
        """A connection has ended."""
        self.stalled.pop(client, None)
        self.present -= 1

    def stall(self, client: Client) -> None:
        """The server waits for this client from now on."""
        self.stalled.pop(client, None)
        self.stalled[client] = None

    def go_on(self, client: Client) -> None:
        """The client has done its part."""
        self.stalled.pop(client, None)

    def make_place(self) -> bool:
        """Drop the connection that stalled first; False where every one is at work."""
        if not self.stalled:
            return False
        first = next(iter(self.stalled))
        del self.stalled[first]
        self.evicted += 1
        self.say("too many connections; the longest stalled are dropped")
        first.drop()
        return True

    def sweep(self, now: float) -> None:
        """Let go whoever has had all their time; called every second."""
        for client in [one for one in self.stalled if one.overdue(now)]:
            self.stalled.pop(client, None)
            self.timed_out += 1
            client.dismiss()

    def say(self, what: str) -> None:
        """A warning with figures, now and then."""
        self._warnings.say(
            "%s (%d open, %d dropped, %d timed out, %d turned away so far)",
            what,
            self.present,
            self.evicted,
            self.timed_out,
            self.turned_away,
        )
