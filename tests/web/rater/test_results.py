"""The leaderboard: who wants to be on it chooses a nickname."""

from __future__ import annotations

from typing import Any

from captious.campaigns.setup import create, lifecycle
from captious.corpus import Corpus

GAME = """
tutorial:
  - {image: t1, caption: A dog runs., ratings: [4, 4, 5], why: It says what and where.}
probation:
  - {image: p1, caption: One., ratings: [3, 3]}
rules: {trial_pairs: 1, probation_pairs: 1, passing_points: 4}
"""


def test_a_nickname_is_chosen_refused_and_given_up(site: Any) -> None:
    corpus = Corpus.from_lists(["A cat."], image_ids=["a"], systems=["m"])
    draft = create.draft("game", corpus, title="Game", protocol_file=GAME)
    campaign = lifecycle.open_campaign(site.db, create.create(site.db, draft, actor="lea"), actor="lea")
    visitor, _ = site.rater(campaign)
    address = f"/board/{campaign.slug}"
    csrf = visitor.page(address).hidden("csrf")
    # Thirty characters are the most.
    refused = visitor.post(address, data={"csrf": csrf, "nickname": "n" * 31})
    assert refused.status_code == 422
    assert "give 30 plain characters at most" in refused.text
    kept = visitor.post(address, data={"csrf": csrf, "nickname": "  Otter   1 "})
    assert (kept.status_code, kept.headers["location"]) == (303, address)
    assert "<td>Otter 1" in visitor.page(address).text.replace("\n", "").replace("<td> ", "<td>")
    visitor.post(address, data={"csrf": csrf, "nickname": ""})
    assert "Otter 1" not in visitor.page(address).text


def test_where_no_points_are_given_there_is_no_board(site: Any) -> None:
    campaign = site.campaign("tagging")
    visitor, _ = site.rater(campaign)
    assert visitor.get(f"/board/{campaign.slug}").status_code == 404
