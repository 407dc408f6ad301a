"""Likert scales and pairwise choices in anyone's own words, described by a small YAML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols.agreement import INTERVALS
from captious.protocols.base import (
    FIRST,
    Adopted,
    Caption,
    Guide,
    HumanProtocol,
    Item,
    Need,
    Response,
    Row,
    Table,
    Words,
    captions_of,
    draws,
    matched,
    opaque,
    row_of,
)
from captious.protocols.form import Field, Form, Option
from captious.protocols.questions import Question, scale_field
from captious.protocols.registry import register
from captious.stats import bootstrap_interval, krippendorff_alpha, mean_preference

GenericKind = Literal["likert", "pairwise"]
LEFT, RIGHT, BOTH = "left", "right", "both"


@register("generic")
@dataclass(frozen=True)
class Generic(HumanProtocol):
    """A protocol read from a file; see `read_protocol`."""

    kind: GenericKind
    questions: tuple[Question, ...]
    label: str = "generic"
    guides: tuple[Guide, ...] = ()
    raters: int = 1
    once_per_image: bool = False
    group_size: int = 1
    comment: bool = False

    title: ClassVar[str] = "Generic: Likert or pairwise from a YAML file"
    words: ClassVar[Words] = Words(
        "Your own questions",
        "A rating scale or a choice between two captions, in your own words, from a form or a small YAML "
        "file.",
        "Candidates and your questions; images if you have them.",
        "One response for each caption (or pair of captions) and rater.",
        "Means by system with intervals, and how well raters agree.",
    )
    needs: ClassVar[frozenset[Need]] = frozenset()
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml")
    builds: ClassVar[bool] = True

    @classmethod
    def from_text(cls, text: str, source: str = "protocol") -> Generic:
        """The protocol that a YAML text describes."""
        from captious.protocols.generic.file import parse_protocol

        return parse_protocol(text, source)

    @classmethod
    def built_text(cls, given: Mapping[str, str]) -> str:
        """The YAML of what was typed into the builder."""
        from captious.protocols.generic.build import built_text

        return built_text(given)

    @classmethod
    def options_for(cls, raters: int) -> dict[str, Any]:
        """The number of raters stands in the file."""
        raise InputError(f'--raters: write "raters: {raters}" into the file instead.')

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The points of each question; of two captions -1 to 1."""
        if self.kind == "pairwise":
            return {question.aspect: (-1.0, 1.0) for question in self.questions}
        return {one.aspect: (float(one.low), float(one.high)) for one in self.questions}

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item a caption (Likert), or a pair of different captions of an image (pairwise)."""
        images = captions_of(corpus)
        if self.kind == "likert":
            return [
                self._rated(image, text, tuple(systems), seed)
                for image, texts in images.items()
                for text, systems in texts.items()
            ]
        pairs = [
            (image, first, second)
            for image, texts in images.items()
            for first, second in combinations(texts.items(), 2)
        ]
        if not pairs:
            raise InputError("pairwise: no image has two different captions. Give at least two systems.")
        return self._paired(pairs, seed)

    def _rated(self, image: str, text: str, systems: tuple[str, ...], seed: int) -> Item:
        return Item(
            key=opaque(seed, image, text),
            image=image,
            captions=(Caption("A", text),),
            form=self._form(),
            sources={"A": systems},
            target=self.raters,
        )

    def _paired(
        self, pairs: Sequence[tuple[str, tuple[str, list[str]], tuple[str, list[str]]]], seed: int
    ) -> list[Item]:
        kinds: dict[str, list[int]] = {}
        for row, (_, (_, first), (_, second)) in enumerate(pairs):
            kinds.setdefault(f"{'+'.join(first)} | {'+'.join(second)}", []).append(row)
        items: dict[int, Item] = {}
        for kind, rows in kinds.items():
            rng = draws(seed, "sides", kind)
            swapped = rng.permutation((np.arange(len(rows)) + int(rng.integers(2))) % 2).tolist()
            for row, swap in zip(rows, swapped, strict=True):
                image, *two = pairs[row]
                (left, by_left), (right, by_right) = reversed(two) if swap else two
                items[row] = Item(
                    key=opaque(seed, image, left, right),
                    image=image,
                    captions=(Caption(LEFT, left), Caption(RIGHT, right)),
                    form=self._form(),
                    sources={LEFT: tuple(by_left), RIGHT: tuple(by_right)},
                    target=self.raters,
                    balance=kind,
                )
        return [items[row] for row in sorted(items)]

    def _form(self) -> Form:
        fields = [
            scale_field(question) if self.kind == "likert" else _sides(question)
            for question in self.questions
        ]
        if self.comment:
            fields.append(Field("comment", "text", "Comment", required=False))
        return Form(tuple(fields))

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """The file's own advice."""
        return self.guides

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """Likert: the points given. Pairwise: 1 for the chosen, -1 for the other, 0 for a tie."""
        for item, response in matched(items, responses):
            texts = {caption.key: caption for caption in item.captions}
            for question in self.questions:
                answer = response.answers[question.aspect]
                for key, systems in item.sources.items():
                    for system in systems:
                        value = _value(answer, key)
                        yield row_of(item, response, texts[key], system, question.aspect, value)

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Means by system and aspect with intervals; for Likert scales also raters' agreement."""
        judged = self.judgments(items, responses)
        if not len(judged):
            return []
        rows = []
        for question in self.questions:
            for system in dict.fromkeys(name for _, name in judged.keys):
                rows.append((question.aspect, system, *self._mean(judged, question, system)))
        note = INTERVALS
        if self.kind == "pairwise":
            note += "; -1: the other caption is always chosen; 1: this system's caption is always chosen"
        columns = ("aspect", "system", "mean", "low", "high", "judgments")
        tables = [Table("Means by system", columns, tuple(rows), note)]
        if self.kind == "likert" and len(judged.raters) > 1:
            tables.append(_agreement(judged))
        return tables

    def possible_scores(self) -> Mapping[str, Sequence[float]]:
        """The points of each scale; of a pair 1 for the chosen, -1 for the other, 0 for a tie."""
        if self.kind == "pairwise":
            return {one.aspect: (-1.0, 0.0, 1.0) for one in self.questions}
        return {one.aspect: [float(n) for n in range(one.low, one.high + 1)] for one in self.questions}

    @classmethod
    def adopt(cls, judgments: Judgments, corpus: Corpus, *, name: str, seed: int) -> Adopted | None:
        """Whole numbers on any aspects: a Likert scale."""
        from captious.protocols.adopt import adopted
        from captious.protocols.generic.file import likert_text, parse_protocol

        text = likert_text(judgments, name)
        answers = dict.fromkeys(judgments.aspects, float)
        return adopted(parse_protocol(text), judgments, corpus, answers, seed=seed, file=text)

    def _mean(self, judged: Judgments, question: Question, system: str) -> tuple[float, float, float, int]:
        own = [
            row
            for row in judged.rows(question.aspect).tolist()
            if judged.keys[int(judged.example_of[row])][1] == system
        ]
        values = judged.values[own]
        images = [judged.keys[int(judged.example_of[row])][0] for row in own]
        if self.kind == "pairwise":
            found = mean_preference(values, clusters=images)
            return found.value, found.low, found.high, len(own)
        sums: dict[str, list[float]] = {}
        for image, value in zip(images, values.tolist(), strict=True):
            sums.setdefault(image, []).append(value)
        interval = bootstrap_interval(
            [[sum(column), len(column)] for column in sums.values()], lambda s: s[..., 0] / s[..., 1]
        )
        return interval.value, interval.low, interval.high, len(own)


def _sides(question: Question) -> Field:
    options = [Option(LEFT, "The left one"), Option(RIGHT, "The right one")]
    if question.ties:
        options.insert(1, Option(BOTH, "Both alike"))
    return Field(question.aspect, "choice", question.ask, question.help, options=tuple(options))


def _value(answer: object, key: str) -> float:
    if isinstance(answer, float):
        return answer
    if answer == BOTH:
        return 0.0
    return 1.0 if answer == key else -1.0


def _agreement(judged: Judgments) -> Table:
    rows = []
    images = [image for image, _ in judged.keys]
    for aspect in judged.aspects:
        found = krippendorff_alpha(judged.matrix(aspect), "ordinal", resamples=1000, clusters=images)
        rows.append((aspect, found.value, found.low, found.high, found.n_items))
    return Table(
        "Agreement of the raters (Krippendorff's alpha, ordinal)",
        ("aspect", "alpha", "low", "high", "captions"),
        tuple(rows),
        INTERVALS,
    )
