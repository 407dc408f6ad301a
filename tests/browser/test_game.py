"""The rating game in a real browser: tutorial, game, probation and back, by keyboard alone."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from playwright import sync_api as playwright

from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Campaign, NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import reading
from captious.corpus.load import load_corpus
from captious.data import demo_files

pytestmark = pytest.mark.browser
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PHONE = {"width": 360, "height": 780}
GAME = """
tutorial:
  - image: "3"
    caption: A photograph of a dog.
    ratings: [1, 1]
    why: There is a cat and no dog.
  - image: "10"
    caption: An illuminated bridge crosses a river at night.
    ratings: [4, 4]
    why: It says what and where.
probation:
  - {image: "3", caption: A cat., ratings: [3, 3]}
  - {image: "4", caption: A cup., ratings: [3, 3]}
rules: {trial_pairs: 2, probation_pairs: 2, passing_points: 4, wait_seconds: 1, daily_goal: 3}
"""


@pytest.fixture(scope="module")
def game(server: Any) -> Campaign:
    files = demo_files()
    corpus = load_corpus(files.systems[:1], [files.references], images=files.images)
    made = create.draft("game", corpus, title="Rating game", protocol_file=GAME)
    return lifecycle.open_campaign(server.db, create.create(server.db, made, actor="test"), actor="test")


def enter(studio: Any, game: Campaign, name: str, **options: Any) -> playwright.Page:
    (rater,) = raters.add(studio.db, game, [NewRater(name)], actor="test")
    token, _ = accounts.start_session(studio.db, rater, hours=1)
    page: playwright.Page = studio.visitor(**options).page
    cookie = {"name": f"captious_session_{game.slug}", "value": token, "url": studio.address}
    page.context.add_cookies([cookie])
    page.goto(f"{studio.address}/work/{game.slug}")
    return page


def answer(page: playwright.Page, digit: str) -> str:
    """Rate by keyboard; returns what the result page says."""
    page.wait_for_selector("[data-submit]")
    page.wait_for_load_state()  # the keys work once the page's scripts have run
    page.keyboard.press(digit)
    page.keyboard.press("Enter")
    page.wait_for_url("**/results/**")
    page.wait_for_selector("[data-next]")
    return page.inner_text("main")


def go_on(page: playwright.Page) -> str:
    """Enter on the button that has the focus; returns where the rater stands."""
    page.wait_for_load_state()
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-submit]")
    return page.inner_text(".standing")


def test_tutorial_game_probation_and_back_by_keyboard(studio: Any, game: Campaign) -> None:
    page = enter(studio, game, "Ada")
    assert "Tutorial: pair 1 of 2" in page.inner_text(".standing")
    # Nothing on the page, or in what it was made of, tells the consensus.
    assert "no dog" not in page.content() and "consensus is" not in page.content()
    said = answer(page, "3")
    assert "You rated 3, the consensus is 1." in said and "There is a cat and no dog." in said
    assert "Tutorial: pair 2 of 2" in go_on(page)
    said = answer(page, "4")
    assert "+2 points" in said and "The game starts now" in said
    assert "0 points, level 1" in go_on(page)
    # The trial: the first ratings of all bring no points.
    answer(page, "5")
    assert "today 1 of 3" in go_on(page)
    assert "You are on probation" in answer(page, "5")
    assert "Probation: pair 1 of 2, 0 of 4 points" in go_on(page)
    # A failed round, then one that is passed.
    for digit in ("1", "1"):
        said = answer(page, digit)
        go_on(page)
    assert "again on probation" in said
    for digit in ("3", "3"):
        said = answer(page, digit)
        go_on(page)
    assert "You are back in the game" in said
    assert "0 points, level 1" in page.inner_text(".standing")
    stages = [one.noted["phase"] for one in reading.active_responses(studio.db, game) if one.rater == "r001"]
    assert stages == ["tutorial"] * 2 + ["trial"] * 2 + ["probation"] * 4


def test_a_result_is_not_shown_before_the_answer(studio: Any, game: Campaign) -> None:
    page = enter(studio, game, "Eve")
    task = page.get_attribute("[data-task]", "data-task")
    assert task is not None
    found = page.goto(f"{studio.address}/results/{game.slug}/{task.rsplit('/', 1)[1]}")
    assert found is not None and found.status == 409
    assert "no dog" not in page.content()


def test_an_answer_waits_until_it_may_go(studio: Any, game: Campaign) -> None:
    page = enter(studio, game, "Bob")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/results/**")
    assert "+2 points" in page.inner_text("main")


def test_without_script_and_on_a_phone(studio: Any, game: Campaign) -> None:
    page = enter(studio, game, "Cai", way="plain", viewport=PHONE)
    page.check("input[value='1']", force=True)
    studio.clock.ahead += 5
    page.click("[data-submit]")
    assert "+2 points" in page.inner_text("main")
    page.click("[data-next]")
    assert "Tutorial: pair 2 of 2" in page.inner_text(".standing")


def test_the_leaderboard_shows_only_who_wants_it(studio: Any, game: Campaign) -> None:
    page = enter(studio, game, "Dora")
    page.click("text=Leaderboard")
    assert "Dora" not in page.content()
    page.fill("#nickname", "quick fox")
    page.click("text=Save")
    page.wait_for_selector(".board .own")
    assert "quick fox" in page.inner_text(".board")
    page.fill("#nickname", "")
    page.click("text=Save")
    page.wait_for_selector(".board .own", state="detached")
    assert "quick fox" not in page.content()


def test_axe_finds_nothing_on_game_pages(studio: Any, game: Campaign) -> None:
    axe_module = pytest.importorskip("axe_playwright_python.sync_playwright")
    axe = axe_module.Axe()
    page = enter(studio, game, "Finn")

    def check() -> None:
        found = axe.run(page, options={"runOnly": RULES}).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []

    check()
    answer(page, "1")
    check()
    page.goto(f"{studio.address}/board/{game.slug}")
    check()


def test_the_sound_can_be_switched_on_and_stays_on(studio: Any, game: Campaign) -> None:
    page = enter(studio, game, "Gus")
    answer(page, "1")
    assert page.get_attribute("[data-sound]", "aria-pressed") == "false"
    page.click("[data-sound]")
    page.reload()
    assert page.get_attribute("[data-sound]", "aria-pressed") == "true"
