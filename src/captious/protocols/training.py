"""Training before the work: examples with known answers, how they are marked, and where a rater stands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from captious.errors import InputError
from captious.protocols.base import HumanProtocol
from captious.protocols.item import Answer, Field, Item, item_from_dict, item_to_dict
from captious.protocols.known import answer_right, check_known, question_named
from captious.protocols.yaml_file import At, YamlFile

AfterFailing = Literal["stop", "uncounted", "again"]
# What happens once the last try has failed: no work; work that does not count; further tries.
AFTER_FAILING: tuple[AfterFailing, ...] = ("stop", "uncounted", "again")
Phase = Literal["answering", "passed", "failed"]
MOST_TRIES = 100
DEFAULT_PASS, DEFAULT_TRIES = 0.8, 2
LEAST_PASS = 0.01


@dataclass(frozen=True)
class TrainingRules:
    """What it takes to pass: a share of the known answers, in so many tries; and what follows failing."""

    pass_mark: float = DEFAULT_PASS
    tries: int = DEFAULT_TRIES
    after_failing: AfterFailing = "stop"

    def __post_init__(self) -> None:
        if self.pass_mark == 0:
            raise InputError("pass mark: at 0 everyone passes, whatever they answer. Give 0.01 to 1.")
        if not (isinstance(self.pass_mark, (int, float)) and LEAST_PASS <= self.pass_mark <= 1):
            raise InputError(f"pass mark: {self.pass_mark} is not a share. Give 0.01 to 1, such as 0.8.")
        if not (isinstance(self.tries, int) and 1 <= self.tries <= MOST_TRIES):
            raise InputError(f"tries: {self.tries} is not a whole number from 1 to {MOST_TRIES}.")
        if self.after_failing not in AFTER_FAILING:
            raise InputError(
                f'after failing: "{self.after_failing}" is not one of {", ".join(AFTER_FAILING)}.'
            )


class Answered(NamedTuple):
    """An answered example: in which try, at which place, `right` of `asked` known answers."""

    attempt: int
    place: int
    right: int
    asked: int


class Standing(NamedTuple):
    """Where a rater is: the example to answer next, and the last try that was finished.

    `phase` is `failed` where the last try is used up and there is no other. `score` is the best
    share of known answers in a finished try, NaN where none was finished; `last` that of the latest.
    """

    phase: Phase
    attempt: int
    place: int
    finished: int
    score: float
    last: float


def standing(answers: Iterable[Answered], examples: int, rules: TrainingRules) -> Standing:
    """Where a rater stands after these answers; a place is from 1 to `examples`.

    >>> rules = TrainingRules(pass_mark=0.8, tries=2)
    >>> standing([Answered(1, 1, 1, 2)], 2, rules)[:3]
    ('answering', 1, 2)
    >>> standing([Answered(1, 1, 1, 2), Answered(1, 2, 2, 2)], 2, rules)[:3]  # 3 of 4 is below 0.8
    ('answering', 2, 1)
    """
    tries: dict[int, dict[int, Answered]] = {}
    for one in answers:
        tries.setdefault(one.attempt, {}).setdefault(one.place, one)
    scores: list[float] = []
    attempt = 1
    while len(tries.get(attempt, {})) >= examples:
        own = tries[attempt].values()
        scores.append(_share(sum(one.right for one in own), sum(one.asked for one in own)))
        attempt += 1
    best, last = (max(scores), scores[-1]) if scores else (math.nan, math.nan)
    phase: Phase = "answering"
    if scores and best >= rules.pass_mark - 1e-9:
        phase = "passed"
    elif len(scores) >= rules.tries and rules.after_failing != "again":
        phase = "failed"
    done = tries.get(attempt, {})
    place = next(at for at in range(1, examples + 2) if at not in done)
    return Standing(phase, attempt, place, len(scores), best, last)


def _share(right: int, asked: int) -> float:
    return right / asked if asked else 1.0


WHOLE = ""  # the explanation that is about all answers


@dataclass(frozen=True)
class Example:
    """An item of practice; `known` and `why` are by the names of its questions.

    `file` names its picture beside the file that it was read from.
    """

    item: Item
    known: Mapping[str, Any]
    why: Mapping[str, str] = field(default_factory=dict)
    file: str = ""


class Marked(NamedTuple):
    """What was answered to one question, what was expected, whether that is right, and why."""

    field: Field
    given: Answer | None
    expected: Any
    right: bool
    why: str


def mark(example: Example, answers: Mapping[str, Answer]) -> list[Marked]:
    """The questions whose answers are known, in the order of the form."""
    return [
        Marked(
            one,
            answers.get(one.name),
            example.known[one.name],
            answer_right(one, example.known[one.name], answers.get(one.name)),
            example.why.get(one.name, ""),
        )
        for one in example.item.form.fields
        if one.name in example.known
    ]


def example_to_dict(example: Example) -> dict[str, Any]:
    """An example as values that JSON can hold."""
    return {
        "item": item_to_dict(example.item),
        "known": dict(example.known),
        "why": dict(example.why),
        "file": example.file,
    }


def example_from_dict(stored: Mapping[str, Any]) -> Example:
    """The example that `example_to_dict` stored."""
    item = item_from_dict(stored["item"])
    return Example(item, dict(stored["known"]), dict(stored["why"]), stored.get("file", ""))


TOP = ("examples", "protocol")
EXAMPLE = ("image", "caption", "captions", "answers", "why")
CAPTION = ("caption", "answers", "why")
MOST_EXAMPLES = 100


def read_examples(text: str, rules: HumanProtocol, source: str = "training") -> list[Example]:
    """The examples of a training, on the form of a protocol; what is wrong is one line.

    >>> from captious.protocols import protocol
    >>> (one,) = read_examples('''
    ... examples:
    ...   - image: tabby.jpg
    ...     caption: A cat.
    ...     answers: {verdict: incomplete}
    ...     why: It says neither what the cat looks like nor what it does.
    ... ''', protocol("tagging"))
    >>> one.item.captions[0].text, one.known
    ('A cat.', {'verdict': 'incomplete'})
    """
    file = YamlFile(text, source)
    top = file.mapping((), file.data, TOP)
    wanted = file.text((), top, "protocol", "", required=False)
    if wanted and wanted != rules.name:
        raise file.error(("protocol",), f"this training is for {wanted}, but the protocol is {rules.name}.")
    listed = file.sequence((), top, "examples")
    if not 1 <= len(listed) <= MOST_EXAMPLES:
        raise file.error(("examples",), f"{len(listed)} examples. Give 1 to {MOST_EXAMPLES}.")
    return [_example(file, rules, at, raw) for at, raw in enumerate(listed)]


def _example(file: YamlFile, rules: HumanProtocol, at: int, raw: object) -> Example:
    where: At = ("examples", at)
    own = file.mapping(where, raw, EXAMPLE)
    image = file.name(where, own, "image", "Name the file of the picture.")
    parts = _captions(file, where, own)
    try:
        item = rules.example_item(image, [text for text, _, _ in parts])
    except InputError as error:
        raise file.error(where, str(error)) from error
    known = _answers(file, where, own, item)
    why = _why(file, where, own, item)
    for caption, (_, place, part) in zip(item.captions, parts, strict=True):
        known |= _answers(file, place, part, item, caption.key)
        why |= _why(file, place, part, item, caption.key)
    if not known:
        raise file.error(where, "no answers are known. Give some, such as {question: answer}.")
    try:
        check_known(item, known, f"example {at + 1}")
    except InputError as error:
        raise file.error((*where, "answers"), str(error)) from error
    return Example(item, known, why, image)


def _captions(
    file: YamlFile, where: At, own: Mapping[str, object]
) -> list[tuple[str, At, Mapping[str, object]]]:
    """Each caption with its place in the file and what stands beside it."""
    if "captions" not in own:
        return [(file.text(where, own, "caption", "Write the caption."), where, {})]
    found: list[tuple[str, At, Mapping[str, object]]] = []
    for row, raw in enumerate(file.sequence(where, own, "captions")):
        place: At = (*where, "captions", row)
        part = {"caption": raw} if isinstance(raw, str) else file.mapping(place, raw, CAPTION)
        found.append((file.text(place, part, "caption", "Write the caption."), place, part))
    if not found:
        raise file.error((*where, "captions"), '"captions" is empty. Give at least one.')
    return found


def _answers(
    file: YamlFile, where: At, own: Mapping[str, object], item: Item, caption: str = ""
) -> dict[str, Any]:
    raw = own.get("answers") or {}
    if not isinstance(raw, dict):
        raise file.error((*where, "answers"), '"answers" must be questions with answers: {verdict: minor}.')
    return {question_named(item, str(name), caption): answer for name, answer in raw.items()}


def _why(
    file: YamlFile, where: At, own: Mapping[str, object], item: Item, caption: str = ""
) -> dict[str, str]:
    raw = own.get("why")
    if not isinstance(raw, dict):
        text = file.text(where, own, "why", "", required=False)
        return {caption or WHOLE: text} if text else {}
    place: At = (*where, "why")
    return {question_named(item, str(name), caption): file.text(place, raw, str(name), "") for name in raw}
