"""People who run campaigns, and campaigns that have been worked on."""

from __future__ import annotations

import time
from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater, Receipt
from captious.campaigns.work import assignment, responses
from captious.protocols import Item

Choose = Callable[[int, Item], dict[str, Any]]
PATIENCE = 60.0


class Admin:
    """A signed-in account in its browser: every form carries the page's CSRF token."""

    def __init__(self, visitor: Any) -> None:
        self.visitor = visitor
        self.csrf = visitor.page("/admin").hidden("csrf")

    def get(self, address: str) -> Any:
        return self.visitor.get(address)

    def page(self, address: str) -> Any:
        return self.visitor.page(address)

    def text(self, address: str) -> str:
        found: str = self.visitor.page(address).text
        return found

    def twin(self, address: str) -> Any:
        """The JSON of a page, once what is computed beside it is there."""
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.visitor.get(f"/api{address}")
            assert answer.status_code == 200, answer.text
            found = answer.json()
            if not found.get("computing") or time.monotonic() > until:
                return found
            time.sleep(0.05)

    def post(self, address: str, files: Any = None, **fields: str) -> Any:
        named = {name.replace("__", "."): value for name, value in fields.items()}
        return self.visitor.post(address, data={"csrf": self.csrf, **named}, files=files)


@pytest.fixture
def owner(site: Any) -> Admin:
    return Admin(site.account("owner"))


@pytest.fixture
def manager(site: Any) -> Admin:
    return Admin(site.account("manager"))


@pytest.fixture
def viewer(site: Any) -> Admin:
    return Admin(site.account("viewer"))


def send_form(owner: Any, address: str, files: Any = None, **data: str) -> Any:
    csrf = owner.page(address).hidden("csrf")
    return owner.post(address, data={"csrf": csrf, **data}, files=files or {"nothing": ("", b"")})


@pytest.fixture
def send() -> Callable[..., Any]:
    """Send the form of a page, with files or without, as one that takes files is sent."""
    return send_form


def add_people(site: Any, campaign: Campaign, count: int = 2) -> list[Rater]:
    new = [NewRater(f"Person {at}", f"person{at}@example.org") for at in range(1, count + 1)]
    return raters.add(site.db, campaign, new, actor="lea")


def work(site: Any, campaign: Campaign, people: list[Rater], choose: Choose, *, seconds: float = 9.0) -> int:
    """Let people answer all that they are given; `choose` says what the n-th one answers."""
    stored = 0
    busy = True
    while busy:
        busy = False
        for at, rater in enumerate(people):
            for task in assignment.next_tasks(site.db, campaign, rater):
                outcome = responses.respond(
                    site.db, rater, task.token, choose(at, task.item), key=task.token, seconds=seconds
                )
                assert isinstance(outcome, Receipt), outcome
                stored, busy = stored + 1, True
    return stored


def verdicts(at: int, item: Item) -> dict[str, Any]:
    """The first rater finds everything complete, the second one system's captions unrelated."""
    bad = at == 1 and "dodo" in item.sources["A"]
    return {"verdict": "unrelated" if bad else "complete"}


@pytest.fixture
def people() -> Callable[..., list[Rater]]:
    return add_people


@pytest.fixture
def let_work() -> Callable[..., int]:
    return work


@pytest.fixture
def tagged(site: Any) -> Campaign:
    """Six captions with two verdicts each; the raters differ on the three of dodo."""
    found: Campaign = site.campaign("tagging", raters=2, two_rounds=False)
    work(site, found, add_people(site, found), verdicts)
    return found


def picture(shade: int = 0, kind: str = "PNG", size: tuple[int, int] = (8, 6)) -> bytes:
    kept = BytesIO()
    Image.new("RGB", size, (shade % 256, 90, 90)).save(kept, kind)
    return kept.getvalue()


def archive(entries: dict[str, bytes]) -> bytes:
    kept = BytesIO()
    with ZipFile(kept, "w") as made:
        for name, content in entries.items():
            made.writestr(name, content)
    return kept.getvalue()


@pytest.fixture
def make_picture() -> Callable[..., bytes]:
    return picture


@pytest.fixture
def make_archive() -> Callable[[dict[str, bytes]], bytes]:
    return archive
