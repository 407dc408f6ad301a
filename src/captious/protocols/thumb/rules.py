"""THumB: precision and recall by rubric, less penalties, in two stages (Kasai et al. 2022, 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols.agreement import AspectAgreement
from captious.protocols.base import (
    ADJUDICATION,
    FIRST,
    Adopted,
    Asked,
    Caption,
    Exported,
    ExportFile,
    ExportNote,
    Guide,
    HumanProtocol,
    Item,
    Response,
    Round,
    RoundData,
    Row,
    Table,
    Words,
    blind_key,
    captions_of,
    draws,
    matched,
    option,
    row_of,
)
from captious.protocols.capabilities import Rounds
from captious.protocols.item import Answer, Answers, Field, Form, Option, Problem, When
from captious.protocols.options import ProtocolOption
from captious.protocols.registry import register
from captious.protocols.simulation import Someone
from captious.protocols.thumb import guide
from captious.protocols.thumb.fluency import RUBRIC, fluency_penalty
from captious.protocols.thumb.hints import fluency_hints
from captious.stats.resample import DEFAULT_RESAMPLES
from captious.text.normalise import same_text_key

SECOND = "second"
NATIVE = "fluency"
AUDIT = "audit"
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
    Option("wrong", "Something in the image is described wrongly", "Can be corrected."),
    Option("invented", "Something mentioned is not in the image", "Cannot be corrected."),
    Option("unsure", "The image does not show whether something is true"),
)
# In short what the guide says of each point.
_PRECISION = tuple(Option(point, word) for point, word in guide.PRECISION_WORDS.items())
_RECALL = tuple(Option(point, word) for point, word in guide.RECALL_WORDS.items())
NO_PENALTY = "0"
_CONCISENESS = (
    Option(NO_PENALTY, "Concise"),
    Option(f"{PENALTY_CONCISENESS:g}", "Too detailed or repetitive", amount=PENALTY_CONCISENESS),
)
_INCLUSIVE = (
    Option(NO_PENALTY, "No problem"),
    Option(f"{PENALTY_APPEARANCE:g}", "Comment on appearance", amount=PENALTY_APPEARANCE),
    Option(f"{PENALTY_SEVERE:g}", "Demeaning or offensive", amount=PENALTY_SEVERE),
)


STAGES = {
    FIRST: "First stage",
    SECOND: "Second stage",
    NATIVE: "Fluency by native speakers",
    AUDIT: "Audit by a third rater",
    f"{DEVELOPMENT}-{FIRST}": "Development, first stage",
    f"{DEVELOPMENT}-{SECOND}": "Development, second stage",
    f"{DEVELOPMENT}-{NATIVE}": "Development, fluency",
}
THUMB_FILE = "thumb.jsonl"
THUMB_REFERENCES = "thumb_references.jsonl"
_AUDIT_ROUND = Round(
    AUDIT,
    "start audit",
    "Start an audit",
    "A random sample of captions that have passed both stages is shown, with their scores, to a rater "
    "who has not seen them. The audit measures the result; it does not change it.",
    "The audit has started.",
    (
        ProtocolOption(
            "captions", "whole", AUDIT_CAPTIONS, "Captions in the sample", "The paper: 100.", low=1
        ),
    ),
)
_FLUENCY_ROUND = Round(
    NATIVE,
    "start fluency round",
    "Start the fluency round",
    "Raters who are marked as native speakers judge the fluency of captions that no native speaker has "
    "judged yet.",
    "The fluency round has started.",
)


@register("thumb")
@dataclass(frozen=True)
class Thumb(HumanProtocol, Rounds):
    """All candidates of an image on one page, shuffled and blind, equal captions once.

    `clean` applies THumB's clean-up of the text; without `two_stages` one annotator is enough;
    `hints` shows automatic fluency hints. The images of the development phase are drawn first;
    their stages are named `development-...` and stay out of the analysis.
    """

    two_stages: bool = option(
        True,
        "Two stages",
        "A second rater sees the first one's scores and confirms or changes them, as in the paper.",
    )
    development_images: int = option(
        0,
        "Images for the development phase",
        "Drawn first, so that raters can discuss them and agree on the rules. Their data are kept out of "
        "the results. The paper used 50; 0 for none.",
    )
    hints: bool = option(
        False,
        "Automatic hints",
        "Point out likely errors in spelling, articles, repeated words and casing next to the form. "
        "Recorded with every response.",
    )
    clean: bool = option(
        True,
        "Clean the text of captions",
        "Remove spaces at the start and end, capitalise the first letter, end with a full stop: the "
        "paper's fourth rule.",
    )

    presets: bool = option(
        True,
        "Start from no penalty",
        "“Concise” and “No problem” are selected until the rater changes them. Every response records "
        "which of them were left unchanged.",
    )

    title: ClassVar[str] = "THumB: rubric of precision, recall and penalties"
    citation: ClassVar[str] = "Kasai et al. 2022, section 2 and Table 6"
    words: ClassVar[Words] = Words(
        "THumB",
        "Trained raters score all captions of an image together: precision and recall from 1 to 5, less "
        "penalties for errors in English, for excessive detail and for offensive language. A second rater "
        "checks the scores.",
        "Candidates and images; references are optional. At least two raters, one of them a native speaker.",
        "Two responses per image, each with several questions about every caption. The most thorough "
        "protocol, and the slowest.",
        "Scores by aspect for each caption and system, and the agreement between the stages.",
        "You will see photographs, each with several captions. For every caption, you judge how accurate "
        "it is, how much it covers, and how well it is written.",
        one_rater="THumB asks one rater per stage. For more, start an audit or a fluency round.",
    )
    stages: ClassVar[Mapping[str, str]] = STAGES
    rounds: ClassVar[tuple[Round, ...]] = (_AUDIT_ROUND, _FLUENCY_ROUND)
    export_files: ClassVar[tuple[ExportNote, ...]] = (
        ExportNote(THUMB_FILE, "The scores in the format of the THumB 1.0 release."),
    )
    compares: ClassVar[Literal["item", "image"]] = "image"

    @classmethod
    def options_for(cls, raters: int) -> dict[str, Any]:
        """Two raters are two stages, one is one."""
        if raters > 2:
            raise InputError(
                "--raters: THumB asks two raters, one per stage. For a third, start an audit once the "
                "second stage is done."
            )
        return {"two_stages": raters == 2}

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The two scores; a total has no lowest value, for the paper leaves penalties open."""
        return dict.fromkeys(SCORES, (1.0, 5.0))

    def asked(self, first: int) -> Asked:
        """As much again in the second stage."""
        return Asked(first, later=first if self.two_stages else 0)

    def raters_needed(self, items: Sequence[Item]) -> int:
        """Nobody checks their own work."""
        return 2 if self.two_stages else 1

    def counts(self, item: Item) -> bool:
        """Data of the development phase are kept apart."""
        return item.counts and not in_development(item)

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item an image, its captions in an order drawn from the seed."""
        images = captions_of(corpus, clean=self.clean)
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
        written = list(texts)
        order = draws(seed, "order", image).permutation(len(written)).tolist()
        captions = tuple(Caption(blind_key(at), written[row]) for at, row in enumerate(order))
        stage = f"{phase}-{FIRST}" if phase else FIRST
        return Item(
            key=f"{stage}/{image}",
            image=image,
            captions=captions,
            form=Form(
                tuple(f for caption in captions for f in caption_fields(caption, presets=self.presets))
            ),
            sources={caption.key: tuple(texts[caption.text]) for caption in captions},
            stage=stage,
            hints=hint_lines(captions) if self.hints else (),
        )

    def example_item(self, image: str, captions: Sequence[str]) -> Item:
        """All captions on one page, as in the first stage."""
        return HumanProtocol.example_item(replace(self, development_images=0), image, captions)

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """Definitions and the four rules; later annotators are first told what they do."""
        later = not stage.endswith(FIRST)
        return (guide.SECOND_STAGE, *guide.GUIDES) if later else guide.GUIDES

    def problems(self, item: Item, answers: Answers) -> list[Problem]:
        """The corrected caption must differ from the one it corrects."""
        found = []
        for caption in item.captions:
            corrected = answers.get(f"{caption.key}.corrected")
            same = isinstance(corrected, str) and same_text_key(corrected) == same_text_key(caption.text)
            if same:
                message = "This is the original caption. Correct the part that is wrong."
                name = f"{caption.key}.corrected"
                found.append(Problem(name, f"Caption {caption.key}, corrected caption: {message}"))
        return found

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """Every stage's scores, a row an aspect and a system; penalties negative, and the total.

        Signs are those of THumB's released file: a penalty is what it adds to the total. A caption
        that several systems wrote is judged once and counts for each.
        """
        for item, response in matched(items, responses):
            for caption in item.captions:
                values = scores_of(caption.key, response.answers)
                signed = {a: -v if a in PENALTIES else v for a, v in values.items()}
                if all(aspect in values for aspect in ASPECTS):
                    signed["total"] = total(values)
                for system in item.sources[caption.key]:
                    for aspect, value in signed.items():
                        yield row_of(item, response, caption, system, aspect, value + 0.0)

    def final_rows(self, items: Sequence[Item], responses: Sequence[Response]) -> Iterable[Row]:
        """One judgment an aspect and system: the scores after the last stage."""
        from captious.protocols.thumb.rounds import final_rows

        own = [item for item in items if item.stage != ADJUDICATION or item.sources]
        return final_rows(own, responses)

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Means by system with intervals, best and worst counts, kappa between the stages."""
        from captious.protocols.thumb.analysis import thumb_tables

        return thumb_tables(items, responses)

    def agreement(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = DEFAULT_RESAMPLES
    ) -> list[Table]:
        """Kappa between the stages, and what an audit changed."""
        from captious.protocols.thumb.analysis import agreement_tables

        own = agreement_tables(items, responses, resamples)
        return own + super().agreement(items, responses, resamples=resamples)

    def agreement_by_aspect(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = DEFAULT_RESAMPLES
    ) -> list[AspectAgreement]:
        """Kappa between the stages (the paper's 2.1), once there is a second one."""
        from captious.protocols.thumb.analysis import stage_kappa

        found = stage_kappa(items, responses, resamples=resamples)
        if not found:
            return super().agreement_by_aspect(items, responses, resamples=resamples)
        return [AspectAgreement(aspect, "kappa between the stages", one) for aspect, one in found.items()]

    def possible_scores(self) -> Mapping[str, Sequence[float]]:
        """Precision and recall from 1 to 5 (Figure 2)."""
        return dict.fromkeys(SCORES, tuple(float(score) for score in range(int(LOWEST), int(HIGHEST) + 1)))

    def start_round(self, name: str, data: RoundData) -> list[Item]:
        """The audit sample, or the captions that no native speaker has judged."""
        from captious.protocols.thumb.rounds import audit_items, fluency_items

        if name == AUDIT:
            captions = data.values.get("captions", AUDIT_CAPTIONS)
            return audit_items(data.items, data.responses, seed=data.seed, captions=captions)
        return fluency_items(self, data)

    def extra_files(self, data: Exported) -> list[ExportFile]:
        """The scores and the references in the format of the THumB 1.0 release."""
        from captious.protocols.thumb.release import release_files

        return release_files(data)

    @classmethod
    def adopt(cls, judgments: Judgments, corpus: Corpus, *, name: str, seed: int) -> Adopted | None:
        """Judgments of THumB's aspects, the released file among them."""
        if not {"precision", "recall"} <= set(judgments.aspects) <= {*ASPECTS, "total"}:
            return None
        from captious.protocols.thumb.release import adopted, judged_rows

        return adopted(judged_rows(judgments, corpus), seed=seed)

    def simulated(self, item: Item, someone: Someone) -> dict[str, Any]:
        """Scores around the opinion, fluency from the hints; a later stage mostly confirms."""
        from captious.protocols.thumb.simulate import rubric

        return rubric(item, someone)

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


def caption_fields(caption: Caption, *, presets: bool = False) -> tuple[Field, ...]:
    """The questions about one caption: what is wrong is corrected before recall is asked.

    With `presets` there is no penalty for conciseness and inclusive language until one is chosen.
    """
    key = caption.key
    below_five = When(f"{key}.precision", below=HIGHEST)
    wrong = When(f"{key}.errors", has="wrong")
    return (
        Field(
            f"{key}.precision",
            "scale",
            "Precision",
            "Is everything it says true?",
            caption=key,
            low=LOWEST,
            high=HIGHEST,
            step=1,
            options=_PRECISION,
        ),
        Field(
            f"{key}.errors",
            "multi",
            "What is wrong?",
            "If precision is below 5.",
            caption=key,
            options=_ERRORS,
            when=below_five,
        ),
        Field(
            f"{key}.corrected",
            "text",
            "Corrected caption",
            "Correct what is described wrongly. Then judge the recall of the corrected text.",
            caption=key,
            when=wrong,
        ),
        Field(
            f"{key}.recall",
            "scale",
            "Recall",
            "How much of what matters is covered?",
            caption=key,
            low=LOWEST,
            high=HIGHEST,
            step=1,
            options=_RECALL,
        ),
        Field(
            f"{key}.fluency",
            "multi",
            "Fluency errors",
            "Mark every kind of error, or none.",
            required=False,
            caption=key,
            options=RUBRIC,
        ),
        Field(
            f"{key}.conciseness",
            "choice",
            "Conciseness",
            caption=key,
            options=_CONCISENESS,
            fine=NO_PENALTY,
            preset=presets,
        ),
        Field(
            f"{key}.inclusive_language",
            "choice",
            "Inclusive language",
            caption=key,
            options=_INCLUSIVE,
            fine=NO_PENALTY,
            preset=presets,
        ),
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
        elif answer is not None and not isinstance(answer, list):
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
