"""A script gets the next page with the receipt of an answer, and need not ask for it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlalchemy as sa
from markupsafe import escape

from captious.campaigns.store import schema
from captious.campaigns.work import assignment, responses
from captious.web.pages import FLASH, THEME

TAKES_PAGE = {"accept": "application/json", "x-next-page": "1"}


def send(visitor: Any, page: Any, pairs: dict[str, str], **headers: str) -> Any:
    own = {name: page.hidden(name) for name in ("csrf", "key")}
    return visitor.post(page.action(), data={**own, **pairs}, headers=headers)


# What HTML, JSON and scripts treat in their own ways, and what they must not.
NASTY = (
    "\"A\" 'dog' & <b>cat</b> \\n \\u0041 {{ 7 * 7 }} %s %00 \\",
    "</script><script>alert(1)</script> <!-- ]]> &lt;dog&gt; &#34;",
    "🐕\u200d🦺 naïve \u202eevil \u2028line\u2029 \ufeff\ufffd ﷽ \U0010ffff",
    "tab\tline\nreturn\r\x01\x1f\x7f\x80\x85\xa0 end",
)


def nasty(image: int, manner: str) -> str:
    return f"{NASTY[image % len(NASTY)]} {manner} {image}"


@pytest.mark.parametrize("captions", ["A dog runs {1} at place {0}.".format, nasty], ids=["plain", "nasty"])
@pytest.mark.parametrize("protocol", ["thumb", "humanr", "tagging", "audit", "generic"])
def test_the_page_that_comes_along_is_the_page_that_would_be_asked_for(
    site: Any, answer_pairs: Any, read_page: Any, protocol: str, captions: Any
) -> None:
    campaign = site.campaign(protocol, captions=captions, title='Dogs & "cats" \\ 犬')
    visitor, rater = site.rater(campaign)
    visitor.client.cookies.set(THEME, "dark")
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


def test_a_draft_of_the_next_task_is_on_the_page_that_comes_along(
    site: Any, answer_pairs: Any, read_page: Any
) -> None:
    campaign = site.campaign("humanr")  # hands out several tasks at once
    visitor, rater = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    page, first = visitor.page(address), site.task(campaign, rater)
    with site.db.read() as connection:
        held = assignment.held_tasks(site.db, connection, rater)
    following = next(task for task in held if task.token != first.token)
    assignment.save_draft(
        site.db, rater, following.token, following.item.form.read(answer_pairs(following).items())
    )
    said = send(visitor, page, answer_pairs(first), **TAKES_PAGE).json()
    along, asked = read_page(said["page"]), visitor.page(address)
    assert along.action().endswith(following.token)
    assert along.checked() == asked.checked() != {}
    assert said["page"].replace(along.hidden("key"), "") == asked.text.replace(asked.hidden("key"), "")


def test_a_nasty_caption_is_text_of_the_page_that_comes_along(
    site: Any, answer_pairs: Any, read_page: Any
) -> None:
    campaign = site.campaign("tagging", captions=nasty, images=len(NASTY))
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    seen = []
    for _ in range(2 * len(NASTY) - 1):
        said = send(visitor, page, answer_pairs(site.task(campaign, rater)), **TAKES_PAGE).json()
        page = read_page(said["page"])
        (caption,) = site.task(campaign, rater).item.captions
        # A browser reads a carriage return as a line feed, unless it is written as a reference.
        text = str(escape(caption.text)).replace("\r", "&#13;")
        assert re.search(
            rf'<p class="caption-text" dir="auto" lang="[a-z]*">{re.escape(text)}</p>', said["page"]
        )
        seen.append(caption.text)
    assert len(set(seen)) == 2 * len(NASTY) - 1


def test_a_page_asked_for_with_a_query_is_not_shown_to_others(site: Any, read_page: Any) -> None:
    campaign = site.campaign("tagging")
    (ada, _), (bob, _) = site.rater(campaign, "Ada"), site.rater(campaign, "Bob")
    address = f"/work/{campaign.slug}"
    assert ada.page(f"{address}?PROLIFIC_PID=5d1").hidden("back") == f"{address}?PROLIFIC_PID=5d1"
    assert bob.page(address).hidden("back") == address


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


def test_a_session_that_ended_elsewhere_stores_nothing_more(
    site: Any, answer_pairs: Any, read_page: Any
) -> None:
    campaign = site.campaign("tagging")
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    first = send(visitor, page, answer_pairs(site.task(campaign, rater)), **TAKES_PAGE).json()
    # Another process ends it, which this one does not hear of.
    with site.db.write() as connection:
        connection.execute(sa.delete(schema.session))
    following = read_page(first["page"])
    refused = send(visitor, following, answer_pairs(site.task(campaign, rater)), **TAKES_PAGE)
    assert refused.status_code == 401
    assert [row.id for row in responses.stored(site.db, campaign)] == [first["response"]]


def test_a_session_does_not_answer_anothers_task(site: Any, answer_pairs: Any, read_page: Any) -> None:
    campaign = site.campaign("tagging")
    (ada, one), (bob, two) = site.rater(campaign, "Ada"), site.rater(campaign, "Bob")
    page = ada.page(f"/work/{campaign.slug}")
    own = read_page(send(ada, page, answer_pairs(site.task(campaign, one)), **TAKES_PAGE).json()["page"])
    others = bob.page(f"/work/{campaign.slug}")
    pairs = {"csrf": own.hidden("csrf"), "key": own.hidden("key"), **answer_pairs(site.task(campaign, two))}
    refused = ada.post(others.action(), data=pairs, headers=TAKES_PAGE)
    assert refused.status_code in (404, 409, 422)
    assert len([*responses.stored(site.db, campaign)]) == 1
