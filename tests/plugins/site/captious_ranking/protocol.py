"""Rank three captions of an image: one module, and nothing else to change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import (
    Answers,
    Caption,
    Field,
    Form,
    Guide,
    HumanProtocol,
    Item,
    Problem,
    Response,
    Row,
    Table,
    option,
    register,
    row_of,
)
from captious.protocols.base import blind_key, captions_of, draws, matched, opaque

PLACES = 3


@register("ranking")
@dataclass(frozen=True)
class Ranking(HumanProtocol):
    """Three captions of an image side by side, best first."""

    raters: int = option(2, "Raters for each image", low=1, high=20)
    ties: bool = False

    title: ClassVar[str] = "Ranking: three captions, best first"
    raters_option: ClassVar[str] = "raters"

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item for each image that has three different captions."""
        found = []
        for image, texts in captions_of(corpus).items():
            if len(texts) < PLACES:
                continue
            written = list(islice(texts.items(), PLACES))
            order = draws(seed, "order", image).permutation(PLACES).tolist()
            captions = tuple(Caption(blind_key(at), written[row][0]) for at, row in enumerate(order))
            sources = {blind_key(at): tuple(written[row][1]) for at, row in enumerate(order)}
            form = Form(tuple(_field(caption.key) for caption in captions))
            key = opaque(seed, "ranking", image)
            found.append(Item(key, image, captions, form, sources, target=self.raters))
        if not found:
            raise InputError("ranking: no image has three different captions. Give three systems.")
        return found

    def guide(self, stage: str = "first") -> tuple[Guide, ...]:
        """One sentence."""
        return (Guide("What you do", "Give 1 to the best caption, 2 to the next, 3 to the last."),)

    def problems(self, item: Item, answers: Answers) -> list[Problem]:
        """Every place once, unless ties are allowed."""
        places = sorted(str(answers[field.name]) for field in item.form.fields)
        if self.ties or len(set(places)) == len(places):
            return []
        return [Problem(item.form.fields[0].name, "Give each place once.")]

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """3 for the first place, 1 for the last."""
        for item, response in matched(items, responses):
            for caption in item.captions:
                place = float(str(response.answers[f"{caption.key}.place"]))
                for system in item.sources[caption.key]:
                    yield row_of(item, response, caption, system, "merit", PLACES + 1 - place)

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """The mean merit of each system."""
        judged = self.judgments(items, responses)
        if not len(judged):
            return []
        means = judged.means("merit")
        systems = dict.fromkeys(system for _, system in judged.keys)
        rows = [
            (name, float(np.mean([m for m, (_, own) in zip(means, judged.keys, strict=True) if own == name])))
            for name in systems
        ]
        return [Table("Mean merit", ("system", "merit"), tuple(sorted(rows, key=lambda row: -row[1])))]


def _field(key: str) -> Field:
    return Field(f"{key}.place", "number", "Place", caption=key, low=1, high=PLACES, step=1)
