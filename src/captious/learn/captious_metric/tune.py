"""Tune the encoder: rank captions as people rated them, and right captions above wrong copies.

Each step draws images with ratings, images with captions alone, and pairs of captions. A caption of
an image is compared with its other captions; captions of other images and copies with one wrong
detail must come below it, ratings must come in their order (RankNet: Burges et al. 2005).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from captious.learn.captious_metric.negatives import WordPools, words_of, wrong_captions
from captious.learn.captious_metric.reader import FORGETFUL, Reader, restore, save
from captious.learn.captious_metric.sources import CaptionPair, Group
from captious.learn.journal import Journal
from captious.text.parse import Parse

Report = Callable[[int, int, float], None]
# How much each likeness counts by itself, beside the joined score's 1: none may be useless alone.
_ALONE = (0.3, 0.1, 0.0, 0.1, 0.1)
_LEAST = 0.25  # difference of two ratings that counts
_REFERENCES = 4
_WARM_UP = 30
SAVED_EVERY = 20  # steps


@dataclass(frozen=True)
class Tuning:
    """How the encoder is tuned."""

    steps: int = 300
    rate: float = 7e-4
    graded: int = 10  # images a step
    plain: int = 3
    pairs: int = 16
    wrong: int = 3  # copies with one wrong detail of each own caption
    others: int = 4
    seed: int = 0


class Material(NamedTuple):
    """What is drawn from; `parses` by caption, `near` captions of similar images by image."""

    graded: Sequence[Group]
    plain: Sequence[Group]
    pairs: Sequence[CaptionPair]
    parses: dict[str, Parse]
    pools: WordPools
    near: dict[str, list[str]]


class _Drawn:
    """Texts and comparisons of one step."""

    def __init__(self, material: Material, rng: Random) -> None:
        self.texts: list[str] = []
        self.candidates: list[int] = []
        self.references: list[list[int]] = []
        self.ratings: list[float] = []
        self.above: list[tuple[int, int]] = []
        self._material, self._rng = material, rng
        self._place: dict[str, int] = {}

    def add(self, group: Group, others: Sequence[tuple[str, float]], wrong: int) -> None:
        """One caption of the group, wrong copies of it and other captions, against the other captions."""
        chosen = self._rng.randrange(len(group.captions))
        own = group.captions[chosen]
        left = [caption for caption in group.captions if caption != own][:_REFERENCES]
        if not left:
            return
        # Equally many references in a step: one that is short of them gives some twice.
        left = [left[i % len(left)] for i in range(_REFERENCES)]
        references = [self._text(self._words(caption)) for caption in left]
        first = self._candidate(self._words(own), references, group.ratings[chosen])
        known = words_of(self._material.parses[caption].words for caption in group.captions)
        parse = self._material.parses[own]
        for copy in wrong_captions(parse, known, self._material.pools, self._rng, wrong):
            self.above.append((first, self._candidate(copy, references, -1.0)))
        for caption, rating in others:
            place = self._candidate(self._words(caption), references, rating)
            if rating < 0:
                self.above.append((first, place))

    def _words(self, caption: str) -> str:
        return " ".join(self._material.parses[caption].words)

    def _candidate(self, text: str, references: list[int], rating: float) -> int:
        self.candidates.append(self._text(text))
        self.references.append(references)
        self.ratings.append(rating)
        return len(self.candidates) - 1

    def _text(self, text: str) -> int:
        if text not in self._place:
            self._place[text] = len(self.texts)
            self.texts.append(text)
        return self._place[text]


def tune(
    reader: Reader,
    material: Material,
    how: Tuning,
    report: Report | None = None,
    journal: Journal = FORGETFUL,
) -> None:
    """Change the reader's weights in place; `report(step, steps, loss)` hears how it goes.

    The journal keeps the state every few steps. A run that was stopped goes on from there and ends
    with the weights of one that was not: every step draws from a seed of its own.
    """
    import torch

    rates = (how.rate, 3e-3, 1e-2)
    parts = reader.parameters()
    optimiser = torch.optim.AdamW([{"params": p, "lr": 0.0} for p in parts], weight_decay=0.01)
    for step in range(restore(journal, optimiser), how.steps):
        rng = Random(f"{how.seed} {step}")
        pace = min(1.0, (step + 1) / _WARM_UP) * (1 - step / how.steps) ** 0.5
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * pace
        optimiser.zero_grad()
        total = 0.0
        for loss in _losses(reader, material, how, rng):
            loss.backward()
            total += float(loss.item())
        torch.nn.utils.clip_grad_norm_(parts[0], 1.0)
        optimiser.step()
        if (step + 1) % SAVED_EVERY == 0:
            save(journal, optimiser, step + 1)
        if report is not None:
            report(step + 1, how.steps, total)


def _losses(reader: Reader, material: Material, how: Tuning, rng: Random) -> list[Any]:
    losses = []
    if material.graded:
        drawn = _Drawn(material, rng)
        for group in _some(material.graded, how.graded, rng):
            others = [*group.others]
            rng.shuffle(others)
            drawn.add(group, others[: how.others], how.wrong)
        losses += _group_loss(reader, drawn)
    if material.plain:
        drawn = _Drawn(material, rng)
        for group in _some(material.plain, how.plain, rng):
            near = material.near.get(group.image)
            drawn.add(group, [(rng.choice(near), -1.0)] if near else [], how.wrong)
        losses += [0.5 * loss for loss in _group_loss(reader, drawn)]
    if material.pairs:
        pairs = _some(material.pairs, how.pairs, rng)
        losses.append(0.5 * _pair_loss(reader, pairs, material))
    return losses


def _some(items: Sequence[Any], count: int, rng: Random) -> list[Any]:
    return rng.sample(items, min(count, len(items)))


def _group_loss(reader: Reader, drawn: _Drawn) -> list[Any]:
    import torch
    from torch.nn import functional

    if not drawn.above and max(drawn.ratings, default=-1.0) < 0:
        return []
    read = reader.encode(drawn.texts)
    likenesses = reader.likenesses(read, drawn.candidates, drawn.references)
    ratings = torch.tensor(drawn.ratings)
    rated = ratings >= 0
    scale = reader.log_scale.exp()
    loss = torch.zeros(())
    for scores, say in [(reader.joined(likenesses), 1.0), *zip(likenesses.unbind(1), _ALONE, strict=True)]:
        if drawn.above and say:
            better, worse = (list(side) for side in zip(*drawn.above, strict=True))
            loss = loss + say * functional.softplus(-scale * (scores[better] - scores[worse])).mean()
        if rated.any() and say:
            loss = loss + 2 * say * _order_loss(scores[rated], ratings[rated], scale)
    return [loss]


def _pair_loss(reader: Reader, pairs: Sequence[CaptionPair], material: Material) -> Any:
    import torch

    words = [" ".join(material.parses[text].words) for pair in pairs for text in pair[:2]]
    vectors = reader.encode(words).sentences
    alike = (vectors[0::2] * vectors[1::2]).sum(-1)
    return _order_loss(alike, torch.tensor([pair.rating for pair in pairs]), reader.log_scale.exp())


def _order_loss(scores: Any, ratings: Any, scale: Any) -> Any:
    """All pairs whose ratings differ, weighted by how far, at most 2."""
    from torch.nn import functional

    gaps = ratings[:, None] - ratings[None]
    says = (gaps > _LEAST).float() * gaps.clamp(max=2)
    costs = functional.softplus(-scale * (scores[:, None] - scores[None]))
    return (costs * says).sum() / says.sum().clamp_min(1)
