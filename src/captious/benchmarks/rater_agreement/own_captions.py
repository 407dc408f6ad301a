"""Judgments of an image with one of its own captions, where captions are named `image#k`."""

from __future__ import annotations

import numpy as np

from captious.corpus import Judgments


def own_captions(judgments: Judgments) -> int:
    """How many of the examples are an image with a caption that was written for it.

    Flickr8k names a caption by its image: `1056338697.jpg#2`.

    >>> own_captions(Judgments.from_columns(
    ...     images=["a.jpg", "a.jpg"], systems=["a.jpg#2", "b.jpg#0"], values=[4, 1]))
    1
    """
    return sum(map(is_own, judgments.keys))


def is_own(key: tuple[str, str]) -> bool:
    """Whether the caption of this name was written for this image."""
    image, caption = key
    name, mark, number = caption.rpartition("#")
    return bool(mark) and number.isdecimal() and name == image


def without_own_captions(judgments: Judgments) -> Judgments:
    """The judgments of captions that were written for another image."""
    kept = np.array([not is_own(key) for key in judgments.keys], dtype=bool)
    rows = np.flatnonzero(kept[judgments.example_of])
    keys = [judgments.keys[i] for i in judgments.example_of[rows].tolist()]
    return Judgments.from_columns(
        images=[image for image, _ in keys],
        systems=[system for _, system in keys],
        raters=[judgments.raters[i] for i in judgments.rater_of[rows].tolist()],
        aspects=[judgments.aspects[i] for i in judgments.aspect_of[rows].tolist()],
        stages=[judgments.stages[i] for i in judgments.stage_of[rows].tolist()],
        values=judgments.values[rows],
        times=judgments.times[rows].tolist(),
    )
