"""The lead's desk: a verdict in words first, a plan before the first answer, numbers with their caveats."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup import create, lifecycle
from captious.corpus.load import load_corpus
from captious.data import demo_files

pytestmark = pytest.mark.browser


def study(studio, protocol: str, title: str, **options):
    sample = demo_files()
    corpus = load_corpus(sample.systems[:1], [sample.references], images=sample.images)
    made = create.create(studio.db, create.draft(protocol, corpus, title=title, options=options), actor="t")
    return lifecycle.open_campaign(studio.db, made, actor="t")


@pytest.mark.parametrize("way", ["mouse", "plain"])
def test_the_overview_says_in_words_whether_it_can_finish(studio, way: str) -> None:
    """Tagging wants three raters for each caption: two cannot finish it, and one more can."""
    campaign = study(studio, "tagging", f"Verdict by {way}", raters=3)
    raters.add(studio.db, campaign, [NewRater("Ann"), NewRater("Bo")], actor="t")
    owner = studio.owner(way)
    owner.open(f"/admin/c/{campaign.slug}")
    verdict = owner.page.locator("main")
    expect(verdict).to_contain_text("needs at least 1 more rater")
    first = owner.page.locator("main section, main .card").first.inner_text()
    assert "needs at least 1 more rater" in first  # before any number
    flags = owner.page.locator("#progress dd a")
    flags.focus()
    raters.add(studio.db, campaign, [NewRater("Cy")], actor="t")
    if way == "plain":
        owner.page.reload()
    # With scripts the open page follows by itself, and a link in it keeps the focus.
    expect(verdict).to_contain_text("Can finish with the current raters", timeout=60_000)
    if way == "mouse":
        expect(flags).to_be_focused()


def test_a_preview_says_what_its_plan_can_find(studio, cut_sample) -> None:
    sample = cut_sample(3, "heron", "dodo")
    owner = studio.owner()
    owner.open("/admin/new/thumb")
    owner.write("title", "Plan")
    owner.give("candidates", sample.candidates)
    owner.give("references", [sample.references])
    owner.give("images", sample.images)
    owner.push("Preview")
    expect(owner.page.locator("main")).to_contain_text("80%")


def test_an_analysis_page_shows_something_at_once(studio) -> None:
    campaign = study(studio, "tagging", "At once", raters=1)
    owner = studio.owner("plain")
    owner.open(f"/admin/c/{campaign.slug}/results")
    expect(owner.page.get_by_role("heading", name="At once")).to_be_visible()
    owner.open(f"/admin/c/{campaign.slug}/agreement")
    expect(owner.page.get_by_role("heading", name="At once")).to_be_visible()
