"""The contract of a provider.

A provider is one frozen dataclass, registered by name; its fields are its options (a country
filter, whether to use the sandbox), never a secret. Credentials are read from the environment or the
provider's usual file when a call is made, and are in no message, log or stored value.

Any method that changes something may be interrupted after the provider did it but before its answer
arrived. Each is therefore safe to call again with the same arguments: it checks first, or uses the
provider's own idempotency key, and a second call changes nothing. The journal
(`captious.crowd.journal`) stores the intent before and the result after each call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from captious.crowd.values import (
    Arrival,
    Bonus,
    Completion,
    Outcome,
    Place,
    Quote,
    Refused,
    Remote,
    RemoteStatus,
    Study,
)
from captious.errors import CaptiousError, InputError
from captious.plugins import Registry
from captious.protocols import options as declared


class ProviderError(CaptiousError):
    """A provider did not do what was asked: one line, without credentials."""


class CallRefused(ProviderError):  # noqa: N818
    """The provider understood and said no: nothing has changed there."""


class CallUnsure(ProviderError):  # noqa: N818
    """No clear answer (timeout, cut connection, fault at the provider): it may have happened."""


@dataclass(frozen=True)
class Provider(ABC):
    """Where participants come from and how they are paid."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    # The parameters that the provider adds to the study's address, e.g. PROLIFIC_PID.
    arrival_parameters: ClassVar[tuple[str, ...]] = ()
    # Whether money flows through the provider; without it approve and bonus only keep the books.
    pays: ClassVar[bool] = True
    # Whether there is a service to ask; without one our own records are all there is.
    has_service: ClassVar[bool] = True
    # Seconds until a bonus that was paid shows in `bonuses`; a cut-off payment is not made again before.
    settling: ClassVar[float] = 0.0
    # Whether `message` sees who has had the message, so that a cut-off one may be sent again.
    message_again: ClassVar[bool] = False

    def framed_by(self) -> tuple[str, ...]:
        """Origins whose pages show ours in a frame, e.g. https://worker.mturk.com; no network."""
        return ()

    @property
    def public(self) -> bool:
        """Whether participants reach the study from the internet: its address must then be https."""
        return True

    @property
    def signs_up(self) -> bool:
        """Whether people come without an id and give a name on a sign-up page."""
        return False

    def unlisted_seconds(self, study: Study) -> float | None:
        """How long a place may be at work before `places` must have it.

        None where `places` has those at work too; then nothing is concluded from a place that it lacks.
        """
        return None

    def ready(self) -> None:
        """Raise one line where credentials or packages are missing; no network."""
        return

    def check(self, study: Study) -> None:
        """Refuse a study that the provider would not take (currency, limits of its fields); no network."""
        return

    @abstractmethod
    def quote(self, study: Study) -> Quote:
        """What the study costs if every place is filled and approved; no network."""

    @abstractmethod
    def bonus_quote(self, study: Study, amounts: Sequence[int]) -> Quote:
        """What some bonuses cost with the provider's fee; no network."""

    @abstractmethod
    def find(self, key: str) -> Remote | None:
        """The study that the provider stores under our key: what an interrupted publish left there."""

    @abstractmethod
    def publish(self, study: Study, left: Remote | None = None) -> Remote:
        """Create the study under `study.key` and open it to participants.

        `left` is what `find` found: it is finished, never created a second time.
        """

    @abstractmethod
    def status(self, study: Study, remote: Remote) -> RemoteStatus:
        """How the study stands at the provider."""

    @abstractmethod
    def places(self, study: Study, remote: Remote) -> list[Place]:
        """Every participant's place, all pages of them, each once."""

    @abstractmethod
    def bonuses(self, study: Study, remote: Remote) -> list[Bonus]:
        """Every bonus that the provider has paid in this study: tells whether a cut-off call came through."""

    @abstractmethod
    def verify(self, study: Study, remote: Remote, parameters: Mapping[str, str]) -> Arrival | Refused:
        """Check the ids of an address at the provider. Never trust what the address says alone."""

    @abstractmethod
    def completion(self, study: Study, remote: Remote, arrival: Arrival, outcome: Outcome) -> Completion:
        """How a participant leaves; no network."""

    @abstractmethod
    def approve(self, study: Study, remote: Remote, place: Place) -> None:
        """Accept the work and pay the reward; an approved place stays as it is."""

    @abstractmethod
    def reject(self, study: Study, remote: Remote, place: Place, reason: str) -> None:
        """Refuse the work with a reason that the participant reads."""

    @abstractmethod
    def bonus(self, study: Study, remote: Remote, place: Place, amount: int, reason: str, key: str) -> None:
        """Pay a bonus once for each key.

        Where the provider has no idempotency key, the journal has looked at `bonuses` before it calls again.
        """

    @abstractmethod
    def message(self, study: Study, remote: Remote, participants: Sequence[str], text: str) -> None:
        """Write to participants."""

    @abstractmethod
    def exclude(self, study: Study, remote: Remote, participants: Sequence[str]) -> Remote:
        """Keep participants out of this study from now on, at the provider."""

    @abstractmethod
    def extend(self, study: Study, remote: Remote, key: str) -> Remote:
        """Bring the places up to `study.places`, a total and no addition; `key` is one for this change."""

    @abstractmethod
    def pause(self, study: Study, remote: Remote) -> Remote:
        """Stop new participants from starting. People who have started can finish."""

    @abstractmethod
    def resume(self, study: Study, remote: Remote) -> Remote:
        """Let new participants start again."""

    @abstractmethod
    def close(self, study: Study, remote: Remote) -> Remote:
        """Close the study permanently. People who have started can finish."""

    def heard(
        self, study: Study, remote: Remote, headers: Mapping[str, str], body: bytes, now: float
    ) -> str | None:
        """The place that an event of the provider's speaks of, "" where of none of them.

        None if it does not come from the provider: it is ignored. Its content is not trusted either; it
        only triggers a check with the provider.
        """
        return None


def require_currency(study: Study, *known: str) -> None:
    """Refuse a currency in which the provider does not pay."""
    if study.currency not in known:
        raise InputError(f"currency: {study.currency} cannot be used there. Give {' or '.join(known)}.")


# Which providers there are: ours, and those that other packages bring.
# A provider registers itself with `@register("name")` in a module of `captious.crowd.providers`, or in a
# module that an entry point of the group `captious.crowd` names.


PROVIDERS = Registry[Provider]("provider", "captious.crowd.providers", "captious.crowd")
register = PROVIDERS.register


def known_providers() -> dict[str, type[Provider]]:
    """Every provider by name.

    >>> "panel" in known_providers()
    True
    """
    return dict(sorted(PROVIDERS.all().items()))


def provider(name: str, options: Mapping[str, Any] | None = None) -> Provider:
    """A provider by its name, with its options, each of its own type.

    >>> provider("pannel")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown provider "pannel". Did you mean "panel"?
    """
    kind = PROVIDERS.find(name)
    return kind(**declared.checked_options(kind, name, options or {}))
