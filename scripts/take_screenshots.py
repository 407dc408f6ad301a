"""Take the documentation's screenshots of the web application: docs/images/web.

Runs the demo on a free port, goes to every page, and keeps each as seen on a desk and on a phone:
python scripts/take_screenshots.py [name …]. Needs Playwright and Chromium.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from captious.campaigns.entry import surveys, training
from captious.campaigns.people import accounts, links, raters
from captious.campaigns.quality import adjudication, gold
from captious.campaigns.records import Account, Campaign, NewRater, Rater, Settings
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.simulate.demo import make_demo
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, reading
from captious.corpus.load import load_corpus
from captious.crowd import arrivals, calls, studies, visits
from captious.crowd.studies import Stored
from captious.crowd.values import Arrival, Question
from captious.data import demo_files
from captious.web import entrance, tickets
from captious.web.app import create_app
from captious.web.settings import WebSettings

OUT = Path(__file__).resolve().parent.parent / "docs" / "images" / "web"
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 760}
ADMIN_DESK = {"width": 1000, "height": 1000}
MOST_BYTES = 150_000
SECRET = b"screenshots are no secret at all"
SCREENING = (Question("Do you read English well?", ("Yes", "No"), ("Yes",)),)
COMPREHENSION = (
    Question(
        "What does 9 mean?",
        ("Only the left caption fits", "Only the right caption fits"),
        ("Only the right caption fits",),
    ),
)


TRAINED = "with-training"
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
        campaign = self.campaigns[protocol]
        token, _ = accounts.start_session(self.db, rater or self.guest(protocol), hours=2)
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


Visit = Callable[[Page, Site], None]


@dataclass(frozen=True)
class Stop:
    """A page to see; `photo` pictures are JPEG, the others PNG."""

    name: str
    visit: Visit
    photo: bool = False
    script: bool = True

    @property
    def file(self) -> str:
        """The picture's ending."""
        return "jpg" if self.photo else "png"


def _public(address: str) -> Visit:
    def visit(page: Page, site: Site) -> None:
        page.goto(site.address + address)

    return visit


def _admin(path: str, protocol: str = "") -> Visit:
    def visit(page: Page, site: Site) -> None:
        site.sign_in(page.context)
        slug = f"/c/{site.slug(protocol)}" if protocol else ""
        page.goto(f"{site.address}/admin{slug}{path}")
        for _ in range(200):
            if not page.locator("[data-computing], [data-state=waiting]").count():
                break
            page.wait_for_timeout(250)  # what is computed or drawn comes by itself

    return visit


def _work(protocol: str) -> Visit:
    def visit(page: Page, site: Site) -> None:
        site.enter(page.context, protocol)
        page.goto(f"{site.address}/work/{site.slug(protocol)}")

    return visit


def _then(visit: Visit, act: Visit) -> Visit:
    def both(page: Page, site: Site) -> None:
        visit(page, site)
        act(page, site)

    return both


def _join(page: Page, site: Site) -> None:
    token = links.make_link(site.db, site.guest("humanr"), secret=SECRET)
    page.goto(f"{site.address}/join/{token}")


def _setup(page: Page, site: Site) -> None:
    now = site.empty.now()
    ticket = tickets.issue(SECRET, entrance.SETUP, "owner", now=now, hours=1)
    page.goto(f"{site.empty_address}/setup/{ticket}")


def _demo(page: Page, site: Site) -> None:
    ticket = tickets.issue(SECRET, entrance.DEMO, site.owner.name, now=site.db.now(), hours=1)
    page.goto(f"{site.address}/demo/{ticket}")


def _second(page: Page, site: Site) -> None:
    site.enter(page.context, "thumb", site.reader(second=True))
    page.goto(f"{site.address}/work/{site.slug('thumb')}")


def _changed(page: Page, site: Site) -> None:
    """A score that the second reader changes."""
    recall = page.locator('[data-question="A.recall"] input')
    kept = [box.is_checked() for box in recall.all()]
    recall.nth((kept.index(True) + 1) % len(kept)).check()


def _penalised(page: Page, site: Site) -> None:
    """A caption that is half judged."""
    page.locator('[data-question="A.precision"] input[value="4"]').check()
    page.locator('[data-question="A.errors"] input').first.check()


def _idle(page: Page, site: Site) -> None:
    protocol, rater = site.idle()
    site.enter(page.context, protocol, rater)
    page.goto(f"{site.address}/work/{site.slug(protocol)}")


def _correcting(page: Page, site: Site) -> None:
    site.enter(page.context, "tagging", site.someone("tagging"))
    page.goto(f"{site.address}/work/{site.slug('tagging')}")
    page.get_by_label("Minor errors").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    page.get_by_role("link", name="Undo").click()


def _answers(page: Page, site: Site) -> None:
    """Some answers of one's own."""
    site.enter(page.context, "humanr", site.someone("humanr"))
    page.goto(f"{site.address}/work/{site.slug('humanr')}")
    for key in "258":
        page.keyboard.press(key)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.goto(f"{site.address}/answers/{site.slug('humanr')}")


def _asked(page: Page, site: Site) -> None:
    """Another tab has answered meanwhile."""
    site.enter(page.context, "humanr", site.someone("humanr"))
    page.goto(f"{site.address}/work/{site.slug('humanr')}")
    other = page.context.new_page()
    other.goto(page.url)
    for tab, key in ((other, "3"), (page, "6")):
        tab.keyboard.press(key)
        with tab.expect_navigation():
            tab.keyboard.press("Enter")


def _offline(page: Page, site: Site) -> None:
    page.locator("[data-question] input").nth(1).check()
    page.context.set_offline(True)
    page.get_by_role("button", name="Submit").click()
    page.locator("#net").wait_for()


def _unanswered(page: Page, site: Site) -> None:
    """An empty form as a browser without script sends it."""
    page.locator("[data-answers]").evaluate("form => form.submit()")
    page.locator(".error-summary").wait_for()


def _trained(site: Site) -> Campaign:
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


def _newcomer(page: Page, site: Site, *, answered: bool) -> Campaign:
    """A new rater of that campaign at their first page, the survey answered or not."""
    campaign = _trained(site)
    (rater,) = raters.add(site.db, campaign, [NewRater("Guest")], actor="script")
    if answered:
        surveys.answer(site.db, campaign, rater, "before", {"english": 4, "colours": "no"})
    token, _ = accounts.start_session(site.db, rater, hours=1)
    name = f"captious_session_{campaign.slug}"
    page.context.add_cookies([{"name": name, "value": token, "url": site.address}])
    page.goto(f"{site.address}/work/{campaign.slug}")
    return campaign


def _survey(page: Page, site: Site) -> None:
    _newcomer(page, site, answered=False)


def _training(page: Page, site: Site) -> None:
    _newcomer(page, site, answered=True)


def _training_example(page: Page, site: Site) -> None:
    _newcomer(page, site, answered=True)
    page.get_by_role("link", name="Start the training").click()


def _training_told(page: Page, site: Site) -> None:
    """What was expected, of an example that was answered half right."""
    campaign = _newcomer(page, site, answered=True)
    rater = raters.listed(site.db, campaign)[-1]
    first, second, third = training.examples(site.db, campaign)[:3]
    fine = {"A.conciseness": "0", "A.inclusive_language": "0"}
    for kept in (first, second):
        said = {**fine, "A.precision": 5, "A.recall": 5}
        training.answer(site.db, campaign, rater, kept, 1, said)
    wrong = {**fine, "A.precision": 1, "A.errors": {"wrong": None}, "A.corrected": "A cat.", "A.recall": 4}
    training.answer(site.db, campaign, rater, third, 1, wrong)
    page.goto(f"{site.address}/begin/{campaign.slug}/training/1/3")


def _lead(path: str) -> Visit:
    """A page of the lead about the campaign with a training."""

    def visit(page: Page, site: Site) -> None:
        campaign = _trained(site)
        keys = [item.key for item in reading.items(site.db, campaign)[:2]]
        known = {key: {"A.precision": 5, "B.recall": {"value": 3, "tolerance": 1}} for key in keys}
        gold.set_gold(site.db, campaign, known, actor="script")
        site.sign_in(page.context)
        page.goto(f"{site.address}/admin/c/{campaign.slug}/{path}")

    return visit


def _marking(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Change").first.click()


def _key(key: str) -> Visit:
    return lambda page, site: page.keyboard.press(key)


def _draft(page: Page, site: Site, protocol: str = "tagging") -> None:
    """A draft from the sample's own files."""
    _admin(f"/new/{protocol}")(page, site)
    sample = demo_files()
    page.locator('[name="title"]').fill("Captions of autumn")
    page.locator('[name="candidates"]').set_input_files(sample.systems)
    page.locator('[name="references"]').set_input_files(sample.references)
    page.locator('[name="images"]').set_input_files(sorted(sample.images.glob("*.jpg")))
    page.get_by_role("button", name="Preview").click()
    page.locator(".previews").wait_for()


def _preview(page: Page, site: Site) -> None:
    _draft(page, site, "humanr")


def _try(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Try it as a rater").click()


def _tried(page: Page, site: Site) -> None:
    page.get_by_label("Minor errors").check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", level=1).wait_for()


def _edit(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Change files or rules").click()


def _links(page: Page, site: Site) -> None:
    page.locator('[name="lines"]').fill("Ann Lee, ann@example.org, native\nBo Carlsen")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator(".links").wait_for()


def _remove(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Remove").first.click()


def _disagreement(page: Page, site: Site) -> None:
    (one,) = adjudication.disagreements(site.db, site.campaigns["thumb"], limit=1)
    site.sign_in(page.context)
    page.goto(f"{site.address}/admin/c/{site.slug('thumb')}/disagreements/{one.item.key}")


def _arrive(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/go/{site.study().study.key}?pid=ada-7")


def _completed(page: Page, site: Site) -> None:
    stored = site.study()
    campaign = site.campaigns["humanr"]
    visit = site.visit(stored, f"done-{len(visits.of_study(site.db, stored.id))}", 100.0)
    rater = arrivals.admit(site.db, stored, campaign, visit)
    arrivals.end(site.db, stored, visit, "completed")
    site.enter(page.context, "humanr", rater)
    page.goto(f"{site.address}/go/{stored.study.key}/done")


def _crowd(page: Page, site: Site) -> None:
    site.study()
    _admin("/crowd", "humanr")(page, site)


def _crowd_estimate(page: Page, site: Site) -> None:
    page.locator('[name="places"]').fill("20")
    page.locator('[name="reward"]').fill("0.20")
    page.locator('[name="options"]').fill("parameter=pid")
    page.get_by_role("button", name="What does it cost?").click()


STOPS = (
    Stop("home", _public("/")),
    Stop("not-found", _public("/nowhere")),
    Stop("setup", _setup),
    Stop("demo", _demo),
    Stop("rater-join", _join, photo=True),
    Stop("rater-link-refused", _public("/join/cut-short")),
    Stop("rater-arrive", _arrive),
    Stop("rater-completed", _completed),
    Stop("rater-thumb", _then(_work("thumb"), _penalised), photo=True),
    Stop("rater-thumb-second", _then(_second, _changed), photo=True),
    Stop("rater-humanr", _work("humanr"), photo=True),
    Stop("rater-tagging", _work("tagging"), photo=True),
    Stop("rater-audit", _work("audit"), photo=True),
    Stop("rater-generic", _work("generic"), photo=True),
    Stop("rater-guide", _then(_work("thumb"), _key("g")), photo=True),
    Stop("rater-keys", _then(_work("humanr"), _key("k")), photo=True),
    Stop("rater-zoom", _then(_work("humanr"), _key("z")), photo=True),
    Stop("rater-offline", _then(_work("humanr"), _offline), photo=True),
    Stop("rater-error-plain", _then(_work("audit"), _unanswered), photo=True, script=False),
    Stop("rater-correcting", _correcting, photo=True),
    Stop("rater-problem", _then(_work("tagging"), _key("p")), photo=True),
    Stop("rater-answers", _answers, photo=True),
    Stop("rater-asked", _asked),
    Stop("rater-nothing", _idle),
    Stop("rater-survey", _survey),
    Stop("rater-training", _training),
    Stop("rater-training-example", _training_example, photo=True),
    Stop("rater-training-told", _training_told, photo=True),
    Stop(
        "rater-guide-page",
        lambda page, site: (
            _work("thumb")(page, site),
            page.goto(f"{site.address}/guide/{site.slug('thumb')}"),
        )[0],
    ),
    Stop("admin-sign-in", _public("/admin/sign-in")),
    Stop("admin-campaigns", _admin("")),
    Stop("admin-new", _admin("/new")),
    Stop("admin-files", _admin("/new/thumb")),
    Stop("admin-files-own", _admin("/new/generic")),
    Stop("admin-preview", _preview, photo=True),
    Stop("admin-edit", _then(_draft, _edit)),
    Stop("admin-dry-run", _then(_draft, _try), photo=True),
    Stop("admin-tried", _then(_then(_draft, _try), _tried)),
    Stop("admin-overview", _admin("", "thumb")),
    Stop("admin-confirm", _admin("/do/audit", "thumb")),
    Stop("admin-raters", _admin("/raters", "humanr")),
    Stop("admin-links", _then(_admin("/raters", "humanr"), _links)),
    Stop("admin-remove", _then(_admin("/raters", "humanr"), _remove)),
    Stop("admin-agreement", _admin("/agreement", "thumb")),
    Stop("admin-results", _admin("/results", "humanr")),
    Stop("admin-results-thumb", _admin("/results", "thumb")),
    Stop("admin-results-audit", _admin("/results", "audit")),
    Stop("admin-quality", _admin("/quality", "generic")),
    Stop("admin-disagreements", _admin("/disagreements", "thumb")),
    Stop("admin-adjudicate", _disagreement, photo=True),
    Stop("admin-crowd", _crowd),
    Stop("admin-crowd-estimate", _then(_crowd, _crowd_estimate)),
    Stop("admin-exports", _admin("/exports", "thumb")),
    Stop("admin-settings", _admin("/settings", "thumb")),
    Stop("admin-training", _lead("training")),
    Stop("admin-gold", _lead("gold")),
    Stop("admin-gold-item", _then(_lead("gold"), _marking), photo=True),
    Stop("admin-log", _admin("/log", "thumb")),
    Stop("admin-whole-log", _admin("/log")),
    Stop("admin-accounts", _admin("/accounts")),
    Stop("admin-account", _admin("/account")),
)
# Shown in dark colours too.
DARK = ("rater-tagging", "admin-agreement")


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


def keep(picture: bytes, path: Path) -> int:
    """Write a picture small enough for a page of documentation; returns its bytes."""
    shot = Image.open(io.BytesIO(picture)).convert("RGB")
    for quality in (82, 74, 66, 58, 50):
        kept = io.BytesIO()
        if path.suffix == ".jpg":
            shot.save(kept, "JPEG", quality=quality, optimize=True, progressive=True)
        else:
            shot.quantize(quality * 2).save(kept, "PNG", optimize=True)
        if kept.tell() <= MOST_BYTES:
            break
    path.write_bytes(kept.getvalue())
    return kept.tell()


def shoot(browser: Browser, site: Site, stop: Stop, suffix: str) -> int:
    """One picture of one page."""
    phone = "phone" in suffix
    desk = ADMIN_DESK if stop.name.startswith("admin") and not stop.photo else DESK
    context = browser.new_context(
        viewport=PHONE if phone else desk,
        device_scale_factor=2 if phone and stop.photo else 1.5 if phone else 1,
        color_scheme="dark" if "dark" in suffix else "light",
        java_script_enabled=stop.script,
        reduced_motion="reduce",
    )
    page = context.new_page()
    stop.visit(page, site)
    page.wait_for_load_state("networkidle")
    size = keep(page.screenshot(), OUT / f"{stop.name}{suffix}.{stop.file}")
    context.close()
    return size


def main() -> None:
    """Take them all, or those that are named."""
    wanted = sys.argv[1:]
    unknown = set(wanted) - {stop.name for stop in STOPS}
    if unknown:
        raise SystemExit(f"no such page: {', '.join(sorted(unknown))}")
    OUT.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, open_site(Path(folder)) as site, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for stop in STOPS:
            if wanted and stop.name not in wanted:
                continue
            for suffix in ("", "-phone", *(("-dark",) if stop.name in DARK else ())):
                size = shoot(browser, site, stop, suffix)
                print(f"{stop.name}{suffix}.{stop.file}\t{size // 1000} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
