"""Answers that a rater with known opinions would give to any protocol's form.

An opinion is how good each caption is, 0 to 1. Noise is drawn from a generator that is handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from captious.protocols import Caption, Field, Item
from captious.protocols.audit import QUESTIONS
from captious.protocols.fluency import RUBRIC
from captious.protocols.form import Option
from captious.protocols.hints import fluency_hints
from captious.protocols.humanr import EVEN, HIGHEST, LEFT, LOWEST, RIGHT
from captious.protocols.tagging import VALUES
from captious.text.normalise import same_text_key

Opinion = Callable[[str, str], float]
Answers = dict[str, Any]

# Two captions whose quality differs by less look alike.
SAME = 0.1
# How often a second annotator changes a score that they see differently.
CHANGES = 0.3
_AMOUNTS = {option.value: option.amount for option in RUBRIC if option.amount is not None}


def opinion_of(item: Item, key: str, opinion: Opinion) -> float:
    """How good the rater finds the caption of a key: the opinion of what wrote it."""
    return opinion(item.image, item.sources[key][0])


def compare(item: Item, opinion: Opinion, noise: Callable[[], float]) -> Answers:
    """HUMANr: 5 where both are as good, up to 1 and 9 where one is by 1 better."""
    if item.check:
        return {"preference": LOWEST if item.check == RIGHT else HIGHEST}
    right, left = (opinion_of(item, key, opinion) for key in (RIGHT, LEFT))
    rating = EVEN + (HIGHEST - EVEN) * (right - left) + (HIGHEST - EVEN) * noise()
    return {"preference": float(np.clip(round(rating), LOWEST, HIGHEST))}


def tag(item: Item, opinion: Opinion, noise: Callable[[], float]) -> Answers:
    """Tagging: the verdict whose value is nearest."""
    found = opinion_of(item, item.captions[0].key, opinion) + noise()
    return {"verdict": min(VALUES, key=lambda verdict: abs(VALUES[verdict] - found))}


def audit(item: Item, opinion: Opinion, noise: Callable[[], float]) -> Answers:
    """Error audit: an error where the caption falls short of a limit that differs by question."""
    answers = {}
    for caption in item.captions:
        found = opinion_of(item, caption.key, opinion)
        for at, question in enumerate(QUESTIONS):
            wrong = found + noise() < 0.15 + 0.08 * at
            right = "no" if question.error == "yes" else "yes"
            answers[f"{caption.key}.{question.name}"] = question.error if wrong else right
    return answers


def rubric(item: Item, opinion: Opinion, noise: Callable[[], float], rng: np.random.Generator) -> Answers:
    """THumB: scores around the opinion, fluency from the hints; a later stage mostly confirms."""
    answers: Answers = {}
    names = {field.name for field in item.form.fields}
    for caption in item.captions:
        answers |= _caption_scores(item, caption, opinion, noise, rng)
    return {name: answer for name, answer in answers.items() if name in names}


def _caption_scores(
    item: Item, caption: Caption, opinion: Opinion, noise: Callable[[], float], rng: np.random.Generator
) -> Answers:
    key, found = caption.key, opinion_of(item, caption.key, opinion)
    own: Answers = {
        f"{key}.precision": _point(found + noise(), 1, 5),
        f"{key}.recall": _point(found + noise(), 1, 5),
        f"{key}.fluency": _fluency(caption.text),
        f"{key}.conciseness": "0",
        f"{key}.inclusive_language": "0",
    }
    if item.prior:
        own = {
            name: answer if rng.random() < CHANGES or name not in item.prior else item.prior[name]
            for name, answer in own.items()
        }
    if own[f"{key}.precision"] < 5:
        own |= _errors(item, caption, found)
    return own


def _errors(item: Item, caption: Caption, found: float) -> Answers:
    key = caption.key
    if item.prior.get(f"{key}.errors"):
        names = (f"{key}.errors", f"{key}.corrected")
        return {name: item.prior[name] for name in names if name in item.prior}
    shorter = " ".join(caption.text.rstrip(".").split()[:-1]) + "."
    if found < 0.4 or same_text_key(shorter) == same_text_key(caption.text) or shorter == ".":
        return {f"{key}.errors": {"invented": 0.0}}
    return {f"{key}.errors": {"wrong": 0.0}, f"{key}.corrected": shorter}


def _fluency(text: str) -> dict[str, float]:
    kinds = dict.fromkeys(hint.kind for hint in fluency_hints(text))
    return {kind: _AMOUNTS[kind] for kind in kinds if kind in _AMOUNTS}


def fill(item: Item, opinion: Opinion, noise: Callable[[], float]) -> Answers:
    """Any other form: each question by the caption that it is about, or by the two compared."""
    answers: Answers = {}
    for field in item.form.fields:
        if field.kind == "text":
            continue
        keys = [field.caption] if field.caption else [caption.key for caption in item.captions]
        values = [opinion_of(item, key, opinion) + noise() for key in keys]
        answers[field.name] = _between(field, values) if len(values) > 1 else _alone(field, values[0])
    return answers


def _alone(field: Field, value: float) -> Any:
    if field.kind == "number":
        low, high = field.low or 0.0, field.high if field.high is not None else 1.0
        return _point(value, low, high)
    if field.kind == "multi":
        return {}
    return _nearest(field.options, value).value


def _between(field: Field, values: list[float]) -> Any:
    """The answer to a comparison of the first caption (left) with the last (right)."""
    difference = values[-1] - values[0]
    if field.kind == "number":
        return _alone(field, 0.5 + difference / 2)
    known = {option.value for option in field.options}
    if "both" in known and abs(difference) < SAME:
        return "both"
    return RIGHT if difference > 0 else LEFT


def _nearest(options: tuple[Option, ...], value: float) -> Option:
    place = round(float(np.clip(value, 0, 1)) * (len(options) - 1))
    return options[place]


def _point(value: float, low: float, high: float) -> float:
    return float(round(low + (high - low) * float(np.clip(value, 0, 1))))
