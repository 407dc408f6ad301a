"""A server with a campaign of each protocol, and browsers of its raters."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("fastapi", reason="the web application needs captious[web]")

import uvicorn
from playwright import sync_api as playwright

from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Campaign, NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.web.app import create_app
from captious.web.settings import WebSettings

DESK = {"width": 1280, "height": 900}

TEN = """
name: ten
kind: likert
questions:
  - {aspect: good, ask: "How good is it?", low: 0, high: 10}
  - {aspect: useful, ask: "How useful is it?", low: 0, high: 10}
"""


LABELLED = """
name: labelled
kind: likert
raters: 3
questions:
  - aspect: good
    ask: Would it help someone who cannot see the image?
    labels: {1: Not at all, 5: Very much}
"""


class Served:
    """A running server with a campaign of each protocol."""

    def __init__(self, db: Database, address: str, campaigns: dict[str, Campaign]) -> None:
        self.db, self.address, self.campaigns = db, address, campaigns

    def stored(self, protocol: str) -> list[Any]:
        return list(responses.stored(self.db, self.campaigns[protocol]))

    def enter(self, context: playwright.BrowserContext, protocol: str) -> playwright.Page:
        """A page of a new rater's work."""
        campaign = self.campaigns[protocol]
        (rater,) = raters.add(self.db, campaign, [NewRater("Ada")], actor="test")
        token, _ = accounts.start_session(self.db, rater, hours=1)
        name = f"captious_session_{campaign.slug}"
        context.add_cookies([{"name": name, "value": token, "url": self.address}])
        page = context.new_page()
        page.goto(f"{self.address}/work/{campaign.slug}")
        return page


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    sample = demo_files()
    corpus = load_corpus(sample.systems, [sample.references], images=sample.images)
    with Database.open(folder / "captious.db") as db:
        campaigns = {}
        for name in ("thumb", "humanr", "tagging", "audit"):
            made = create.create(db, create.draft(name, corpus, title=name), actor="test")
            campaigns[name] = lifecycle.open_campaign(db, made, actor="test")
        one = load_corpus(sample.systems[:1], [sample.references], images=sample.images)
        made = create.create(db, create.draft("thumb", one, title="thumb-one"), actor="test")
        campaigns["thumb-one"] = lifecycle.open_campaign(db, made, actor="test")
        for title, text in (("ten", TEN), ("labelled", LABELLED)):
            drafted = create.draft("generic", corpus, title=title, protocol_file=text)
            made = create.create(db, drafted, actor="test")
            campaigns[title] = lifecycle.open_campaign(db, made, actor="test")
        app = create_app(WebSettings(database="given", secret=b"s" * 32), db)
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield Served(db, f"http://127.0.0.1:{listener.getsockname()[1]}", campaigns)
        server.should_exit = True
        thread.join()


@pytest.fixture
def context(chromium: playwright.Browser, served: Served) -> Iterator[playwright.BrowserContext]:
    """A browser whose pages must make no error and ask nobody else."""
    made = chromium.new_context(viewport=DESK)
    problems: list[str] = []

    def watch(page: playwright.Page) -> None:
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith(served.address) else problems.append(asked.url),
        )

    made.on("page", watch)
    yield made
    made.close()
    assert problems == []
