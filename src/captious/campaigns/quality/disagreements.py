"""Where raters disagree on a caption, how far, and in words; pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from captious.protocols import Answer, Field, HumanProtocol, Item, Response
from captious.protocols.answers import shares
from captious.protocols.base import ADJUDICATION, matched

# A step of a five-point scale, or one option of five: less is no disagreement worth a third view.
LEAST_SPREAD = 0.25
ROUNDING = 1e-9


class ItemSpread(NamedTuple):
    """The item that raters disagree on, by how much of the scale (0 to 1), and why we say so."""

    item: str
    spread: float
    why: str


def spread_of(item: Item, answers: Mapping[str, Mapping[str, Answer]]) -> tuple[float, str]:
    """The widest gap between raters' answers to one question, and a sentence about it.

    `answers` are by rater. Texts are not compared.
    """
    widest, field, ends = 0.0, None, ("", "")
    for one in item.form.fields:
        said: dict[tuple[str, str], dict[str, float]] = {}
        for rater, own in answers.items():
            for about, share in shares(one, own.get(one.name)).items():
                said.setdefault(about, {})[rater] = share
        for by_rater in said.values():
            low = min(by_rater, key=lambda rater: (by_rater[rater], rater))
            high = max(by_rater, key=lambda rater: (by_rater[rater], rater))
            if by_rater[high] - by_rater[low] > widest + ROUNDING:
                widest, field, ends = by_rater[high] - by_rater[low], one, (low, high)
        for rater, other in combinations(sorted(answers), 2):
            two = [answers[name].get(one.name) for name in (rater, other)]
            apart = 0.0 if two[0] is None or two[1] is None else one.rules.apart(one, two[0], two[1])
            if apart > widest + ROUNDING:
                widest, field, ends = apart, one, (rater, other)
    if field is None:
        return 0.0, ""
    return widest, _sentence(item, field, ends, answers)


def _sentence(
    item: Item, field: Field, ends: tuple[str, str], answers: Mapping[str, Mapping[str, Answer]]
) -> str:
    where = f"caption {field.caption}, " if field.caption else ""
    said = [f"{rater} says {_said(field, answers[rater].get(field.name))}" for rater in ends]
    label = field.label.rstrip(":.")
    joint = " " if label.endswith("?") else ": "
    text = f"{where}{label}{joint}{', '.join(said)}."
    return text[0].upper() + text[1:]


def _said(field: Field, answer: Answer | None) -> str:
    if answer is None or answer == {}:
        return "none"
    return f"{answer:g}" if isinstance(answer, float) else field.rules.words(field, answer)


def together(
    rules: HumanProtocol, items: Sequence[Item], responses: Iterable[Response]
) -> dict[str, list[tuple[Item, Response]]]:
    """Responses that may disagree, by the item under which they are shown.

    Those to one item, or to one image in all its stages, as the protocol has it. What is no data
    (checks, practice) and what an adjudicator decided are left out.
    """
    by_image = rules.compares == "image"
    found: dict[str, list[tuple[Item, Response]]] = {}
    shown: dict[str, str] = {}
    for item, response in matched(items, responses):
        if item.stage == ADJUDICATION or not rules.counts(item):
            continue
        # The first stage comes first in every campaign, and holds every caption of the image.
        key = shown.setdefault(item.image, item.key) if by_image else item.key
        found.setdefault(key, []).append((item, response))
    return found


def find_disagreements(
    rules: HumanProtocol, items: Sequence[Item], responses: Iterable[Response]
) -> list[ItemSpread]:
    """Every item on which raters disagree, the widest gap first."""
    known = {item.key: item for item in items}
    found = []
    for key, pairs in together(rules, items, responses).items():
        answers = {name: response.answers for name, response in named(pairs).items()}
        if len(answers) < 2:
            continue
        spread, why = spread_of(known[key], answers)
        if spread >= LEAST_SPREAD - ROUNDING:
            found.append(ItemSpread(key, spread, why))
    return sorted(found, key=lambda one: (-one.spread, one.item))


def named(pairs: Sequence[tuple[Item, Response]]) -> dict[str, Response]:
    """The responses by who gave them; with the stage where someone answered twice."""
    raters = [response.rater for _, response in pairs]
    return {
        response.rater if raters.count(response.rater) == 1 else f"{response.rater} ({item.stage})": response
        for item, response in pairs
    }
