"""Questions of any kinds in anyone's own words, described by a small YAML file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols.agreement import INTERVALS, ends
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
    blind_key,
    captions_of,
    draws,
    matched,
    opaque,
    row_of,
)
from captious.protocols.capabilities import FromFile
from captious.protocols.item import Field, Form
from captious.protocols.questions.base import Said
from captious.protocols.questions.file import COMMENT, fields_about
from captious.protocols.questions.pair import LEFT, RIGHT
from captious.protocols.registry import register
from captious.stats import bootstrap_interval
from captious.stats.alpha import Scale
from captious.stats.resample import DEFAULT_RESAMPLES

Written = tuple[str, list[str]]  # a caption, and the systems that wrote it


@register("generic")
@dataclass(frozen=True)
class Generic(HumanProtocol, FromFile):
    """A protocol read from a file; see `parse_protocol`.

    A page shows one caption; two captions of an image if a question is a choice between two; all of
    them if one is a ranking. Other questions are then asked of each caption.
    """

    questions: tuple[Field, ...]
    label: str = "generic"
    guides: tuple[Guide, ...] = ()
    raters: int = 1
    once_per_image: bool = False
    group_size: int = 1
    comment: bool = False

    title: ClassVar[str] = "Generic: your own questions from a YAML file"
    words: ClassVar[Words] = Words(
        "Your own questions",
        "Rating scales, choices, numbers, texts, comparisons and rankings, in your own words, from a form or "
        "a small YAML file.",
        "Candidates and your questions; images if you have them.",
        "One response for each caption (or pair of captions, or image) and rater.",
        "Means by system with intervals, and how well raters agree.",
    )
    needs: ClassVar[frozenset[Need]] = frozenset()
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml")
    builds: ClassVar[bool] = True
    suggestible: ClassVar[bool] = True  # where a question asks for places

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
        """The lowest and highest value of each aspect."""
        return {
            Said(0, part).aspect(question): ends
            for question in self.questions
            for part, ends in question.rules.judged_range(question).items()
        }

    def possible_scores(self) -> Mapping[str, Sequence[float]]:
        """The values of each aspect."""
        return {
            Said(0, part).aspect(question): values
            for question in self.questions
            for part, values in question.rules.levels(question).items()
        }

    def scale_of(self, field: Field) -> Scale:
        """The options of a choice in a file have no order."""
        by_option = field.rules.levels(field)
        return "nominal" if by_option and "" not in by_option else super().scale_of(field)

    # Items

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item a caption, a pair of different captions of an image, or an image."""
        images = captions_of(corpus)
        compares = {question.rules.compares for question in self.questions}
        if "all" in compares:
            return self._images(images, seed)
        if "two" in compares:
            return self._pairs(images, seed)
        return [
            self._item(opaque(seed, image, text), image, {"A": (text, systems)})
            for image, texts in images.items()
            for text, systems in texts.items()
        ]

    def _images(self, images: Mapping[str, Mapping[str, list[str]]], seed: int) -> list[Item]:
        """All captions of an image in an order drawn from the seed; an image with one is left out."""
        found = []
        for image, texts in images.items():
            order = draws(seed, "order", image).permutation(len(texts)).tolist()
            shown = [list(texts.items())[row] for row in order]
            if len(shown) > 1:
                keyed = {blind_key(at): written for at, written in enumerate(shown)}
                found.append(self._item(opaque(seed, image), image, keyed))
        if not found:
            raise InputError("rank: no image has two different captions. Give at least two systems.")
        return found

    def _pairs(self, images: Mapping[str, Mapping[str, list[str]]], seed: int) -> list[Item]:
        """Every pair of different captions, the sides balanced for each pair of systems."""
        pairs = [
            (image, first, second)
            for image, texts in images.items()
            for first, second in combinations(texts.items(), 2)
        ]
        if not pairs:
            raise InputError("pair: no image has two different captions. Give at least two systems.")
        kinds: dict[str, list[int]] = {}
        for row, (_, (_, first), (_, second)) in enumerate(pairs):
            kinds.setdefault(f"{'+'.join(first)} | {'+'.join(second)}", []).append(row)
        items: dict[int, Item] = {}
        for kind, rows in kinds.items():
            rng = draws(seed, "sides", kind)
            swapped = rng.permutation((np.arange(len(rows)) + int(rng.integers(2))) % 2).tolist()
            for row, swap in zip(rows, swapped, strict=True):
                image, *two = pairs[row]
                left, right = reversed(two) if swap else two
                key = opaque(seed, image, left[0], right[0])
                items[row] = self._item(key, image, {LEFT: left, RIGHT: right}, kind)
        return [items[row] for row in sorted(items)]

    def _item(self, key: str, image: str, shown: Mapping[str, Written], balance: str = "") -> Item:
        fields = list(fields_about(self.questions, list(shown)))
        if self.comment:
            fields.append(Field(COMMENT, "text", "Comment", required=False))
        return Item(
            key=key,
            image=image,
            captions=tuple(Caption(key, text) for key, (text, _) in shown.items()),
            form=Form(tuple(fields)),
            sources={key: tuple(systems) for key, (_, systems) in shown.items()},
            target=self.raters,
            balance=balance,
        )

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """The file's own advice."""
        return self.guides

    # Results

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """What each answer says of the captions, as its kind has it; texts say nothing."""
        kinds = {question.name: question.rules for question in self.questions}
        for item, response in matched(items, responses):
            captions = {caption.key: caption for caption in item.captions}
            for field in item.form.fields:
                answer = response.answers.get(field.name)
                if answer is None or field.aspect not in kinds:
                    continue
                for said in kinds[field.aspect].judged(field, answer):
                    caption = captions[said.caption or field.caption or item.captions[0].key]
                    for system in item.sources[caption.key]:
                        yield row_of(item, response, caption, system, said.aspect(field), said.value)

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Means by system and aspect with intervals; with several raters also their agreement."""
        judged = self.judgments(items, responses)
        if not len(judged):
            return []
        systems = list(dict.fromkeys(name for _, name in judged.keys))
        aspects = [aspect for aspect in self.ranges if aspect in judged.aspects]
        aspects += [aspect for aspect in judged.aspects if aspect not in aspects]
        rows = tuple(
            (aspect, system, *mean)
            for aspect in aspects
            for system in systems
            if (mean := _mean(judged, aspect, system)) is not None
        )
        notes = dict.fromkeys(note for one in self.questions if (note := one.rules.note))
        columns = ("aspect", "system", "mean", "low", "high", "judgments")
        tables = [Table("Means by system", columns, rows, "; ".join((INTERVALS, *notes)))]
        agreed = self.agreement_by_aspect(items, responses, resamples=DEFAULT_RESAMPLES)
        if agreed:
            found = tuple(
                (one.aspect, one.coefficient, *ends(one.found), one.found.n_items) for one in agreed
            )
            columns = ("aspect", "coefficient", "value", "low", "high", "questions")
            title = "Agreement of the raters (Krippendorff's alpha)"
            tables.append(Table(title, columns, found, INTERVALS))
        return tables

    @classmethod
    def adopt(cls, judgments: Judgments, corpus: Corpus, *, name: str, seed: int) -> Adopted | None:
        """Whole numbers on any aspects: scales."""
        from captious.protocols.adopt import adopted
        from captious.protocols.generic.file import parse_protocol, scales_text

        text = scales_text(judgments, name)
        answers = dict.fromkeys(judgments.aspects, float)
        return adopted(parse_protocol(text), judgments, corpus, answers, seed=seed, file=text)


def _mean(judged: Judgments, aspect: str, system: str) -> tuple[float, float, float, int] | None:
    """The mean of a system's judgments, with an interval over images; None where it has none."""
    sums: dict[str, list[float]] = {}
    for row in judged.rows(aspect).tolist():
        image, name = judged.keys[int(judged.example_of[row])]
        if name == system:
            own = sums.setdefault(image, [0.0, 0.0])
            own[0] += float(judged.values[row])
            own[1] += 1
    if not sums:
        return None
    interval = bootstrap_interval(list(sums.values()), lambda s: s[..., 0] / s[..., 1])
    return interval.value, interval.low, interval.high, int(sum(own[1] for own in sums.values()))
