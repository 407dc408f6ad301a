"""The five-level scale and its rating guide (Scott et al. 2023, Table 2), and how to play."""

from __future__ import annotations

from typing import NamedTuple

from captious.protocols.item import Guide, Picture


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

# One photograph, a caption of it for each level of the paper's scale.
_HIKERS = "People walk in a line up an orange sand dune; wind blows sand off its top under a blue sky."
_EXAMPLES: dict[Level, tuple[str, str]] = dict(
    zip(
        TABLE_2,
        (
            ("Boats on a stormy sea.", "None of this is in the image."),
            ("Some people on a red rock.", "The people are right, but they are on a sand dune."),
            ("People, a sand dune and a blue sky.", "It names the right objects, but not where they are."),
            (
                "A line of people on the slope of an orange sand dune under a blue sky.",
                "It says what is seen and where, but not what is happening.",
            ),
            (
                "On a walk through the desert, hikers climb a dune while the wind blows sand off its top.",
                "It says what is seen, where, and what is happening.",
            ),
        ),
        strict=True,
    )
)

HOW = Guide(
    "How to play",
    "You see an image and a caption. Rate how well the caption fits, and try to predict the rating that most "
    "other players give. The closer you are, the more points you get. If the others disagree, a wrong "
    "prediction costs less.",
)
TUTORIAL = Guide(
    "The tutorial",
    "These pairs are for practice. After each one, you see the consensus rating and the reason for it. "
    "Points in the tutorial do not count.",
)
PROBATION = Guide(
    "Probation",
    "Your ratings were far from the consensus, so your points are reset to 0. Use the guide to rate these "
    "pairs. When you get enough points in one round, you return to the game.",
)


def guides(levels: tuple[Level, ...], *first: Guide) -> tuple[Guide, ...]:
    """How to play, then what each rating means, the highest first."""
    ratings = sorted(levels, key=lambda level: -level.rating)
    return (*first, HOW, *map(_guide, ratings))


def _guide(level: Level) -> Guide:
    """A level of the paper's scale has its picture; one of somebody's own has words alone."""
    title = f"{level.rating:g}: {level.name}"
    if level not in _EXAMPLES:
        return Guide(title, level.means)
    caption, why = _EXAMPLES[level]
    return Guide(title, level.means, pictures=(Picture("hikers.jpg", _HIKERS, caption, title, why),))
