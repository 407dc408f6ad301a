"""Rules that find work to look at: each says in one sentence what it saw, with the numbers.

A rule only points. A person decides, and can take the decision back. Rules know nothing of storage:
they see one rater's answers, and what others said of the same captions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Said = TypeVar("Said", bound=Hashable)
Floats = NDArray[np.float64]
Evidence = dict[str, float | int | str | list[str]]

ATTENTION, TIME, RUN, ONE_VALUE, GOLD, CONSENSUS, COPIED = RULES = (
    "attention",
    "minimum-time",
    "straight-line",
    "one-value",
    "gold",
    "consensus",
    "same-answers",
)

# Fewer answers than these show nothing yet.
FEWEST_TIMES = 5
FEWEST_ANSWERS = 20
FEWEST_GOLD = 3
FEWEST_SHARED = 20
# A tenth of answers too fast is more than slips.
FAST_SHARE = 0.1
NEARLY_ALL = 0.9
ALL_BUT_SLIPS = 0.98
GOLD_RIGHT = 0.7
# What others' answers make likelier than this is no reason to suspect anyone.
CHANCE = 0.001
# Without a floor of its own a campaign asks for half of what its better raters reach.
SHARE_OF_BETTER = 0.5
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Finding:
    """What a rule saw: a sentence for people and the numbers behind it."""

    rule: str
    explanation: str
    evidence: Evidence = field(default_factory=dict)


def attention_rule(failed: Sequence[str], passed: int) -> Finding | None:
    """A planted caption of another image was preferred, once at least.

    One failure is enough: the rater is removed with all responses (ObjectNet Captions, 4.2).

    >>> attention_rule(["a1"], 2).explanation
    'Preferred the caption of another image in 1 of 3 attention checks.'
    """
    if not failed:
        return None
    checks = len(failed) + passed
    plural = "check" if checks == 1 else "checks"
    return Finding(
        ATTENTION,
        f"Preferred the caption of another image in {len(failed)} of {checks} attention {plural}.",
        {"failed": len(failed), "checks": checks, "items": list(failed[:10])},
    )


def time_rule(seconds: Sequence[float], minimum: float, *, share: float = FAST_SHARE) -> Finding | None:
    """More than `share` of the answers took less than the campaign's minimum.

    >>> time_rule([0.5, 0.8, 9, 12, 7], 2.0).evidence["fast"]
    2
    """
    if len(seconds) < FEWEST_TIMES or minimum <= 0:
        return None
    fast = sum(one < minimum for one in seconds)
    if fast <= share * len(seconds):
        return None
    median = float(np.median(seconds))
    return Finding(
        TIME,
        f"{fast} of {len(seconds)} answers ({fast / len(seconds):.0%}) took less than "
        f"{minimum:g} seconds; the median is {median:.1f} seconds.",
        {"fast": fast, "answers": len(seconds), "minimum": minimum, "median": round(median, 3)},
    )


def longest_run(answers: Sequence[Said]) -> tuple[Said | None, int]:
    """The answer that was given most often in a row, and how often.

    >>> longest_run("aabbbc")
    ('b', 3)
    """
    runs = [(value, sum(1 for _ in own)) for value, own in groupby(answers)]
    return max(runs, key=lambda run: run[1], default=(None, 0))


def run_rule(
    answers: Sequence[Said],
    most: int,
    usual: Mapping[Said, float] | None = None,
    *,
    words: str = "the same answer",
) -> Finding | None:
    """The same answer `most` times in a row, where others' answers make that unlikely.

    `usual` is the share of each answer among other raters' answers to the same captions (or to any
    captions, where nobody else has had these): if a share p of them is this answer, some run of k
    among n answers has a chance of at most (n - k + 1) p^k. Without others the run alone counts.

    >>> run_rule([5] * 12, 12, {5: 0.4}).evidence["run"]
    12
    >>> run_rule([5] * 12, 12, {5: 0.95}) is None
    True
    """
    value, run = longest_run(answers)
    if value is None or most < 2 or run < most:
        return None
    evidence: Evidence = {"run": run, "answers": len(answers), "allowed": most - 1}
    told = f"Gave {words} {run} times in a row"
    if usual is None:
        return Finding(RUN, f"{told}. No other rater has answered yet to compare with.", evidence)
    share = usual.get(value, 0.0)
    chance = min(1.0, (len(answers) - run + 1) * share**run)
    if chance >= CHANCE:
        return None
    evidence |= {"others": round(share, 4), "chance": chance}
    return Finding(RUN, f"{told}. Others give it {share:.0%} of the time.", evidence)


def one_value_rule(answers: Sequence[Said], others: Sequence[Mapping[Said, int]]) -> Finding | None:
    """One answer nearly always, far more often than others give it to the same captions.

    `others[i]` counts what other raters said of the caption of `answers[i]`. Were the rater like
    them, the number of times would follow a binomial distribution with their share.

    >>> found = one_value_rule(["x"] * 20, [{"x": 1, "y": 1}] * 20)
    >>> found.evidence["times"], found.evidence["others"]
    (20, 0.5)
    """
    pairs = [(own, said) for own, said in zip(answers, others, strict=True) if said]
    if len(pairs) < FEWEST_ANSWERS:
        return None
    value, times = Counter(own for own, _ in pairs).most_common(1)[0]
    share = times / len(pairs)
    if share < NEARLY_ALL:
        return None
    theirs = float(np.mean([said.get(value, 0) / sum(said.values()) for _, said in pairs]))
    chance = at_least(times, len(pairs), theirs)
    if chance >= CHANCE:
        return None
    return Finding(
        ONE_VALUE,
        f"Gave one answer to {times} of {len(pairs)} captions ({share:.0%}); others give it to "
        f"the same captions {theirs:.0%} of the time.",
        {"times": times, "answers": len(pairs), "others": round(theirs, 4), "chance": chance},
    )


def at_least(times: int, n: int, share: float) -> float:
    """The chance of `times` or more out of `n` where each has a chance of `share`.

    >>> at_least(2, 2, 0.5)
    0.25
    """
    from scipy.special import bdtrc

    if times > n:
        return 0.0
    if times <= 0 or share >= 1:
        return 1.0
    return float(bdtrc(times - 1, n, share))


def gold_rule(outcomes: Mapping[str, bool], *, right: float = GOLD_RIGHT) -> Finding | None:
    """Fewer than `right` of the items with known answers were answered as known.

    >>> gold_rule({"a": True, "b": False, "c": False}).evidence["right"]
    1
    """
    if len(outcomes) < FEWEST_GOLD:
        return None
    good = sum(outcomes.values())
    if good >= right * len(outcomes):
        return None
    wrong = [item for item, fine in outcomes.items() if not fine]
    return Finding(
        GOLD,
        f"Answered {good} of {len(outcomes)} items with known answers correctly; {right:.0%} is required.",
        {"right": good, "gold": len(outcomes), "asked": right, "wrong": wrong[:10]},
    )


def correlation(own: Floats, others: Floats) -> float:
    """Pearson's r; NaN where a side is constant or there are fewer than two pairs."""
    if len(own) < 2 or np.ptp(own) == 0 or np.ptp(others) == 0:
        return math.nan
    return float(np.corrcoef(own, others)[0, 1])


def upper_bound(r: float, n: int) -> float:
    """The upper end of the 95% interval of a correlation, by Fisher's z transformation.

    >>> round(upper_bound(0.0, 103), 3)
    0.194
    """
    if n < 4 or math.isnan(r):
        return math.nan
    return math.tanh(math.atanh(min(r, 1 - 1e-12)) + NORMAL_95 / math.sqrt(n - 3))


def consensus_rule(r: float, n: int, *, floor: float | None, better: float = math.nan) -> Finding | None:
    """The rater's answers go with the mean of the others' less than a floor, beyond chance.

    `r` correlates the rater with the mean of all others over `n` answers that both have. Where the
    campaign sets no `floor`, half of what its `better` raters reach (the upper quartile) is it.
    Only a rater whose whole 95% interval lies below it is found.

    >>> consensus_rule(0.05, 120, floor=0.4).evidence["high"]
    0.227
    """
    automatic = floor is None
    wanted = SHARE_OF_BETTER * better if floor is None else floor
    high = upper_bound(r, n)
    if n < FEWEST_SHARED or math.isnan(high) or math.isnan(wanted) or high >= wanted:
        return None
    told = f"half of what the better raters reach here ({better:.2f})" if automatic else f"{wanted:.2f}"
    return Finding(
        CONSENSUS,
        f"Correlation with the mean of the other raters: r = {r:.2f} over {n} answers (95% interval up to "
        f"{high:.2f}); the floor is {told}.",
        {"r": round(r, 4), "answers": n, "high": round(high, 3), "floor": round(wanted, 4)},
    )


def copied_rule(same: Mapping[str, tuple[int, int]], usual: float, pairs: int) -> Finding | None:
    """Two raters gave the same answers to all captions that both had, beyond chance.

    `same` says of each other rater how many answers were the same, of how many. Any two raters
    agree on a share of `usual`; the chance is reckoned for all `pairs` of raters.

    >>> copied_rule({"r2": (40, 40), "r3": (30, 40)}, 0.7, 3).evidence["other"]
    'r2'
    >>> copied_rule({"r2": (40, 40)}, 0.95, 3) is None
    True
    """
    enough = {name: pair for name, pair in same.items() if pair[1] >= FEWEST_SHARED}
    if not enough:
        return None
    chances = {name: at_least(alike, shared, usual) for name, (alike, shared) in enough.items()}
    other = min(chances, key=lambda name: (chances[name], name))
    alike, shared = enough[other]
    chance = min(1.0, chances[other] * max(1, pairs))
    if alike < ALL_BUT_SLIPS * shared or chance >= CHANCE:
        return None
    return Finding(
        COPIED,
        f"Gave the same answer as {other} to {alike} of {shared} captions; two raters here usually agree on "
        f"{usual:.0%}.",
        {"other": other, "same": alike, "shared": shared, "usual": round(usual, 4), "chance": chance},
    )
