"""Few keys, presets that are recorded as such, and no answer overwritten in silence."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def count_keys(page, *keys: str) -> int:
    """Press keys, the last of which sends the answer."""
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])
    return len(keys)


def test_keys_for_a_judgment(context, served) -> None:
    page = served.enter(context, "thumb-one")
    assert page.locator("fieldset.caption-card").count() == 1
    assert count_keys(page, "5", "5", "Enter") == 3
    row = served.stored("thumb-one")[-1]
    assert (row.answers["A.precision"], row.answers["A.recall"]) == (5.0, 5.0)
    assert row.answers["A.conciseness"] == row.answers["A.inclusive_language"] == "0"
    for protocol, keys in (
        ("humanr", ("5", "Enter")),
        ("tagging", ("1", "Enter")),
        ("audit", ("f", "Enter")),
    ):
        page = served.enter(context, protocol)
        before = len(served.stored(protocol))
        assert count_keys(page, *keys) <= 2
        assert len(served.stored(protocol)) == before + 1, protocol
    # Nothing wrong: the answer that names an error is "yes" to two questions and "no" to the others.
    answers = served.stored("audit")[-1].answers
    faults = {name: value for name, value in answers.items() if name.startswith("A.")}
    assert list(faults.values()).count("no") == 3
    assert faults["A.grammar"] == "yes"
    assert faults["A.awkward"] == "no"


@pytest.mark.parametrize("way", ["mouse", "keyboard", "plain"])
def test_a_preset_is_shown_and_recorded_as_untouched(chromium, served, way: str) -> None:
    context = chromium.new_context(java_script_enabled=way != "plain")
    page = served.enter(context, "thumb-one")
    question = page.locator('[data-question="A.inclusive_language"]')
    other = page.locator('[data-question="A.conciseness"]')
    for one in (question, other):
        assert "Preselected" in one.inner_text()
    if way == "keyboard":
        for key in ("5", "5", "ArrowUp", "1"):
            page.keyboard.press(key)
    else:
        for name in ("precision", "recall"):
            page.locator(f'input[name="A.{name}"][value="5"]').check()
        question.locator('input[value="0.5"]').check()
        question.locator('input[value="0"]').check()
    if way != "plain":  # touched: it is an answer like any other
        assert "Preselected" not in question.inner_text()
    assert "Preselected" in other.inner_text()
    with page.expect_navigation():
        page.locator("[data-submit]").click()
    row = served.stored("thumb-one")[-1]
    assert (row.answers["A.conciseness"], row.answers["A.inclusive_language"]) == ("0", "0")
    # Without a script nobody can tell a confirmed preset from one that was left.
    left = ("A.conciseness", "A.inclusive_language") if way == "plain" else ("A.conciseness",)
    assert row.untouched == left
    # Whoever opens the answer again finds the preset as it was left, and a correction keeps it so.
    page.locator("[data-undo]").click()
    page.locator('input[name="A.recall"][value="4"]').check()
    with page.expect_navigation():
        page.locator("[data-submit]").click()
    again = served.stored("thumb-one")[-1]
    assert (again.kind, again.answers["A.recall"], again.untouched) == ("correction", 4.0, left)
    context.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_stale_tab_is_asked_before_it_replaces_an_answer(chromium, served, script: bool) -> None:
    context = chromium.new_context(java_script_enabled=script)
    stale = served.enter(context, "tagging")
    fresh = context.new_page()
    for choice in ("Use the answer from this tab", "Keep the saved answer"):
        stale.goto(f"{served.address}/work/tagging")
        fresh.goto(f"{served.address}/work/tagging")
        before = len(served.stored("tagging"))
        for page, verdict in ((fresh, "Minor errors"), (stale, "Serious errors")):
            page.get_by_label(verdict).check()
            with page.expect_navigation():
                page.get_by_role("button", name="Submit").click()
        stale.get_by_role("heading", name="You have already answered this item").wait_for()
        row = stale.get_by_role("row").filter(has_text="How well does the caption fit?").inner_text()
        assert "Minor errors" in row
        assert "Serious errors" in row
        rows = [(one.answers["verdict"], one.kind) for one in served.stored("tagging")[before:]]
        assert rows == [("minor", "answer")]
        with stale.expect_navigation():
            stale.get_by_text(choice, exact=True).click()
        rows = [(one.answers["verdict"], one.kind) for one in served.stored("tagging")[before:]]
        replaced = [("serious", "correction")] if choice.startswith("Use") else []
        assert rows == [("minor", "answer"), *replaced]
        assert stale.locator("[data-submit]").is_visible()  # and on with the work
    context.close()
