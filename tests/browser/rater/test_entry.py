"""Training, surveys and guides in a browser: passing, failing, trying again, with and without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from captious.campaigns.entry import training
from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Campaign, NewRater, Rater, Settings
from captious.campaigns.setup import create, lifecycle
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.protocols.known import best_answer

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
PHONE = {"width": 390, "height": 844}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
SURVEY = """
questions:
  - {aspect: english, ask: "How well do you read English?", low: 1, high: 5}
  - {aspect: glasses, ask: "Do you wear glasses?", options: [no, yes]}
"""


@pytest.fixture
def campaign(studio: Any, request: pytest.FixtureRequest) -> Campaign:
    """A campaign of the sample with the package's training; the marks of a test name it."""
    sample = demo_files()
    corpus = load_corpus(sample.systems[:2], [sample.references], images=sample.images)
    protocol, settings = request.param
    drafted = create.draft(
        protocol, corpus, title=f"{request.node.name[:80]}", settings=settings, training="sample"
    )
    return lifecycle.open_campaign(studio.db, create.create(studio.db, drafted, actor="test"), actor="test")


def enter(studio: Any, campaign: Campaign, way: str, **options: Any) -> tuple[Any, Rater]:
    """Someone at their work for the first time."""
    (rater,) = raters.add(studio.db, campaign, [NewRater("Ada")], actor="test")
    token, _ = accounts.start_session(studio.db, rater, hours=1)
    hand = studio.visitor(way, **options)
    name = f"captious_session_{campaign.slug}"
    hand.page.context.add_cookies([{"name": name, "value": token, "url": studio.address}])
    hand.open(f"/work/{campaign.slug}")
    return hand, rater


def answer(hand: Any, answers: Mapping[str, Any]) -> None:
    """Fill in an example and send it; what was expected is then on the page."""
    hand.answer(answers)
    hand.activate(hand.page.locator("[data-submit]"))


def faults(page: Any) -> list[str]:
    found = axe.Axe().run(page, options={"runOnly": RULES})
    room, needed = page.evaluate(
        "[document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    wide = [f"{needed} pixels in a window of {room}"] if needed > room else []
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found.response["violations"]] + wide


@pytest.mark.parametrize("campaign", [("tagging", Settings(training_pass=1.0))], indirect=True)
@pytest.mark.parametrize("way", ["mouse", "plain"])
def test_who_fails_reads_why_tries_again_and_begins(studio: Any, campaign: Campaign, way: str) -> None:
    hand, rater = enter(studio, campaign, way)
    page = hand.page
    assert "You will see 6 examples" in page.locator("main").inner_text()
    known = [best_answer(one.example.known["verdict"]) for one in training.examples(studio.db, campaign)]
    hand.follow("Start the training")
    for at, verdict in enumerate(known):
        answer(hand, {"verdict": "complete" if at == 1 else verdict})
        told = page.locator("main").inner_text()
        assert ("0 of 1 as expected" if at == 1 else "All as expected") in told
        if at == 1:
            assert "Not as expected" in told
            assert "The picture shows sushi" in told
            assert "It does not belong to this image" in told
        hand.follow("See my result" if at == len(known) - 1 else "Next example")
    said = page.locator("main").inner_text()
    assert "You gave 83% of the expected answers; 100% are needed." in said  # 5 of 6
    assert "You have one try left." in said
    assert page.locator("details[open] .pictured img").count() == 5  # the guide is open, a level each
    hand.follow("Try again")
    for at, verdict in enumerate(known):
        answer(hand, {"verdict": verdict})
        hand.follow("See my result" if at == len(known) - 1 else "Next example")
    assert "You have passed the training" in page.locator("main").inner_text()
    hand.follow("Start rating")
    assert page.url.endswith(f"/work/{campaign.slug}")
    assert page.locator("[data-submit]").count() == 1
    assert [(one.rater, one.tries, one.phase) for one in training.trained(studio.db, campaign)] == [
        (rater.pseudonym, 2, "passed")
    ]


@pytest.mark.parametrize(
    "campaign",
    [("humanr", Settings(training_pass=1.0, training_tries=1, contact="lea@example.org"))],
    indirect=True,
)
def test_who_fails_the_only_try_is_told_and_gets_no_work(studio: Any, campaign: Campaign) -> None:
    hand, rater = enter(studio, campaign, "plain")
    hand.follow("Start the training")
    count = len(training.examples(studio.db, campaign))
    for at in range(count):
        answer(hand, {"preference": 5})
        hand.follow("See my result" if at == count - 1 else "Next example")
    said = hand.page.locator("main").inner_text()
    assert "That was your last try" in said
    assert "lea@example.org" in said
    hand.follow("Continue")
    assert hand.page.locator("[data-submit]").count() == 0
    assert raters.find(studio.db, campaign, rater.id).reason == "training: 20% right, 100% needed"


@pytest.mark.parametrize("campaign", [("thumb", Settings(survey_before=SURVEY))], indirect=True)
def test_a_phone_by_keyboard_and_screen_reader(studio: Any, campaign: Campaign) -> None:
    hand, _ = enter(studio, campaign, "mouse", viewport=PHONE)
    page = hand.page
    assert faults(page) == []
    page.locator("#q1-4").focus()
    page.keyboard.press("Space")
    page.locator('input[name="glasses"][value="No"]').check()
    hand.push("Continue")
    assert faults(page) == []
    hand.follow("Start the training")
    example = training.examples(studio.db, campaign)[0].example
    given = {name: best_answer(known) for name, known in example.known.items()}
    given |= {"A.conciseness": "0", "A.inclusive_language": "0"}
    answer(hand, {name: value for name, value in given.items() if value != {}})
    assert "All as expected" in page.locator("h1").inner_text()
    assert faults(page) == []
    assert page.evaluate("document.activeElement.textContent").strip() == "Next example"
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "example 2 of 7" in page.locator("main").inner_text()


@pytest.mark.parametrize("campaign", [("thumb", Settings())], indirect=True)
def test_the_guide_beside_the_form_shows_every_level_and_loses_nothing(
    studio: Any, campaign: Campaign
) -> None:
    hand, _ = enter(studio, campaign, "mouse", viewport=PHONE)
    page = hand.page
    hand.follow("Start the training")
    page.locator('input[name="A.precision"][value="4"]').check(force=True)
    page.locator('[data-open="guide-dialog"]').click()
    shown = page.locator("#guide-dialog .pictured").first
    assert [text[:2] for text in shown.locator(".verdict").all_inner_texts()] == [
        "5:",
        "4:",
        "3:",
        "2:",
        "1:",
    ]
    first = shown.locator("img").first
    first.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=first.element_handle())
    assert "Is everything it says true?" in page.locator("#guide-dialog").inner_text()
    page.keyboard.press("Escape")
    assert page.locator('input[name="A.precision"][value="4"]').is_checked()
