"""Take the screenshots of docs/crowd-prolific.md: what participants and the owner see.

The Prolific that they come from is the tests' own, on loopback: python scripts/take_prolific_screenshots.py
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from take_screenshots import DESK, OUT, keep, serving

from captious.campaigns.people import accounts
from captious.campaigns.records import Settings
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.corpus.load import load_corpus
from captious.crowd import calls, studies
from captious.crowd.values import Question
from captious.data import demo_files

SERVICE = Path(__file__).resolve().parent.parent / "tests/crowd/providers/prolific/service"
TOKEN = "a-token-for-pictures"
CHECKS = (
    Question(
        "What do you compare?", ("Two photos", "Two captions of one photo"), ("Two captions of one photo",)
    ),
    Question(
        "When is a caption better?",
        ("When it is longer", "When it describes the photo better"),
        ("When it describes the photo better",),
    ),
)


def local_prolific() -> Any:
    """The tests' Prolific, as a package of its own."""
    spec = spec_from_file_location(
        "prolific_service", SERVICE / "__init__.py", submodule_search_locations=[str(SERVICE)]
    )
    assert spec is not None and spec.loader is not None
    sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])
    return sys.modules[spec.name].Service(TOKEN)


def published(db: Database) -> studies.Stored:
    """A head-to-head campaign on the demo sample, published."""
    sample = demo_files()
    corpus = load_corpus(sample.systems[:1], [sample.references], images=sample.images)
    draft = create.draft(
        "humanr",
        corpus,
        title="Which caption describes the photo better?",
        options={"target": 3, "baseline": False},
        settings=Settings(contact="lea@example.org"),
    )
    campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
    plan = {"places": 12, "answers": 10, "reward": 75, "currency": "USD", "minutes": 3.0}
    study = studies.new_study(campaign, "https://rate.example.org", comprehension=CHECKS, **plan)
    return calls.publish(db, studies.create(db, campaign, study, "prolific", {}, actor="lea"), actor="lea")


def answer(page: Page, *choices: str) -> None:
    """Answer the questions before the work, and start."""
    for choice in choices:
        page.get_by_label(choice).check()
    with page.expect_navigation():
        page.get_by_role("button", name="Start").click()


def work(page: Page) -> None:
    """Answer every comparison."""
    while page.locator("[data-answers]").count():
        page.locator('[data-question="preference"] input[value="5"]').check()
        with page.expect_navigation():
            page.locator("[data-submit]").click()


def take(page: Page, name: str, part: str = "main") -> None:
    """One picture of a part of the page."""
    page.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")
    found = page.locator(part).first.bounding_box()
    assert found is not None, part
    left, top = max(0, found["x"] - 8), max(60, found["y"] - 8)
    cut = {"x": left, "y": top, "width": found["width"] + 16, "height": found["height"] + 16}
    size = keep(page.screenshot(full_page=True, clip=cut), OUT / f"prolific-{name}.png")
    print(f"prolific-{name}.png: {size:,} bytes")


def manager(page: Page, stored: studies.Stored, db: Database, address: str) -> None:
    """What the owner sees: the estimate before publishing, and the study with one place due."""
    owner = accounts.create_account(db, "lea", "a long demo password", "owner", actor="pictures")
    token, _ = accounts.start_session(db, owner, hours=2)
    page.context.add_cookies([{"name": "captious_session", "value": token, "url": address}])
    crowd = f"{address}/admin/c/{stored.study.campaign}/crowd"
    page.goto(crowd)
    page.get_by_role("button", name="Update from the provider").click()
    page.wait_for_load_state("networkidle")
    take(page, "overview", "main section.card")
    page.goto(crowd)
    page.select_option("[name=provider]", "prolific")
    for name, value in {"places": "8", "reward": "0.75", "minutes": "3", "options": "fee=33.3"}.items():
        page.locator(f"[name={name}]").fill(value)
    page.get_by_role("button", name="Estimate the cost").click()
    page.wait_for_load_state("networkidle")
    take(page, "estimate", "main .card")


def participant(page: Page, service: Any, stored: studies.Stored, address: str) -> None:
    """One participant's way, picture by picture."""
    world = service.world
    came = world.arrive(stored.published_at().id, world.new())
    arrival = came.replace("https://rate.example.org", address)
    page.goto(arrival)
    take(page, "arrive")
    answer(page, "Two photos", "When it describes the photo better")
    take(page, "second-try")
    answer(page, "Two captions of one photo")
    work(page)
    take(page, "done")
    world.finish(came.rpartition("=")[2], stored.study.codes["completed"])
    page.goto(arrival.replace("SESSION_ID=", "SESSION_ID=0"))
    take(page, "forged")


def main() -> None:
    """Run both servers and take the pictures."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with (
        tempfile.TemporaryDirectory() as folder,
        local_prolific().running() as service,
        Database.open(Path(folder) / "captious.db") as db,
        serving(db, demo=False) as address,
        sync_playwright() as play,
    ):
        os.environ |= {"PROLIFIC_URL": service.address, "PROLIFIC_TOKEN": TOKEN}
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        stored = published(db)
        participant(browser.new_context(viewport=DESK).new_page(), service, stored, address)
        manager(browser.new_context(viewport=DESK).new_page(), stored, db, address)
        browser.close()


if __name__ == "__main__":
    main()
