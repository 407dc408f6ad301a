"""THumB's second stage: digits change scores, and what was confirmed at once is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.exchange import export
from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Campaign, NewRater, Rater
from captious.campaigns.results import analysis
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus

pytestmark = pytest.mark.browser


def made(studio: Any, title: str, images: int = 2) -> tuple[Campaign, Rater]:
    """A campaign whose first stage is done: 5 and 5 for every caption. The rater is new."""
    ids = [str(at) for at in range(images)]
    captions = [f"A dog runs on meadow {one}." for one in ids]
    corpus = Corpus.from_lists(captions, image_ids=ids, systems=["m"] * images)
    created = create.create(studio.db, create.draft("thumb", corpus, title=title), actor="test")
    campaign = lifecycle.open_campaign(studio.db, created, actor="test")
    first, second = raters.add(studio.db, campaign, [NewRater("Ada"), NewRater("Bo")], actor="test")
    said = {"A.precision": 5, "A.recall": 5, "A.conciseness": "0", "A.inclusive_language": "0"}
    for at in range(images):
        task = assignment.next_tasks(studio.db, campaign, first)[0]
        responses.respond(studio.db, first, task.token, said, key=f"first-stage-answer-{at}")
    return campaign, second


def enter(studio: Any, campaign: Campaign, rater: Rater, way: str = "mouse") -> Any:
    token, _ = accounts.start_session(studio.db, rater, hours=1)
    hand = studio.visitor(way)
    name = f"captious_session_{campaign.slug}"
    hand.page.context.add_cookies([{"name": name, "value": token, "url": studio.address}])
    hand.open(f"/work/{campaign.slug}")
    return hand.page


def test_typed_digits_stand_in_the_export(studio: Any, tmp_path: Path) -> None:
    campaign, rater = made(studio, "Typed")
    page = enter(studio, campaign, rater)
    for answered in range(2):
        # Precision stays, recall changes, the penalties are confirmed one by one.
        for key in ("5", "3", "Enter", "Enter"):
            page.keyboard.press(key)
        assert page.locator('[data-question="A.recall"] input:checked').get_attribute("value") == "3"
        assert page.locator("[data-confirm]").count() == 0
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert len(list(responses.stored(studio.db, campaign))) == 3 + answered
    export.export(studio.db, campaign, tmp_path / "out", formats=("jsonl",), actor="test")
    rows = [json.loads(line) for line in (tmp_path / "out" / "judgments.jsonl").read_text().splitlines()]
    typed = [row["rating"] for row in rows if row["stage"] == "second" and row["aspect"] == "recall"]
    assert typed == [3.0, 3.0]
    assert all(one.untouched == () for one in responses.stored(studio.db, campaign))


def test_enter_and_submit_stop_at_what_is_not_confirmed(studio: Any) -> None:
    campaign, rater = made(studio, "Stops", images=1)
    page = enter(studio, campaign, rater)
    page.locator("[data-submit]").click()
    assert "Not confirmed yet: 4." in page.locator("#state").inner_text()
    assert page.evaluate("document.activeElement.name") == "A.precision"
    page.locator('[data-question="A.precision"] input:checked').click()
    assert "Not confirmed yet: 3." in page.locator("#state").inner_text()
    assert len(list(responses.stored(studio.db, campaign))) == 1


@pytest.mark.parametrize("way", ["mouse", "keyboard", "plain"])
def test_what_is_confirmed_at_once_is_counted_with_its_time(studio: Any, way: str) -> None:
    campaign, rater = made(studio, f"At once by {way}", images=1)
    page = enter(studio, campaign, rater, way)
    if way == "keyboard":
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("4")
        page.keyboard.press("f")
    else:
        page.locator('[name="A.recall"][value="4"]').check()
        if way == "mouse":
            page.get_by_role("button", name="Confirm all the rest").click()
        else:
            page.locator('.question:has([name="A.precision"]) input[name=".confirmed"]').check()
    with page.expect_navigation():
        page.locator("[data-submit]").click()
    row = list(responses.stored(studio.db, campaign))[-1]
    together = ("A.conciseness", "A.inclusive_language")
    # Recall was changed; without a script precision was confirmed by a tick of its own.
    assert row.answers["A.recall"] == 4.0
    assert row.untouched == (together if way == "plain" else ("A.precision", *together))
    tables = analysis.agreement(studio.db, campaign).tables()
    (table,) = [one for one in tables if one.title.startswith("Kappa between")]
    shares = {line[0]: line[table.columns.index("at once")] for line in table.rows}
    assert shares["precision"] == (0.0 if way == "plain" else 1.0)
    assert shares["recall"] == 0.0
    assert "confirmed at once" in table.note
