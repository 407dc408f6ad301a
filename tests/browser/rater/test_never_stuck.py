"""Skip, cannot judge, a note; own answers; Back, the link again, another device; what is missing."""

from __future__ import annotations

import re

import pytest

from captious.campaigns.people import links, raters
from captious.campaigns.records import NewRater, Settings
from captious.campaigns.setup import lifecycle
from captious.campaigns.work.aside import notes

pytestmark = pytest.mark.browser
SECRET = b"s" * 32


def caption(page) -> str:
    return page.locator(".caption-text").first.inner_text()


@pytest.mark.parametrize("way", ["mouse", "keyboard", "plain"])
def test_skip_cannot_judge_and_a_note(chromium, served, way: str) -> None:
    context = chromium.new_context(java_script_enabled=way != "plain")
    page = served.enter(context, "tagging")
    before = len(notes(served.db, served.campaigns["tagging"]))
    first = caption(page)
    page.get_by_label("Minor errors").check()
    with page.expect_navigation():
        page.keyboard.press("s") if way == "keyboard" else page.get_by_role("button", name="Skip").click()
    assert "Skipped." in page.locator(".flash").inner_text()
    second = caption(page)
    assert second != first
    where = page.locator("#aside" if way == "plain" else "#aside-dialog")

    def open_problem() -> None:
        if way == "keyboard":
            page.keyboard.press("p")
        else:
            page.get_by_role("link", name="Report", exact=True).click()

    open_problem()
    where.get_by_role("textbox").fill("Is this a photo?")
    with page.expect_navigation():
        where.get_by_role("button", name="Send note").click()
    assert caption(page) == second
    open_problem()
    with page.expect_navigation():
        where.get_by_role("button", name="I cannot judge it").click()
    assert caption(page) not in (first, second)
    told = notes(served.db, served.campaigns["tagging"])
    assert [(one.kind, one.text) for one in told[: len(told) - before]] == [
        ("cannot", ""),
        ("note", "Is this a photo?"),
        ("skip", ""),
    ]
    context.close()


@pytest.mark.parametrize("script", [True, False])
def test_own_answers_are_listed_and_an_old_one_is_corrected(chromium, served, script: bool) -> None:
    context = chromium.new_context(java_script_enabled=script)
    page = served.enter(context, "labelled")
    said = []
    for value in ("2", "4", "5"):
        said.append(caption(page))
        page.locator(f'input[name="good"][value="{value}"]').check()
        with page.expect_navigation():
            page.get_by_role("button", name="Submit").click()
    # Three answers are enough to tell how long the rest will take.
    assert re.fullmatch(
        r"3 of \d+ answered · less than a minute left|3 of \d+ answered · about \d+ \w+ left",
        page.locator(".progress-line p").inner_text(),
    )
    page.get_by_role("link", name="Answers").click()
    cards = page.locator(".own-answers > li")
    assert [one.locator(".caption-text").inner_text() for one in cards.all()] == said[::-1]
    assert "2" in cards.last.locator("dd").inner_text()
    cards.last.get_by_role("link", name="Change").click()
    page.locator('input[name="good"][value="3"]').check()
    with page.expect_navigation():
        page.get_by_role("button", name="Replace my answer").click()
    rows = served.stored("labelled")[-4:]
    assert [(row.kind, row.answers["good"]) for row in rows] == [
        ("answer", 2.0),
        ("answer", 4.0),
        ("answer", 5.0),
        ("correction", 3.0),
    ]
    assert rows[-1].replaces == rows[0].id
    context.close()


@pytest.mark.parametrize("script", [True, False])
def test_back_and_the_own_link_stay_within_the_work(chromium, served, script: bool) -> None:
    campaign = served.campaigns["labelled"]
    (rater,) = raters.add(served.db, campaign, [NewRater("Eve")], actor="test")
    link = f"{served.address}/join/{links.make_link(served.db, rater, secret=SECRET)}"
    work = f"{served.address}/work/{campaign.slug}"
    context = chromium.new_context(java_script_enabled=script)
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.locator('input[name="good"][value="4"]').check()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    page.go_back()
    assert page.url == work
    assert page.locator("[data-submit]").is_visible()
    page.goto(link)
    assert page.url == work
    # Another browser is another device: the lead decides, and the page says what to do.
    other = chromium.new_context(java_script_enabled=script)
    second = other.new_page()
    second.goto(link)
    assert "ask the person who sent it for a second link" in second.locator("main").inner_text()
    lifecycle.change_settings(served.db, campaign, Settings(reusable_links=True), actor="test")
    second.goto(link)
    second.get_by_role("button", name="Start").click()
    assert second.get_by_text(re.compile(r"^1 of \d+ answered")).is_visible()
    lifecycle.change_settings(served.db, campaign, Settings(), actor="test")
    other.close()
    context.close()


def test_what_is_missing_is_counted_marked_and_linked(context, served) -> None:
    page = served.enter(context, "ten")
    page.get_by_role("button", name="Submit").click()
    state = page.locator("#state")
    assert state.inner_text() == "2 answers are missing: How good is it?"
    marks = page.locator(".question.missing > legend")
    assert marks.count() == 2
    assert all("⚠" in one.evaluate("one => getComputedStyle(one, '::after').content") for one in marks.all())
    page.keyboard.press("7")
    assert state.inner_text() == "1 answer is missing: How useful is it?"
    state.get_by_role("link").click()
    assert page.evaluate("document.activeElement.name") == "useful"
    page.keyboard.press("3")
    assert state.inner_text() == ""
    assert page.locator(".question.missing").count() == 0


def test_a_single_choice_is_sent_at_once_and_undone(chromium, served) -> None:
    campaign = served.campaigns["humanr"]
    lifecycle.change_settings(served.db, campaign, Settings(submit_on_choice=True), actor="test")
    try:
        for way in ("mouse", "keyboard"):
            context = chromium.new_context()
            page = served.enter(context, "humanr")
            before = len(served.stored("humanr"))
            page.locator('input[value="3"]').focus()
            page.keyboard.press("ArrowRight")  # looking around sends nothing
            with page.expect_navigation():
                page.keyboard.press("7") if way == "keyboard" else page.locator('input[value="7"]').click()
            assert [row.answers["preference"] for row in served.stored("humanr")[before:]] == [7.0]
            with page.expect_navigation():
                page.keyboard.press("u") if way == "keyboard" else page.get_by_role(
                    "link", name="Undo"
                ).click()
            page.locator('input[value="2"]').check()  # a correction waits for its button
            with page.expect_navigation():
                page.get_by_role("button", name="Replace my answer").click()
            assert [row.kind for row in served.stored("humanr")[before:]] == ["answer", "correction"]
            context.close()
    finally:
        lifecycle.change_settings(served.db, campaign, Settings(), actor="test")
