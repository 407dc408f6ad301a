"""Error spans: what is wrong in a caption and where, what is missing, and a score.

After ESA (Kocmi et al. 2024): raters mark errors as minor or major, then give a score from 0 to 100.
The weights of the marks are those of MQM (Freitag et al. 2021).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, ClassVar

from captious.corpus import Corpus
from captious.errors import InputError, one_line
from captious.protocols.agreement import INTERVALS, ends
from captious.protocols.base import (
    FIRST,
    MOST_RESPONSES,
    Caption,
    Chart,
    Guide,
    HumanProtocol,
    Item,
    Response,
    Row,
    Table,
    Words,
    captions_of,
    draws,
    matched,
    opaque,
    option,
    row_of,
)
from captious.protocols.findings import STATUSES, suggestions_of
from captious.protocols.from_marks import AUDIT, NEEDED, audit_answers, thumb_scores
from captious.protocols.item import Field, Form, Option, Picture, as_number
from captious.protocols.questions.spans import (
    FINER,
    KINDS,
    MOST_KINDS,
    MOST_MARKS,
    SEVERITIES,
    STYLE,
    kind_option,
    kinds_of,
    marks_of,
    severities_of,
    severity_option,
    weight_of,
)
from captious.protocols.registry import register
from captious.protocols.simulation import Someone
from captious.stats import Estimate, bootstrap_interval
from captious.stats.alpha import Scale
from captious.stats.resample import DEFAULT_RESAMPLES
from captious.stats.span_f1 import span_f1
from captious.stats.spans import Mark, MarkedText
from captious.stats.unitising import unitising_alpha

MARKS, SCORE, ERRORS, MQM = "marks", "score", "errors", "mqm"
HIGHEST = 100
MOST_RATERS = 10  # of whom every two are compared
ALL = "all"
_BEE = "A bee sits on a purple flower with a yellow centre."
_PICTURES = (
    Picture("bee.jpg", _BEE, "A wasp sits on a purple flower.", "Mark “wasp”: object, major", "It is a bee."),
    Picture("bee.jpg", _BEE, "A bee sits on a red flower.", "Mark “red”: attribute, major", "It is purple."),
    Picture("bee.jpg", _BEE, "Two bees sit on a flower.", "Mark “Two bees”: count, major", "There is one."),
    Picture(
        "bee.jpg",
        _BEE,
        "A bee that has flown far sits on a flower.",
        "Mark “that has flown far”: inference, minor",
        "The image does not show whether it is true.",
    ),
)


@register("spans")
@dataclass(frozen=True)
class ErrorSpans(HumanProtocol):
    """One caption at a time: marks in it, what it lacks, and a score from 0 to 100."""

    raters: int = option(
        2, "Raters for each caption", "Each of them another person.", low=1, high=MOST_RESPONSES
    )
    overall: bool = option(
        True,
        "Ask for a score",
        "From 0 to 100, after the marks, as in ESA. Without it the weights of the marks are the score, "
        "as in MQM.",
    )
    kinds: str = option(
        ", ".join(one.value for one in KINDS), "Kinds of error", "Names with commas between them."
    )
    severities: str = option(
        ", ".join(f"{one.value}={one.amount:g}" for one in SEVERITIES),
        "Severities with their weights",
        "Minor 1 and major 5 are those of MQM.",
    )
    audit: bool = option(
        False,
        "Also derive an error audit",
        "Raters also say what is invented, the main object or awkward; then marks answer its seven "
        "questions.",
    )
    thumb: bool = option(
        False,
        "Also derive THumB scores",
        "Precision, recall and penalties follow from marks. Raters can also mark what is too detailed or "
        "offensive.",
    )

    title: ClassVar[str] = "Error spans: what is wrong, and where"
    citation: ClassVar[str] = "ESA, Kocmi et al. 2024; weights of MQM, Freitag et al. 2021"
    words: ClassVar[Words] = Words(
        "Error spans",
        "Raters mark the wrong places of a caption, say what kind of error each is and how severe, what is "
        "missing, and give the caption a score from 0 to 100.",
        "Candidates and images.",
        "A drag and two clicks for each error, and a number, for each caption and rater.",
        "Findings with their place in the caption, errors by kind and severity, and scores by system.",
        "You will see photographs, each with one caption, mark what is wrong in it, and score the caption.",
    )
    raters_option: ClassVar[str] = "raters"
    suggestible: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.form

    @cached_property
    def form(self) -> Form:
        """The marks, then the score: marking first steadies the score (Kocmi et al. 2024)."""
        options = (*self._kinds(), *_severities(self.severities))
        label = "What is wrong in the caption, and where?"
        marks = Field(MARKS, "spans", label, options=options, high=MOST_MARKS)
        score = Field(
            SCORE,
            "number",
            "How well does the caption describe the image?",
            "From 0 to 100. 0: nothing fits. 33: some of it fits, much is wrong or missing. "
            "66: most fits, with some errors. 100: all is right, and nothing important is missing.",
            low=0,
            high=HIGHEST,
            step=1,
        )
        return Form((marks, score) if self.overall else (marks,))

    def _kinds(self) -> list[Option]:
        """The kinds that raters choose from: finer ones where an audit is to follow, more for THumB."""
        kinds = _kinds(self.kinds)
        lacking = [name for name in NEEDED if all(one.value != name for one in kinds)]
        if (self.audit or self.thumb) and lacking:
            raise InputError(
                f'kinds: "{lacking[0]}" is missing, without which neither an audit nor THumB follows from '
                f"marks. Keep {', '.join(NEEDED)}; more may be added."
            )
        found = [one for kind in kinds for one in (FINER.get(kind.value, (kind,)) if self.audit else (kind,))]
        return [*found, *(STYLE if self.thumb else ())]

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The score's."""
        return {SCORE: (0.0, float(HIGHEST))} if self.overall else {}

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """One item for each distinct caption of an image."""
        return [
            Item(
                key=opaque(seed, "spans", image, text),
                image=image,
                captions=(Caption("A", text),),
                form=self.form,
                sources={"A": tuple(systems)},
                target=self.raters,
            )
            for image, texts in captions_of(corpus).items()
            for text, systems in texts.items()
        ]

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """How to mark, and what the severities mean."""
        return (
            Guide(
                "What you do",
                "Look at the image, then read the caption. Mark each place that is wrong: as few words as "
                "show the error, and each error once. If all is right, mark nothing.",
                (
                    "A word that is wrong because another one is wrong is no error of its own.",
                    "Something important that the caption does not mention: use “Something is missing”.",
                ),
                _PICTURES,
            ),
            Guide(
                "How severe",
                "Minor: most readers would not mind, or would still imagine the right picture. Major: a "
                "reader would imagine something else than the image shows.",
            ),
        )

    # Results

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """Of each caption the score, the number of errors and the sum of their weights, as MQM below 0.

        With `audit` and `thumb` also the aspects of those protocols, which follow from the marks.
        """
        for item, response in matched(items, responses):
            field, answer = item.form.fields[0], response.answers[MARKS]
            marks = list(marks_of(answer))
            said = {ERRORS: float(len(marks)), MQM: 0.0 - weight_of(field, answer)}
            if SCORE in response.answers:
                said = {SCORE: float(str(response.answers[SCORE])), **said}
            if self.audit:
                said |= audit_answers(marks)
            if self.thumb:
                said |= thumb_scores(item.captions[0].text, marks, _lightest(field))
            for system in item.sources["A"]:
                for aspect, value in said.items():
                    yield row_of(item, response, item.captions[0], system, aspect, value)

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """Means by system, errors by kind and severity, and what became of suggestions."""
        values: dict[str, dict[str, list[tuple[str, float]]]] = {}
        for row in self.rows(items, responses):
            values.setdefault(row.aspect, {}).setdefault(row.system, []).append((row.image, row.value))
        if not values:
            return []
        tables, derived = [], []
        for aspect, systems in values.items():
            found = [(system, *_mean(own), len(own)) for system, own in systems.items()]
            found.sort(key=lambda row: -row[1])
            if aspect not in _TITLES:
                derived += [(_derived_from(aspect), aspect, *row) for row in found]
                continue
            scale = (0, HIGHEST) if aspect == SCORE else None
            chart = Chart("intervals", "mean", "system", x_scale=scale) if aspect != ERRORS else None
            tables.append(
                Table(
                    f"{_TITLES[aspect]} by system", ("system", *_MEAN), tuple(found), INTERVALS, chart=chart
                )
            )
        for title, note in _DERIVED.items():
            if own := tuple(row[1:] for row in derived if row[0] == title):
                columns = ("aspect", "system", *_MEAN)
                tables.append(Table(f"{title} from the marks", columns, own, f"{note}; {INTERVALS}"))
        return [*tables, _errors(items, responses), *_suggestions_table(items, responses)]

    def agreement(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = DEFAULT_RESAMPLES
    ) -> list[Table]:
        """Beside scores and kinds: how far two raters mark the same characters."""
        own = _places_table(items, responses, resamples)
        return super().agreement(items, responses, resamples=resamples) + own

    def scale_of(self, field: Field) -> Scale:
        """The score has even steps."""
        return "interval" if field.name == SCORE else super().scale_of(field)

    def simulated(self, item: Item, someone: Someone) -> dict[str, Any]:
        """The worse the caption, the more words are marked: words on which careful raters agree."""
        good = min(1.0, max(0.0, someone.opinion(item, "A") + someone.noise()))
        answers: dict[str, Any] = {MARKS: self._simulated_marks(item, someone, good)}
        if self.overall:
            answers[SCORE] = round(HIGHEST * good)
        return answers

    def _simulated_marks(self, item: Item, someone: Someone, good: float) -> list[dict[str, Any]]:
        caption, field = item.captions[0].text, item.form.fields[0]
        kinds, severities = kinds_of(field), severities_of(field)
        prior = [mark for mark in marks_of(item.prior.get(MARKS)) if someone.rng.random() < 0.8]
        marks = [{**mark, "kept": True} if someone.rng.random() < 0.6 else mark for mark in prior]
        words = _words(caption)
        order = draws(0, "errors", caption).permutation(len(words)).tolist()
        for at, row in enumerate(order[: round(4 * (1 - good))]):
            other = someone.rng.random() < 0.3  # another eye falls on another word
            start, end = words[int(someone.rng.integers(len(words))) if other else row]
            kind = kinds[at % len(kinds)].value
            if all((mark["start"], mark["end"], mark["kind"]) != (start, end, kind) for mark in marks):
                severity = severities[-1 if good < 0.4 else 0].value
                marks.append({"start": start, "end": end, "kind": kind, "severity": severity})
        return marks


CHARACTERS = "F1 of characters"
_STATISTICS: Mapping[str, Callable[..., Estimate]] = {
    CHARACTERS: span_f1,
    "F1 of overlapping marks": partial(span_f1, match="overlap"),
    "Krippendorff's alpha_u": unitising_alpha,
}
_MEAN = ("mean", "low", "high", "answers")
_DERIVED = {
    "Error audit": "mean: the share of captions with such an error",
    "THumB": "mean of the points that follow from marks; penalties are negative",
}
_TITLES = {SCORE: "Score", ERRORS: "Errors in a caption", MQM: "MQM score"}


def _derived_from(aspect: str) -> str:
    return "Error audit" if aspect in AUDIT else "THumB"


def _lightest(field: Field) -> str:
    """The severity with the smallest weight; of a single one every mark is major."""
    severities = severities_of(field)
    return min(severities, key=lambda one: one.amount or 0.0).value if len(severities) > 1 else ""


def _kinds(text: str) -> tuple[Option, ...]:
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) != len(names) or len(names) > MOST_KINDS:
        raise InputError(
            f'kinds: "{one_line(text, 60)}" must be 1 to {MOST_KINDS} names, each once: object, text.'
        )
    return tuple(kind_option(name) for name in names)


def _severities(text: str) -> tuple[Option, ...]:
    found = []
    for part in text.split(","):
        name, _, weight = part.partition("=")
        value = as_number(weight)
        if not name.strip() or value is None or value < 0:
            raise InputError(
                f'severities: "{one_line(part, 40)}" is not a name and a weight: minor=1, major=5.'
            )
        found.append(severity_option(name.strip(), value))
    if len({one.value for one in found}) != len(found) or len(found) > 9:
        raise InputError("severities: give 1 to 9, each of them once: minor=1, major=5.")
    return tuple(found)


def _mean(values: Sequence[tuple[str, float]]) -> tuple[float, float, float]:
    """Mean, low and high of values by image."""
    sums: dict[str, list[float]] = {}
    for image, value in values:
        own = sums.setdefault(image, [0.0, 0.0])
        own[0] += value
        own[1] += 1
    found = bootstrap_interval(list(sums.values()), lambda s: s[..., 0] / s[..., 1])
    return found.value, found.low, found.high


def _errors(items: Sequence[Item], responses: Sequence[Response]) -> Table:
    """How many errors of each kind and severity a caption of each system has."""
    counted: dict[tuple[str, str, str], dict[tuple[str, str], int]] = {}
    asked: dict[str, list[tuple[str, str]]] = {}
    for item, response in matched(items, responses):
        for system in item.sources["A"]:
            answer = (item.image, f"{item.key} {response.rater}")
            asked.setdefault(system, []).append(answer)
            for mark in marks_of(response.answers[MARKS]):
                for severity in (ALL, mark["severity"]):
                    for kind in (ALL, mark["kind"]):
                        own = counted.setdefault((system, kind, severity), {})
                        own[answer] = own.get(answer, 0) + 1
    field = items[0].form.fields[0]
    rows: list[tuple[str | float | int, ...]] = []
    for system, answers in asked.items():
        for kind in (ALL, *(one.value for one in kinds_of(field))):
            for severity in (ALL, *(one.value for one in severities_of(field))):
                own = counted.get((system, kind, severity), {})
                if own or severity == ALL:
                    mean = _mean([(answer[0], float(own.get(answer, 0))) for answer in answers])
                    rows.append((system, kind, severity, *mean, sum(own.values())))
    columns = ("system", "kind", "severity", "mean", "low", "high", "marks")
    note = f"mean: marks in a caption, by each rater; {INTERVALS}"
    return Table("Errors by kind and severity", columns, tuple(rows), note)


def _suggestions_table(items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
    """What raters did with the marks that they were shown, by who suggested them."""
    counts: dict[str, Counter[str]] = {}
    for one in suggestions_of(items, responses):
        counts.setdefault(one.suggested_by, Counter())[one.status] += 1
    rows: list[tuple[str | int, ...]] = [
        (source, *(own[status] for status in STATUSES)) for source, own in counts.items()
    ]
    note = "untouched: left as it was, without a word. Each rater who saw a suggestion counts."
    return (
        [Table("What became of suggestions", ("suggested by", *STATUSES), tuple(rows), note)] if rows else []
    )


def _places_table(items: Sequence[Item], responses: Sequence[Response], resamples: int) -> list[Table]:
    """How far raters mark the same places: all together, by kind, and every two of them."""
    read: dict[str, tuple[Item, dict[str, list[Mark]]]] = {}
    for item, response in matched(items, responses):
        if item.counts and not item.prior:
            own = read.setdefault(item.key, (item, {}))[1]
            own[response.rater] = _places(response)
    several = [(item, by) for item, by in read.values() if len(by) > 1]
    if not several:
        return []
    images = [item.image for item, _ in several]
    texts = [MarkedText(item.captions[0].text, list(by.values())) for item, by in several]
    rows: list[tuple[str | float | int, ...]] = []
    for kind in ("", *(one.value for one in kinds_of(several[0][0].form.fields[0]))):
        own_texts = [text.of_kind(kind) for text in texts] if kind else texts
        for name, statistic in _STATISTICS.items():
            found = statistic(own_texts, resamples=resamples, clusters=images)
            rows.append((kind or ALL, ALL, name, *ends(found), found.n_items))
    raters = sorted({rater for _, by in several for rater in by})
    for pair in combinations(raters, 2) if 2 < len(raters) <= MOST_RATERS else ():
        both = [(item, by) for item, by in several if all(rater in by for rater in pair)]
        two = [MarkedText(item.captions[0].text, [by[rater] for rater in pair]) for item, by in both]
        if two:
            found = span_f1(two, resamples=resamples, clusters=[item.image for item, _ in both])
            rows.append((ALL, " and ".join(pair), CHARACTERS, *ends(found), found.n_items))
    note = f"Captions with suggestions are left out; {INTERVALS}"
    columns = ("kind", "raters", "coefficient", "value", "low", "high", "captions")
    return [Table("Agreement on places", columns, tuple(rows), note)]


def _places(response: Response) -> list[Mark]:
    """What a rater marked in the words of the caption."""
    marks = marks_of(response.answers[MARKS])
    return [Mark(one["start"], one["end"], one["kind"]) for one in marks if one["start"] is not None]


def _words(caption: str) -> list[tuple[int, int]]:
    """Where the words of a caption stand; of one without spaces its first character."""
    found, at = [], 0
    for word in caption.split():
        start = caption.index(word, at)
        at = start + len(word)
        found.append((start, at))
    return found or [(0, 1)]
