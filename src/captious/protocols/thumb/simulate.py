"""How a simulated rater answers THumB's form."""

from __future__ import annotations

from typing import Any

from captious.protocols.base import Caption, Item
from captious.protocols.questions.number import point
from captious.protocols.simulation import Someone
from captious.protocols.thumb.fluency import RUBRIC
from captious.protocols.thumb.hints import fluency_hints
from captious.text.normalise import same_text_key

# How often a second annotator changes a score that they see differently.
CHANGES = 0.3
_AMOUNTS = {option.value: option.amount for option in RUBRIC if option.amount is not None}


def rubric(item: Item, someone: Someone) -> dict[str, Any]:
    """Scores around the opinion, fluency from the hints; a later stage mostly confirms."""
    answers: dict[str, Any] = {}
    names = {field.name for field in item.form.fields}
    for caption in item.captions:
        answers |= _caption_scores(item, caption, someone)
    return {name: answer for name, answer in answers.items() if name in names}


def _caption_scores(item: Item, caption: Caption, someone: Someone) -> dict[str, Any]:
    key, found = caption.key, someone.opinion(item, caption.key)
    own: dict[str, Any] = {
        f"{key}.precision": point(found + someone.noise(), 1, 5),
        f"{key}.recall": point(found + someone.noise(), 1, 5),
        f"{key}.fluency": _fluency(caption.text),
        f"{key}.conciseness": "0",
        f"{key}.inclusive_language": "0",
    }
    if item.prior:
        own = {
            name: answer if someone.rng.random() < CHANGES or name not in item.prior else item.prior[name]
            for name, answer in own.items()
        }
    if own[f"{key}.precision"] < 5:
        own |= _errors(item, caption, found)
    return own


def _errors(item: Item, caption: Caption, found: float) -> dict[str, Any]:
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
