"""The small values that pass between a protocol and those who ask it something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from captious.protocols.item import Answer, Item, Problem, Response
from captious.protocols.options import ProtocolOption

__all__ = [
    "Adopted",
    "Asked",
    "ExportFile",
    "ExportNote",
    "Exported",
    "Outcome",
    "Past",
    "Pay",
    "Problem",
    "Round",
    "RoundData",
    "Words",
]


class Words(NamedTuple):
    """A protocol in plain words: for those who choose one, and for raters who are invited.

    `asks` is what the paper calls one response: a comparison, a rating. `one_rater` says in a
    sentence why more than one rater cannot be asked for; empty where they can.
    A catalogue of another language may translate each sentence by the sentence itself.
    """

    name: str = ""
    what: str = ""
    needs: str = ""
    cost: str = ""
    gives: str = ""
    invitation: str = "You will see photographs with captions and answer a few questions about them."
    asks: str = "response"
    one_rater: str = ""


class Asked(NamedTuple):
    """Responses that raters are asked for: in the first stage, in later ones, and checks."""

    first: int
    later: int = 0
    checks: int = 0

    @property
    def responses(self) -> int:
        """All of them: each is somebody's time."""
        return self.first + self.later + self.checks


class Pay(NamedTuple):
    """What a paper pays for some work; `basis` says how it is reckoned."""

    amount: float
    currency: str
    basis: str


class Round(NamedTuple):
    """A round beside the stages, started by those who run a campaign.

    `action` is what the campaign's log says. `asks` are numbers that are asked for.
    """

    name: str
    action: str
    title: str
    means: str
    started: str
    asks: tuple[ProtocolOption, ...] = ()


@dataclass(frozen=True)
class RoundData:
    """What a round starts from: everything so far, the native speakers, what was asked for."""

    items: Sequence[Item]
    responses: Sequence[Response]
    native: frozenset[str] = frozenset()
    seed: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Past:
    """What is known when a response comes in.

    `earlier` are the other raters' responses to the item that count, oldest first, read under a
    lock on the item; `record` is the rater's own, as the last outcome left it.
    """

    earlier: tuple[Response, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    answered: int = 0
    seconds: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What a response brings about beside being stored.

    `feedback` is read by the rater before the next task; `record` (None: as it was) is kept with
    the rater; `target` (None: as it was) is how many responses the item wants from now on; `noted`
    is kept with the response.
    """

    feedback: tuple[str, ...] = ()
    record: Mapping[str, Any] | None = None
    target: int | None = None
    noted: Mapping[str, Answer] = field(default_factory=dict)


class ExportNote(NamedTuple):
    """A file that an export may add: its name and what it holds."""

    name: str
    about: str


class ExportFile(NamedTuple):
    """A file of an export, line by line."""

    name: str
    about: str
    lines: Iterable[str]


@dataclass(frozen=True)
class Exported:
    """What an export knows: items, responses that count, references and names of image files."""

    items: Sequence[Item]
    responses: Sequence[Response]
    references: Mapping[str, list[str]] = field(default_factory=dict)
    file_names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Adopted:
    """Judgments from elsewhere as a campaign: its options or file, items, raters, responses.

    A response whose time is NaN came at an unknown time.
    """

    items: list[Item]
    raters: Sequence[str]
    responses: Sequence[Response]
    options: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None
