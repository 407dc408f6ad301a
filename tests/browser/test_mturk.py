"""A worker at Mechanical Turk: looks, accepts, works in the frame, hands in; others are turned away."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("boto3", reason="Mechanical Turk needs captious[crowd]")

sys.path.insert(0, str(Path(__file__).parent.parent / "crowd" / "mturk"))

import turk_server
from playwright.sync_api import FrameLocator, Page, expect

from captious.campaigns.people import raters
from captious.campaigns.setup import create, lifecycle
from captious.corpus.load import load_corpus
from captious.crowd import calls, reconcile, studies, visits
from captious.data import demo_files

if TYPE_CHECKING:
    from turk_server import TurkServer

ANSWERS = 10  # HUMANr gives out its comparisons in tens


@pytest.fixture
def turk(monkeypatch: pytest.MonkeyPatch) -> Iterator[TurkServer]:
    """Mechanical Turk at `localhost`: for a browser another site than ours at 127.0.0.1."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", turk_server.ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", turk_server.SECRET_KEY)
    with turk_server.running() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_MTURK", server.workers)
        yield server


@pytest.fixture
def stored(studio: Any, turk: TurkServer) -> studies.Stored:
    """A head-to-head campaign on the sample, published with room for twelve workers."""
    files = demo_files()
    corpus = load_corpus([files.systems[0]], references=[files.references], images=files.images)
    title = f"Which caption fits? {len(lifecycle.listed(studio.db)) + 1}"
    draft = create.draft("humanr", corpus, title=title)
    campaign = lifecycle.open_campaign(studio.db, create.create(studio.db, draft, actor="lea"), actor="lea")
    plan = {"places": 12, "answers": ANSWERS, "reward": 25, "currency": "USD", "minutes": 1.0}
    study = studies.new_study(campaign, studio.address, **plan)
    planned = studies.create(studio.db, campaign, study, "mturk", {}, actor="lea")
    return calls.publish(studio.db, planned, actor="lea")


class Worker:
    """Someone with a browser at the worker site."""

    def __init__(self, studio: Any, turk: TurkServer, stored: studies.Stored, name: str) -> None:
        self.turk, self.stored, self.name = turk, stored, name
        context = studio.context(viewport={"width": 1280, "height": 1000})
        self.page: Page = context.new_page()

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("#task")

    def preview(self) -> None:
        assert self.stored.remote is not None
        self.page.goto(f"{self.stored.remote.address}&worker={self.name}")

    def accept(self) -> None:
        self.page.get_by_role("button", name="Accept").click()
        expect(self.page.get_by_role("button", name="Return")).to_be_visible()

    def work(self) -> None:
        self.frame.get_by_role("button", name="Start").click()
        for _ in range(ANSWERS):
            choice = self.frame.locator("[data-question] input[type=radio]").nth(2)
            choice.check()
            token = self.frame.locator("input[name=key]").get_attribute("value")
            self.frame.locator("[data-submit]").click()
            expect(self.frame.locator(f'input[name=key][value="{token}"]')).to_have_count(0)

    def hand_in(self) -> None:
        self.frame.get_by_role("button", name="Submit to Mechanical Turk").click()
        expect(self.frame.locator("#done")).to_have_text("The HIT has been submitted.")


def ids(turk: TurkServer) -> dict[str, str]:
    """What Mechanical Turk adds to our address for the worker who came first."""
    job = next(iter(turk.market.jobs.values()))
    return {"assignmentId": job.id, "hitId": job.hit, "workerId": job.worker, "turkSubmitTo": turk.workers}


def test_a_worker_previews_accepts_works_and_hands_in_once(
    studio: Any, turk: TurkServer, stored: studies.Stored
) -> None:
    campaign = lifecycle.by_id(studio.db, stored.campaign_id)
    worker = Worker(studio, turk, stored, "AGOODWORKER")
    worker.preview()
    expect(worker.frame.get_by_text("This is a preview")).to_be_visible()
    expect(worker.frame.get_by_role("radio", name="5", exact=False).first).to_be_disabled()
    expect(worker.frame.get_by_role("button", name="Start")).to_have_count(0)
    assert visits.of_study(studio.db, stored.id) == raters.listed(studio.db, campaign) == []
    worker.accept()
    worker.work()
    worker.hand_in()
    (job,) = turk.market.jobs.values()
    assert (job.status, job.worker) == ("Submitted", "AGOODWORKER")
    (place,) = stored.provider().places(stored.study, stored.published_at())
    assert place.code == stored.study.codes["completed"]
    found = reconcile.reconcile(studio.db, stored)
    assert [visit.participant for visit in found.due] == ["AGOODWORKER"]
    assert not found.review
    # The same address again, and another HIT of the study before the work was judged.
    worker.page.goto(f"{stored.study.address}?{urlencode(ids(turk))}")
    expect(worker.page.get_by_text("Your place in this study has ended")).to_be_visible()
    worker.page.goto(f"{turk.workers}/mturk/preview?hitId={list(turk.market.hits)[1]}&worker=AGOODWORKER")
    worker.accept()
    expect(worker.frame.get_by_text("You have already taken part")).to_be_visible()
    expect(worker.frame.get_by_text("Please return the task on Mechanical Turk")).to_be_visible()


def test_the_preview_is_as_good_for_screen_readers(
    studio: Any, turk: TurkServer, stored: studies.Stored
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = Worker(studio, turk, stored, "AGOODWORKER").page
    hit = next(iter(turk.market.hits))
    page.goto(f"{stored.study.address}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId={hit}")
    found = axe.Axe().run(page).response
    assert len(found["passes"]) > 20
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]] == []


def test_forged_ids_are_turned_away(studio: Any, turk: TurkServer, stored: studies.Stored) -> None:
    worker = Worker(studio, turk, stored, "AGOODWORKER")
    worker.preview()
    worker.accept()
    worker.frame.get_by_role("button", name="Start").click()
    expect(worker.frame.locator("[data-submit]")).to_be_visible()
    stranger = Worker(studio, turk, stored, "ASTRANGER").page
    for forged in (
        {"assignmentId": "3" + "Q" * 29},
        {"hitId": "3" + "Q" * 29},
        {"turkSubmitTo": "https://evil.example"},
        # The assignment is at work under another name.
        {"workerId": "ASTRANGER"},
    ):
        stranger.goto(f"{stored.study.address}?{urlencode(ids(turk) | forged)}")
        expect(stranger.get_by_text("do not belong to a participant")).to_be_visible()
        expect(stranger.get_by_role("button", name="Start")).to_have_count(0)
    assert [visit.participant for visit in visits.of_study(studio.db, stored.id)] == ["AGOODWORKER"]


def test_no_other_site_can_frame_the_work(studio: Any, turk: TurkServer, stored: studies.Stored) -> None:
    worker = Worker(studio, turk, stored, "AGOODWORKER")
    worker.preview()
    worker.accept()
    expect(worker.frame.get_by_role("button", name="Start")).to_be_visible()
    # The very same page under another name of its server is a stranger.
    page = worker.page
    page.goto(page.url.replace(turk.workers, turk.api))
    page.wait_for_load_state("networkidle")
    assert page.frames[1].url.startswith("chrome-error://")
    expect(worker.frame.get_by_role("button", name="Start")).to_have_count(0)
