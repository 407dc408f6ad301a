"""The result of a finished study, one click from the last answer: for eyes, screen readers and papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.browser
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1100, "height": 900}},
    "dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


def finished(studio: Any, images: int = 20) -> Campaign:
    """alpha says everything, beta misses something in two images of three."""
    rows = [(str(at), system) for at in range(images) for system in ("alpha", "beta")]
    corpus = Corpus.from_lists(
        [f"A dog of {system} at place {image}." for image, system in rows],
        image_ids=[image for image, _ in rows],
        systems=[system for _, system in rows],
    )
    drafted = create.draft("thumb", corpus, title="Finished", options={"two_stages": False})
    campaign = create.create(studio.db, drafted, actor="test")
    campaign = lifecycle.open_campaign(studio.db, campaign, actor="test")
    (rater,) = raters.add(studio.db, campaign, [NewRater("Ada")], actor="test")
    for at in range(images):
        task = assignment.next_tasks(studio.db, campaign, rater)[0]
        said: dict[str, object] = {}
        for caption in task.item.captions:
            behind = task.item.sources[caption.key] == ("beta",) and int(task.item.image) % 3 > 0
            own = {
                "precision": 5,
                "recall": 3 if behind else 5,
                "conciseness": "0",
                "inclusive_language": "0",
            }
            said |= {f"{caption.key}.{name}": value for name, value in own.items()}
        done = responses.respond(studio.db, rater, task.token, said, key=f"the-answer-number-{at}")
        assert not isinstance(done, list), done
    return campaign


def test_the_result_is_the_first_card_with_files_of_one_click(studio: Any, tmp_path: Path) -> None:
    campaign = finished(studio)
    for view, options in VIEWS.items():
        hand = studio.owner(**options)
        hand.open(f"/admin/c/{campaign.slug}")
        page = hand.page
        page.locator(".found").wait_for()  # what is computed comes into the open page
        cards = page.locator("main .card")
        assert "alpha is ahead of beta in recall by 1.30" in cards.first.inner_text()
        found = axe.Axe().run(page, options={"runOnly": RULES}).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == [], view
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
    with page.expect_download() as sent:
        page.locator(".found").get_by_role("link", name="LaTeX").click()
    sent.value.save_as(tmp_path / "table.tex")
    assert "\\begin{tabular}" in (tmp_path / "table.tex").read_text()
