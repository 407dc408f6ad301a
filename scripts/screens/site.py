"""The demo as a running server, with the people whose pages are shown."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from playwright.sync_api import BrowserContext

from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Account, Campaign, NewRater, Rater, Settings
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.simulate.demo import make_demo
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment
from captious.corpus.load import load_corpus
from captious.crowd import arrivals, calls, studies, visits
from captious.crowd.studies import Stored
from captious.crowd.values import Arrival, Question
from captious.data import demo_files
from captious.web.app import create_app
from captious.web.settings import WebSettings

SECRET = b"screenshots are no secret at all"
SCREENING = (Question("Do you read English well?", ("Yes", "No"), ("Yes",)),)
COMPREHENSION = (
    Question(
        "What does 9 mean?",
        ("Only the left caption fits", "Only the right caption fits"),
        ("Only the right caption fits",),
    ),
)


TRAINED, GAME = "with-training", "the-game"
SURVEY = """
questions:
  - aspect: english
    ask: How well do you read English?
    low: 1
    high: 5
    labels: {1: A little, 5: It is my first language}
  - aspect: colours
    ask: Do you have difficulty telling colours apart?
    options: ["no", "yes", "I do not know"]
"""


@dataclass
class Site:
    """The demo as a running server, and an empty one that has no owner yet."""

    db: Database
    address: str
    empty: Database
    empty_address: str
    campaigns: dict[str, Campaign]
    owner: Account
    guests: dict[str, Rater] = field(default_factory=dict)

    def slug(self, protocol: str) -> str:
        """The name of a protocol's campaign in addresses."""
        return self.campaigns[protocol].slug

    def sign_in(self, context: BrowserContext) -> None:
        """Give a browser the owner's session."""
        token, _ = accounts.start_session(self.db, self.owner, hours=2)
        context.add_cookies([_cookie("captious_session", token, self.address)])

    def enter(self, context: BrowserContext, protocol: str, rater: Rater | None = None) -> None:
        """Give a browser a rater's session: the guest's of this campaign, or another's."""
        self.let_in(context, self.campaigns[protocol], rater or self.guest(protocol))

    def let_in(self, context: BrowserContext, campaign: Campaign, rater: Rater) -> None:
        """Give a browser the session of a rater of any campaign."""
        token, _ = accounts.start_session(self.db, rater, hours=2)
        context.add_cookies([_cookie(f"captious_session_{campaign.slug}", token, self.address)])

    def guest(self, protocol: str) -> Rater:
        """One rater of a campaign whose work is shown."""
        if protocol not in self.guests:
            first = protocol == "thumb"
            self.guests[protocol] = self.reader(second=False) if first else self.someone(protocol)
        return self.guests[protocol]

    def someone(self, protocol: str) -> Rater:
        """A new rater."""
        new = [NewRater("You", native=True)]
        return raters.add(self.db, self.campaigns[protocol], new, actor="demo")[0]

    def reader(self, *, second: bool) -> Rater:
        """A rater of THumB who is given an image that nobody, or that someone has scored."""
        for _ in range(40):
            rater = self.someone("thumb")
            tasks = assignment.next_tasks(self.db, self.campaigns["thumb"], rater)
            if tasks and bool(tasks[0].item.prior) == second:
                return rater
        raise SystemExit("no such stage is open in the demo")

    def idle(self) -> tuple[str, Rater]:
        """A rater who has nothing to do."""
        for protocol, campaign in self.campaigns.items():
            for rater in raters.listed(self.db, campaign):
                if rater.answered and not assignment.next_tasks(self.db, campaign, rater):
                    return protocol, rater
        raise SystemExit("everyone in the demo has work")

    def study(self) -> Stored:
        """A study of the HUMANr campaign with a panel: some have finished, one gave the place back."""
        campaign = self.campaigns["humanr"]
        known = studies.listed(self.db, campaign)
        if known:
            return known[-1]
        plan = {"places": 15, "answers": 10, "reward": 25, "currency": "USD", "minutes": 1.0, "budget": 600}
        questions = {"screening": SCREENING, "comprehension": COMPREHENSION}
        study = studies.new_study(campaign, "https://rate.example.org", **plan, **questions)
        options = {"parameter": "pid", "completed": "https://panel.example/back?code={code}"}
        planned = studies.create(self.db, campaign, study, "panel", options, actor="demo")
        stored = calls.publish(self.db, planned, actor="demo")
        for at, outcome in enumerate(("completed",) * 5 + ("screened_out", "failed")):
            visit = self.visit(stored, f"p{at}", 90.0 + 10 * at)
            arrivals.end(self.db, stored, visit, outcome)
        for visit in visits.of_study(self.db, stored.id)[:3]:
            calls.approve(self.db, stored, visit)
        return stored

    def visit(self, stored: Stored, name: str, ago: float) -> visits.Visit:
        """A participant who came so many seconds ago."""
        found = arrivals.begin(self.db, stored, self.campaigns["humanr"], Arrival(name, name), secret=SECRET)
        if not isinstance(found, visits.Visit):
            raise SystemExit(f"{name} is turned away: {found.reason}")
        with self.db.write() as connection:
            visits.change(connection, found.id, arrived=self.db.now() - ago)
        return found


def _cookie(name: str, value: str, address: str) -> dict[str, str]:
    return {"name": name, "value": value, "url": address}


@contextmanager
def serving(db: Database, *, demo: bool) -> Iterator[str]:
    """The application on a free port."""
    app = create_app(WebSettings(database="given", secret=SECRET, demo=demo), db)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def open_site(folder: Path) -> Iterator[Site]:
    """The demo and an empty installation, both running."""
    with (
        Database.open(folder / "demo.db") as db,
        Database.open(folder / "empty.db") as empty,
        serving(db, demo=True) as address,
        serving(empty, demo=False) as empty_address,
    ):
        campaigns = {one.protocol: one for one in make_demo(db, seed=7)}
        owner = accounts.create_account(db, "demo", "a long demo password", "owner", actor="demo")
        yield Site(db, address, empty, empty_address, campaigns, owner)


def trained(site: Site) -> Campaign:
    """A campaign with a training and a survey before the work, made where it is not there yet."""
    known = [one for one in lifecycle.listed(site.db) if one.slug == TRAINED]
    if known:
        return known[0]
    sample = demo_files()
    corpus = load_corpus(sample.systems[:2], [sample.references], images=sample.images)
    settings = Settings(survey_before=SURVEY, training_pass=0.7)
    drafted = create.draft(
        "thumb", corpus, title="Alt text with a training", slug=TRAINED, settings=settings, training="sample"
    )
    made = create.create(site.db, drafted, actor="script")
    return lifecycle.open_campaign(site.db, made, actor="script")


def game(site: Site) -> Campaign:
    """A rating game over the sample, made where it is not there yet."""
    known = [one for one in lifecycle.listed(site.db) if one.slug == GAME]
    if known:
        return known[0]
    sample = demo_files()
    corpus = load_corpus(sample.systems[:2], [sample.references], images=sample.images)
    drafted = create.draft(
        "game", corpus, title="The rating game", slug=GAME, protocol_file=sample.game.read_text()
    )
    made = create.create(site.db, drafted, actor="script")
    return lifecycle.open_campaign(site.db, made, actor="script")
