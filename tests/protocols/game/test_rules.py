"""The game as a protocol: phases, points against earlier ratings, targets, feedback."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols.base import Item, Outcome, Past, Response
from captious.protocols.game import RatingGame
from captious.protocols.game.player import Standing


def give(game: RatingGame, item: Item, rating: float, past: Past | None = None) -> Outcome:
    response = game.validate(item, {"rating": rating}, rater="r", time=1e9)
    assert isinstance(response, Response)
    found = game.outcome(item, response, past or Past())
    assert isinstance(found, Outcome)
    return found


def ratings(*given: float) -> tuple[Response, ...]:
    return tuple(Response("", {"rating": rating}, f"r{place}") for place, rating in enumerate(given))


def by_stage(items: list[Item], stage: str) -> list[Item]:
    return [item for item in items if item.stage == stage]


def test_training_pairs_are_no_data_and_leave_the_corpus(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)
    assert [item.image for item in by_stage(items, "first")] == ["a", "b", "c", "d"]
    assert not any(item.counts for item in items if item.stage != "first")
    assert {item.target for item in by_stage(items, "first")} == {4}


def test_what_a_page_is_given_tells_no_consensus(game: RatingGame, corpus: Corpus) -> None:
    for item in game.items(corpus, seed=1):
        shown = str(item.public())
        assert "facts" not in shown and "There is no cat" not in shown and "'ratings'" not in shown
        assert item.prior == {}


def test_tutorial_in_its_order_then_game_then_probation_and_back(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)
    record: dict = {}

    def open_to() -> list[Item]:
        return [item for item in items if game.may_take(item, record)]

    # The tutorial: pair by pair, with the explanation; its points do not count.
    for place, line in ((0, "It says what and where."), (1, "There is no cat.")):
        (item,) = open_to()
        assert item == by_stage(items, "tutorial")[place]
        outcome = give(game, item, [4, 1][place], Past(record=record))
        assert outcome.feedback[:2] == (f"+2 points. You rated {[4, 1][place]}, and so did the others.", line)
        record = dict(outcome.record)
    assert game.standing(record).phase == "trial" and game.standing(record).score == 0
    # The trial: 2 + 0 = 2 points, less than 4.
    assert open_to() == by_stage(items, "first")
    for item, rating in zip(by_stage(items, "first"), (3, 4), strict=False):
        outcome = give(game, item, rating, Past(earlier=ratings(3, 3), record=record))
        record = dict(outcome.record)
    assert "on probation" in outcome.feedback[-1]
    assert game.standing(record).score == 0
    # Two rounds of probation: the first is failed, the second passed.
    first = open_to()
    assert [item.image for item in first] == ["p1", "p2"]
    for item in first:
        record = dict(give(game, item, 1, Past(record=record)).record)
    second = open_to()
    assert [item.image for item in second] == ["p3", "p1"]
    assert {item.key for item in second}.isdisjoint(item.key for item in first)
    for item, rating in zip(second, (1, 3), strict=True):
        outcome = give(game, item, rating, Past(record=record))
        record = dict(outcome.record)
    assert "back in the game" in outcome.feedback[-1]
    assert open_to() == by_stage(items, "first")
    assert (game.standing(record).phase, game.standing(record).score) == ("game", 0)


def test_points_are_against_the_ratings_so_far_and_recorded(game: RatingGame, corpus: Corpus) -> None:
    (item, *_) = by_stage(game.items(corpus, seed=1), "first")
    # [2, 4]: r = 3, sigma^2 = 1, n = 3, v = 1.5, d = 2/1.5.
    outcome = give(game, item, 5, Past(earlier=ratings(2, 4), record={"standing": None}))
    assert outcome.noted["points"] == -1
    assert (outcome.noted["consensus"], outcome.noted["n"], outcome.noted["variance"]) == (3.0, 3.0, 1.0)


def test_first_ratings_of_a_metric_are_replaced_by_human_ones(game: RatingGame, corpus: Corpus) -> None:
    scored = replace(game, metrics=("clip",))
    items = scored.items(corpus, seed=1)
    pairs = by_stage(items, "first")
    scores = {"clip": {item.key: value for item, value in zip(pairs, (0.1, 0.2, 0.3, 0.9), strict=True)}}
    begun = by_stage(scored.with_scores(items, scores), "first")
    # Four scores in five equal shares: the middles of their ranks are 1/8, 3/8, 5/8 and 7/8.
    assert [item.facts["computer"] for item in begun] == [[1, 1], [2, 2], [4, 4], [5, 5]]
    assert give(scored, begun[3], 5).noted["consensus"] == 5
    # A human 1 replaces one of the two fives: the mean of 1 and 5 is 3.
    assert give(scored, begun[3], 5, Past(earlier=ratings(1))).noted["consensus"] == 3
    assert give(scored, begun[3], 5, Past(earlier=ratings(1, 1))).noted["consensus"] == 1


def test_two_metrics_give_one_rating_each(game: RatingGame, corpus: Corpus) -> None:
    scored = replace(game, metrics=("up", "down"))
    items = scored.items(corpus, seed=1)
    keys = [item.key for item in by_stage(items, "first")]
    scores = {
        "up": dict(zip(keys, (1, 2, 3, 4), strict=True)),
        "down": dict(zip(keys, (4, 3, 2, 1), strict=True)),
    }
    begun = by_stage(scored.with_scores(items, scores), "first")
    assert [item.facts["computer"] for item in begun] == [[1, 5], [2, 4], [4, 2], [5, 1]]


def test_an_unsettled_pair_wants_more_ratings(game: RatingGame, corpus: Corpus) -> None:
    (item, *_) = by_stage(game.items(corpus, seed=1), "first")
    assert give(game, item, 5, Past(earlier=ratings(4, 4, 4))).target == 4
    assert give(game, item, 5, Past(earlier=ratings(4, 4, 5))).target == 5
    assert give(game, item, 1, Past(earlier=ratings(5, 5, 5, 1, 1, 5))).target == 7


def test_three_seconds_and_no_second_thoughts(game: RatingGame, corpus: Corpus) -> None:
    (item, *_) = game.items(corpus, seed=1)
    assert game.minimum_seconds(item) == 3
    assert not game.may_correct(item)


def test_the_day_counts_pairs_of_the_game_only(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)
    record = dict(give(game, by_stage(items, "tutorial")[0], 4).record)
    assert record["today"] == 0
    record = dict(give(game, by_stage(items, "tutorial")[1], 1, Past(record=record)).record)
    record = dict(give(game, by_stage(items, "first")[0], 3, Past(record=record)).record)
    assert record["today"] == 1
    assert game.record_lines(record)[-1] == "today 1 of 20"


def test_a_corpus_of_training_pairs_only_is_refused(game: RatingGame, corpus: Corpus) -> None:
    with pytest.raises(InputError, match="no pair is left"):
        game.items(Corpus.from_lists(["A dog runs."], image_ids=["t1"], systems=["m"]), seed=1)


@pytest.mark.parametrize(
    ("standing", "stages"),
    [
        (Standing("tutorial", played=1), {"tutorial"}),
        (Standing("probation", rounds=1), {"probation"}),
        (Standing("probation", rounds=2), {"probation"}),
        (Standing("game"), set()),
    ],
)
def test_practice_is_what_the_phase_lets_a_rater_take(
    game: RatingGame, corpus: Corpus, standing: Standing, stages: set[str]
) -> None:
    record = {"standing": asdict(standing)}
    own = [item for item in game.items(corpus, seed=1) if item.practice and game.may_take(item, record)]
    assert {item.stage for item in own} == stages
    assert set(game.practice_labels(record)) == {item.balance for item in own}
