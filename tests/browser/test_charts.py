"""Charts and the queue of disagreements as a lead uses them: eyes, keyboard, phone, and without scripts."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.quality import adjudication
from captious.campaigns.records import Campaign, NewRater
from captious.campaigns.setup.create import create, draft
from captious.campaigns.setup.lifecycle import open_campaign
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus

for module in ("altair", "vl_convert"):
    pytest.importorskip(module, reason="charts need captious[report]")
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
PATIENCE = 120_000  # milliseconds: a loaded machine draws slowly
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def judged(server: Any) -> Campaign:
    """Four captions by two raters who differ on every one."""
    db = server.db
    corpus = Corpus.from_lists(["A.", "B.", "C.", "D."], image_ids=list("1234"))
    options = {"raters": 2, "two_rounds": False}
    made = create(db, draft("tagging", corpus, title="Charts", options=options), actor="lea")
    campaign = open_campaign(db, made, actor="lea")
    people = raters.add(db, campaign, [NewRater("Ann"), NewRater("Bo")], actor="lea")
    for verdict, rater in zip(("complete", "serious"), people, strict=True):
        while tasks := assignment.next_tasks(db, campaign, rater):
            for task in tasks:
                responses.respond(db, rater, task.token, {"verdict": verdict}, key=task.token, seconds=6.0)
    return campaign


def violations(page: Any) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page, options={"runOnly": RULES}).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


def test_a_chart_comes_by_itself_and_fits_every_screen(studio: Any, judged: Campaign) -> None:
    for options in ({}, {"viewport": PHONE, "color_scheme": "dark"}):
        lead = studio.owner(**options)
        lead.open(f"/admin/c/{judged.slug}/results")
        kind = "narrow" if options else "wide"
        picture = lead.page.get_by_role("img", name="Scores by system")
        picture.first.wait_for(timeout=PATIENCE)
        assert picture.count() == 1  # the other is for another screen
        assert kind in (picture.get_attribute("class") or "")
        assert lead.page.evaluate("document.documentElement.scrollWidth") <= lead.page.viewport_size["width"]
        # Five rows are few enough to stand open below the picture.
        assert lead.page.get_by_role("cell", name="0.500").first.is_visible()
        assert violations(lead.page) == []


def test_without_scripts_the_table_is_there_and_then_the_picture(studio: Any, judged: Campaign) -> None:
    lead = studio.owner("plain")
    for _ in range(PATIENCE // 200):
        lead.open(f"/admin/c/{judged.slug}/results")
        assert lead.page.get_by_text("Scores by system").count() or "computed" in lead.page.content()
        if lead.page.get_by_role("img", name="Scores by system").count():
            break
        lead.page.wait_for_timeout(200)
    assert lead.page.get_by_role("img", name="Scores by system").count() == 1


def test_the_queue_is_worked_through_by_keyboard(studio: Any, judged: Campaign) -> None:
    lead = studio.owner()
    adjudication.disagreement_snapshot(studio.db, judged, fresh_within=0.0)
    keys = [one.item.key for one in adjudication.disagreements(studio.db, judged)]
    lead.open(f"/admin/c/{judged.slug}/disagreements")
    assert violations(lead.page) == []
    lead.follow("Decide one by one")
    assert violations(lead.page) == []

    def press(key: str) -> None:
        with lead.page.expect_navigation():
            lead.page.keyboard.press(key)

    def decided(at: int) -> Any:
        return adjudication.disagreement(studio.db, judged, keys[at]).decided

    press("2")
    assert decided(0) == {"verdict": "serious"}
    assert keys[1] in lead.page.url
    assert lead.page.get_by_text("1 of 4 decided.").is_visible()
    press("u")
    assert decided(0) is None
    assert keys[0] in lead.page.url
    press("n")
    press("n")
    press("p")
    assert keys[1] in lead.page.url
    # Another answer than either: o opens the form at the question that is open, where keys are the form's.
    form = lead.page.locator("[data-queue-form]")
    assert not form.is_visible()
    lead.page.keyboard.press("o")
    assert form.is_visible()
    assert lead.page.evaluate("document.activeElement.name") == "verdict"
    lead.page.keyboard.press("ArrowDown")
    press("Enter")
    assert decided(1) not in (None, {"verdict": "complete"}, {"verdict": "serious"})


def test_the_queue_works_without_scripts_and_on_a_phone(studio: Any, judged: Campaign) -> None:
    adjudication.disagreement_snapshot(studio.db, judged, fresh_within=0.0)
    key = adjudication.disagreements(studio.db, judged)[3].item.key
    lead = studio.owner("plain", viewport=PHONE)
    lead.open(f"/admin/c/{judged.slug}/disagreements/{key}")
    lead.push("Accept r001")
    assert adjudication.disagreement(studio.db, judged, key).decided == {"verdict": "complete"}
    lead.push("Undo the last decision")
    assert adjudication.disagreement(studio.db, judged, key).decided is None
    phone = studio.owner(viewport=PHONE, color_scheme="dark")
    phone.open(f"/admin/c/{judged.slug}/disagreements/{key}")
    assert violations(phone.page) == []
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
