"""A real server, the sample cut small, and people who use the pages in three ways."""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("fastapi", reason="the web application needs captious[web]")

import uvicorn
from playwright import sync_api as playwright

from captious.campaigns.people import accounts
from captious.campaigns.store.database import Database
from captious.corpus.judged import read_judgments
from captious.data import demo_files
from captious.web.app import create_app
from captious.web.settings import WebSettings

DESK = {"width": 1280, "height": 900}
OWNER, PASSWORD = "Lea Owner", "correct horse battery"
FARTHEST = 150
# Pages of a campaign below a tab.
PARTS = {
    "Training": "Raters",
    "Crowd": "Raters",
    "Known answers": "Quality",
    "Disagreements": "Quality",
    "Notes": "Quality",
    "Agreement": "Results",
    "Log": "Settings",
}
PATIENCE = 120_000  # milliseconds
Answers = Mapping[str, Any]
# (stage, rater, image, system, aspect) and the value.
Said = dict[tuple[str, str, str, str, str], float]


@pytest.fixture(scope="module")
def chromium() -> Iterator[playwright.Browser]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("no Chromium here: install it, or set $CHROMIUM to its path")
    with playwright.sync_playwright() as play:
        started = play.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield started
        started.close()


class Clock:
    """The time of day, until a test moves it."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


class Studio:
    """A server with an owner and no campaign, and the browsers that visit it."""

    def __init__(self, db: Database, address: str, browser: playwright.Browser, clock: Clock) -> None:
        self.db, self.address, self.browser, self.clock = db, address, browser, clock
        self.contexts: list[playwright.BrowserContext] = []
        self.problems: list[str] = []

    def context(self, **options: Any) -> playwright.BrowserContext:
        """A browser of its own that waits long: a time limit only ends a test that has failed."""
        made = self.browser.new_context(**options)
        made.set_default_timeout(PATIENCE)
        playwright.expect.set_options(timeout=PATIENCE)
        self.contexts.append(made)
        return made

    def visitor(self, way: str = "mouse", **options: Any) -> Hand:
        """Someone with a browser of their own. A page's error or a foreign request is noted."""
        context = self.context(**{"viewport": DESK, "java_script_enabled": way != "plain"} | options)
        context.on("page", self._watch)
        return HANDS[way](context.new_page(), self.address)

    def owner(self, way: str = "mouse", **options: Any) -> Hand:
        """The owner, signed in through the page."""
        hand = self.visitor(way, **options)
        hand.open("/admin")
        hand.write("name", OWNER)
        hand.write("password", PASSWORD)
        hand.push("Sign in")
        return hand

    def _watch(self, page: playwright.Page) -> None:
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._asked)
        page.on("console", self._said)

    def _asked(self, request: playwright.Request) -> None:
        # What a page has made itself, such as a recording, is no request to anybody.
        if not request.url.removeprefix("blob:").startswith(self.address):
            self.problems.append(request.url)

    def _said(self, message: playwright.ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "Content-Security" in message.text:
            self.problems.append(message.text)

    def leave(self) -> None:
        """Close every browser; nothing may have gone wrong in any."""
        while self.contexts:
            self.contexts.pop().close()
        found, self.problems = self.problems, []
        assert found == []


@pytest.fixture(scope="module")
def server(chromium: playwright.Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    clock = Clock()
    with Database.open(folder / "captious.db", clock=clock) as db:
        accounts.create_account(db, OWNER, PASSWORD, "owner", actor="test")
        app = create_app(WebSettings(database="given", secret=b"s" * 32), db)
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        yield Studio(db, f"http://127.0.0.1:{listener.getsockname()[1]}", chromium, clock)
        running.should_exit = True
        thread.join()


@pytest.fixture
def studio(server: Studio) -> Iterator[Studio]:
    """The server, whose browsers are closed and asked for errors after the test."""
    yield server
    server.leave()


class Hand:
    """Someone at a browser who uses the mouse; without script the pages are used the same way."""

    way = "mouse"

    def __init__(self, page: playwright.Page, address: str) -> None:
        self.page, self.address = page, address

    def open(self, path: str) -> None:
        """Type an address of the site."""
        self.page.goto(path if path.startswith("http") else self.address + path)

    def follow(self, name: str, **options: Any) -> None:
        """Go where a link leads."""
        self.activate(self.page.get_by_role("link", name=name, **options).first)

    def push(self, name: str, **options: Any) -> None:
        """Press a button that leads to another page."""
        self.activate(self.page.get_by_role("button", name=name, **options).first)

    def activate(self, target: playwright.Locator) -> None:
        """Use a link or a button and wait for the page that it brings."""
        with self.page.expect_navigation():
            target.click()

    def write(self, name: str, text: str) -> None:
        """Fill in the field of a form."""
        self.page.locator(f'[name="{name}"]').fill(text)

    def tick(self, name: str, on: bool = True) -> None:
        """Tick or untick a box."""
        self.page.locator(f'[name="{name}"]').set_checked(on)

    def give(self, name: str, files: list[Path]) -> None:
        """Choose files."""
        self.page.locator(f'[name="{name}"]').set_input_files(files)

    def download(self, name: str, folder: Path) -> Path:
        """Press a button that sends a file."""
        with self.page.expect_download() as found:
            self.page.get_by_role("button", name=name).click()
        path = folder / f"{self.way}-{found.value.suggested_filename}"
        found.value.save_as(path)
        return path

    def captions(self) -> dict[str, str]:
        """The captions on a rater's page by their letter or side."""
        names = self.page.locator(".caption-card > legend, .caption-card > .side").all_inner_texts()
        texts = self.page.locator(".caption-card > .caption-text").all_inner_texts()
        return {
            name.split()[-1].lower() if name in ("Left", "Right") else name.split()[-1]: text
            for name, text in zip(names, texts, strict=True)
        }

    def answer(self, answers: Answers) -> None:
        """Fill in a rater's form: a value, a text, or the boxes to tick with their amounts."""
        for name, value in answers.items():
            question = self.page.locator(f'[data-question="{name}"]')
            if question.locator("select").count():
                for key, place in value.items():
                    question.locator(f'select[name="{name}.{key}"]').select_option(f"{place:g}")
            elif isinstance(value, dict):
                self._boxes(question, value)
            elif question.locator("textarea").count():
                question.locator("textarea").fill(value)
            else:
                question.locator(f'input[type="radio"][value="{value}"]').check()

    def _boxes(self, question: playwright.Locator, ticked: Mapping[str, float]) -> None:
        fold = question.locator("details")
        if ticked and fold.count() and fold.get_attribute("open") is None:
            fold.locator("summary").click()
        for value, amount in ticked.items():
            box = question.locator(f'input[type="checkbox"][value="{value}"]')
            box.check()
            if amount:
                question.locator(f'input[type="number"][name$=".{value}"]').fill(f"{amount:g}")

    def submit(self) -> None:
        """Send the answers."""
        self.activate(self.page.locator("[data-submit]"))

    def unfold(self, words: str) -> None:
        """Open what is folded behind some words."""
        self.page.locator("summary", has_text=words).click()

    def decide(self, name: str, value: str) -> None:
        """Choose a point or an option on an adjudicator's form."""
        self.page.locator(f'[name="{name}"][value="{value}"]').check()


class Plain(Hand):
    """A browser without script."""

    way = "plain"


class Keyboard(Hand):
    """No mouse at all: Tab to what is meant, digits and arrows on a rater's form, Enter."""

    way = "keyboard"

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def reach(self, target: playwright.Locator) -> None:
        """Tab until it has the focus."""
        for _ in range(FARTHEST):
            if target.evaluate("one => one === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"{target}: Tab does not reach it")

    def activate(self, target: playwright.Locator) -> None:
        self.reach(target)
        with self.page.expect_navigation():
            self.press("Enter")

    def write(self, name: str, text: str) -> None:
        self.reach(self.page.locator(f'[name="{name}"]'))
        self.press("Control+a")
        self.page.keyboard.insert_text(text)

    def tick(self, name: str, on: bool = True) -> None:
        box = self.page.locator(f'[name="{name}"]')
        self.reach(box)
        if box.is_checked() != on:
            self.press("Space")

    def unfold(self, words: str) -> None:
        self.reach(self.page.locator("summary", has_text=words))
        self.press("Enter")

    def give(self, name: str, files: list[Path]) -> None:
        self.reach(self.page.locator(f'[name="{name}"]'))
        with self.page.expect_file_chooser() as chooser:
            self.press("Space")
        chooser.value.set_files(files)

    def download(self, name: str, folder: Path) -> Path:
        self.reach(self.page.get_by_role("button", name=name))
        with self.page.expect_download() as found:
            self.press("Enter")
        path = folder / f"{self.way}-{found.value.suggested_filename}"
        found.value.save_as(path)
        return path

    def here(self) -> str:
        """The question that has the focus."""
        found: str = self.page.evaluate(
            "document.activeElement?.closest('[data-question]')?.dataset.question ?? ''"
        )
        return found

    def answer(self, answers: Answers) -> None:
        for name, value in answers.items():
            for _ in range(FARTHEST):
                if self.here() == name:
                    break
                self.press("ArrowUp" if self._above(name) else "ArrowDown")
            assert self.here() == name
            question = self.page.locator(f'[data-question="{name}"]')
            if question.locator("select").count():
                for key, place in value.items():
                    self.reach(question.locator(f'select[name="{name}.{key}"]'))
                    self.press(f"{place:g}")
            elif isinstance(value, dict):
                for option, amount in value.items():
                    self._digit(question, option)
                    if amount:
                        self.page.keyboard.type(f"{amount:g}")
                        self.press("Escape")
            elif question.locator("textarea").count():
                self.page.keyboard.type(value)
                self.press("Escape")
            else:
                self._digit(question, value)

    def _above(self, name: str) -> bool:
        """Whether a question stands above what has the focus."""
        found: bool = self.page.evaluate(
            """name => {
                const wanted = document.querySelector(`[data-question="${name}"]`);
                return Boolean(document.activeElement.compareDocumentPosition(wanted) & 2)
                    && document.activeElement !== document.body;
            }""",
            name,
        )
        return found

    def _digit(self, question: playwright.Locator, value: str) -> None:
        choice = question.locator(f'input[value="{value}"]')
        self.press(choice.get_attribute("data-key") or "no key")

    def submit(self) -> None:
        with self.page.expect_navigation():
            self.press("Control+Enter" if self.on_fold() else "Enter")

    def on_fold(self) -> bool:
        """Whether Enter would open a fold."""
        return bool(self.page.evaluate("document.activeElement.matches('summary')"))

    def decide(self, name: str, value: str) -> None:
        for _ in range(FARTHEST):
            if self.page.evaluate("document.activeElement.name") == name:
                break
            self.press("Tab")
        for _ in range(FARTHEST):
            if self.page.locator(f'[name="{name}"][value="{value}"]').is_checked():
                return
            self.press("Space")
            if self.page.locator(f'[name="{name}"][value="{value}"]').is_checked():
                return
            self.press("ArrowRight")
        raise AssertionError(f"{name}: the arrows do not reach {value}")


HANDS: dict[str, type[Hand]] = {hand.way: hand for hand in (Hand, Keyboard, Plain)}


class Sample:
    """Some images and systems of the demo sample as files to upload."""

    def __init__(self, folder: Path, images: int, systems: tuple[str, ...]) -> None:
        sample = demo_files()
        whole = json.loads(sample.references.read_text())
        kept = whole["images"][:images]
        ids = {image["id"] for image in kept}
        self.candidates, self.images, self.texts = [], [], {}
        folder.mkdir()
        self.references = folder / "references.json"
        notes = [one for one in whole["annotations"] if one["image_id"] in ids]
        self.references.write_text(json.dumps({"images": kept, "annotations": notes}))
        self.humans = {letters(one["caption"]): str(one["image_id"]) for one in notes}
        for path in sample.systems:
            if path.stem in systems:
                rows = [one for one in json.loads(path.read_text()) if one["image_id"] in ids]
                self.candidates.append(folder / path.name)
                self.candidates[-1].write_text(json.dumps(rows))
                for row in rows:
                    self.texts[letters(row["caption"])] = (str(row["image_id"]), path.stem)
        for image in kept:
            self.images.append(folder / image["file_name"])
            shutil.copy(sample.images / image["file_name"], self.images[-1])

    def source(self, caption: str) -> tuple[str, str]:
        """The image and the writer of a caption as it is shown."""
        key = letters(caption)
        return self.texts[key] if key in self.texts else (self.humans[key], "human")


def letters(text: str) -> str:
    """What the clean-up of a caption leaves as it is."""
    return "".join(one for one in text.casefold() if one.isalnum())


@pytest.fixture
def cut_sample(tmp_path: Path) -> Callable[..., Sample]:
    """Files of the demo sample, cut to a few images."""
    return lambda images, *systems: Sample(tmp_path / "sample", images, systems)


class Office:
    """What the owner does to a campaign, in their own way."""

    def __init__(self, hand: Hand) -> None:
        self.hand, self.slug = hand, ""

    def create(self, protocol: str, title: str, sample: Sample, **options: Any) -> None:
        """Through the wizard: files, preview, create, open."""
        hand = self.hand
        hand.follow("New campaign")
        hand.activate(hand.page.locator(f'main a.button[href="/admin/new/{protocol}"]'))
        hand.write("title", title)
        hand.give("candidates", sample.candidates)
        hand.give("references", [sample.references])
        hand.give("images", sample.images)
        for name, value in options.items():
            field = name if name.startswith("protocol_") else f"option.{name}"
            if isinstance(value, bool):
                hand.tick(field, value)
            elif isinstance(value, Path):
                hand.give(field, [value])
            else:
                hand.write(field, value)
        hand.push("Preview")
        assert hand.page.locator(".previews li").count() > 0, hand.page.locator("main").inner_text()
        assert hand.page.locator(".previews img").count() > 0
        hand.push("Create campaign")
        self.slug = hand.page.url.rpartition("/")[2]
        hand.follow("Open the campaign")
        hand.push("Open the campaign")

    def tab(self, name: str) -> str:
        """Go to a page of the campaign and read it, once what it computes is there."""
        here = self.hand.page.locator("nav.tabs").get_by_role("link", name=name, exact=True)
        if not here.count():
            whole = self.hand.page.get_by_role("navigation", name="This campaign")
            self.hand.activate(whole.get_by_role("link", name=PARTS[name], exact=True))
        self.hand.activate(here)
        until = time.monotonic() + 60
        while self.hand.page.locator("[data-computing]").count() and time.monotonic() < until:
            time.sleep(0.3)
            with suppress(playwright.Error):  # the page may be loading itself again at this moment
                self.hand.page.reload()
        return self.hand.page.locator("main").inner_text()

    def invite(self, *names: str) -> list[str]:
        """Add raters and read their links from the page that shows them."""
        self.tab("Raters")
        self.hand.write("lines", "\n".join(names))
        self.hand.push("Add raters")
        return self.links()

    def links(self) -> list[str]:
        fields = self.hand.page.locator(".links input").all()
        return [field.input_value() for field in fields]

    def export(self, folder: Path) -> Path:
        """Download the archive and unpack it."""
        self.tab("Exports")
        path = self.hand.download("Download archive", folder)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / path.stem)
        (found,) = (folder / path.stem).iterdir()
        return found


@pytest.fixture
def office() -> type[Office]:
    return Office


def join(hand: Hand, link: str) -> Hand:
    """Open a link and start."""
    hand.open(link)
    hand.push("Start")
    return hand


@pytest.fixture
def start() -> Callable[[Hand, str], Hand]:
    return join


def exported(folder: Path, name: str = "judgments.jsonl") -> Said:
    """The judgments of an export, read back as any other program of ours would."""
    table = read_judgments(folder / name).judgments.to_pandas()
    columns = ["stage", "rater", "image", "system", "aspect"]
    return dict(zip(table[columns].itertuples(index=False, name=None), table["value"], strict=True))


@pytest.fixture
def read_back() -> Callable[..., Said]:
    return exported
