"""A script gets the next page with the receipt of an answer, and need not ask for it."""

from __future__ import annotations

from typing import Any

import pytest

from captious.web.pages import FLASH

TAKES_PAGE = {"accept": "application/json", "x-next-page": "1"}


def send(visitor: Any, page: Any, pairs: dict[str, str], **headers: str) -> Any:
    own = {name: page.hidden(name) for name in ("csrf", "key")}
    return visitor.post(page.action(), data={**own, **pairs}, headers=headers)


@pytest.mark.parametrize("protocol", ["thumb", "humanr", "tagging", "audit", "generic"])
def test_the_page_that_comes_along_is_the_page_that_would_be_asked_for(
    site: Any, answer_pairs: Any, read_page: Any, protocol: str
) -> None:
    campaign = site.campaign(protocol)
    visitor, rater = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    page = visitor.page(address)
    said = send(visitor, page, answer_pairs(site.task(campaign, rater)), **TAKES_PAGE).json()
    assert said["next"] == address
    along, asked = read_page(said["page"]), visitor.page(address)
    # The same but for the idempotency key, which is new for every page.
    assert along.hidden("key") != asked.hidden("key")
    assert said["page"].replace(along.hidden("key"), "") == asked.text.replace(asked.hidden("key"), "")
    # It can be worked with at once.
    again = send(visitor, along, answer_pairs(site.task(campaign, rater)), **TAKES_PAGE)
    assert again.status_code == 200
    assert again.json()["response"] > said["response"]


def test_who_does_not_ask_gets_no_page(site: Any, answer_pairs: Any) -> None:
    campaign = site.campaign("tagging")
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    said = send(visitor, page, answer_pairs(site.task(campaign, rater)), accept="application/json")
    assert set(said.json()) == {"response", "duplicate", "correction", "next"}


def test_an_answer_that_was_known_and_one_without_next_bring_no_page(site: Any, answer_pairs: Any) -> None:
    campaign = site.campaign("audit", images=1)
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    pairs = answer_pairs(site.task(campaign, rater))
    first = send(visitor, page, pairs, **TAKES_PAGE).json()
    again = send(visitor, page, pairs, **TAKES_PAGE).json()
    assert (again["response"], again["duplicate"]) == (first["response"], True)
    assert "page" not in again


def test_what_is_to_be_said_once_waits_for_a_page_of_its_own(site: Any, answer_pairs: Any) -> None:
    campaign = site.campaign("tagging")
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    visitor.client.cookies.set(FLASH, "work.draft_kept")
    said = send(visitor, page, answer_pairs(site.task(campaign, rater)), **TAKES_PAGE).json()
    assert "page" not in said
