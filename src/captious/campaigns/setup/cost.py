"""Before the first answer: responses, hours, pay and wage of a campaign; how precise its result will be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from captious.campaigns.records import Settings
from captious.campaigns.results.image_means import asked_of_systems
from captious.protocols import HumanProtocol, Item
from captious.stats.planning import assumed_components, plan_study


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


# Shares of the scale. How far two systems are apart differs between images by SD 0.23 in THumB's release
# (precision and recall, 500 images, ten pairs of systems; 0.17 to 0.26). That holds the noise of two
# ratings, of SD 0.13 each as three experts give them in Flickr8k (5,822 captions): sqrt(2) * 0.13 = 0.19
# for their difference, and sqrt(0.23^2 - 0.19^2) = 0.13 for the images.
SD_IMAGES, SD_RATINGS = 0.13, 0.19
SIMULATIONS = 400
LARGEST = 2000  # images that are simulated; beyond that the width falls as 1 / sqrt(images)
MOST_SHOWN = 2
BASIS = (
    "the difference between two systems is assumed to vary between images with SD 0.13 of the scale, plus "
    "rating noise of SD 0.19, as in the THumB and Flickr8k judgments; 95% intervals, one analysis at the "
    "end. A pilot study gives a better estimate: see captious judgments plan"
)


@dataclass(frozen=True)
class Precision:
    """What a plan gives: the half width of a difference's interval, and the difference found in 80%."""

    aspect: str
    low: float
    high: float
    images: int
    answers: int
    half_width: float
    detectable: float
    basis: str = BASIS


def expected(rules: HumanProtocol, items: Sequence[Item]) -> list[Precision]:
    """The precision of a difference of two systems, for the protocol's first aspects of known range.

    Of systems with different numbers of images, those with the fewest. Nothing where fewer than two
    systems, or two images, are judged.
    """
    asked = asked_of_systems(items)
    images = Counter(system for system, _ in asked)
    if len(images) < 2 or min(images.values()) < 2:
        return []
    n = min(images.values())
    # Later stages confirm or change what stands: they add no answer to the mean.
    m = max(1, round(sum(asked.values()) / len(asked)))
    half, found = _simulated(min(n, LARGEST), m)
    scale = (LARGEST / n) ** 0.5 if n > LARGEST else 1.0
    return [
        Precision(aspect, low, high, n, m, half * scale * (high - low), found * scale * (high - low))
        for aspect, (low, high) in list(rules.ranges.items())[:MOST_SHOWN]
    ]


@lru_cache(maxsize=256)
def _simulated(images: int, answers: int) -> tuple[float, float]:
    """Half width and detectable difference as shares of the scale."""
    parts = assumed_components(0.0, SD_IMAGES, SD_RATINGS)
    (plan,) = plan_study(parts, [images], [min(answers, 50)], simulations=SIMULATIONS, seed=0)
    return plan.half_width, plan.detectable
