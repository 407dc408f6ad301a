"""Read a game from its file (YAML); what is wrong is one line with the line number."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from captious.protocols.game.guide import TABLE_2, Level
from captious.protocols.game.player import Ladder
from captious.protocols.game.points import PointTable, Scale
from captious.protocols.game.training import TrainingPair
from captious.protocols.yaml_file import At, YamlFile

TOP = ("tutorial", "probation", "rules", "scale", "points", "metrics")
PAIR = ("image", "caption", "ratings", "why")
RULES = (
    "trial_pairs",
    "probation_pairs",
    "passing_points",
    "least_ratings",
    "most_ratings",
    "wait_seconds",
    "daily_goal",
)
LEVEL = ("rating", "name", "means")
POINTS = ("bounds", "points")
MOST = 1000


def parse_game(text: str, source: str = "game") -> dict[str, Any]:
    """The fields of the game that a file describes.

    >>> found = parse_game('''
    ... tutorial:
    ...   - {image: a.jpg, caption: A dog., ratings: [4, 5, 4], why: It says where the dog is.}
    ... rules: {trial_pairs: 0}
    ... ''')
    >>> found["tutorial"][0].ratings, found["ladder"].trial_pairs
    ((4.0, 5.0, 4.0), 0)
    """
    file = YamlFile(text, source)
    top = file.mapping((), file.data, TOP)
    levels = _levels(file, top)
    scale = _scale(file, levels)
    ladder = Ladder()
    rules = file.mapping(("rules",), top.get("rules") or {}, RULES)
    tutorial = _pairs(file, top, "tutorial", scale)
    least = file.whole(("rules",), rules, "least_ratings", 4, 1, MOST)
    return {
        "tutorial": tutorial,
        "probation": _pairs(file, top, "probation", scale),
        "ladder": Ladder(
            tutorial_pairs=len(tutorial),
            trial_pairs=file.whole(("rules",), rules, "trial_pairs", ladder.trial_pairs, 0, MOST),
            probation_pairs=file.whole(("rules",), rules, "probation_pairs", ladder.probation_pairs, 1, MOST),
            passing_points=file.whole(
                ("rules",), rules, "passing_points", ladder.passing_points, -9999, 9999
            ),
        ),
        "levels": levels,
        "scale": scale,
        "points": _points(file, top),
        "least_ratings": least,
        "most_ratings": file.whole(("rules",), rules, "most_ratings", max(7, least), least, MOST),
        "wait_seconds": float(file.whole(("rules",), rules, "wait_seconds", 3, 0, MOST)),
        "daily_goal": file.whole(("rules",), rules, "daily_goal", 20, 0, MOST),
        "metrics": tuple(_texts(file, (), top, "metrics")),
    }


def with_metrics(text: str, metrics: Sequence[str]) -> str:
    """The file with other metrics, everything else as it is written.

    >>> with_metrics("tutorial: []\\nmetrics:   # first\\n  - vsepp\\nscale: []\\n", ["rating[model=mine]"])
    'tutorial: []\\nscale: []\\nmetrics: ["rating[model=mine]"]\\n'
    """
    kept, inside = [], False
    for line in text.splitlines():
        if line[:1] not in ("", " ", "-", "#", "\t"):
            inside = line.partition(":")[0].strip() == "metrics"
        if not inside:
            kept.append(line)
    return "\n".join([*kept, f"metrics: {json.dumps(list(metrics))}"]) + "\n"


def _pairs(file: YamlFile, top: Mapping[str, object], key: str, scale: Scale) -> tuple[TrainingPair, ...]:
    found = []
    for at, raw in enumerate(file.sequence((), top, key)):
        where: At = (key, at)
        own = file.mapping(where, raw, PAIR)
        ratings = _numbers(file, where, own, "ratings")
        wrong = next((one for one in ratings if one not in scale.levels), None)
        if not ratings or wrong is not None:
            shown = "none" if wrong is None else f"{wrong:g}"
            raise file.error(
                (*where, "ratings"),
                f"ratings: {shown} is not a rating of the scale. Give ratings by experts, such as [4, 4, 5].",
            )
        found.append(
            TrainingPair(
                file.name(where, own, "image", "Name the image."),
                file.text(where, own, "caption", "Give the caption."),
                tuple(ratings),
                file.text(where, own, "why", "", required=key == "tutorial"),
            )
        )
    return tuple(found)


def _levels(file: YamlFile, top: Mapping[str, object]) -> tuple[Level, ...]:
    found = []
    for at, raw in enumerate(file.sequence((), top, "scale")):
        where: At = ("scale", at)
        own = file.mapping(where, raw, LEVEL)
        (rating,) = _numbers(file, where, {"rating": [own.get("rating")]}, "rating")
        found.append(
            Level(
                rating,
                file.text(where, own, "name", "Give the rating a short name."),
                file.text(where, own, "means", "Say what the rating means."),
            )
        )
    return tuple(sorted(found)) or TABLE_2


def _scale(file: YamlFile, levels: tuple[Level, ...]) -> Scale:
    ratings = [level.rating for level in levels]
    steps = {round(high - low, 9) for low, high in pairwise(ratings)}
    if len(ratings) < 2 or len(steps) != 1 or min(steps) <= 0:
        raise file.error(("scale",), "scale: give at least two ratings, in equal steps, each once.")
    return Scale(ratings[0], ratings[-1], steps.pop())


def _points(file: YamlFile, top: Mapping[str, object]) -> PointTable:
    if "points" not in top:
        return PointTable()
    own = file.mapping(("points",), top["points"], POINTS)
    bounds = _numbers(file, ("points",), own, "bounds")
    points = _numbers(file, ("points",), own, "points")
    if any(one != int(one) for one in points):
        raise file.error(("points", "points"), "points: give whole numbers.")
    return PointTable(tuple(bounds), tuple(int(one) for one in points))


def _numbers(file: YamlFile, where: At, own: Mapping[str, object], key: str) -> list[float]:
    found = file.sequence(where, own, key)
    for one in found:
        if isinstance(one, bool) or not isinstance(one, int | float):
            raise file.error((*where, key), f"{key}: {one!r} is not a number.")
    return [float(one) for one in found]


def _texts(file: YamlFile, where: At, own: Mapping[str, object], key: str) -> list[str]:
    found = file.sequence(where, own, key)
    for one in found:
        if not isinstance(one, str):
            raise file.error((*where, key), f"{key}: {one!r} is not text.")
    return found
