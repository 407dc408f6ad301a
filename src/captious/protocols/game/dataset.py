"""The data set that a game gives: pairs with ratings, splits, distribution, agreement, points."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from captious.corpus.splits import hashed_part
from captious.protocols.base import Chart, Exported, Item, Response, Table, matched
from captious.protocols.game.points import Scale, consensus
from captious.protocols.item import as_number
from captious.stats import virtual_rater_agreement
from captious.stats.virtual_raters import VIRTUAL_RATERS

ASPECT = "rating"


def ratings_by_pair(items: Iterable[Item], responses: Iterable[Response]) -> dict[str, list[float]]:
    """The ratings of each pair that counts, by item."""
    found: dict[str, list[float]] = {}
    for item, response in matched(items, responses):
        rating = as_number(response.answers.get(ASPECT))
        if item.counts and rating is not None:
            found.setdefault(item.key, []).append(rating)
    return found


def pairs_lines(data: Exported, scale: Scale) -> Iterator[str]:
    """One JSON line a pair: ratings in the order given, mean, rounded mean, split. No raters.

    The paper splits each data set 64/16/20 and does not say by what. Here a hash of the image's id
    decides, so that an image keeps its part as the game goes on, and in every game.
    """
    rated = ratings_by_pair(data.items, data.responses)
    for item in data.items:
        ratings = rated.get(item.key)
        if ratings:
            row: dict[str, Any] = {
                "image": item.image,
                "file_name": data.file_names.get(item.image, ""),
                "caption": item.captions[0].text,
                "sources": list(item.sources[item.captions[0].key]),
                "ratings": ratings,
                "mean": round(sum(ratings) / len(ratings), 6),
                "rating": consensus(ratings, scale),
                "split": hashed_part(item.image),
            }
            yield json.dumps(row, ensure_ascii=False)


def points_of(items: Iterable[Item], responses: Iterable[Response]) -> dict[str, tuple[int, int]]:
    """Points and rated pairs of each rater, tutorial and probation left out.

    Each response was noted with the score after it: whoever failed the trial started again from 0.
    """
    last: dict[str, tuple[float, int]] = {}
    rated: Counter[str] = Counter()
    for item, response in matched(items, responses):
        score = as_number(response.noted.get("score"))
        if item.counts and score is not None:
            rated[response.rater] += 1
            last[response.rater] = max(last.get(response.rater, (-math.inf, 0)), (response.time, int(score)))
    return {rater: (score, rated[rater]) for rater, (_, score) in last.items()}


def points_lines(items: Iterable[Item], responses: Iterable[Response]) -> Iterator[str]:
    """Points by rater as CSV."""
    found = points_of(items, responses)
    yield "rater,points,pairs"
    for rater in sorted(found):
        target = io.StringIO()
        csv.writer(target, lineterminator="").writerow([rater, *found[rater]])
        yield target.getvalue()


def game_tables(items: Sequence[Item], responses: Sequence[Response], scale: Scale) -> list[Table]:
    """Figure 4 as a table, Table 3, and points by rater."""
    rated = ratings_by_pair(items, responses)
    return [*distribution_table(rated, scale), *agreement_of(rated), *_points_table(items, responses)]


def distribution_table(rated: Mapping[str, Sequence[float]], scale: Scale) -> list[Table]:
    """How many pairs have each rounded mean (Figure 4), and how many ratings each level got."""
    if not rated:
        return []
    pairs = Counter(consensus(ratings, scale) for ratings in rated.values())
    single = Counter(rating for ratings in rated.values() for rating in ratings)
    total = sum(single.values())
    rows = tuple(
        (
            f"{level:g}",
            pairs[level],
            100 * pairs[level] / len(rated),
            single[level],
            100 * single[level] / total,
        )
        for level in scale.levels
    )
    return [
        Table(
            "Distribution of ratings",
            ("rating", "pairs", "% of pairs", "ratings", "% of ratings"),
            rows,
            f"{len(rated):,} pairs, {total:,} ratings; a pair's rating is the rounded mean (Figure 4)",
            chart=Chart("bars", "rating", "% of pairs"),
        )
    ]


def agreement_table(items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
    """Table 3 of the paper for the responses of a campaign."""
    return agreement_of(ratings_by_pair(items, responses))


def agreement_of(rated: Mapping[str, Sequence[float]]) -> list[Table]:
    """Virtual raters' agreement, as in Table 3; nothing where too few pairs have three ratings."""
    enough = [list(ratings) for ratings in rated.values() if len(ratings) >= VIRTUAL_RATERS]
    if len(enough) < 2:
        return []
    widest = max(map(len, enough))
    matrix = np.array([ratings + [np.nan] * (widest - len(ratings)) for ratings in enough])
    found = virtual_rater_agreement(matrix)
    names = ("tau X-YZ", "tau Y-XZ", "tau Z-XY", "W", "kappa", "kappa 4=5")
    values = (*found.tau, found.w, found.kappa, found.kappa_merged)
    rows = tuple((name, 100 * one.mean, 100 * one.sd) for name, one in zip(names, values, strict=True))
    return [
        Table(
            "Agreement of virtual raters",
            ("statistic", "mean of runs", "sd"),
            rows,
            f"x 100; {found.n_items:,} pairs with three ratings or more, {found.runs} runs (Table 3)",
        )
    ]


def _points_table(items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
    found = sorted(points_of(items, responses).items(), key=lambda one: (-one[1][0], one[0]))
    rows = tuple((rater, points, pairs) for rater, (points, pairs) in found)
    return [Table("Points by rater", ("rater", "points", "pairs"), rows)] if rows else []
