"""A rater's pages in a real browser: by keyboard, offline, without script, for everyone."""

from __future__ import annotations

import re

import pytest
from playwright import sync_api as playwright

pytestmark = pytest.mark.browser
PHONE = {"width": 360, "height": 780}
DESK = {"width": 1280, "height": 900}


def answered(page: playwright.Page) -> str:
    return page.locator(".progress-line p span").first.inner_text()


def test_thumb_by_keyboard_alone(context, served) -> None:
    page = served.enter(context, "thumb")
    captions = page.locator("fieldset.caption-card").count()
    page.keyboard.press("Enter")
    assert "answers are missing: Caption A: Precision" in page.locator("#state").inner_text()
    for at in range(captions):
        if at == 0:  # precision below 5: what is wrong, and the corrected caption
            page.keyboard.press("3")
            page.keyboard.press("1")
            page.keyboard.press("ArrowDown")
            page.keyboard.type("A dog, 1 of g and u.")
            assert not page.locator("#guide-dialog").is_visible()
            page.keyboard.press("Escape")
            page.keyboard.press("Enter")  # on to what is missing: recall
        else:
            page.keyboard.press("5")
        page.keyboard.press("4")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert answered(page).startswith("1 of ")
    (row,) = served.stored("thumb")
    assert row.answers["A.precision"] == 3.0
    assert row.answers["A.errors"] == {"wrong": 0.0}
    assert row.answers["A.corrected"] == "A dog, 1 of g and u."
    assert row.answers["B.recall"] == 4.0


def test_stray_digits_change_nothing(context, served) -> None:
    page = served.enter(context, "thumb")
    card = page.locator("fieldset.caption-card").first
    for key in ("5", "5"):
        page.keyboard.press(key)
    # The list of fluency errors is folded: the next digit goes to the next question that wants one.
    page.keyboard.press("1")
    second = page.locator("fieldset.caption-card").nth(1)
    assert card.locator("[data-fold] input:checked").count() == 0
    assert card.locator("details[data-fold][open]").count() == 0
    assert second.get_by_role("radio", name="1 All wrong").is_checked()
    second.get_by_role("radio", name="5 All true").check()
    page.locator("[data-submit]").focus()
    for key in ("5", *("5", "5") * (page.locator("fieldset.caption-card").count() - 2)):
        page.keyboard.press(key)
    chosen = page.locator("input:checked")
    before = chosen.evaluate_all("all => all.map(one => one.id)")
    page.locator("body").press("3")  # everything is answered, and no question has the focus
    assert chosen.evaluate_all("all => all.map(one => one.id)") == before


def test_ten_is_typed_as_one_number_and_yes_and_no_by_their_letters(context, served) -> None:
    page = served.enter(context, "ten")
    for key in ("1", "0", "7"):
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    (row,) = served.stored("ten")
    assert (row.answers["good"], row.answers["useful"]) == (10.0, 7.0)
    page = served.enter(context, "audit")
    for key in ("n", "y", "n"):
        page.keyboard.press(key)
    chosen = page.get_by_role("radio", checked=True)
    assert chosen.evaluate_all("all => all.map(one => one.value)") == ["no", "yes", "no"]


def test_humanr_keys_guide_zoom_and_undo(context, served) -> None:
    page = served.enter(context, "humanr")
    for key, dialog in (
        ("g", "#guide-dialog"),
        ("?", "#guide-dialog"),
        ("k", "#keys-dialog"),
        ("z", "#zoom-dialog"),
    ):
        page.keyboard.press(key)
        assert page.locator(dialog).is_visible()
        page.keyboard.press("Escape")
        assert not page.locator(dialog).is_visible()
    page.keyboard.press("5")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    with page.expect_navigation():
        page.keyboard.press("u")
    assert page.get_by_role("radio", checked=True).get_attribute("value") == "5"
    page.get_by_role("radio", checked=True).focus()
    page.keyboard.press("4")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    rows = served.stored("humanr")
    assert [(row.answers["preference"], row.kind) for row in rows] == [(5.0, "answer"), (4.0, "correction")]
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Use these keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    assert not page.locator("#guide-dialog").is_visible()


def test_an_answer_waits_for_the_network_and_is_stored_once(context, served) -> None:
    page = served.enter(context, "tagging")
    before = len(served.stored("tagging"))
    page.get_by_label("Minor errors").check()
    context.set_offline(True)
    page.get_by_role("button", name="Submit").dblclick()
    page.get_by_text("is not saved yet").wait_for()
    assert len(served.stored("tagging")) == before
    assert page.evaluate("Object.keys(localStorage).some(key => key.startsWith('captious.outbox'))")
    with page.expect_navigation():
        context.set_offline(False)
    assert answered(page).startswith("1 of ")
    assert len(served.stored("tagging")) == before + 1
    assert not page.evaluate("Object.keys(localStorage).some(key => key.includes('outbox'))")


def test_an_answer_on_the_shelf_is_sent_by_the_next_page(context, served) -> None:
    page = served.enter(context, "tagging")
    before = len(served.stored("tagging"))
    page.route("**/work/tagging/*", lambda route: route.abort())
    page.get_by_label("Serious errors").check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("is not saved yet").wait_for()
    page.unroute("**/work/tagging/*")
    page.reload()
    page.get_by_text(re.compile(r"^1 of \d+ answered$")).wait_for()
    rows = served.stored("tagging")
    assert len(rows) == before + 1
    assert rows[-1].answers == {"verdict": "serious"}


def test_a_draft_comes_back(context, served) -> None:
    page = served.enter(context, "audit")
    page.keyboard.press("2")
    page.keyboard.press("1")
    page.get_by_text("Draft saved.").wait_for()
    page.reload()
    assert page.get_by_role("radio", checked=True).count() == 2


def test_everything_works_without_script(chromium, served) -> None:
    context = chromium.new_context(viewport=PHONE, java_script_enabled=False)
    page = served.enter(context, "tagging")
    before = len(served.stored("tagging"))
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("link", name="No answer").click()
    page.get_by_label("It does not belong").check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("link", name="Undo").click()
    page.get_by_label("Minor errors").check()
    page.get_by_role("button", name="Replace my answer").click()
    assert len(served.stored("tagging")) == before + 2
    page.get_by_role("button", name="Use dark colours").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    context.close()


def test_targets_are_large_enough_on_a_phone(chromium, served) -> None:
    context = chromium.new_context(viewport=PHONE, has_touch=True)
    for protocol in served.campaigns:
        page = served.enter(context, protocol)
        small = page.evaluate(
            """() => [...document.querySelectorAll('a, button, summary, .answers label[for]')]
                .filter(one => one.checkVisibility() && !one.closest('.visually-hidden, .skip'))
                .map(one => [one.textContent.trim().slice(0, 20), one.getBoundingClientRect()])
                .filter(([, box]) => box.width > 1 && (box.height < 43.5 || box.width < 24))
                .map(([text, box]) => `${text} ${box.width}x${box.height}`)"""
        )
        assert small == [], protocol
    context.close()
