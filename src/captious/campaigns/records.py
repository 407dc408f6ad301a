"""What campaigns hand out: plain frozen values, and the errors of running a campaign."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import orjson

from captious.errors import FieldError, InputError, UnknownNameError, one_line
from captious.protocols import Answers, HumanProtocol, Item, rules_of
from captious.protocols.questions.file import parse_survey
from captious.protocols.training import (
    DEFAULT_PASS,
    DEFAULT_TRIES,
    LEAST_PASS,
    AfterFailing,
    Example,
    TrainingRules,
)

State = Literal["draft", "open", "paused", "closed"]
RaterState = Literal["active", "removed", "withdrawn"]
Kind = Literal["answer", "correction", "adjudication"]
Source = Literal["web", "api", "import", "simulated"]
Role = Literal["owner", "manager", "viewer"]
Refusal = Literal["forged", "expired", "used", "revoked", "closed"]


class NotYours(InputError):  # noqa: N818
    """The task is another rater's or does not exist: the error does not say which."""

    def __init__(self) -> None:
        super().__init__("you do not have this task. Go back to your work and open the next one.")


class SignedOut(InputError):  # noqa: N818
    """The session that an answer came with is over."""

    def __init__(self) -> None:
        super().__init__("you are signed out. Open your link again.")


class NotOpen(InputError):  # noqa: N818
    """The campaign takes no answer to this task any more."""


class AnsweredAlready(InputError):  # noqa: N818
    """An answer that did not know of another would replace it: whoever sent it is to be asked first.

    `stands` is the response that is there.
    """

    def __init__(self, stands: int) -> None:
        super().__init__("this was answered meanwhile. Keep what is stored, or store yours as a correction.")
        self.stands = stands


class LinkRefused(InputError):  # noqa: N818
    """A rater's link opens nothing; `reason` says why."""

    def __init__(self, reason: Refusal) -> None:
        self.reason: Refusal = reason
        super().__init__(_REFUSALS[reason])


_REFUSALS: dict[Refusal, str] = {
    "forged": "this link is not one of ours, or it was cut short. Copy the whole link.",
    "expired": "this link has expired. Ask for a new one.",
    "used": "this link has been used. Ask for a new one.",
    "revoked": "this link is no longer valid. Ask for a new one.",
    "closed": "this campaign is closed. Thank you for your help.",
}


class ConsentNeeded(InputError):  # noqa: N818
    """The rater has not agreed to the consent text as it is now."""

    def __init__(self) -> None:
        super().__init__("consent: the rater has not agreed to the text as it is now. Ask for it first.")


class EntryNeeded(InputError):  # noqa: N818
    """The rater has not been through what comes before the work."""

    def __init__(self, step: str) -> None:
        self.step = step
        super().__init__(f"{step}: comes before the work. Open your work in a browser and finish it first.")


class SignInRefused(InputError):  # noqa: N818
    """Name and password do not open an account: the error does not say which is wrong."""

    def __init__(self) -> None:
        super().__init__("name or password is wrong. Try again.")


class TooManyTries(InputError):  # noqa: N818
    """Sign-in is closed for a while."""

    def __init__(self, wait_seconds: float) -> None:
        self.wait_seconds = wait_seconds
        minutes = max(1, round(wait_seconds / 60))
        super().__init__(f"too many tries. Wait {minutes} min and try again.")


_NUMBERS = (
    "hold_seconds",
    "minimum_seconds",
    "link_days",
    "payment_per_response",
    "hourly_wage",
    "straight_line",
    "consensus_floor",
    "set_aside_after",
    "retention_days",
)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def text_version(text: str) -> str:
    """SHA-256 of a text, "" where there is none; white space around lines is no change."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if any(lines) else ""


@dataclass(frozen=True)
class Settings:
    """What the people who run a campaign may change while it runs."""

    hold_seconds: float = 3600.0
    minimum_seconds: float = 2.0
    link_days: int = 30
    reusable_links: bool = False
    instructions: str = ""
    contact: str = ""
    payment_per_response: float | None = None
    currency: str = ""
    hourly_wage: float | None = None
    straight_line: int = 12
    consensus_floor: float | None = None
    identities_in_export: bool = False
    language: str = "en"
    consent: str = ""
    # Surveys are YAML; `training` is the version of the examples that are kept with the campaign.
    survey_before: str = ""
    survey_after: str = ""
    training: str = ""
    training_pass: float = DEFAULT_PASS
    training_tries: int = DEFAULT_TRIES
    after_failing: AfterFailing = "stop"
    # A choice that is the whole answer is sent at once.
    submit_on_choice: bool = False
    # So many raters who cannot judge an item set it aside; 0: nobody does.
    set_aside_after: int = 2
    # So many days after the campaign was closed its raters are erased; 0: never.
    retention_days: int = 0

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            value = getattr(self, name)
            if value is not None and not _is_number(value):
                raise FieldError(name, f"{name}: {one_line(str(value))} is not a number. Give one.")
        for name in ("hold_seconds", "link_days", "straight_line"):
            if not getattr(self, name) > 0:
                raise FieldError(name, f"{name}: {getattr(self, name)} is not above 0. Give more.")
        for name in ("minimum_seconds", "set_aside_after", "retention_days"):
            if not getattr(self, name) >= 0:
                raise FieldError(name, f"{name}: {getattr(self, name)} is below 0. Give 0 or more.")
        for name in ("survey_before", "survey_after"):
            if getattr(self, name):
                parse_survey(getattr(self, name), name)
        self.training_rules()

    def training_rules(self) -> TrainingRules:
        """What it takes to pass the training."""
        return TrainingRules(self.training_pass, self.training_tries, self.after_failing)

    @cached_property
    def entry_version(self) -> str:
        """What a rater goes through before the first task, as one text; "" where it is nothing.

        >>> Settings().entry_version, len(Settings(consent="I agree.").entry_version)
        ('', 64)
        """
        parts = (self.consent_version, text_version(self.survey_before), self.training)
        return hashlib.sha256("/".join(parts).encode()).hexdigest() if any(parts) else ""

    @property
    def consent_version(self) -> str:
        """SHA-256 of the consent text, "" where there is none; white space around lines is no change.

        >>> Settings(consent="I agree. ").consent_version == Settings(consent="I agree.").consent_version
        True
        """
        return text_version(self.consent)

    def to_dict(self) -> dict[str, Any]:
        """The settings as values that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Settings:
        """The settings that `to_dict` stored; what is not there keeps its default.

        >>> Settings.from_dict({"link_days": 7}).link_days
        7
        """
        known = [one.name for one in fields(cls)]
        for name in stored:
            if name not in known:
                raise UnknownNameError("setting", name, known)
        if stored.get("training_pass") == 0:  # it could be stored once, and is refused now
            stored = {**stored, "training_pass": LEAST_PASS}
        return cls(**stored)


@dataclass(frozen=True)
class Campaign:
    """One human evaluation: its protocol, and where it stands."""

    id: int
    slug: str
    title: str
    protocol: str
    options: Mapping[str, Any]
    seed: int
    state: State
    settings: Settings
    created: float
    opened: float | None = None
    closed: float | None = None
    protocol_file: str | None = None

    def rules(self) -> HumanProtocol:
        """The protocol with the campaign's options."""
        return self._rules

    @cached_property
    def _rules(self) -> HumanProtocol:
        options = orjson.dumps(dict(self.options), option=orjson.OPT_SORT_KEYS)
        return _rules(self.protocol, options, self.protocol_file)


@lru_cache(maxsize=256)
def _rules(name: str, options: bytes, file: str | None) -> HumanProtocol:
    return rules_of(name, orjson.loads(options), file)


def is_name(text: str) -> bool:
    """Whether a text can name someone: it has a letter or a digit, of any script.

    >>> is_name("O'Brien"), is_name("\u0928\u0940\u0932"), is_name("7"), is_name("<<>>"), is_name("")
    (True, True, True, False, False)
    """
    return any(one.isalnum() for one in text)


@dataclass(frozen=True)
class NewRater:
    """Someone to be asked; the name is seen by those who run the campaign only."""

    name: str
    email: str = ""
    native: bool = False


@dataclass(frozen=True)
class Rater:
    """A rater of one campaign."""

    id: int
    campaign_id: int
    name: str
    email: str
    pseudonym: str
    native: bool
    state: RaterState
    reason: str
    answered: int
    seconds: float
    created: float
    last_seen: float | None
    record: Mapping[str, Any] | None = None
    consent_version: str = ""
    consent_time: float | None = None
    quota: int | None = None
    entry: str = ""
    uncounted: bool = False
    erased: float | None = None

    @property
    def works(self) -> bool:
        """Whether tasks are handed to the rater; what they answer may yet not count."""
        return self.erased is None and (self.state == "active" or self.uncounted)


@dataclass(frozen=True)
class Task:
    """An item that a rater holds, or has answered and may correct."""

    token: str
    item: Item
    group_no: int
    position: int
    group_size: int
    held_until: float
    draft: dict[str, Any] | None
    answered: Answers | None
    number: int
    feedback: tuple[str, ...] = ()
    noted: Mapping[str, Any] = field(default_factory=dict)
    # Of the item's picture; None where the campaign has no file of it.
    digest: str | None = None
    # The response that stands, and the presets that it left as they were.
    response_id: int | None = None
    untouched: tuple[str, ...] = ()
    answered_at: float | None = None


@dataclass(frozen=True)
class Receipt:
    """A response is stored. `duplicate`: it had been before; `correction`: it replaces one.

    `feedback` is what the protocol tells the rater about it.
    """

    response_id: int
    duplicate: bool
    correction: bool
    feedback: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoredResponse:
    """A row of the log of responses. `standing`: it counts today."""

    id: int
    key: str
    item_key: str
    image: str
    stage: str
    rater: str
    rater_id: int | None
    answers: Answers
    hints: tuple[str, ...]
    time: float
    seconds: float | None
    kind: Kind
    replaces: int | None
    source: str
    actor: str
    standing: bool
    outcome: Mapping[str, Any] | None = None
    untouched: tuple[str, ...] = ()


@dataclass(frozen=True)
class RaterProgress:
    """How far a rater is; `left` is counted up to a bound, and `wait_until` is when more comes."""

    answered: int
    left: int
    group_done: int
    group_size: int
    done: bool
    wait_until: float | None
    # As long as the rater usually takes for what is left; None where it is not known.
    seconds_left: float | None = None
    # Beside what is left: what the rater skipped and meets again if they ask for it.
    skipped: int = 0


@dataclass(frozen=True)
class Account:
    """Someone who may see or run campaigns."""

    id: int
    name: str
    role: Role
    disabled: bool = False
    created: float = 0.0


@dataclass(frozen=True)
class Session:
    """Who is signed in, and the secret that their forms carry."""

    kind: Literal["account", "rater"]
    account: Account | None
    rater: Rater | None
    csrf: str
    token_digest: str
    expires: float


@dataclass(frozen=True)
class Training:
    """The examples of a training, and the file of each picture by the name that examples give it."""

    examples: tuple[Example, ...]
    images: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Draft:
    """Everything that creating a campaign will store; made without a database."""

    title: str
    slug: str
    protocol: str
    options: Mapping[str, Any]
    protocol_file: str | None
    seed: int
    items: list[Item]
    images: Mapping[str, Path] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    gold: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    training: Training | None = None
    # Human captions of each image, for exports that metrics can be measured on.
    references: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def counted_items(self) -> int:
        """Items whose answers count: a check is drawn from one for each image, and few are asked."""
        return sum(item.counts for item in self.items)

    def rules(self) -> HumanProtocol:
        """The protocol with the draft's options."""
        return rules_of(self.protocol, self.options, self.protocol_file)
