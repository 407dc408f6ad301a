"""More captions and images for a campaign that runs."""

from __future__ import annotations

import json
from typing import Any

from captious.campaigns.setup import lifecycle
from captious.campaigns.store import log
from captious.campaigns.work import responses


def sent(*images: int) -> list[tuple[str, tuple[str, bytes]]]:
    rows = [{"image_id": f"new{n}", "caption": f"A new dog, number {n}."} for n in images]
    return [("candidates", ("heron.json", json.dumps(rows).encode()))]


def test_new_items_join_a_running_campaign(site: Any, manager: Any, make_picture: Any) -> None:
    campaign = site.campaign()
    before = len(responses.items(site.db, campaign))
    pictures = [("images", (f"new{n}.png", make_picture(n))) for n in range(2)]
    address = f"/admin/c/{campaign.slug}/add"
    assert f'href="{address}"' in manager.text(f"/admin/c/{campaign.slug}/settings")
    answer = manager.post(address, [*sent(0, 1), *pictures])
    assert answer.status_code == 303, answer.text
    found = responses.items(site.db, lifecycle.find(site.db, campaign.slug))
    assert len(found) == before + 2
    assert log.entries(site.db, campaign, limit=1)[0].detail["new items"] == 2
    visitor, _ = site.rater(campaign)
    assert visitor.get(f"/work/{campaign.slug}").status_code == 200


def test_what_is_there_already_is_said(site: Any, manager: Any) -> None:
    campaign = site.campaign()
    address = f"/admin/c/{campaign.slug}/add"
    assert manager.post(address, sent(7), no_images="yes").status_code == 303
    again = manager.post(address, sent(7), no_images="yes")
    assert again.status_code == 422
    assert "already in the campaign" in again.text


def test_bad_files_add_nothing(site: Any, manager: Any, viewer: Any) -> None:
    campaign = site.campaign()
    before = len(responses.items(site.db, campaign))
    address = f"/admin/c/{campaign.slug}/add"
    assert "raters would see none" in manager.post(address, sent(1)).text
    broken = manager.post(address, [("candidates", ("m.json", b"{no"))], no_images="yes")
    assert broken.status_code == 422
    assert "m.json" in broken.text
    assert str(site.db.files) not in broken.text
    nothing = manager.post(address, None)
    assert nothing.status_code == 422
    assert "Choose at least one file with candidates" in nothing.text
    assert viewer.post(address, sent(1), no_images="yes").status_code == 403
    assert len(responses.items(site.db, campaign)) == before


def test_more_captions_of_an_image_that_is_there_are_refused_by_name(site: Any, manager: Any) -> None:
    """THumB shows all captions of an image together, so that a later one would be lost."""
    campaign = site.campaign("thumb")
    address = f"/admin/c/{campaign.slug}/add"
    assert manager.post(address, sent(0, 1), no_images="yes").status_code == 303
    rows = [{"image_id": f"new{n}", "caption": f"Another dog, number {n}."} for n in range(2)]
    other = [("candidates", ("dodo.json", json.dumps(rows).encode()))]
    answer = manager.post(address, other, no_images="yes")
    assert answer.status_code == 422
    assert "the campaign shows it already with other captions, and 1 more" in answer.text
