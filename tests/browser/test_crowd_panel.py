"""A study for a panel, from the manager's estimate to the participant's completion address."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from captious.campaigns.setup import create, lifecycle
from captious.corpus.load import load_corpus
from captious.crowd import studies, visits

pytestmark = pytest.mark.browser
BACK = "https://panel.example/back?who={participant}&code={code}"


@pytest.fixture
def campaign(studio: Any, cut_sample: Any) -> Any:
    sample = cut_sample(4, "heron")
    corpus = load_corpus(sample.candidates, [sample.references])
    options = {"target": 3, "baseline": False, "group_size": 2}
    draft = create.draft("humanr", corpus, title=f"Panel {uuid4().hex[:6]}", options=options)
    return lifecycle.open_campaign(studio.db, create.create(studio.db, draft, actor="lea"), actor="lea")


def published(studio: Any, campaign: Any) -> Any:
    """The owner plans a study, reads what it costs, and publishes it."""
    owner = studio.owner()
    owner.open(f"/admin/c/{campaign.slug}/crowd")
    for name, value in (("places", "2"), ("reward", "0.50"), ("minutes", "2")):
        owner.write(name, value)
    owner.write("options", f"parameter=pid\ncompleted={BACK}")
    owner.push("Estimate the cost")
    assert "$1.00" in owner.page.locator("main").inner_text()
    assert not studies.listed(studio.db, campaign)
    owner.push("Publish")
    (stored,) = studies.listed(studio.db, campaign)
    assert stored.study.address in owner.page.locator("main").inner_text()
    return stored


def test_published_in_the_browser_worked_on_and_left_by_the_panels_address(
    studio: Any, campaign: Any
) -> None:
    stored = published(studio, campaign)
    hand = studio.visitor("plain")
    reached: list[str] = []

    def back(route: Any) -> None:
        reached.append(route.request.url)
        studio.problems.remove(route.request.url)
        route.fulfill(body="<h1>Thank you</h1>", content_type="text/html")

    hand.page.route(re.compile(r"^https://panel\.example/"), back)
    hand.open(f"/go/{stored.study.key}?pid=ada-7")
    hand.push("Start")
    answered = 0
    while hand.page.locator("[data-answers]").count():
        hand.answer({"preference": "5"})
        hand.submit()
        answered += 1
    code = stored.study.codes["completed"]
    assert answered == 2 and hand.page.locator("#code").inner_text() == code
    hand.activate(hand.page.locator("main a.button"))
    assert reached == [f"https://panel.example/back?who=ada-7&code={code}"]
    assert [one.outcome for one in visits.of_study(studio.db, stored.id)] == ["completed"]
    # The same id in another browser, and no id at all, open nothing.
    for address in (f"/go/{stored.study.key}?pid=ada-7", f"/go/{stored.study.key}"):
        stranger = studio.visitor()
        stranger.open(address)
        assert stranger.page.get_by_role("button", name="Start").count() == 0
        assert "You cannot take part" in stranger.page.locator("main").inner_text()
        assert code not in stranger.page.content()
