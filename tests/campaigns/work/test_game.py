"""The rating game on a real database: phases, points, and two players at the same pair."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial

import pytest
from sqlalchemy import Connection

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater, Receipt, Task
from captious.campaigns.setup.create import create, draft
from captious.campaigns.setup.lifecycle import find, open_campaign
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, reading, responses
from captious.campaigns.work.responses import Seen, Turn, take_turn
from captious.corpus import Corpus
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.protocols.game.cold_start import earlier_ratings
from captious.protocols.game.player import Standing
from captious.protocols.game.points import score

SMALL = """
tutorial:
  - {image: "1", caption: First., ratings: [2, 2], why: It says little.}
  - {image: "2", caption: Second., ratings: [4, 4], why: It says where.}
probation:
  - {image: "1", caption: Curated one., ratings: [3, 3]}
  - {image: "2", caption: Curated two., ratings: [5, 5]}
rules: {trial_pairs: 2, probation_pairs: 2, passing_points: 4, least_ratings: 8, most_ratings: 8}
"""


def made(db: Database, text: str, captions: int, names: str) -> tuple[Campaign, list[Rater]]:
    corpus = Corpus.from_lists(
        [f"Caption {k}." for k in range(captions)], image_ids=[str(k) for k in range(1, captions + 1)]
    )
    game = create(db, draft("game", corpus, title="Game", protocol_file=text), actor="lea")
    campaign = open_campaign(db, game, actor="lea")
    people = raters.add(db, campaign, [NewRater(name) for name in names.split()], actor="lea")
    return campaign, people


def next_task(db: Database, campaign: Campaign, rater: Rater) -> Task:
    (task,) = assignment.next_tasks(db, campaign, rater)
    return task


def rate(db, clock, campaign, rater, rating: float, *, wait: float = 5.0):
    task = next_task(db, campaign, rater)
    clock.move(wait)
    sent = {"rating": rating}
    return task, responses.respond(db, rater, task.token, sent, key=f"k{clock.now}")


def standing(db: Database, campaign: Campaign, rater: Rater) -> Standing:
    found = next(one for one in raters.listed(db, campaign) if one.id == rater.id)
    return campaign.rules().standing(found.record or {})  # type: ignore[attr-defined]


def test_tutorial_game_probation_and_back(db, clock) -> None:
    campaign, (ann, bob) = made(db, SMALL, 6, "ann bob")
    # The tutorial, in its order, with the explanation.
    for rating, why in ((2, "It says little."), (4, "It says where.")):
        task, receipt = rate(db, clock, campaign, ann, rating)
        assert task.item.stage == "tutorial"
        assert isinstance(receipt, Receipt) and receipt.feedback[1] == why
    # The trial: nobody has rated yet, so there are no points: probation.
    for _ in range(2):
        task, receipt = rate(db, clock, campaign, ann, 3)
        assert task.item.stage == "first"
    assert isinstance(receipt, Receipt) and "probation" in receipt.feedback[-1]
    # One round failed, another passed; it has the same pairs, as items of their own.
    for ratings in ({3: 1, 5: 1}, {3: 3, 5: 5}):
        for _ in range(2):
            task = next_task(db, campaign, ann)
            assert task.item.stage == "probation"
            rate(db, clock, campaign, ann, ratings[int(task.item.facts["ratings"][0])])
    assert standing(db, campaign, ann).phase == "game"
    assert next_task(db, campaign, ann).item.stage == "first"
    # Only the game's ratings are data.
    rows = campaign.rules().judgments(
        responses.items(db, campaign),
        [one for one in reading.active_responses(db, campaign) if one.noted["phase"] in ("trial", "game")],
    )
    assert len(rows) == 2
    # Bob begins with the tutorial, whatever Ann has done.
    assert next_task(db, campaign, bob).item.stage == "tutorial"


def test_the_server_refuses_an_answer_within_three_seconds(db, clock) -> None:
    campaign, (ann,) = made(db, SMALL, 3, "ann")
    _, refused = rate(db, clock, campaign, ann, 2, wait=2.9)
    assert isinstance(refused, list) and "3 seconds" in refused[0].message
    _, receipt = rate(db, clock, campaign, ann, 2, wait=0.2)
    assert isinstance(receipt, Receipt)


def test_an_answer_cannot_be_changed_once_the_consensus_was_seen(db, clock) -> None:
    campaign, (ann,) = made(db, SMALL, 3, "ann")
    task, _ = rate(db, clock, campaign, ann, 2)
    again = responses.respond(db, ann, task.token, {"rating": 4}, key="again")
    assert isinstance(again, list) and "no longer be changed" in again[0].message


QUICK = "rules: {trial_pairs: 0, wait_seconds: 0, least_ratings: 8, most_ratings: 8}"


def test_two_players_at_once_lose_nothing_and_each_consensus_is_recorded(db, clock) -> None:
    """Eight players rate the same pairs at the same moment, on each engine."""
    campaign, people = made(db, QUICK, 3, "a b c d e f g h")
    wrong: list[BaseException] = []
    together = threading.Barrier(len(people))

    def play(rater: Rater, place: int) -> None:
        try:
            together.wait(30)
            for turn in range(3):
                task = next_task(db, campaign, rater)
                sent: Mapping[str, object] = {"rating": 1 + (place + turn) % 5}
                found = responses.respond(db, rater, task.token, sent, key=f"{place}-{turn}")
                assert isinstance(found, Receipt)
        except BaseException as error:  # noqa: BLE001 - told by the main thread
            wrong.append(error)

    threads = [threading.Thread(target=play, args=(one, place)) for place, one in enumerate(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    check_replay(db, campaign, 24)


def test_players_of_one_pair_in_a_group_are_judged_one_after_the_other(db, write_together) -> None:
    campaign, people = made(db, QUICK, 3, "a b c d e f g h")

    def turn(connection: Connection, rater: Rater, place: int, task: Task) -> Turn | None:
        sent: Mapping[str, object] = {"rating": 1 + place % 5}
        return take_turn(
            db, connection, rater, campaign.slug, task.token, lambda _: sent, key=task.token, seen=Seen()
        )

    for _ in range(3):
        works = [
            partial(turn, rater=rater, place=place, task=next_task(db, campaign, rater))
            for place, rater in enumerate(people)
        ]
        for future in write_together(*works):
            assert isinstance(future.result().outcome, Receipt)
    check_replay(db, campaign, 24)


def check_replay(db: Database, campaign: Campaign, count: int) -> None:
    """Eight players rated each pair, and a sequential replay gives every consensus and all points."""
    log = reading.active_responses(db, campaign)
    assert len(log) == count
    by_item: dict[str, list] = {}
    for one in log:  # in the order in which they were stored
        by_item.setdefault(one.item, []).append(one)
    assert sorted(map(len, by_item.values())) == [8, 8, 8]
    for own in by_item.values():
        earlier: list[float] = []
        for one in own:
            rating = float(str(one.answers["rating"]))
            expected = score(rating, earlier_ratings([], earlier))
            assert one.noted["points"] == expected.points
            assert one.noted["consensus"] == ("" if expected.consensus is None else expected.consensus)
            assert one.noted["n"] == len(earlier) + 1
            earlier.append(rating)


def test_unsettled_pairs_get_more_ratings_and_then_close(db, clock) -> None:
    text = "rules: {trial_pairs: 0, wait_seconds: 0, least_ratings: 2, most_ratings: 3}"
    campaign, people = made(db, text, 1, "a b c d")
    for rater, rating in zip(people, (4, 5, 4), strict=False):
        rate(db, clock, campaign, rater, rating)  # 4, 5: 4.5 -> 5; a 4 would change it to 4
    assert assignment.next_tasks(db, campaign, people[3]) == []


@pytest.mark.parametrize("metric", ["rouge_l"])
def test_cold_start_by_a_registered_metric_on_the_demo(sqlite_url, tmp_path, metric) -> None:
    files = demo_files()
    corpus = load_corpus(files.systems, [files.references], images=files.images)
    text = files.game.read_text(encoding="utf-8") + f"metrics: [{metric}]\n"
    found = draft("game", corpus, title="Demo game", protocol_file=text)
    pairs = [item for item in found.items if item.counts]
    assert len(pairs) == 56  # 96 captions, 40 of them training pairs
    made_up = [rating for item in pairs for rating in item.facts["computer"]]
    assert len(made_up) == 112 and set(made_up) == {1, 2, 3, 4, 5}
    with Database.open(sqlite_url, files=tmp_path / "files") as db:
        campaign = open_campaign(db, create(db, found, actor="lea"), actor="lea")
        assert find(db, campaign.slug).rules().first_metrics() == (metric,)
        stored = next(item for item in responses.items(db, campaign) if item.key == pairs[0].key)
        assert stored.facts["computer"] == pairs[0].facts["computer"]
