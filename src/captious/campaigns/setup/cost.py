"""What a campaign asks of people and what that comes to: responses, hours, pay and wage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from captious.campaigns.records import Settings
from captious.protocols import HumanProtocol, Item


class Estimate(NamedTuple):
    """Work and pay; None where nothing is known to reckon with. `basis` says what was assumed."""

    responses: int
    hours: float | None
    pay: float | None
    wage: float | None
    currency: str
    basis: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return self._asdict()


def first_stage(items: Sequence[Item]) -> int:
    """The responses that a draft's items want: the first stage, checks and practice left out."""
    return sum(item.target for item in items if item.counts)


def estimate(
    rules: HumanProtocol, wanted: int, settings: Settings, mean_seconds: float | None = None
) -> Estimate:
    """Reckon a campaign that wants so many responses in its first stage.

    Later stages and checks come on top, and are paid for too. The time is what raters took so far;
    before that, what the protocol's paper reports. Pay is a payment for each response, else an
    hourly wage for the time, else what the paper paid.

    >>> from captious.protocols import protocol
    >>> found = estimate(protocol("humanr"), 90, Settings())
    >>> found.responses, found.pay, found.wage
    (100, 2.5, 15.0)
    """
    asked = rules.asked(wanted)
    seconds = rules.usual_seconds if mean_seconds is None else mean_seconds
    hours = None if seconds is None else asked.responses * seconds / 3600
    usual = rules.usual_pay(asked)
    basis = [_time(seconds, rules.words.asks, measured=mean_seconds is not None)]
    pay, currency = None, settings.currency
    if settings.payment_per_response is not None:
        pay = asked.responses * settings.payment_per_response
    elif settings.hourly_wage is not None:
        pay = hours * settings.hourly_wage if hours is not None else None
    elif usual is not None:
        pay, currency = usual.amount, currency or usual.currency
        basis.append(usual.basis)
    wage = pay / hours if pay is not None and hours else None
    return Estimate(asked.responses, hours, pay, wage, currency, "; ".join(basis))


def _time(seconds: float | None, asks: str, *, measured: bool) -> str:
    if seconds is None:
        return "no timing data yet"
    measured_words = f"{seconds:.1f} s per response, as measured so far"
    return measured_words if measured else f"{seconds:g} s per {asks}, as in the paper"
