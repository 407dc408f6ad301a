"""What every human protocol is: items to show, answers to check, rules of choice, judgments.

A protocol is pure: no clock, no storage, no randomness but the seed it is given. A campaign stores
its items and responses, and hands them back.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus, Judgments
from captious.corpus.types import NO_REFERENCES
from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.assign import Progress, choose
from captious.protocols.form import Answer, Answers, Form, Problem
from captious.tables import Table

BLIND_KEYS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FIRST = "first"
MOST_RESPONSES = 10_000  # to one item; more is a slip of the finger, and cannot be taken back
MOST_IN_GROUP = 1000


def require_range(name: str, value: float, least: int, most: int) -> None:
    """Refuse an option outside its range.

    >>> require_range("target", 0, 1, MOST_RESPONSES)
    Traceback (most recent call last):
    captious.errors.InputError: target: 0 is out of range. Give 1 to 10,000.
    """
    if not least <= value <= most:
        found = one_line(str(value), 40)
        raise InputError(f"{name}: {found} is out of range. Give {least:,} to {most:,}.")


class Caption(NamedTuple):
    """A caption as a rater sees it: a blind key and the text."""

    key: str
    text: str


@dataclass(frozen=True)
class Guide:
    """One piece of advice beside the form, in plain text, with examples."""

    title: str
    text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """What a rater is shown, what is asked, and who may be asked when.

    `sources` (which systems wrote a caption) and `check` (the key of a planted caption) are for
    the analysis; `public()` leaves them out. `target` responses are wanted; `only_for` (None: all)
    and `not_for` name raters, `not_before` is a time in seconds since 1970. `balance` labels what
    is to be collected evenly. `prior` holds earlier answers that the rater confirms or changes.
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
    """A rater's valid answers to an item; `hints` are the automatic hints that stood beside it."""

    item: str
    answers: Answers
    rater: str = ""
    time: float = float("nan")
    hints: tuple[str, ...] = ()


class Row(NamedTuple):
    """One judgment being gathered: image, system, rater, aspect, value, stage, time."""

    image: str
    system: str
    rater: str
    aspect: str
    value: float
    stage: str
    time: float


class HumanProtocol(ABC):
    """The rules of one kind of human evaluation. Subclasses are frozen dataclasses of options.

    `group_size` items are handed out together; with `once_per_image` no rater meets an image twice.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    citation: ClassVar[str]
    once_per_image: bool = False
    group_size: int = 1

    @abstractmethod
    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """Everything to be judged in the first stage, the same for the same seed."""

    @abstractmethod
    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """The advice that stands beside the form in a stage."""

    @abstractmethod
    def judgments(self, items: Iterable[Item], responses: Iterable[Response]) -> Judgments:
        """The responses as the table that statistics, benchmarks and learners read."""

    @abstractmethod
    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """The analysis that the protocol's paper makes of its responses."""

    def validate(
        self, item: Item, answers: Mapping[str, object], *, rater: str = "", time: float = float("nan")
    ) -> Response | list[Problem]:
        """Return a response, or one line for each field that is not right."""
        checked = item.form.check(answers)
        if isinstance(checked, list):
            return checked
        problems = self.problems(item, checked)
        return problems or Response(item.key, checked, rater, time, item.hints)

    def problems(self, item: Item, answers: Answers) -> list[Problem]:
        """What is wrong with answers that are each well formed."""
        return []

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        """Items that a response calls for: a second stage, a second round."""
        return []

    def removed_raters(self, items: Iterable[Item], responses: Iterable[Response]) -> frozenset[str]:
        """Raters none of whose responses counts; their slots are free for others."""
        return frozenset()

    def next_items(
        self, items: Sequence[Item], progress: Progress, rater: str, *, now: float, seed: int
    ) -> list[Item]:
        """What the rater is handed next; empty when there is nothing left for them."""
        return choose(
            items,
            progress,
            rater,
            now=now,
            seed=seed,
            once_per_image=self.once_per_image,
            count=self.group_size,
        )


def draws(seed: int, *labels: str) -> np.random.Generator:
    """A generator of its own for each label, whatever the order in which they are asked.

    >>> int(draws(7, "a").integers(1000)) == int(draws(7, "a").integers(1000))
    True
    """
    digest = hashlib.blake2b(repr((seed, labels)).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def opaque(seed: int, *labels: str) -> str:
    """A key that tells a rater nothing, the same for the same seed and labels.

    >>> len(opaque(1, "check", "7")), opaque(1, "check", "7") == opaque(2, "check", "7")
    (20, False)
    """
    return hashlib.blake2b(repr((seed, labels)).encode(), digest_size=10).hexdigest()


def blind_key(place: int) -> str:
    """A, B, ... Z, then AA, AB, ...

    >>> blind_key(0), blind_key(25), blind_key(26)
    ('A', 'Z', 'AA')
    """
    letters = ""
    place += 1
    while place:
        place, last = divmod(place - 1, len(BLIND_KEYS))
        letters = BLIND_KEYS[last] + letters
    return letters


def captions_of(corpus: Corpus) -> dict[str, dict[str, list[str]]]:
    """For each image, each distinct caption with the systems that wrote it, in corpus order.

    >>> captions_of(Corpus.from_lists(["A dog.", "A dog."], image_ids=["1", "1"],
    ...                               systems=["m", "n"]))
    {'1': {'A dog.': ['m', 'n']}}
    """
    found: dict[str, dict[str, list[str]]] = {}
    places = zip(corpus.image_of.tolist(), corpus.system_of.tolist(), corpus.captions, strict=True)
    for image, system, text in places:
        if not text.strip():
            raise InputError(
                f'image "{corpus.image_ids[image]}": the caption of {corpus.systems[system]} is '
                "empty. Nobody can judge it: leave it out or mend the file."
            )
        own = found.setdefault(corpus.image_ids[image], {})
        own.setdefault(text, []).append(corpus.systems[system])
    return found


def human_captions(corpus: Corpus) -> dict[str, list[str]]:
    """The distinct references of each image, in order."""
    found: dict[str, dict[str, None]] = {}
    pairs = zip(corpus.image_of.tolist(), corpus.references_of.tolist(), strict=True)
    for image, set_ in dict.fromkeys(pairs):
        own = found.setdefault(corpus.image_ids[image], {})
        if set_ != NO_REFERENCES:
            own.update(dict.fromkeys(text for text in corpus.references[set_] if text.strip()))
    missing = next((image for image, texts in found.items() if not texts), None)
    if missing is not None:
        raise InputError(
            f'image "{missing}" has no human caption to compare with. '
            "Give references for every image, or leave the image out."
        )
    return {image: list(texts) for image, texts in found.items()}


def refuse_names(corpus: Corpus, *reserved: str) -> None:
    """Refuse systems whose names mean something else in a protocol."""
    clash = next((name for name in corpus.systems if name in reserved), None)
    if clash is not None:
        raise InputError(f'system "{clash}": this protocol uses that name itself. Rename the system.')


def matched(items: Iterable[Item], responses: Iterable[Response]) -> list[tuple[Item, Response]]:
    """Each response with its item. A rater's later response to an item replaces an earlier one."""
    known = {item.key: item for item in items}
    latest: dict[tuple[str, str], Response] = {}
    for response in responses:
        if response.item not in known:
            raise UnknownNameError("item", response.item, known)
        latest[response.item, response.rater] = response
    return [(known[response.item], response) for response in latest.values()]


def as_judgments(rows: Sequence[Row]) -> Judgments:
    """Turn gathered rows into columns."""
    return Judgments.from_columns(
        images=[row.image for row in rows],
        systems=[row.system for row in rows],
        raters=[row.rater for row in rows],
        aspects=[row.aspect for row in rows],
        values=[row.value for row in rows],
        stages=[row.stage for row in rows],
        times=[row.time for row in rows],
    )
