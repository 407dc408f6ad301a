"""Raters who open their link and rate, and what they saw."""

from __future__ import annotations

import asyncio
import random
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode

import orjson

from traffic.browser import Browser, HungUpError
from traffic.campaign import ANSWERS, SLUG

# A rater whose server is gone tries again this often.
AGAIN_SECONDS = 0.3
BUSY = 503

_CSRF = re.compile(rb'name="csrf" value="([^"]+)"')
_KEY = re.compile(rb'name="key" value="([^"]+)"')
_ACTION = re.compile(rb'action="(/work/[^"]+)"[^>]* data-answers')


@dataclass
class Tally:
    """What all raters saw."""

    pages: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    sent: set[str] = field(default_factory=set)
    acknowledged: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    resent: int = 0
    hung_up: int = 0
    told_to_wait: int = 0
    finished: int = 0
    joined: int = 0
    cookies: dict[str, dict[str, str]] = field(default_factory=dict)
    measuring: bool = True


@dataclass
class Habits:
    """How raters behave: mean seconds of thinking, share of submits that are sent twice."""

    think: float = 2.0
    resend: float = 0.05
    protocol: str = "tagging"
    # Whether a lost connection is a fault, or to be expected and tried again.
    patient: bool = False


class SimulatedRater:
    """Opens a link and rates until told to stop or until nothing is left."""

    def __init__(self, port: int, token: str, tally: Tally, habits: Habits, seed: int) -> None:
        self.browser, self.token, self.tally, self.habits = Browser(port), token, tally, habits
        self.chance = random.Random(seed)
        self.page = b""

    async def run(self, stop: asyncio.Event, *, joined: bool = False) -> None:
        """Join unless that was done before, then rate."""
        try:
            if not joined:
                await self._join()
                self.tally.joined += 1
            while not stop.is_set() and await self._rate(stop):
                pass
        except HungUpError:
            self.tally.errors.append("the connection ended")
        finally:
            self.browser.hang_up()

    async def _ask(self, method: str, path: str, body: bytes = b"", **options: str) -> tuple[int, bytes]:
        while True:
            try:
                status, said = await self.browser.ask(method, path, body, **options)
                if status != BUSY or not self.habits.patient:
                    return status, said
                self.tally.told_to_wait += 1
                await asyncio.sleep(AGAIN_SECONDS * (0.5 + self.chance.random()))
            except HungUpError:
                self.tally.hung_up += 1
                # A browser tries once more: the server may just have closed an idle connection.
                if not self.habits.patient:
                    return await self.browser.ask(method, path, body, **options)
                await asyncio.sleep(AGAIN_SECONDS * (0.5 + self.chance.random()))

    async def _join(self) -> None:
        address = f"/join/{self.token}"
        status, page = await self._ask("GET", address)
        found = _CSRF.search(page)
        if status != 200 or found is None:
            self.tally.errors.append(f"GET /join: {status}")
            return
        status, _ = await self._ask("POST", address, urlencode({"csrf": found[1]}).encode())
        if status != 303:
            self.tally.errors.append(f"POST /join: {status}")

    async def _rate(self, stop: asyncio.Event) -> bool:
        page, status = self.page, 200
        if not page:
            start = time.perf_counter()
            status, page = await self._ask("GET", f"/work/{SLUG}")
            self._note(self.tally.pages, start)
        action, key, csrf = (one.search(page) for one in (_ACTION, _KEY, _CSRF))
        if status != 200:
            self.tally.errors.append(f"GET /work: {status}")
            return False
        if action is None or key is None or csrf is None:
            self.tally.finished += 1
            return False
        with suppress(TimeoutError):
            if self.habits.think:
                await asyncio.wait_for(stop.wait(), self.chance.expovariate(1 / self.habits.think))
        if stop.is_set():
            return False
        fields = {"csrf": csrf[1], "key": key[1], **ANSWERS[self.habits.protocol]}
        return await self._submit(action[1].decode(), key[1].decode(), urlencode(fields).encode())

    async def _submit(self, action: str, key: str, body: bytes) -> bool:
        self.tally.sent.add(key)
        if self.chance.random() < self.habits.resend:
            # The answer is lost on its way, and the browser sends the same again.
            self.tally.resent += 1
            try:
                await self.browser.send("POST", action, body, accept="application/json")
            except HungUpError:
                self.tally.hung_up += 1
            self.browser.hang_up()
        start = time.perf_counter()
        status, said = await self._ask("POST", action, body, accept="application/json")
        self._note(self.tally.submits, start)
        if status != 200:
            self.tally.errors.append(f"POST /work: {status}")
            return False
        receipt = orjson.loads(said)
        self.tally.acknowledged[key] = receipt["response"]
        # The next page comes along, as it does in a browser; an older release sends none.
        self.page = receipt.get("page", "").encode()
        return True

    def _note(self, times: list[float], start: float) -> None:
        if self.tally.measuring:
            times.append((time.perf_counter() - start) * 1000)
