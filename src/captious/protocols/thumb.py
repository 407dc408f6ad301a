"""THumB: precision and recall by rubric, less penalties, in two stages (Kasai et al. 2022, 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols import thumb_guide
from captious.protocols.base import (
    FIRST,
    Caption,
    Guide,
    HumanProtocol,
    Item,
    Response,
    Row,
    as_judgments,
    blind_key,
    captions_of,
    draws,
    matched,
    require_range,
)
from captious.protocols.fluency import RUBRIC, fluency_penalty
from captious.protocols.form import Answer, Answers, Field, Form, Option, Problem, When
from captious.protocols.hints import fluency_hints
from captious.tables import Table
from captious.text.normalise import same_text_key, thumb_normalise

SECOND = "second"
NATIVE = "fluency"
AUDIT = "audit"
ADJUDICATION = "adjudication"
DEVELOPMENT = "development"

SCORES = ("precision", "recall")
PENALTIES = ("fluency", "conciseness", "inclusive_language")
ASPECTS = (*SCORES, *PENALTIES)
LOWEST, HIGHEST = 1.0, 5.0  # THumB, 2.2.1
PENALTY_CONCISENESS = 0.5  # THumB, 2.2.2
PENALTY_APPEARANCE = 0.5  # THumB, 2.2.2
PENALTY_SEVERE = 2.0  # THumB, 2.2.2
DEVELOPMENT_IMAGES = 50  # THumB, 2.1
AUDIT_CAPTIONS = 100  # THumB, footnote 3

_ERRORS = (
    Option("wrong", "Something in the image is told wrongly", "Can be put right."),
    Option("invented", "Something told is not in the image", "Cannot be put right."),
    Option("unsure", "Something told may or may not be true", "The image does not settle it."),
)
_CONCISENESS = (
    Option("0", "Concise"),
    Option(f"{PENALTY_CONCISENESS:g}", "Goes on and on", amount=PENALTY_CONCISENESS),
)
_INCLUSIVE = (
    Option("0", "No problem"),
    Option(f"{PENALTY_APPEARANCE:g}", "Opinion on someone's looks", amount=PENALTY_APPEARANCE),
    Option(f"{PENALTY_SEVERE:g}", "Hurts or demeans", amount=PENALTY_SEVERE),
)


MOST_DEVELOPMENT = 1_000_000


@dataclass(frozen=True)
class Thumb(HumanProtocol):
    """All candidates of an image on one page, shuffled and blind, equal captions once.

    `clean` applies THumB's clean-up of the text; without `two_stages` one annotator is enough;
    `hints` shows automatic fluency hints. The images of the development phase are drawn first;
    their stages are named `development-...` and stay out of the analysis.
    """

    clean: bool = True
    two_stages: bool = True
    hints: bool = False
    development_images: int = 0

    name: ClassVar[str] = "thumb"
    title: ClassVar[str] = "THumB: rubric of precision, recall and penalties"
    citation: ClassVar[str] = "Kasai et al. 2022, section 2 and Table 6"

    def __post_init__(self) -> None:
        require_range("development_images", self.development_images, 0, MOST_DEVELOPMENT)

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item an image, its captions in an order drawn from the seed."""
        images = captions_of(corpus)
        if self.development_images > len(images):
            raise InputError(
                f"development_images: {self.development_images} of {len(images)} images. Give fewer."
            )
        order = draws(seed, "development").permutation(sorted(images)).tolist()
        development = set(order[: self.development_images])
        return [
            self._item(image, texts, seed, DEVELOPMENT if image in development else "")
            for image, texts in images.items()
        ]

    def _item(self, image: str, texts: Mapping[str, list[str]], seed: int, phase: str) -> Item:
        merged: dict[str, list[str]] = {}
        for text, systems in texts.items():
            shown = thumb_normalise(text) if self.clean else text
            merged.setdefault(shown, []).extend(systems)
        written = list(merged)
        order = draws(seed, "order", image).permutation(len(written)).tolist()
        captions = tuple(Caption(blind_key(at), written[row]) for at, row in enumerate(order))
        stage = f"{phase}-{FIRST}" if phase else FIRST
        return Item(
            key=f"{stage}/{image}",
            image=image,
            captions=captions,
            form=Form(tuple(field for caption in captions for field in caption_fields(caption))),
            sources={caption.key: tuple(merged[caption.text]) for caption in captions},
            stage=stage,
            hints=hint_lines(captions) if self.hints else (),
        )

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """Definitions and the four rules; later annotators are first told what they do."""
        later = not stage.endswith(FIRST)
        return (thumb_guide.SECOND_STAGE, *thumb_guide.GUIDES) if later else thumb_guide.GUIDES

    def problems(self, item: Item, answers: Answers) -> list[Problem]:
        """The corrected caption must differ from the one it corrects."""
        found = []
        for caption in item.captions:
            corrected = answers.get(f"{caption.key}.corrected")
            same = isinstance(corrected, str) and same_text_key(corrected) == same_text_key(caption.text)
            if same:
                message = "This is the caption as it stands. Write it without its wrong part."
                name = f"{caption.key}.corrected"
                found.append(Problem(name, f"Caption {caption.key}, corrected caption: {message}"))
        return found

    def judgments(self, items: Iterable[Item], responses: Iterable[Response]) -> Judgments:
        """Every stage's scores, a row an aspect and a system; penalties negative, and the total.

        Signs are those of THumB's released file: a penalty is what it adds to the total. A caption
        that several systems wrote is judged once and counts for each.
        """
        rows = []
        for item, response in matched(items, responses):
            for caption in item.captions:
                values = scores_of(caption.key, response.answers)
                signed = {a: -v if a in PENALTIES else v for a, v in values.items()}
                if all(aspect in values for aspect in ASPECTS):
                    signed["total"] = total(values)
                rows += [
                    Row(item.image, system, response.rater, aspect, value + 0.0, item.stage, response.time)
                    for system in item.sources[caption.key]
                    for aspect, value in signed.items()
                ]
        return as_judgments(rows)

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Means by system with intervals, best and worst counts, kappa between the stages."""
        from captious.protocols.thumb_analysis import thumb_tables

        return thumb_tables(items, responses)

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        """The second stage of an image whose first has been answered."""
        first = item.stage.endswith(FIRST)
        return [self.next_stage(item, response)] if self.two_stages and first else []

    def next_stage(self, item: Item, response: Response, stage: str = SECOND) -> Item:
        """The item for the next annotator, who sees the scores so far and confirms or changes them.

        Nobody checks their own work: the raters so far are not asked again.
        """
        prefix = f"{DEVELOPMENT}-" if in_development(item) else ""
        named = prefix + stage
        return replace(
            item,
            key=f"{named}/{item.image}",
            stage=named,
            not_for=item.not_for | {response.rater},
            prior=dict(response.answers),
        )

    def fluency_round(self, item: Item, answers: Mapping[str, Answer], native: frozenset[str]) -> Item:
        """The same captions for a native speaker, who is asked for their fluency only."""
        fields = tuple(field for field in item.form.fields if field.name.endswith(".fluency"))
        names = {field.name for field in fields}
        prefix = f"{DEVELOPMENT}-" if in_development(item) else ""
        return replace(
            item,
            key=f"{prefix}{NATIVE}/{item.image}",
            stage=prefix + NATIVE,
            form=Form(fields),
            only_for=native,
            not_for=frozenset(),
            prior={name: value for name, value in answers.items() if name in names},
        )


def caption_fields(caption: Caption) -> tuple[Field, ...]:
    """The questions about one caption: what is wrong is corrected before recall is asked."""
    key = caption.key
    below_five = When(f"{key}.precision", below=HIGHEST)
    wrong = When(f"{key}.errors", has="wrong")
    return (
        Field(
            f"{key}.precision",
            "number",
            "Precision",
            "Is it true of the image?",
            caption=key,
            low=LOWEST,
            high=HIGHEST,
            step=1,
        ),
        Field(
            f"{key}.errors",
            "multi",
            "What costs precision",
            "If precision is below 5.",
            caption=key,
            options=_ERRORS,
            when=below_five,
        ),
        Field(
            f"{key}.corrected",
            "text",
            "Corrected caption",
            "Put right what is told wrongly. Judge the recall of this text.",
            caption=key,
            when=wrong,
        ),
        Field(
            f"{key}.recall",
            "number",
            "Recall",
            "How much of what matters does it tell?",
            caption=key,
            low=LOWEST,
            high=HIGHEST,
            step=1,
        ),
        Field(
            f"{key}.fluency",
            "multi",
            "Fluency errors",
            "Mark all; none if it reads well.",
            required=False,
            caption=key,
            options=RUBRIC,
        ),
        Field(f"{key}.conciseness", "choice", "Conciseness", caption=key, options=_CONCISENESS),
        Field(f"{key}.inclusive_language", "choice", "Inclusive language", caption=key, options=_INCLUSIVE),
    )


def scores_of(key: str, answers: Mapping[str, Answer]) -> dict[str, float]:
    """The aspects of one caption as numbers, penalties as amounts to take off.

    >>> scores_of("A", {"A.precision": 5.0, "A.fluency": {"casing": 0.1}, "A.conciseness": "0.5"})
    {'precision': 5.0, 'fluency': 0.1, 'conciseness': 0.5}
    """
    found: dict[str, float] = {}
    for aspect in ASPECTS:
        answer = answers.get(f"{key}.{aspect}")
        if isinstance(answer, dict):
            found[aspect] = fluency_penalty(answer)
        elif answer is not None:
            found[aspect] = float(answer)
    return found


def total(scores: Mapping[str, float]) -> float:
    """Return (P + R) / 2 less the penalties (Kasai et al. 2022, 2.2).

    >>> total({"precision": 5, "recall": 4, "fluency": 0.1})
    4.4
    """
    mean = sum(scores[aspect] for aspect in SCORES) / len(SCORES)
    return round(mean - sum(scores.get(aspect, 0.0) for aspect in PENALTIES), 10)


def in_development(item: Item) -> bool:
    """Whether the item belongs to the development phase, whose data are kept apart."""
    return item.stage.startswith(DEVELOPMENT)


def hint_lines(captions: Iterable[Caption]) -> tuple[str, ...]:
    """The automatic hints on some captions, a line each, with the rubric's kind."""
    return tuple(
        f"Caption {caption.key}, {hint.kind}: {hint.message}"
        for caption in captions
        for hint in fluency_hints(caption.text)
    )
