"""What passes between a campaign and a provider: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# How a participant's visit ended: all work done, turned away by screening, failed a
# comprehension or attention check, came after the quota was full.
Outcome = Literal["completed", "screened_out", "failed", "full"]
OUTCOMES: tuple[Outcome, ...] = ("completed", "screened_out", "failed", "full")

# A place at the provider: someone works on it, has handed it in, was paid or refused, gave it back,
# ran out of time, or was sent away by screening.
PlaceState = Literal["active", "submitted", "approved", "rejected", "returned", "timed_out", "screened_out"]
# These no longer take up a place: another participant may have it.
GIVEN_BACK: tuple[PlaceState, ...] = ("returned", "timed_out", "rejected", "screened_out")

StudyState = Literal["draft", "open", "paused", "closed"]
Repeat = Literal["campaign", "everywhere", "allowed"]


@dataclass(frozen=True)
class Question:
    """A question before the work begins, with the choices that let the participant go on."""

    text: str
    choices: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True)
class Study:
    """What is offered to participants. All money is in minor units (cents) of `currency`.

    `key` is our own name for the study: 32 hexadecimal digits that the provider stores with it, so
    that an interrupted publish is found again. `address` is where participants arrive, with nothing
    after it; the provider adds its parameters. A place is one participant's work: `answers` items
    for `reward`, in about `minutes`. `codes` has a completion code for each outcome.
    """

    key: str
    campaign: str
    title: str
    description: str
    address: str
    places: int
    answers: int
    reward: int
    currency: str
    minutes: float
    codes: Mapping[Outcome, str] = field(default_factory=dict)
    screening: tuple[Question, ...] = ()
    comprehension: tuple[Question, ...] = ()
    attempts: int = 2
    repeat: Repeat = "campaign"
    budget: int | None = None
    minimum_wage: int = 1500

    @property
    def hourly(self) -> float:
        """What the reward comes to in an hour, in minor units."""
        return self.reward * 60 / self.minutes


@dataclass(frozen=True)
class Line:
    """One line of a quote: what is counted, and what it comes to in minor units."""

    text: str
    amount: int


@dataclass(frozen=True)
class Quote:
    """What something will cost: the lines add up to `total`."""

    places: int
    reward: int
    fee: int
    currency: str
    lines: tuple[Line, ...]

    @property
    def total(self) -> int:
        """Everything that will be charged."""
        return self.reward + self.fee


@dataclass(frozen=True)
class Remote:
    """A study at the provider: its id there, where people see it, and what the adapter must keep.

    `detail` is stored as JSON (ids of HITs, groups, qualifications); never put a secret there.
    """

    id: str
    address: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """One participant's place as the provider sees it; times are seconds since 1970."""

    id: str
    participant: str
    state: PlaceState
    started: float | None = None
    ended: float | None = None
    code: str = ""


@dataclass(frozen=True)
class Bonus:
    """A bonus that the provider says it has paid; `key` where it keeps ours."""

    place: str
    amount: int
    key: str = ""


@dataclass(frozen=True)
class RemoteStatus:
    """How a study stands at the provider; None where it does not say."""

    state: StudyState
    places: int
    counts: Mapping[PlaceState, int]
    spent: int | None = None


@dataclass(frozen=True)
class Arrival:
    """A participant whose ids the provider confirms.

    `checked` is False where the provider can confirm them only once the work is handed in; such a
    place is compared with the provider's list before it is approved. `detail` is kept for
    `completion` (where to send the participant); it is stored.
    """

    participant: str
    place: str
    checked: bool = True
    detail: Mapping[str, str] = field(default_factory=dict)


# Ids that the provider does not know or that do not belong together; a place that was given back,
# handed in or ran out; a look before accepting; nothing to go by; no answer from the provider.
RefusalReason = Literal["forged", "over", "preview", "missing", "unreachable"]


@dataclass(frozen=True)
class Refused:
    """Why someone who came is not let in."""

    reason: RefusalReason


@dataclass(frozen=True)
class Completion:
    """How a participant leaves: with a code to copy, to an address, or by a form that is sent there.

    `fields` are sent to `address` by POST where there are any; otherwise `address` is a link.
    """

    code: str = ""
    address: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
