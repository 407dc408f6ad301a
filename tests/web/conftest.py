"""A site over a real database, and visitors who use it as browsers do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from fastapi.testclient import TestClient
from PIL import Image

from captious.campaigns.people import accounts, links, members, raters
from captious.campaigns.records import Account, Campaign, NewRater, Rater, Settings, Task
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment
from captious.corpus import Corpus
from captious.web.app import create_app
from captious.web.settings import WebSettings

SYSTEMS = {"heron": "slowly", "dodo": "fast"}
SECRET = b"a secret of thirty-two bytes ...!"
LIKERT = """
name: helpfulness
kind: likert
comment: true
questions:
  - aspect: helpful
    ask: Would it help someone who cannot see the image?
    low: 0
    high: 100
"""


class Page(HTMLParser):
    """The parts of a page that tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.inputs: list[dict[str, str]] = []
        self.links: list[dict[str, str]] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "input":
            self.inputs.append(found)
        if tag == "a":
            self.links.append(found)

    def hidden(self, name: str) -> str:
        """The value of a hidden field."""
        return next(one["value"] for one in self.inputs if one.get("name") == name)

    def checked(self) -> dict[str, list[str]]:
        """What is ticked, by name."""
        found: dict[str, list[str]] = {}
        for one in self.inputs:
            if "checked" in one and one.get("name"):
                found.setdefault(one["name"], []).append(one["value"])
        return found

    def action(self) -> str:
        """Where the answers go."""
        return next(one["action"] for tag, one in self.tags if "data-answers" in one)


class Visitor:
    """A browser with its cookies."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def get(self, address: str, **options: Any) -> Any:
        return self.client.get(address, follow_redirects=False, **options)

    def post(self, address: str, **options: Any) -> Any:
        return self.client.post(address, follow_redirects=False, **options)

    def page(self, address: str) -> Page:
        answer = self.client.get(address)
        assert answer.status_code == 200, answer.text
        return Page(answer.text)


class Site:
    """An application with campaigns in it."""

    def __init__(self, db: Database, **settings: Any) -> None:
        self.db = db
        self.settings = WebSettings(database="given", secret=SECRET, **settings)
        self.app = create_app(self.settings, db)

    def visitor(self) -> Visitor:
        return Visitor(TestClient(self.app, raise_server_exceptions=False))

    def campaign(
        self,
        protocol: str = "tagging",
        *,
        images: int = 3,
        title: str = "Dogs",
        captions: Callable[[int, str], str] = "A dog runs {1} at place {0}.".format,
        settings: Settings | None = None,
        opened: bool = True,
        **options: Any,
    ) -> Campaign:
        rows = [(image, system) for image in range(images) for system in SYSTEMS]
        corpus = Corpus.from_lists(
            [captions(image, SYSTEMS[system]) for image, system in rows],
            [[f"Dog {image} runs.", f"The dog at {image}."] for image, _ in rows],
            image_ids=[f"i{image}" for image, _ in rows],
            systems=[system for _, system in rows],
        )
        draft = create.draft(
            protocol,
            corpus,
            title=title,
            options=options,
            settings=settings,
            protocol_file=LIKERT if protocol == "generic" else None,
            images={f"i{image}": self._picture(image) for image in range(images)},
        )
        made = create.create(self.db, draft, actor="lea")
        for account in accounts.accounts(self.db):
            self._let_in(account, made)
        return lifecycle.open_campaign(self.db, made, actor="lea") if opened else made

    def _picture(self, shade: int) -> Path:
        path = self.db.files / "given" / f"{shade}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = BytesIO()
        Image.new("RGB", (8, 6), (shade * 20 % 256, 90, 90)).save(kept, "PNG")
        path.write_bytes(kept.getvalue())
        return path

    def invite(self, campaign: Campaign, name: str = "Ada") -> tuple[Rater, str]:
        """A new rater and the address of their link."""
        (rater,) = raters.add(self.db, campaign, [NewRater(name)], actor="lea")
        return rater, "/join/" + links.make_link(self.db, rater, secret=SECRET)

    def rater(self, campaign: Campaign, name: str = "Ada") -> tuple[Visitor, Rater]:
        """A browser in which a new rater has opened their link."""
        rater, address = self.invite(campaign, name)
        visitor = self.visitor()
        csrf = visitor.page(address).hidden("csrf")
        assert visitor.post(address, data={"csrf": csrf}).status_code == 303
        return visitor, rater

    def account(self, role: str = "owner") -> Visitor:
        """A browser in which an account is signed in."""
        made = accounts.create_account(self.db, f"{role} one", "correct horse battery", role, actor="test")
        for campaign in lifecycle.listed(self.db):
            self._let_in(made, campaign)
        token, _ = accounts.start_session(self.db, made, hours=1)
        visitor = self.visitor()
        visitor.client.cookies.set("captious_session", token)
        return visitor

    def _let_in(self, account: Account, campaign: Campaign) -> None:
        with self.db.write() as connection:
            members.put(connection, campaign, account.id, account.role)

    def task(self, campaign: Campaign, rater: Rater) -> Task:
        return assignment.next_tasks(self.db, campaign, rater)[0]


def pairs_for(task: Task) -> dict[str, str]:
    """Fields that a page would send for a valid answer."""
    found = {}
    for field in task.item.form.fields:
        if field.kind in ("number", "scale"):
            found[field.name] = f"{field.low if task.item.check == 'right' else field.high:g}"
        elif field.kind in ("choice", "pair", "yes_no"):
            found[field.name] = field.options[0].value
    return found


@pytest.fixture
def site(sqlite_url: str, tmp_path: Path, clock: Any) -> Iterator[Site]:
    """A site on SQLite."""
    with Database.open(sqlite_url, files=tmp_path / "files", clock=clock) as found:
        yield Site(found)


@pytest.fixture
def make_site() -> type[Site]:
    """For sites with other settings or on another engine."""
    return Site


@pytest.fixture
def answer_pairs() -> Callable[[Task], dict[str, str]]:
    """`pairs_for`."""
    return pairs_for


@pytest.fixture
def read_page() -> type[Page]:
    """`Page`."""
    return Page


@pytest.fixture
def fuzz_operation() -> Callable[[Any, int, Callable[[Any], Any]], None]:
    """Send made-up requests for one operation of an OpenAPI document; each answer must be documented."""
    pytest.importorskip("schemathesis", reason="needs schemathesis")
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    def fuzz(operation: Any, examples: int, send: Callable[[Any], Any]) -> None:
        @seed(7)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def attempt(case: Any) -> None:
            wanted = [
                not_a_server_error,
                checks.status_code_conformance,
                checks.content_type_conformance,
                checks.response_headers_conformance,
                checks.response_schema_conformance,
            ]
            case.validate_response(send(case), checks=wanted)

        attempt()

    return fuzz
