"""What a campaign asks of people and what that comes to: responses, hours, pay and wage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from captious.campaigns.records import Settings
from captious.protocols import HumanProtocol, Item
from captious.protocols.base import FIRST
from captious.protocols.humanr import Humanr
from captious.protocols.humanr_analysis import PAY_PER_GROUP, SECONDS_PER_COMPARISON, study_cost
from captious.protocols.tagging import Tagging
from captious.protocols.thumb import Thumb


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
    """The responses that are wanted in the first stage, checks left out."""
    return sum(item.target for item in items if not item.check and item.stage.endswith(FIRST))


def estimate(
    rules: HumanProtocol, wanted: int, settings: Settings, mean_seconds: float | None = None
) -> Estimate:
    """Reckon a campaign that wants so many responses in its first stage.

    A second stage or round comes on top, and HUMANr's checks, which are paid for too. The time is
    what raters took so far; before that, for HUMANr, what its paper reports. Pay is a payment for
    each response, else an hourly wage for the time.

    >>> found = estimate(Humanr(), 90, Settings())
    >>> found.responses, found.pay, found.wage
    (100, 2.5, 15.0)
    """
    if isinstance(rules, Humanr) and wanted:
        return _humanr(rules, wanted, settings, mean_seconds)
    twice = (isinstance(rules, Thumb) and rules.two_stages) or (
        isinstance(rules, Tagging) and rules.two_rounds
    )
    responses = wanted * (2 if twice else 1)
    hours = responses * mean_seconds / 3600 if mean_seconds else None
    pay = wage = None
    if settings.payment_per_response is not None:
        pay = responses * settings.payment_per_response
        wage = pay / hours if hours else None
    elif settings.hourly_wage is not None and hours is not None:
        pay, wage = hours * settings.hourly_wage, settings.hourly_wage
    basis = "no time is known yet" if mean_seconds is None else _time(mean_seconds)
    return Estimate(responses, hours, pay, wage, settings.currency, basis)


def _humanr(rules: Humanr, wanted: int, settings: Settings, mean_seconds: float | None) -> Estimate:
    seconds = mean_seconds or SECONDS_PER_COMPARISON
    own = settings.payment_per_response
    group_pay = PAY_PER_GROUP if own is None else own * rules.group_size
    # Every comparison counts as an image of its own: how they share images costs nothing.
    cost = study_cost(
        wanted, 0, group_size=rules.group_size, pay_per_group=group_pay, seconds_per_comparison=seconds
    )
    basis = _time(seconds) if mean_seconds else f"{seconds:g} s a comparison as in the paper"
    if own is None:
        basis += f", {PAY_PER_GROUP:g} USD a group as in the paper"
    currency = settings.currency or ("USD" if own is None else "")
    responses = cost.groups * rules.group_size
    return Estimate(responses, cost.hours, cost.pay, cost.wage, currency, basis)


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s a response as measured so far"
