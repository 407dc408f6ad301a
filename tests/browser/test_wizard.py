"""The wizard's form for own questions: raters' view follows the typing, with and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_own_questions_are_shown_while_they_are_typed(studio, cut_sample) -> None:
    owner = studio.owner()
    owner.open("/admin/new/generic")
    page = owner.page
    sample = page.locator("[data-sample]")
    expect(sample).to_contain_text("Write the first question")
    owner.write("build.1.ask", "Would it help someone who cannot see?")
    owner.write("build.1.low_label", "Not at all")
    expect(sample.get_by_role("radio", include_hidden=True)).to_have_count(5)
    expect(sample).to_contain_text("Not at all")
    assert page.locator("[data-row]:visible").count() == 1
    page.get_by_role("button", name="Add a question").press("Enter")
    page.keyboard.type("Is it true?")  # the new row has the focus
    expect(sample.get_by_role("radio", include_hidden=True)).to_have_count(10)
    owner.write("build.1.high", "1")
    expect(sample).to_contain_text("a scale from 1 to 1")
    owner.write("build.1.high", "3")
    files = cut_sample(2, "heron")
    owner.write("title", "Own questions")
    owner.give("candidates", files.candidates)
    owner.push("Preview")
    page.get_by_role("heading", name="Own questions").wait_for()
    owner.follow("Try it as a rater")
    assert page.get_by_role("radio").count() == 3 + 5


def test_own_questions_without_scripts(studio) -> None:
    owner = studio.owner("plain")
    owner.open("/admin/new/generic")
    assert owner.page.locator("[data-row]:visible").count() == 12
    owner.write("build.1.ask", "Is it true?")
    owner.push("Update the preview")
    assert owner.page.get_by_role("radio", include_hidden=True).count() == 5
