"""What a draft would make, and making it."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.entry import training
from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle

ELSEWHERE = {"no_images": "yes"}


# Items, first-stage responses, later ones and checks, derived by hand for 4 images and 2 systems.
@pytest.mark.parametrize(
    ("protocol", "items", "first", "later", "checks"),
    [
        ("thumb", 4, 4, 4, 0),
        # 4 x (2 systems + baseline) comparisons; groups of 3 hold 2 of them and a check.
        ("humanr", 12, 12, 0, 6),
        ("tagging", 8, 16, 16, 0),
        ("audit", 8, 8, 0, 0),
        ("generic", 8, 8, 0, 0),
    ],
)
def test_the_preview_counts_the_work(
    manager: Any, protocol: str, items: int, first: int, later: int, checks: int, files: Any, options: Any
) -> None:
    answer = manager.post(f"/admin/new/{protocol}", files(), title="D", **options[protocol], **ELSEWHERE)
    address = answer.headers["location"]
    found = manager.twin(f"{address}?seconds=30&wage=12")
    assert (found["items"], found["first"], found["later"], found["checks"]) == (items, first, later, checks)
    assert found["responses"] == first + later + checks
    hours = (first + later + checks) * 30 / 3600
    assert found["cost"] == {"seconds_each": 30.0, "hours": hours, "wage": 12.0, "pay": hours * 12}
    assert found["without_image"] == 4
    assert "raters will see captions only" in manager.text(address)


def test_a_pace_that_is_no_number_is_said(manager: Any, draft: str) -> None:
    answer = manager.get(f"{draft}?seconds=soon")
    assert answer.status_code == 422
    assert 'href="#f-seconds"' in answer.text


def test_two_campaigns_may_have_one_title(site: Any, manager: Any, draft: str) -> None:
    site.campaign(title="Dogs")
    made = manager.post(f"{draft}/create")
    assert made.headers["location"] == "/admin/c/dogs-2"


def test_the_wizard_ends_with_the_training(
    site: Any, manager: Any, pictures: Any, draft: str, files: Any, options: Any
) -> None:
    """It is offered before the campaign is made, and named among what comes before raters begin."""
    assert 'value="sample"' in manager.text(draft)
    address = manager.post(f"{draft}/create", training="sample").headers["location"]
    campaign = lifecycle.find(site.db, address.rpartition("/")[2])
    assert training.examples(site.db, campaign)
    text = manager.text(address)
    assert "Before raters begin" in text
    assert f'href="{address}/training"' in text
    assert text.count('<span class="badge">done</span>') == 1
    lifecycle.open_campaign(site.db, campaign, actor="lea")
    assert "Before raters begin" not in manager.text(address)
    # The package has no examples for questions of one's own.
    own = manager.post("/admin/new/generic", files(pictures), title="Own", **options["generic"])
    page = manager.text(own.headers["location"])
    assert 'value="none"' in page
    assert 'value="sample"' not in page
    refused = manager.post(f"{own.headers['location']}/create", training="sample")
    assert refused.status_code == 422
    assert [one.title for one in lifecycle.listed(site.db)] == ["Dogs"]


def test_a_created_campaign_can_be_rated(site: Any, manager: Any, draft: str) -> None:
    address = manager.post(f"{draft}/create").headers["location"]
    assert manager.post(f"{address}/do/open").status_code == 303
    campaign = lifecycle.find(site.db, "dogs")
    visitor, _ = site.rater(campaign)
    page = visitor.page("/work/dogs")
    assert any(tag == "img" and one["src"].startswith("/images/dogs/") for tag, one in page.tags)
    assert raters.listed(site.db, campaign)[0].answered == 0
