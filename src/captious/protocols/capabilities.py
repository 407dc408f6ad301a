"""What some protocols can do beside the contract: each is a class that a protocol names as another base.

Whoever asks writes `KnownPast.of(rules)`: the protocol itself where it has the capability, else the
defaults below, in which nothing is remembered, played, recorded or started.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from captious.errors import InputError
from captious.protocols.item import Answer, Item, Problem, Response
from captious.protocols.parts import Outcome, Past, Round, RoundData


class Capability:
    """What a protocol may be able to do."""

    @classmethod
    def of(cls, rules: object) -> Self:
        """The rules if they have the capability, else its defaults."""
        return rules if isinstance(rules, cls) else cls()

    @classmethod
    def kind(cls, rules: type) -> type[Self]:
        """As `of`, of the class of some rules."""
        return rules if issubclass(rules, cls) else cls

    @classmethod
    def refuse_without(cls, rules: type) -> None:
        """Refuse a protocol that defines what only protocols with a capability are asked for."""
        for one in (FromFile, Rounds, Recordings, KnownPast, Game):
            own = [name for name in vars(one) if not name.startswith("_") and name in vars(rules)]
            if own and not issubclass(rules, one):
                raise InputError(
                    f"{rules.__name__} defines {', '.join(own)}. Add {one.__name__} of "
                    "captious.protocols.capabilities to its bases."
                )


class FromFile(Capability):
    """A protocol that a file describes, whose name ends in one of `suffixes`.

    With `builds`, a form can write the file.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()
    builds: ClassVar[bool] = False

    @classmethod
    def from_text(cls, text: str, source: str = "protocol") -> Any:
        """The protocol that a file describes."""
        raise InputError(f"{source}: no protocol is described by this file.")

    @classmethod
    def built_text(cls, given: Mapping[str, str]) -> str:
        """The file that the fields of a form describe, "" where nothing was typed."""
        return ""


class Rounds(Capability):
    """Rounds beside the stages, started by those who run a campaign."""

    rounds: ClassVar[tuple[Round, ...]] = ()

    def start_round(self, name: str, data: RoundData) -> list[Item]:
        """The items of one of the `rounds`; an error says why it cannot begin."""
        raise InputError(f'there is no round "{name}".')


class Recordings(Capability):
    """Answers that a machine works on before they are stored: a transcript of a recording."""

    def derive(self, item: Item, response: Response, file: Callable[[str], Path]) -> Mapping[str, Answer]:
        """What a machine makes of a response; `response.derived` from then on.

        `file` finds a recording by its name. It may take long, and no transaction is open meanwhile.
        """
        return {}

    def simulated_derive(self, item: Item, response: Response) -> Mapping[str, Answer]:
        """What `derive` would make of a simulated response; no machine runs in a rehearsal."""
        return {}


class KnownPast(Capability):
    """What earlier answers bring about: a record of each rater, and what it allows.

    With `reads_past` an outcome depends on other raters' responses to the item.
    """

    reads_past: ClassVar[bool] = False

    def outcome(self, item: Item, response: Response, past: Past) -> Outcome | list[Problem]:
        """What a response brings about, told inside the transaction that stores it.

        `past` holds the earlier responses to the item where the protocol `reads_past`. Problems
        refuse the response.
        """
        return Outcome()

    def may_take(self, item: Item, record: Mapping[str, Any]) -> bool:
        """Whether a rater with that record may be given the item: a phase of their own.

        Give the items of a phase a `balance` label of their own (or make them `practice`), so that
        each phase is among what is offered.
        """
        return True

    def practice_labels(self, record: Mapping[str, Any]) -> tuple[str, ...] | None:
        """The `balance` labels of the practice that a rater with that record may meet; None: all."""
        return None

    def record_lines(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        """What a rater reads of their own record: points, a level."""
        return ()

    def may_correct(self, item: Item) -> bool:
        """Whether a rater may change an answer."""
        return True

    def look_back_seconds(self, item: Item) -> float:
        """For how long a rater may see an answer of theirs again; the last one may be corrected anyway."""
        return math.inf


class Game(KnownPast):
    """Points for predicting others. Where it `pauses`, feedback has a page before the next task."""

    pauses: ClassVar[bool] = False

    def minimum_seconds(self, item: Item) -> float:
        """How long the item must have been in sight before an answer is taken."""
        return 0.0

    def mood(self, noted: Mapping[str, Any]) -> str:
        """How a page shows what was noted of a response: good, near, off, or nothing."""
        return ""

    def score_of(self, record: Mapping[str, Any]) -> int | None:
        """The points of a rater for the leaderboard; None where there are none."""
        return None

    def first_metrics(self) -> tuple[str, ...]:
        """Metrics whose scores of the captions the items start from; see `with_scores`."""
        return ()

    def with_first_metrics(self, file: str, metrics: Sequence[str]) -> str:
        """The protocol's file with other `first_metrics`."""
        raise InputError("the items of this protocol do not start from the scores of metrics.")

    def with_scores(self, items: Sequence[Item], scores: Mapping[str, Mapping[str, float]]) -> list[Item]:
        """The items with what `first_metrics` say of each: metric, then item's key, then score."""
        return list(items)
