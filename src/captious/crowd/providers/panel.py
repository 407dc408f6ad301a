"""In-house people and any panel: one shared link that takes the participant's id from the address.

There is no service to ask: our own records say who came. A panel that signs its addresses is checked by
the signature; the shared secret is in `CAPTIOUS_PANEL_SECRET`.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import quote as quoted

from captious.campaigns.records import is_name
from captious.crowd.base import Provider, register
from captious.crowd.money import share, shown
from captious.crowd.values import (
    Arrival,
    Bonus,
    Completion,
    Line,
    Outcome,
    Place,
    Quote,
    Refused,
    Remote,
    RemoteStatus,
    Study,
)
from captious.errors import InputError, NotSetUpError, one_line
from captious.protocols.options import option

SECRET = "CAPTIOUS_PANEL_SECRET"
LONGEST_ID = 200
PLACES = ("participant", "code")  # what an address may hold in braces
_PLACE = re.compile(r"\{([^{}]*)\}")


@register("panel")
@dataclass(frozen=True)
class Panel(Provider):
    """People who come by a shared link; they are paid elsewhere."""

    title: ClassVar[str] = "In-house or any panel"
    summary: ClassVar[str] = "one shared link; the participant's id is read from the address"
    pays: ClassVar[bool] = False
    has_service: ClassVar[bool] = False

    parameter: str = option("participant", "Parameter with the participant's id")
    sign_up: bool = option(False, "Public sign-up page: people give a name instead of an id")
    signature: str = option("", "Parameter with the panel's signature of the id (HMAC-SHA256, hexadecimal)")
    completed: str = option(
        "", "Where to send participants who are done; {participant} and {code} are filled in"
    )
    screened_out: str = option("", "Where to send participants who were screened out")
    failed: str = option("", "Where to send participants who failed a check")
    full: str = option("", "Where to send participants who arrived too late")
    fee_percent: float = option(0.0, "The panel's fee on rewards, in percent", high=1000)

    def __post_init__(self) -> None:
        if not self.parameter:
            raise InputError("parameter: name the parameter that contains the participant's id.")
        for outcome in ("completed", "screened_out", "failed", "full"):
            address = getattr(self, outcome)
            if address and not address.startswith(("https://", "http://")):
                raise InputError(f"{outcome}: {address} is not an address. Write https://…")
            unknown = sorted(set(_PLACE.findall(address)) - set(PLACES))
            if unknown:
                raise InputError(
                    f"{outcome}: {{{one_line(unknown[0])}}} is not a known placeholder. "
                    f"Known: {', '.join(f'{{{name}}}' for name in PLACES)}."
                )

    @property
    def public(self) -> bool:
        """A link may be used within one's own network."""
        return False

    @property
    def signs_up(self) -> bool:
        """As the option says; an id in the address then opens nothing."""
        return self.sign_up

    def ready(self) -> None:
        """Signed addresses need the panel's secret."""
        if self.signature and not os.environ.get(SECRET):
            raise NotSetUpError(f"{SECRET} is not set. It is needed to check the panel's signed addresses.")

    def quote(self, study: Study) -> Quote:
        """The rewards and what the panel adds."""
        reward = study.places * study.reward
        text = f"{study.places:,} places at {shown(study.reward, study.currency)}"
        return self._quote(study, study.places, reward, text)

    def bonus_quote(self, study: Study, amounts: Sequence[int]) -> Quote:
        """The bonuses and what the panel adds."""
        return self._quote(study, len(amounts), sum(amounts), f"{len(amounts):,} bonuses")

    def _quote(self, study: Study, places: int, reward: int, text: str) -> Quote:
        fee = share(reward, str(self.fee_percent / 100))
        lines = [Line(text, reward)]
        if fee:
            lines.append(Line(f"the panel's fee, {self.fee_percent:g}%", fee))
        return Quote(places, reward, fee, study.currency, tuple(lines))

    def find(self, key: str) -> Remote | None:
        """Nothing is kept elsewhere."""
        return None

    def publish(self, study: Study, left: Remote | None = None) -> Remote:
        """Opening the study here is all there is to do: the link is handed to the panel."""
        if self.sign_up:
            return Remote(study.key, study.address)
        return Remote(study.key, f"{study.address}?{self.parameter}=")

    def status(self, study: Study, remote: Remote) -> RemoteStatus:
        """Our own records say it."""
        return RemoteStatus("open", study.places, {})

    def places(self, study: Study, remote: Remote) -> list[Place]:
        """Our own records say it."""
        return []

    def bonuses(self, study: Study, remote: Remote) -> list[Bonus]:
        """Bonuses are paid elsewhere."""
        return []

    def verify(self, study: Study, remote: Remote, parameters: Mapping[str, str]) -> Arrival | Refused:
        """The id in the address, and its signature where the panel signs."""
        participant = parameters.get(self.parameter, "").strip()
        possible = is_name(participant) and participant.isprintable() and len(participant) <= LONGEST_ID
        if self.sign_up or not possible:
            return Refused("missing")
        if self.signature:
            self.ready()
            expected = hmac.new(os.environ[SECRET].encode(), participant.encode(), "sha256").hexdigest()
            given = parameters.get(self.signature, "")
            if not hmac.compare_digest(expected.encode(), given.lower().encode("utf-8", "replace")):
                return Refused("forged")
        return Arrival(participant, participant)

    def completion(self, study: Study, remote: Remote, arrival: Arrival, outcome: Outcome) -> Completion:
        """The code, and the address that the panel gave for this end."""
        code = study.codes.get(outcome, "")
        address = str(getattr(self, outcome))
        for name, value in zip(PLACES, (arrival.participant, code), strict=True):
            address = address.replace(f"{{{name}}}", quoted(value, safe=""))
        return Completion(code, address)

    def approve(self, study: Study, remote: Remote, place: Place) -> None:
        """Kept in our books; the reward is paid elsewhere."""

    def reject(self, study: Study, remote: Remote, place: Place, reason: str) -> None:
        """Kept in our books."""

    def bonus(self, study: Study, remote: Remote, place: Place, amount: int, reason: str, key: str) -> None:
        """Kept in our books; the bonus is paid elsewhere."""

    def message(self, study: Study, remote: Remote, participants: Sequence[str], text: str) -> None:
        """There is no way to write to them from here."""
        raise InputError("message: captious cannot send messages through a panel. Use the panel's own tools.")

    def exclude(self, study: Study, remote: Remote, participants: Sequence[str]) -> Remote:
        """Our own list keeps them out."""
        return remote

    def extend(self, study: Study, remote: Remote, key: str) -> Remote:
        """The quota is ours."""
        return remote

    def pause(self, study: Study, remote: Remote) -> Remote:
        """The arrival page turns people away meanwhile."""
        return remote

    def resume(self, study: Study, remote: Remote) -> Remote:
        """The arrival page lets people in again."""
        return remote

    def close(self, study: Study, remote: Remote) -> Remote:
        """The arrival page says that it is over."""
        return remote
