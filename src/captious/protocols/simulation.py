"""Raters with known opinions: what they are, and how one would fill in any form."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from captious.errors import InputError
from captious.protocols.item import Item

Habit = Literal["careful", "random", "same", "contrary"]


@dataclass(frozen=True)
class SimulatedRater:
    """Someone whose opinions are known.

    `quality` says how good captions are, 0 to 1: by system, or by image and system. Human captions
    are as good as `human`. `noise` is the standard deviation around that. One who is not
    `attentive` prefers planted captions; one with the habit `random` does not look, with `same`
    gives the first answer again and again, and with `contrary` finds good what others find bad.
    `seconds` is the mean time for an item. One who `leaves_after` so many answers does not come back.
    """

    name: str
    quality: Mapping[str | tuple[str, str], float] = field(default_factory=dict)
    human: float = 0.9
    noise: float = 0.0
    attentive: bool = True
    habit: Habit = "careful"
    seconds: float = 12.0
    native: bool = False
    leaves_after: int | None = None

    def opinion(self, image: str, system: str) -> float:
        """How good the rater finds what a system wrote for an image."""
        known = self.quality.get((image, system), self.quality.get(system))
        if known is None:
            raise InputError(f'{self.name} has no opinion of system "{system}". Give one.')
        return known


@dataclass(frozen=True)
class Someone:
    """A simulated rater in front of an item: opinions of its captions, noise, chance.

    `keep` stores a recording and returns its name.
    """

    rater: SimulatedRater
    rng: np.random.Generator
    human_sources: frozenset[str] = frozenset()
    keep: Callable[[bytes], str] | None = None

    @property
    def attentive(self) -> bool:
        """Whether they see through a planted caption."""
        return self.rater.attentive

    def noise(self) -> float:
        """A slip of the hand or the mind."""
        return float(self.rng.normal(0.0, self.rater.noise)) if self.rater.noise else 0.0

    def record(self, seconds: float) -> str:
        """Store a recording without words, a tone of that length, and return its name."""
        if self.keep is None:
            raise InputError(f"{self.rater.name} has nowhere to store a recording.")
        return self.keep(tone(float(self.rng.uniform(200, 400)), seconds))

    def opinion(self, item: Item, key: str) -> float:
        """How good they find the caption of a key: the opinion of what wrote it."""
        if self.rater.habit == "random":
            return float(self.rng.random())
        if self.rater.habit == "same":
            return 0.5
        source = item.sources[key][0]
        human = source in self.human_sources
        found = self.rater.human if human else self.rater.opinion(item.image, source)
        return 1 - found if self.rater.habit == "contrary" else found


def fill(item: Item, someone: Someone) -> dict[str, Any]:
    """Any form: each question by the caption that it is about, or by the captions compared."""
    answers: dict[str, Any] = {}
    for one in item.form.fields:
        if one.when is not None and not one.when.holds(answers):
            continue
        keys = [one.caption] if one.caption else [caption.key for caption in item.captions]
        asked = keys if one.rules.known else []  # nobody's opinion can be read from a text
        answer = one.rules.simulated(
            one, {key: someone.opinion(item, key) + someone.noise() for key in asked}
        )
        if answer is not None:
            answers[one.name] = answer
    return answers


def tone(hertz: float, seconds: float) -> bytes:
    """A WAV file of one tone, 8,000 samples of 8 bits a second."""
    rate = 8000
    wave_form = 127.5 + 40 * np.sin(2 * np.pi * hertz * np.arange(round(rate * seconds)) / rate)
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(rate)
        file.writeframes(wave_form.astype(np.uint8).tobytes())
    return target.getvalue()
