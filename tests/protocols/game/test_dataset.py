"""What a game gives: pairs with ratings, splits by image, distribution, agreement, points."""

from __future__ import annotations

import json

from captious.corpus import Corpus
from captious.corpus.splits import hashed_split
from captious.protocols.base import Exported, Response
from captious.protocols.game import RatingGame
from captious.protocols.game.dataset import game_tables, pairs_lines, points_of


def responses(items, table) -> list[Response]:
    """`table` holds the ratings of each pair, one rater a column."""
    pairs = [item for item in items if item.stage == "first"]
    return [
        Response(
            item.key,
            {"rating": float(rating)},
            f"r{place}",
            100.0 + place,
            noted={"score": 2.0 * (place + 1)},
        )
        for item, own in zip(pairs, table, strict=False)
        for place, rating in enumerate(own)
    ]


def test_pairs_with_all_ratings_and_no_raters(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)
    data = Exported(items, responses(items, [[2, 3], [4, 4, 5]]), file_names={"a": "a.jpg"})
    rows = [json.loads(line) for line in pairs_lines(data, game.scale)]
    assert [(row["ratings"], row["mean"], row["rating"]) for row in rows] == [
        ([2, 3], 2.5, 3),
        ([4, 4, 5], 4.333333, 4),
    ]
    assert rows[0]["file_name"] == "a.jpg" and rows[0]["sources"] == ["m"]
    assert not any("rater" in key or "r0" in str(row) for row in rows for key in row)


def test_practice_is_no_data(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)
    tutorial = next(item for item in items if item.stage == "tutorial")
    data = Exported(items, [Response(tutorial.key, {"rating": 4.0}, "r")])
    assert list(pairs_lines(data, game.scale)) == []


def test_an_image_keeps_its_part_as_the_game_goes_on(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)

    def parts(ratings: list[list[float]]) -> dict[str, str]:
        data = Exported(items, responses(items, ratings))
        return {row["image"]: row["split"] for row in map(json.loads, pairs_lines(data, game.scale))}

    first, whole = parts([[2, 3]]), parts([[2, 3], [4, 4, 5], [1], [5]])
    assert len(first) == 1 < len(whole)
    assert whole == dict(hashed_split(whole).part_of)
    assert first.items() <= whole.items()


def test_distribution_and_agreement(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)
    given = responses(items, [[1, 1, 1], [5, 5, 4], [3, 3, 3], [5, 5, 5]])
    distribution, agreement, points = game_tables(items, given, game.scale)
    # Rounded means 1, 5 (4.67), 3, 5.
    assert [row[1] for row in distribution.rows] == [1, 0, 1, 0, 2]
    assert [row[3] for row in distribution.rows] == [3, 0, 3, 1, 5]
    assert [row[0] for row in agreement.rows][-1] == "kappa 4=5"
    # With 4 and 5 as one, all virtual raters agree.
    assert agreement.rows[-1][1] == 100
    assert points.rows[0] == ("r2", 6, 4)


def test_points_are_those_after_the_last_rating(game: RatingGame, corpus: Corpus) -> None:
    items = game.items(corpus, seed=1)
    first, second, *_ = [item for item in items if item.stage == "first"]
    curated = next(item for item in items if item.stage == "probation")
    # 2 points, then probation, then -1: the score starts again from 0.
    log = [(first, 2.0), (curated, 0.0), (second, -1.0)]
    found = [
        Response(item.key, {"rating": 3.0}, "r", 1.0 + at, noted={"score": score})
        for at, (item, score) in enumerate(log)
    ]
    assert points_of(items, found) == {"r": (-1, 2)}
