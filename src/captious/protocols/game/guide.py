"""The five-level scale and its rating guide (Scott et al. 2023, Table 2), and how to play."""

from __future__ import annotations

from typing import NamedTuple

from captious.protocols.item import Guide


class Level(NamedTuple):
    """One rating: its number, a short name for the button, and what it means."""

    rating: float
    name: str
    means: str


# The meanings are the paper's; the short names are ours.
TABLE_2 = (
    Level(
        1,
        "Wrong",
        "Objects are incorrectly identified. The caption gives the wrong idea about what is happening in the "
        "image.",
    ),
    Level(
        2,
        "Partly right",
        "Objects are partially correctly identified with some errors, but the caption is accurate enough to "
        "give an idea of what is happening in the image. The caption identifies most of the objects but "
        "might not identify everything. There is no interpretation of what anything means.",
    ),
    Level(
        3,
        "Right objects",
        "Relevant objects are correctly identified. The caption describes what is seen but not where objects "
        "are in space. There is no description of the overall setting and no interpretation of an event.",
    ),
    Level(
        4,
        "What and where",
        "Objects and/or a general scene and/or an action are correctly identified but not every element is "
        "completely identified. The caption describes what is seen and where things are in space. There is "
        "no interpretation of an event.",
    ),
    Level(
        5,
        "The whole story",
        "Objects, a general scene, and actions are correctly identified if present in the image. The caption "
        "describes what is seen and where things are in space. Interpretation of overall setting and/or "
        "event is included.",
    ),
)

HOW = Guide(
    "How to play",
    "You see an image and a caption. Rate how well the caption fits, and try to give the rating that most "
    "other players give. The closer you are, the more points you get. Where others disagree, being off costs "
    "less.",
)
TUTORIAL = Guide(
    "The tutorial",
    "These pairs are for practice: after each one you see the consensus and why. Points of the tutorial do "
    "not count.",
)
PROBATION = Guide(
    "Probation",
    "Your ratings were far from the consensus, so your points are back to 0. Rate these pairs with the guide "
    "at hand: when one round of them brings enough points, you go on with the game.",
)


def guides(levels: tuple[Level, ...], *first: Guide) -> tuple[Guide, ...]:
    """How to play, then what each rating means, the highest first."""
    ratings = sorted(levels, key=lambda level: -level.rating)
    return (*first, HOW, *(Guide(f"{level.rating:g}: {level.name}", level.means) for level in ratings))
