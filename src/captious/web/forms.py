"""A protocol's form on a page and the answers that come back, knowing no protocol.

Names and values are the protocol's own, so that `Form.read` understands what the page sends back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from starlette.datastructures import FormData, UploadFile

from captious.campaigns.work.responses import Seen
from captious.protocols import Answer, Field, Form, Item, Problem, When
from captious.protocols.item import LONGEST_TEXT, as_number
from captious.protocols.questions.base import plain
from captious.web.pages import Texts, language_of

# A dot in front, for questions have names of their own.
REPLACES, UNTOUCHED, FINE, ASIDE, NOTE = ".replaces", ".untouched", ".fine", ".aside", ".note"
CONFIRMED = ".confirmed"  # a preset that is right as it is, where no script can tell
OWN_FIELDS = frozenset({"csrf", "key", REPLACES, UNTOUCHED, CONFIRMED, FINE, ASIDE, NOTE})
Keep = Callable[[bytes], str]


def answers_to(item: Item, form: FormData, keep: Keep | None = None) -> dict[str, object]:
    """What was answered to an item, ready for `Form.check`.

    A recording is handed to `keep`, which returns the name that is the answer; without it, and for
    fields that ask for no recording, files are passed over.
    """
    pairs: list[tuple[str, str]] = []
    for name, value in form.multi_items():
        if name in OWN_FIELDS:
            continue
        if isinstance(value, str):
            pairs.append((name, value))
        elif isinstance(value, UploadFile) and value.size and name in item.form.recorded and keep is not None:
            value.file.seek(0)
            pairs.append((name, keep(value.file.read())))
    return item.form.read(pairs)


def touched(answers: Mapping[str, object], form: FormData) -> dict[str, object]:
    """The answers without presets that the rater has left: they are preset again on the next page."""
    left = _left(form)
    return {name: value for name, value in answers.items() if name not in left}


def _left(form: FormData) -> frozenset[str]:
    """The questions whose preset the rater has neither changed nor confirmed."""
    return frozenset(map(str, form.getlist(UNTOUCHED))) - frozenset(map(str, form.getlist(CONFIRMED)))


def all_fine(item: Item, answers: Mapping[str, object], caption: str) -> dict[str, object]:
    """The answers, and for what is not answered of a caption that there is nothing wrong."""
    own = {field.name: field.fine for field in item.form.fields if field.fine and field.caption == caption}
    return {**own, **answers}


def seen_by(form: FormData) -> Seen:
    """What the page had shown: the answer that it replaces, and the presets that were left."""
    replaces = form.get(REPLACES)
    known = isinstance(replaces, str) and replaces.isascii() and replaces.isdigit() and len(replaces) < 19
    return Seen(int(str(replaces)) if known else None, _left(form))


Layout = Literal["captions", "pair", "single"]

KEYS = "1234567890"
SHORT_LABEL = 28
BRIEF_LABEL = 3
PAIR = ("left", "right")


@dataclass(frozen=True)
class Choice:
    """What can be chosen; `key` is the key that chooses it, `given` its amount or its place."""

    id: str
    value: str
    label: str
    help: str = ""
    example: str = ""
    amount: str = ""
    low: str = ""
    high: str = ""
    given: str = ""
    checked: bool = False
    key: str = ""
    fine: bool = False


@dataclass(frozen=True)
class Question:
    """One field, shown by the template `block`; `style` is for the style sheet.

    `entries` are those of an answer that lists some, `suggested` those that stood there before.

    `when` says in words when it counts; the parts behind it say it to the script. `confirm`: an earlier
    rater's answer is chosen, and this one has not yet said that it is right.
    """

    id: str
    name: str
    block: str
    style: str
    label: str
    help: str
    required: bool
    choices: tuple[Choice, ...] = ()
    value: str = ""
    low: str = ""
    high: str = ""
    step: str = ""
    longest: int = LONGEST_TEXT
    when: str = ""
    when_field: str = ""
    when_below: str = ""
    when_has: str = ""
    problem: str = ""
    prior: str = ""
    prior_values: str = ""
    preset: bool = False
    confirm: bool = False
    known: bool = True
    one_press: bool = False
    lists: bool = False
    entries: tuple[Mapping[str, object], ...] = ()
    suggested: tuple[Mapping[str, object], ...] = ()

    @property
    def focus(self) -> str:
        """The id of what takes the focus when the question is gone to."""
        return self.choices[0].id if self.choices else f"{self.id}-1"

    @property
    def brief(self) -> bool:
        """Whether the answers are as short as yes and no, and fit beside the question."""
        short = all(len(c.label) <= BRIEF_LABEL for c in self.choices)
        return self.style == "inline" and len(self.choices) == 2 and short

    @property
    def marked(self) -> int:
        """How many boxes are ticked."""
        return sum(choice.checked for choice in self.choices)


@dataclass(frozen=True)
class Shown:
    """A caption with the questions that are about it; `side`: one of a pair, left or right.

    `lang` is the language that it is written in.
    """

    key: str
    text: str
    questions: tuple[Question, ...] = ()
    side: bool = False
    lang: str = ""

    @property
    def fine(self) -> bool:
        """Whether one press can say of several questions that nothing is wrong."""
        return sum(any(c.fine for c in q.choices) and not q.preset for q in self.questions) > 1


@dataclass(frozen=True)
class Line:
    """One entry of the summary of errors, with the id of what it is about."""

    message: str
    target: str = ""


@dataclass(frozen=True)
class FormView:
    """Everything a page shows of a form: captions with their questions, and those about all."""

    layout: Layout
    captions: tuple[Shown, ...]
    questions: tuple[Question, ...]
    problems: tuple[Line, ...] = ()


def view(
    item: Item,
    t: Texts,
    *,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
    with_presets: bool = True,
    language: Callable[[str], str] = language_of,
) -> FormView:
    """The form of an item with what has been answered; earlier raters' answers are offered.

    What is preset and not among the answers is shown as preset; an earlier rater's choice that is not
    among them waits to be confirmed.
    """
    given = item.prior if answers is None else answers
    presets = {
        field.name: field.fine
        for field in item.form.fields
        if with_presets and field.preset and field.name not in given and field.name not in item.prior
    }
    open_ = {
        field.name: answer
        for field in item.form.fields
        if (answer := item.prior.get(field.name)) is not None
        and field.rules.one_press
        and (answers is None or field.name not in answers)
    }
    given = {**given, **presets, **open_}
    said = {problem.field: problem.message for problem in problems}
    questions = [
        _question(
            f"q{place}",
            field,
            item,
            given,
            said.get(field.name, ""),
            t,
            field.name in presets,
            field.name in open_,
        )
        for place, field in enumerate(item.form.fields, start=1)
    ]
    about: dict[str, list[Question]] = {}
    for field, question in zip(item.form.fields, questions, strict=True):
        about.setdefault(field.caption, []).append(question)
    pair = tuple(caption.key for caption in item.captions) == PAIR
    captions = tuple(
        Shown(caption.key, caption.text, tuple(about.pop(caption.key, ())), pair, language(caption.text))
        for caption in item.captions
    )
    left = tuple(question for own in about.values() for question in own)
    targets = {question.name: question.focus for question in questions}
    lines = tuple(Line(p.message, targets.get(p.field, "")) for p in problems)
    return FormView(_layout(captions), captions, left, lines)


def _layout(captions: Sequence[Shown]) -> Layout:
    if any(caption.questions for caption in captions):
        return "captions"
    return "pair" if any(caption.side for caption in captions) else "single"


def _question(
    ident: str,
    field: Field,
    item: Item,
    given: Mapping[str, object],
    problem: str,
    t: Texts,
    preset: bool,
    confirm: bool,
) -> Question:
    answer = given.get(field.name)
    kind = field.rules
    choices = _choices(ident, field, answer, t)
    prior = item.prior.get(field.name)
    when = field.when
    return Question(
        id=ident,
        name=field.name,
        block=kind.block(field),
        style=_style(kind.block(field), choices),
        label=t.say(field.label),
        help=t.say(field.help),
        required=field.required,
        choices=choices,
        value="" if choices and not kind.lists else plain(answer),
        low=_number(field.low),
        high=_number(field.high),
        step=_number(field.step) or "any",
        when=_when(when, item.form, t) if when else "",
        when_field=when.field if when else "",
        when_below=_number(when.below) if when else "",
        when_has=when.has if when else "",
        problem=_beside(field, problem),
        prior=described(field, prior, t) if field.name in item.prior and not kind.lists else "",
        prior_values=" ".join(_values(prior)) if field.name in item.prior and not kind.lists else "",
        preset=preset,
        confirm=confirm and bool(choices),
        known=kind.known,
        one_press=kind.one_press and bool(choices),
        lists=kind.lists,
        entries=_entries(answer),
        suggested=_entries(prior),
    )


def _beside(field: Field, message: str) -> str:
    """A message without the words that stand right above it: the caption's key and the label."""
    _, label, rest = message.partition(field.label)
    return rest.lstrip(": ") if label and rest.strip(": ") else message


def _style(block: str, choices: Sequence[Choice]) -> str:
    """A few short options stand in a line, others in a list."""
    if block != "choice":
        return block
    short = all(len(c.label) <= SHORT_LABEL and not c.help for c in choices)
    return "inline" if short and len(choices) <= 3 else "list"


def _choices(ident: str, field: Field, answer: object, t: Texts) -> tuple[Choice, ...]:
    chosen = _chosen(answer)
    return tuple(
        Choice(
            id=f"{ident}-{place + 1}",
            value=option.value,
            label=t.say(option.label),
            help=t.say(option.help),
            example=option.example,
            amount=_number(option.amount),
            low=_number(option.low),
            high=_number(option.high),
            given=plain(chosen.get(option.value)),
            checked=option.value in chosen,
            key=_key(field, option.value, place),
            fine=bool(field.fine) and option.value == field.fine,
        )
        for place, option in enumerate(field.rules.points(field))
    )


def _key(field: Field, value: str, place: int) -> str:
    """The number of a point is its key; options are counted."""
    if field.rules.block(field) == "scale":
        return value if value.isdigit() and len(value) <= 2 else ""
    return KEYS[place] if place < len(KEYS) else ""


def _chosen(answer: object) -> dict[str, object]:
    """What is chosen, with amounts, from an answer of any shape, a wrong one too."""
    if isinstance(answer, Mapping):
        return {str(value): amount for value, amount in answer.items()}
    if isinstance(answer, (list, tuple)):
        return dict.fromkeys(map(str, answer))
    number = as_number(answer)
    spelled = {plain(answer), plain(number)} if number is not None else {plain(answer)}
    return {} if answer is None else dict.fromkeys(spelled)


def _entries(answer: object) -> tuple[Mapping[str, object], ...]:
    """The entries of an answer that lists some."""
    return tuple(one for one in answer if isinstance(one, Mapping)) if isinstance(answer, list) else ()


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def _values(answer: Answer | None) -> list[str]:
    """The values of an answer, for the script that marks what was changed."""
    if isinstance(answer, dict):
        return sorted(f"{value}={_number(amount)}" for value, amount in answer.items())
    return [] if answer is None else [plain(answer)]


def _when(when: When, form: Form, t: Texts) -> str:
    asked = form.field(when.field)
    question = t.say(asked.label) if asked else when.field
    if when.below is not None:
        return t("form.when_below", question=question, number=_number(when.below))
    option = asked.option(when.has) if asked else None
    label = t.say(option.label) if option else when.has
    return t("form.when_has", question=question, option=label)


def described(field: Field, answer: Answer | None, t: Texts) -> str:
    """An answer in words: the option's label, the amounts, or the text itself."""
    if answer is None or answer in ("", {}):
        return t("form.nothing")
    return field.rules.words(field, answer, t.say)
