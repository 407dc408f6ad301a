"""Simulated raters answer by their opinions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from captious.errors import InputError
from captious.protocols.item import Caption, Field, Form, Item, Option
from captious.protocols.questions.number import point
from captious.protocols.simulation import SimulatedRater, Someone, fill

SCALE = Field("rating", "number", "How much better is B?", low=1, high=5)
SIDES = Field("side", "choice", "Which?", options=(Option("left", "Left"), Option("right", "Right")))
TIES = Field("side", "pair", "Which?", options=(*SIDES.options, Option("both", "Both")))
KEYS = Field("best", "choice", "Which?", options=(Option("A", "A"), Option("B", "B")))
WORDS = Field("said", "choice", "How is it?", options=tuple(Option(w, w) for w in ("bad", "fair", "good")))
OWN = Field("own", "number", "How good is A?", caption="A", low=0, high=10)


def answer(field: Field, a: float, b: float, **habits: Any) -> Any:
    one, other = ("left", "right") if field.name == "side" else ("A", "B")
    shown = (Caption(one, "a."), Caption(other, "b."))
    item = Item("k", "7", shown, Form((field,)), {one: ("m",), other: ("n",)})
    someone = Someone(SimulatedRater("Ada", {"m": a, "n": b}, **habits), np.random.default_rng(1))
    return fill(item, someone)[field.name]


@pytest.mark.parametrize(
    ("field", "a", "b", "said"),
    [
        # The middle of 1 to 5 is 3; half of the difference goes to either side: 1 + 4 (0.5 + 0.25) = 4.
        (SCALE, 0.2, 0.7, 4.0),
        (SCALE, 0.7, 0.2, 2.0),
        (SCALE, 0.9, 0.9, 3.0),
        (SIDES, 0.2, 0.7, "right"),
        (SIDES, 0.7, 0.2, "left"),
        (TIES, 0.70, 0.75, "both"),
        (TIES, 0.7, 0.9, "right"),
        (KEYS, 0.2, 0.7, "B"),
        (KEYS, 0.7, 0.2, "A"),
        # Three words from 0 to 1: 0.5 + 0.4 is nearest to the last, 0.5 - 0.4 to the first.
        (WORDS, 0.1, 0.9, "good"),
        (WORDS, 0.9, 0.1, "bad"),
        (WORDS, 0.5, 0.5, "fair"),
        # A question on one caption is answered by that caption alone.
        (OWN, 0.3, 0.9, 3.0),
    ],
)
def test_answers_follow_opinions(field: Field, a: float, b: float, said: Any) -> None:
    assert answer(field, a, b) == said


def test_who_does_not_look_answers_the_same() -> None:
    assert answer(OWN, 0.0, 1.0, habit="same") == 5.0


def test_a_share_beyond_the_scale_is_its_end() -> None:
    assert [point(share, 1, 5) for share in (-0.3, 0.0, 0.3, 1.0, 1.7)] == [1.0, 1.0, 2.0, 5.0, 5.0]


def test_an_unknown_system_is_named() -> None:
    with pytest.raises(InputError, match='Ada has no opinion of system "n"'):
        SimulatedRater("Ada", {"m": 1.0}).opinion("7", "n")
    by_image = SimulatedRater("Ada", {"m": 0.1, ("7", "m"): 0.8})
    assert (by_image.opinion("7", "m"), by_image.opinion("8", "m")) == (0.8, 0.1)
