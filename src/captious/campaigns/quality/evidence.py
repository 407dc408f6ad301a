"""What the rules of quality control look at, gathered in one reading of the responses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from captious.campaigns.quality.rules import Floats, correlation
from captious.campaigns.records import StoredResponse
from captious.protocols import HumanProtocol, Item, Response
from captious.protocols.answers import marks
from captious.protocols.known import answers_right

# With fewer captions in common, what others say of any caption is the better guide.
ENOUGH_SHARED = 10
MOST_COMPARED = 50


@dataclass
class RaterWork:
    """One rater's answers: how long each took, what was said of each caption, checks and gold."""

    seconds: list[float] = field(default_factory=list)
    said: list[tuple[int, int]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    passed: int = 0
    gold: dict[str, bool] = field(default_factory=dict)


class Gathered:
    """Everything that all raters said, with captions and answers as numbers.

    Only raters that count are among the "others" that someone is compared with.
    """

    def __init__(self, counted: frozenset[str]) -> None:
        self.counted = counted
        self.work: dict[str, RaterWork] = {}
        self._captions: dict[tuple[str, ...], int] = {}
        self._answers: dict[tuple[tuple[str, float], ...], int] = {}
        self._by_caption: dict[int, Counter[int]] = {}
        self._overall: Counter[int] = Counter()
        self._questions: dict[tuple[int, str], int] = {}
        self._names: dict[str, int] = {}
        self._rows: list[tuple[int, int, int, float]] = []
        self._raters: dict[str, int] = {}

    def add(self, rater: str, item: Item, response: StoredResponse) -> None:
        """Take one response into account."""
        own = self.work.setdefault(rater, RaterWork())
        if not item.counts:
            return
        number = self._raters.setdefault(rater, len(self._raters))
        for about, numbers in marks(item, response.answers):
            caption = self._captions.setdefault(about, len(self._captions))
            answer = self._answers.setdefault(tuple(sorted(numbers.items())), len(self._answers))
            own.said.append((caption, answer))
            if rater in self.counted:
                self._by_caption.setdefault(caption, Counter())[answer] += 1
                self._overall[answer] += 1
            for name, value in numbers.items():
                question = self._questions.setdefault((caption, name), len(self._questions))
                kind = self._names.setdefault(name, len(self._names))
                self._rows.append((question, kind, number, value))

    def others(self, rater: str) -> list[Counter[int]]:
        """For each of the rater's answers, what others said of the same caption."""
        own = self.work[rater]
        if rater not in self.counted:
            return [self._by_caption.get(caption, Counter()) for caption, _ in own.said]
        mine: dict[int, Counter[int]] = {}
        for caption, answer in own.said:
            mine.setdefault(caption, Counter())[answer] += 1
        return [self._by_caption[caption] - mine[caption] for caption, _ in own.said]

    def usual(self, rater: str, others: list[Counter[int]]) -> dict[int, float] | None:
        """The share of each answer among others; None where nobody else has answered."""
        shared = [said for said in others if said]
        if len(shared) >= ENOUGH_SHARED:
            total: dict[int, float] = {}
            for said in shared:
                size = sum(said.values())
                for answer, times in said.items():
                    total[answer] = total.get(answer, 0.0) + times / size / len(shared)
            return total
        rest = self._overall.copy()
        if rater in self.counted:
            rest.subtract(answer for _, answer in self.work[rater].said)
        size = sum(rest.values())
        return {answer: times / size for answer, times in rest.items()} if size else None

    def alike(self) -> tuple[dict[str, dict[str, tuple[int, int]]], float, int]:
        """For each two raters, how many of their shared answers are the same; the usual share; pairs.

        A caption that very many raters share is looked at in part: any sample of it tells as much.
        """
        by_caption: dict[int, dict[str, int]] = {}
        for rater, work in self.work.items():
            for caption, answer in work.said:
                by_caption.setdefault(caption, {})[rater] = answer
        counts: dict[tuple[str, str], list[int]] = {}
        for said in by_caption.values():
            for (one, its), (other, theirs) in combinations(list(said.items())[:MOST_COMPARED], 2):
                pair = counts.setdefault((one, other) if one < other else (other, one), [0, 0])
                pair[0] += its == theirs
                pair[1] += 1
        found: dict[str, dict[str, tuple[int, int]]] = {}
        for (one, other), (same, shared) in counts.items():
            found.setdefault(one, {})[other] = found.setdefault(other, {})[one] = (same, shared)
        total = sum(shared for _, shared in counts.values())
        usual = sum(same for same, _ in counts.values()) / total if total else math.nan
        return found, usual, len(counts)

    def consensus(self) -> dict[str, tuple[float, int]]:
        """Each rater's correlation with the mean of the others, and over how many answers.

        The mean of each question over all captions is taken off first: that all raters find
        precision higher than recall is no agreement on captions.
        """
        if not self._rows:
            return {}
        table = np.array(self._rows, dtype=np.float64)
        question, kind, rater = (table[:, column].astype(np.int64) for column in range(3))
        value = table[:, 3]
        value -= (np.bincount(kind, value) / np.bincount(kind))[kind]
        # A rater's two rounds on one question are one opinion.
        pair, place = np.unique(question * len(self._raters) + rater, return_inverse=True)
        mean = np.bincount(place, value) / np.bincount(place)
        question, rater = np.divmod(pair, len(self._raters))
        return self._with_others(question, rater, mean)

    def _with_others(
        self, question: np.typing.NDArray[np.int64], rater: np.typing.NDArray[np.int64], mean: Floats
    ) -> dict[str, tuple[float, int]]:
        names = list(self._raters)
        counts = np.array([name in self.counted for name in names], dtype=np.float64)[rater]
        sums = np.bincount(question, mean * counts)
        sizes = np.bincount(question, counts)
        rest = sizes[question] - counts
        theirs = np.full(len(mean), np.nan)
        shared = rest > 0
        theirs[shared] = (sums[question] - mean * counts)[shared] / rest[shared]
        found = {}
        for number, name in enumerate(names):
            own = np.flatnonzero((rater == number) & shared)
            found[name] = (correlation(mean[own], theirs[own]), len(own))
        return found


def gather(
    rules: HumanProtocol,
    items: Mapping[str, Item],
    stored: Iterable[StoredResponse],
    *,
    counted: frozenset[str],
    gold: Mapping[str, Mapping[str, Any]],
) -> Gathered:
    """Read the log of responses once; what a correction replaced and adjudications are left out.

    How fast someone works their first answers tell: a correction may be quick.
    """
    latest: dict[tuple[str, str], StoredResponse] = {}
    found = Gathered(counted)
    for response in stored:
        if response.kind != "adjudication" and response.item_key in items:
            latest.pop((response.rater, response.item_key), None)
            latest[response.rater, response.item_key] = response
            if response.kind == "answer" and response.seconds is not None:
                found.work.setdefault(response.rater, RaterWork()).seconds.append(response.seconds)
    checks: list[Response] = []
    for (rater, key), response in latest.items():
        item = items[key]
        found.add(rater, item, response)
        if key in gold:
            found.work[rater].gold[key] = answers_right(item, gold[key], response.answers)
        if item.check:
            checks.append(Response(key, response.answers, rater))
    for check in checks:
        own = found.work[check.rater]
        if rules.removed_raters([items[check.item]], [check]):
            own.failed.append(check.item)
        else:
            own.passed += 1
    return found


def median(values: list[float]) -> float:
    """The middle of some numbers; NaN of none."""
    return float(np.median(values)) if values else math.nan
