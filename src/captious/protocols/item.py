"""What a rater is shown and what comes back: items with their form, responses, all of it as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from captious.corpus import Judgments
from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.questions import LONGEST_TEXT, Answer, Field, Option, Problem, When, as_number

Answers = dict[str, Answer]

__all__ = [
    "LONGEST_TEXT",
    "Answer",
    "Answers",
    "Caption",
    "Field",
    "Form",
    "Guide",
    "Item",
    "Option",
    "Picture",
    "Problem",
    "Response",
    "Row",
    "When",
    "as_judgments",
    "as_number",
    "as_practice",
    "is_first",
    "item_from_dict",
    "item_to_dict",
    "matched",
    "row_of",
    "split_adjudicated",
]


@dataclass(frozen=True)
class Form:
    """The questions of an item in the order in which they are asked.

    >>> stars = Field("stars", "scale", "How well does it fit?", low=1, high=5, step=1)
    >>> Form((stars,)).check({"stars": "4"})
    {'stars': 4.0}
    >>> Form((stars,)).check({"stars": 6})
    [Problem(field='stars', message='How well does it fit? 6 is not a whole number from 1 to 5.')]
    """

    fields: tuple[Field, ...]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # A form is a key wherever what is made of it is kept, and its fields are many.
        return hash(self.fields)

    @cached_property
    def _sent(self) -> dict[str, Field]:
        """Which field is answered under which name of a page."""
        return {name: one for one in self.fields for name in one.rules.inputs(one)}

    @cached_property
    def recorded(self) -> frozenset[str]:
        """The names of the fields whose answers are files."""
        return frozenset(one.name for one in self.fields if one.rules.recorded)

    def field(self, name: str) -> Field | None:
        """The field of that name."""
        return next((one for one in self.fields if one.name == name), None)

    def check(
        self, answers: Mapping[str, object], captions: Mapping[str, str] | None = None
    ) -> Answers | list[Problem]:
        """Return the answers cleaned, or what is wrong with them: one line a field.

        `captions` are the texts that the answers are about, by key, where they are known.
        """
        cleaned: Answers = {}
        names = {one.name for one in self.fields}
        problems = [
            Problem(one_line(str(name)), f'"{one_line(str(name))}" is not a question of this form.')
            for name in answers
            if name not in names
        ]
        for one in self.fields:
            # An answer that an earlier one has made pointless is dropped, not refused: without
            # scripts a page shows every field.
            if one.when is not None and not one.when.holds(cleaned):
                continue
            found = _check(one, answers.get(one.name))
            if captions and found is not None and not isinstance(found, Problem):
                found = one.rules.on_captions(one, found, captions)
            if isinstance(found, Problem):
                problems.append(found)
            elif found is not None:
                cleaned[one.name] = found
        return problems or cleaned

    def read(self, pairs: Iterable[tuple[str, str]]) -> dict[str, object]:
        """Gather the (name, value) pairs of a submitted page into answers for `check`.

        >>> errors = Field("errors", "multi", "Errors", options=(
        ...     Option("casing", "Casing", amount=0.1), Option("broken", "Broken", low=0.5)))
        >>> Form((errors,)).read([("errors", "casing"), ("errors.broken", "0.7")])
        {'errors': {'casing': None, 'broken': '0.7'}}
        """
        found: dict[str, object] = {}
        sent: dict[str, list[tuple[str, str]]] = {}
        for name, value in pairs:
            one = self._sent.get(name)
            if one is None:
                found[name] = value
            else:
                sent.setdefault(one.name, []).append((name, value))
        for one in self.fields:
            if one.name in sent:
                found[one.name] = one.rules.gather(one, sent[one.name])
        return found

    def public(self) -> list[dict[str, object]]:
        """The fields as plain values for a page or a JSON answer."""
        return [asdict(one) for one in self.fields]


def _check(one: Field, answer: object) -> Answer | Problem | None:
    empty = answer in ([], {}) and not one.rules.lists
    if answer is None or (isinstance(answer, str) and not answer.strip()) or empty:
        if not one.required:
            return one.rules.nothing()
        return one.problem(f"No answer. {one.rules.wanted(one)}")
    return one.rules.check(one, answer)


def item_to_dict(item: Item) -> dict[str, Any]:
    """An item as values that JSON can hold. Not for raters: it names the systems."""
    beside: dict[str, Any] = {"practice": True} if item.practice else {}
    if item.recording:
        beside["recording"] = item.recording
    if item.facts:
        beside["facts"] = dict(item.facts)
    return {
        "key": item.key,
        "image": item.image,
        "captions": [list(caption) for caption in item.captions],
        "fields": [asdict(one) for one in item.form.fields],
        "sources": {key: list(systems) for key, systems in item.sources.items()},
        "stage": item.stage,
        "target": item.target,
        "balance": item.balance,
        "check": item.check,
        "only_for": None if item.only_for is None else sorted(item.only_for),
        "not_for": sorted(item.not_for),
        "not_before": item.not_before,
        "prior": dict(item.prior),
        "hints": list(item.hints),
        **beside,
    }


def item_from_dict(stored: Mapping[str, Any]) -> Item:
    """The item that `item_to_dict` stored."""
    try:
        return Item(
            key=stored["key"],
            image=stored["image"],
            captions=tuple(Caption(*caption) for caption in stored["captions"]),
            form=Form(tuple(_field(one) for one in stored["fields"])),
            sources={key: tuple(systems) for key, systems in stored["sources"].items()},
            stage=stored["stage"],
            target=stored["target"],
            balance=stored["balance"],
            check=stored["check"],
            only_for=None if stored["only_for"] is None else frozenset(stored["only_for"]),
            not_for=frozenset(stored["not_for"]),
            not_before=stored["not_before"],
            prior=dict(stored["prior"]),
            hints=tuple(stored["hints"]),
            practice=stored.get("practice", False),
            recording=stored.get("recording", ""),
            facts=stored.get("facts", {}),
        )
    except (KeyError, TypeError) as error:
        raise InputError(f"stored item: {error} is missing or wrong. Store it again.") from error


def _field(stored: Mapping[str, Any]) -> Field:
    when = stored["when"]
    return Field(
        **{
            **stored,
            "options": tuple(Option(**option) for option in stored["options"]),
            "when": None if when is None else When(**when),
        }
    )


FIRST = "first"
# The stage in which an adjudicator decides about an item.
ADJUDICATION = "adjudication"
# The target of an item that is handed out as often as anyone needs it: a check, practice.
UNLIMITED = 2**31


def is_first(stage: str) -> bool:
    """Whether a stage is a first one: `first`, or that of a phase, such as `development-first`."""
    return stage == FIRST or stage.endswith(f"-{FIRST}")


class Caption(NamedTuple):
    """A caption as a rater sees it: a blind key and the text."""

    key: str
    text: str


class Picture(NamedTuple):
    """An example with a picture: what the picture shows, a caption of it, and what that earns and why.

    `file` names a photograph of the sample that comes with the package.
    """

    file: str
    alt: str
    caption: str
    verdict: str
    why: str = ""


@dataclass(frozen=True)
class Guide:
    """One piece of advice beside the form, in plain text, with examples in words and in pictures.

    `asks` says the title in plain words, for those who do not know the term.
    """

    title: str
    text: str
    examples: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    asks: str = ""


@dataclass(frozen=True)
class Item:
    """What a rater is shown, what is asked, and who may be asked when.

    `sources` (which systems wrote a caption) and `check` (the key of a planted caption) are for
    the analysis; `public()` leaves them out. `target` responses are wanted; `only_for` (None: all)
    and `not_for` name raters, `not_before` is a time in seconds since 1970. `balance` labels what
    is to be collected evenly. `prior` holds earlier answers that the rater confirms or changes.
    Responses to `practice` items never count. `recording` names a recording that is played. `facts`
    are for the protocol's own rules, and no rater sees them before answering: a known consensus.
    """

    key: str
    image: str
    captions: tuple[Caption, ...]
    form: Form
    sources: Mapping[str, tuple[str, ...]]
    stage: str = FIRST
    target: int = 1
    balance: str = ""
    check: str = ""
    only_for: frozenset[str] | None = None
    not_for: frozenset[str] = frozenset()
    not_before: float = 0.0
    prior: Mapping[str, Answer] = field(default_factory=dict)
    hints: tuple[str, ...] = ()
    practice: bool = False
    recording: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counts(self) -> bool:
        """Whether its responses are data: neither a check nor practice."""
        return not (self.check or self.practice)

    def public(self) -> dict[str, object]:
        """What may leave the server: no system, no mark on a planted caption, no other rater."""
        return {
            "key": self.key,
            "image": self.image,
            "captions": [caption._asdict() for caption in self.captions],
            "fields": self.form.public(),
            "prior": dict(self.prior),
            "hints": list(self.hints),
        }


@dataclass(frozen=True)
class Response:
    """A rater's valid answers to an item; `hints` are the automatic hints that stood beside it.

    `derived` is what the protocol's `derive` made of it before it was stored, `noted` what its
    `outcome` was, such as the points it was worth. `seconds` is how long the rater took, where known;
    `untouched` names the preset or earlier answers that nobody confirmed one by one.
    """

    item: str
    answers: Answers
    rater: str = ""
    time: float = float("nan")
    hints: tuple[str, ...] = ()
    derived: Mapping[str, Answer] = field(default_factory=dict)
    noted: Mapping[str, Answer] = field(default_factory=dict)
    seconds: float | None = field(default=None, compare=False)
    untouched: tuple[str, ...] = field(default=(), compare=False)


class Row(NamedTuple):
    """One judgment: which example (image, system, caption), by whom, of what, how much."""

    image: str
    system: str
    caption: str
    rater: str
    aspect: str
    value: float
    stage: str
    time: float
    example: str = ""


def row_of(item: Item, response: Response, caption: Caption, system: str, aspect: str, value: float) -> Row:
    """The judgment of a caption as what a system wrote; a row for each system that wrote it."""
    return Row(item.image, system, caption.text, response.rater, aspect, value, item.stage, response.time)


def as_practice(item: Item, captions: Sequence[str]) -> Item:
    """The item with other captions in the same places, to be learnt on: nobody's, and never data."""
    shown = tuple(Caption(one.key, text) for one, text in zip(item.captions, captions, strict=True))
    return replace(
        item, captions=shown, sources={}, practice=True, check="", target=UNLIMITED, hints=(), facts={}
    )


def as_judgments(rows: Iterable[Row]) -> Judgments:
    """Turn rows into columns."""
    kept = list(rows)
    return Judgments.from_columns(
        images=[row.image for row in kept],
        systems=[row.system for row in kept],
        captions=[row.caption for row in kept],
        examples=[row.example for row in kept],
        raters=[row.rater for row in kept],
        aspects=[row.aspect for row in kept],
        values=[row.value for row in kept],
        stages=[row.stage for row in kept],
        times=[row.time for row in kept],
    )


def matched(items: Iterable[Item], responses: Iterable[Response]) -> list[tuple[Item, Response]]:
    """Each response with its item. A rater's later response to an item replaces an earlier one."""
    known = {item.key: item for item in items}
    latest: dict[tuple[str, str], Response] = {}
    for response in responses:
        if response.item not in known:
            raise UnknownNameError("item", response.item, known)
        latest[response.item, response.rater] = response
    return [(known[response.item], response) for response in latest.values()]


def split_adjudicated(
    items: Sequence[Item], found: Sequence[Response]
) -> tuple[list[Response], list[Response]]:
    """What raters said, and what was decided: where an adjudicator decided, only that.

    Without a decision the two are one and the same list.
    """
    by_key = {item.key: item for item in items}
    said = [one for one in found if by_key[one.item].stage != ADJUDICATION]
    made = [by_key[one.item] for one in found if by_key[one.item].stage == ADJUDICATION]
    if not made:
        return said, said
    # All rounds of the same captions are settled.
    settled = {(item.image, item.captions) for item in made}
    final = [
        one
        for one in found
        if by_key[one.item].stage == ADJUDICATION
        or (by_key[one.item].image, by_key[one.item].captions) not in settled
    ]
    return said, final
