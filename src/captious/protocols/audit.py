"""Error audit: seven questions about what is wrong with a caption (ObjectNet Captions, 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols.base import (
    FIRST,
    MOST_RESPONSES,
    Caption,
    Chart,
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
    clean_option,
    draws,
    human_captions,
    matched,
    opaque,
    option,
    refuse_names,
    row_of,
)
from captious.protocols.item import Field, Form, Picture
from captious.protocols.questions.yes_no import NO, YES, YES_NO
from captious.protocols.registry import register
from captious.protocols.simulation import Someone
from captious.stats import Interval, approximate_randomisation, bootstrap_interval
from captious.stats.resample import DEFAULT_RESAMPLES, DEFAULT_SEED, Seed
from captious.stats.significance import DEFAULT_TRIALS
from captious.text.normalise import same_text_key

HUMAN = "human"


HOW = "The share of captions with each error, by source. Darker means more."


class Question(NamedTuple):
    """One of the seven questions, and the answer to it that is an error."""

    name: str
    text: str
    error: str


# ObjectNet Captions, 4.3, in its own words: three about objects, two about properties and
# relationships, two about language.
QUESTIONS = (
    Question("misclassified", "Does the caption misclassify an object present in the image?", YES),
    Question("hallucinated", "Does the caption describe an object that is not present in the image?", YES),
    Question("primary_object", "Is the primary object in the image correctly classified?", NO),
    Question("properties", "Are all of the properties assigned to the objects correct?", NO),
    Question("relationships", "Are all of the relationships between objects correct?", NO),
    Question("grammar", "Is the caption grammatically correct?", NO),
    Question("awkward", "Is the language in the caption awkward?", YES),
)
_BEE = "A bee sits on a purple flower with a yellow centre."
_LEVELS = (
    Picture("bee.jpg", _BEE, "A wasp sits on a purple flower.", "An object is misclassified", "It is a bee."),
    Picture(
        "bee.jpg", _BEE, "A bee and a snail on a flower.", "An object is not present", "There is no snail."
    ),
    Picture(
        "tabby.jpg",
        "The face of a tabby cat.",
        "A dog looks to the side.",
        "The primary object is not correctly classified",
        "The main object is a cat.",
    ),
    Picture("bee.jpg", _BEE, "A bee sits on a red flower.", "A property is wrong", "The flower is purple."),
    Picture(
        "bee.jpg", _BEE, "A bee hides under a flower.", "A relationship is wrong", "It sits on the flower."
    ),
    Picture("bee.jpg", _BEE, "A bee sit in flower purple.", "It is not grammatically correct"),
    Picture(
        "bee.jpg",
        _BEE,
        "A bee is doing its sitting at a flower of purpleness.",
        "The language is awkward",
        "The grammar is correct, but nobody would say it like this.",
    ),
    Picture(
        "bee.jpg",
        _BEE,
        "A bee sits on a flower.",
        "All fine",
        "What a caption leaves out is not an error here.",
    ),
)
_GUIDE = (
    Guide(
        "What you do",
        "Look at the image and read one caption. Answer all seven questions about it before you read "
        "the other caption. What a caption leaves out is not an error here.",
        (
            "A lamp is called a vase: an object is misclassified.",
            "The caption mentions a bed, but there is none: an object is not present in the image.",
            "A caption that mentions no relationship: all of the relationships are correct.",
        ),
        _LEVELS,
    ),
)


class ErrorRate(NamedTuple):
    """How often a source errs in one question (or in any), with its interval over images."""

    source: str
    question: str
    rate: Interval
    captions: int


FEWEST_PAIRS = 30  # without errors, below which a share explained comes with a caution


class Explained(NamedTuple):
    """How much of a HUMANr score goes away with the errors that the questions find.

    `share` is 1 - `without_errors` / `all_pairs`; the interval draws images.
    """

    all_pairs: float
    without_errors: float
    share: Interval
    pairs: int
    pairs_without_errors: int

    @property
    def few(self) -> bool:
        """Whether so few pairs are without errors that the share may be anything."""
        return self.pairs_without_errors < FEWEST_PAIRS


@register("audit")
@dataclass(frozen=True)
class ErrorAudit(HumanProtocol):
    """A system's caption and a human one of the same image, shuffled and blind."""

    target: int = option(
        1, "Responses for each pair", "Each by a different rater.", low=1, high=MOST_RESPONSES
    )
    clean: bool = clean_option()
    presets: bool = option(
        False,
        "Start from no error",
        "Every answer is “no error” until the rater changes it. Faster, but errors are easier to miss. "
        "Every response records which answers were left unchanged.",
    )

    title: ClassVar[str] = "Error audit: seven questions on two captions"
    citation: ClassVar[str] = "ObjectNet Captions, section 4.3"
    words: ClassVar[Words] = Words(
        "Error audit",
        "Raters answer seven yes-or-no questions about errors in a system's caption and in a human caption.",
        "Candidates, references and images.",
        "Fourteen clicks for each image and distinct caption.",
        "How often each system makes each kind of error, compared with people.",
        "You will see photographs, each with one or two captions, and answer seven yes-or-no questions "
        "about each caption.",
    )
    needs: ClassVar[frozenset[Need]] = frozenset({"images", "references"})
    human_sources: ClassVar[frozenset[str]] = frozenset({HUMAN})
    raters_option: ClassVar[str] = "target"

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The share of captions with each error."""
        return {question.name: (0.0, 1.0) for question in QUESTIONS}

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item for each image and distinct caption, against a human caption drawn at random."""
        refuse_names(corpus, HUMAN)
        humans = human_captions(corpus, clean=self.clean)
        found = []
        for image, texts in captions_of(corpus, clean=self.clean).items():
            for text, systems in texts.items():
                found.append(self._item(image, text, tuple(systems), humans[image], seed))
        return found

    def _item(self, image: str, text: str, systems: tuple[str, ...], humans: list[str], seed: int) -> Item:
        rng = draws(seed, "audit", image, text)
        human = humans[int(rng.integers(len(humans)))]
        pairs = [(text, systems), (human, (HUMAN,))]
        if same_text_key(human) == same_text_key(text):
            pairs = [(text, (*systems, HUMAN))]
        order = rng.permutation(len(pairs)).tolist()
        captions = tuple(Caption(blind_key(n), pairs[row][0]) for n, row in enumerate(order))
        return Item(
            key=opaque(seed, "audit", image, text),
            image=image,
            captions=captions,
            form=Form(tuple(f for caption in captions for f in _fields(caption.key, presets=self.presets))),
            sources={blind_key(n): pairs[row][1] for n, row in enumerate(order)},
            target=self.target,
        )

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """How the questions are meant."""
        return _GUIDE

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """1 for an error, 0 for none, an aspect a question; human captions as system `human`.

        Several items of an image hold a human caption: each is an example of its own, which tells
        beside whose caption it stood.
        """
        for item, response in matched(items, responses):
            for caption in item.captions:
                for question in QUESTIONS:
                    answer = response.answers[f"{caption.key}.{question.name}"]
                    value = float(answer == question.error)
                    for source in item.sources[caption.key]:
                        row = row_of(item, response, caption, source, question.name, value)
                        yield row._replace(example=_beside(item)) if source == HUMAN else row

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Error rates by source and question."""
        judged = self.judgments(items, responses)
        if not len(judged):
            return []
        rows = tuple(
            (rate.source, rate.question, rate.rate.value, rate.rate.low, rate.rate.high, rate.captions)
            for rate in error_rates(judged)
        )
        columns = ("source", "question", "rate", "low", "high", "captions")
        chart = Chart("heat", "question", "source", value="rate", how=HOW)
        return [Table("Error rates", columns, rows, "95% intervals by bootstrap over images", chart=chart)]

    def simulated(self, item: Item, someone: Someone) -> dict[str, Any]:
        """An error where the caption falls short of a limit that differs by question."""
        answers = {}
        for caption in item.captions:
            found = someone.opinion(item, caption.key)
            for at, question in enumerate(QUESTIONS):
                wrong = found + someone.noise() < 0.15 + 0.08 * at
                right = NO if question.error == YES else YES
                answers[f"{caption.key}.{question.name}"] = question.error if wrong else right
        return answers


def _beside(item: Item) -> str:
    """The name of a human caption's example."""
    others = [name for names in item.sources.values() for name in names if name != HUMAN]
    return f"{item.image}|{HUMAN} (beside {', '.join(others)})"


def _fields(key: str, *, presets: bool = False) -> tuple[Field, ...]:
    return tuple(
        Field(
            f"{key}.{question.name}",
            "yes_no",
            question.text,
            caption=key,
            options=YES_NO,
            fine=NO if question.error == YES else YES,
            preset=presets,
        )
        for question in QUESTIONS
    )


def _errors(judgments: Judgments) -> dict[str, dict[str, np.typing.NDArray[np.float64]]]:
    """For each source and image, the share of answers that name each error; last: any of them.

    An answer is one rater's seven at one time. Two raters who each find another error both find one.
    """
    judgments = judgments.by_system()
    columns = [judgments.means(question.name) for question in QUESTIONS]
    columns.append(_any_error(judgments))
    found: dict[str, dict[str, np.typing.NDArray[np.float64]]] = {}
    for row, (image, source) in enumerate(judgments.keys):
        found.setdefault(source, {})[image] = np.array([column[row] for column in columns])
    return found


def _any_error(judgments: Judgments) -> np.typing.NDArray[np.float64]:
    """Of each example the share of answers with one error or more."""
    times = np.nan_to_num(judgments.times, nan=-1.0)
    asked = np.isin(judgments.aspect_of, [judgments.aspects.index(q.name) for q in QUESTIONS])
    told = np.stack([judgments.example_of, judgments.rater_of, judgments.stage_of, times], axis=1)[asked]
    answers, places = np.unique(told, axis=0, return_inverse=True)
    worst = np.zeros(len(answers))
    np.maximum.at(worst, places.ravel(), judgments.values[asked])
    examples = answers[:, 0].astype(np.int64)
    size = len(judgments.keys)
    with np.errstate(invalid="ignore"):
        return np.bincount(examples, worst, minlength=size) / np.bincount(examples, minlength=size)


def error_rates(
    judgments: Judgments,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> list[ErrorRate]:
    """Return how often each source errs, by question and in any of them (`any`).

    `any` is the share of answers (one rater's seven) that name at least one error.
    """
    found = []
    for source, images in _errors(judgments).items():
        matrix = np.stack(list(images.values()))
        for at, name in enumerate([*(question.name for question in QUESTIONS), "any"]):
            sums = np.stack([matrix[:, at], np.ones(len(matrix))], axis=1)
            rate = bootstrap_interval(
                sums, lambda s: s[..., 0] / s[..., 1], resamples=resamples, level=level, seed=seed
            )
            found.append(ErrorRate(source, name, rate, len(matrix)))
    return found


def compare_errors(
    judgments: Judgments,
    source: str,
    other: str = HUMAN,
    *,
    trials: int = DEFAULT_TRIALS,
    seed: Seed = DEFAULT_SEED,
) -> dict[str, tuple[float, float]]:
    """Return for each question the difference of two sources' rates and its p-value.

    A randomisation test over the images that both sources have a caption of.
    """
    errors = _errors(judgments)
    missing = next((name for name in (source, other) if name not in errors), None)
    if missing is not None:
        raise InputError(f'"{missing}" was not audited. Audited: {", ".join(errors)}.')
    shared = [image for image in errors[source] if image in errors[other]]
    if not shared:
        raise InputError(f'"{source}" and "{other}" share no image. Audit both on the same ones.')
    found = {}
    for at, name in enumerate([*(question.name for question in QUESTIONS), "any"]):
        test = approximate_randomisation(
            [errors[source][image][at] for image in shared],
            [errors[other][image][at] for image in shared],
            lambda sums: sums[..., 0] / len(shared),
            trials,
            seed,
        )
        found[name] = (test.difference, test.p_value)
    return found


def explained_share(
    judgments: Judgments,
    preferences: Mapping[str, float],
    system: str,
    *,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = 0.95,
    seed: Seed = DEFAULT_SEED,
) -> Explained:
    """Return the share of a system's HUMANr that its errors explain (ObjectNet Captions, 4.3).

    `preferences` holds the HUMANr score of each image. The score is computed again on the pairs
    where the system made none of the seven errors, whatever the human caption's faults; the share
    is 1 - restricted / full. The paper: -0.43 on 500 pairs, -0.34 on 215, hence 21%.
    """
    own = _errors(judgments).get(system, {})
    shared = [image for image in own if image in preferences]
    if not shared:
        raise InputError(
            f'no image of "{system}" was both audited and compared. Run both on the same images.'
        )
    score = np.array([preferences[image] for image in shared])
    clean = np.array([float(own[image][-1] == 0) for image in shared])
    sums = np.stack([score, np.ones(len(score)), score * clean, clean], axis=1)

    def share(s: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = 1 - (s[..., 2] / s[..., 3]) / (s[..., 0] / s[..., 1])
        return np.asarray(np.where(np.isfinite(found), found, np.nan))

    interval = bootstrap_interval(sums, share, resamples=resamples, level=level, seed=seed)
    kept = int(clean.sum())
    restricted = float((score * clean).sum() / kept) if kept else float("nan")
    return Explained(float(score.mean()), restricted, interval, len(shared), kept)
