"""HUMANr: which of two captions goes best with the image? (ObjectNet Captions, 4.2)

Each image is compared up to once for each system (a human caption against the system's) and once
for two human captions, whose spread is the baseline. Raters work in groups of ten images, one of
which is an attention check: one of its captions belongs to another image.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import ceil
from typing import Any, ClassVar, NamedTuple

import numpy as np

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols.assign import Progress, choose, eligible, rater_order
from captious.protocols.base import (
    FIRST,
    MOST_IN_GROUP,
    MOST_RESPONSES,
    UNLIMITED,
    Asked,
    Caption,
    Guide,
    HumanProtocol,
    Item,
    Need,
    Pay,
    Response,
    Row,
    Table,
    Words,
    as_practice,
    captions_of,
    clean_option,
    draws,
    human_captions,
    matched,
    opaque,
    option,
    refuse_names,
)
from captious.protocols.item import Field, Form, Option, Picture, as_number
from captious.protocols.registry import register
from captious.protocols.simulation import Someone
from captious.stats import preference_score
from captious.stats.preference import SCALE
from captious.stats.resample import DEFAULT_RESAMPLES
from captious.text.normalise import same_text_key

LOWEST, HIGHEST = SCALE
EVEN = (LOWEST + HIGHEST) / 2
GROUP = 10  # ObjectNet Captions, 4.2: groups of 10 distinct images, one of them a check
LEFT, RIGHT = "left", "right"
HUMAN = "reference"
BASELINE = "human-human"
CHECK = "check"
PAY_PER_GROUP = 0.25  # ObjectNet Captions, 4.2: dollars for ten comparisons
# ObjectNet Captions, 4.2: that pay came to over 15 dollars an hour, a minute a group at most.
SECONDS_PER_COMPARISON = 6.0

REMOVE_RATER, DROP_ASSIGNMENT = "rater", "assignment"

_BRIDGE = "A suspension bridge over a river, lit up at night."
_LEVELS = (
    Picture(
        "bridge.jpg",
        _BRIDGE,
        'Left: "A bridge at night." Right: "A bowl of soup."',
        "1: only the left caption can belong",
    ),
    Picture(
        "bridge.jpg",
        _BRIDGE,
        'Left: "A bridge over a river at night." Right: "A bridge over a river by day."',
        "3: the left one fits, the right one nearly does",
    ),
    Picture(
        "bridge.jpg",
        _BRIDGE,
        'Left: "A bridge is lit up at night." Right: "At night, lights shine on a bridge."',
        "5: both match equally well",
    ),
    Picture(
        "bridge.jpg",
        _BRIDGE,
        'Left: "A road over a lake." Right: "A bridge over a river."',
        "7: the right one fits, the left one nearly does",
    ),
    Picture(
        "bridge.jpg",
        _BRIDGE,
        'Left: "Two cats on a sofa." Right: "A bridge at night."',
        "9: only the right caption can belong",
    ),
)
_GUIDE = (
    Guide(
        "What you do",
        "Look at the image, then read both captions. Say which one goes best with the image. "
        "Judge only how well each caption matches what you see, not its length or style.",
    ),
    Guide(
        "The scale",
        "1: only the caption on the left can belong to this image. 9: only the one on the right "
        "can. 5: both match equally well. Use the other numbers for cases in between.",
        ("The left one fits, the right one nearly does: 3.", "Both fit, in different words: 5."),
        _LEVELS,
    ),
)
_POINTS = (Option("1", "Only left"), Option("5", "Both equally"), Option("9", "Only right"))
FORM = Form(
    (
        Field(
            "preference",
            "scale",
            "Which caption goes best with the image?",
            "1: only the left one. 5: both match equally. 9: only the right one.",
            low=LOWEST,
            high=HIGHEST,
            step=1,
            options=_POINTS,
        ),
    )
)


class Comparison(NamedTuple):
    """One answer turned to the candidate: -1 the human caption, 0 neither, 1 the candidate."""

    image: str
    system: str
    rater: str
    score: float
    time: float
    stage: str = FIRST
    caption: str = ""


@register("humanr")
@dataclass(frozen=True)
class Humanr(HumanProtocol):
    """Head-to-head comparisons with human captions, which are the corpus's references.

    `target` responses are wanted for each comparison (the paper: one). `baseline` adds the
    human-human comparison of images that have two different human captions.
    """

    target: int = option(1, "Responses for each comparison", "The paper: 1.", low=1, high=MOST_RESPONSES)
    baseline: bool = option(
        True,
        "Compare two human captions too",
        "The baseline that systems are compared with. Images need two different references.",
    )
    group_size: int = option(  # a group holds one check and one comparison at least
        GROUP,
        "Comparisons in a group",
        "One of them is the attention check. The paper: 10.",
        low=2,
        high=MOST_IN_GROUP,
    )
    attention: str = option(
        REMOVE_RATER,
        "What a failed attention check removes",
        "The paper: the rater. The released toolkit: the assignment (a group); there, rating both captions "
        "as equal fails too.",
        choices=(REMOVE_RATER, DROP_ASSIGNMENT),
    )
    clean: bool = clean_option()
    once_per_image: bool = option(True, "No image twice for a rater", shown=False)

    title: ClassVar[str] = "HUMANr: which caption goes best with the image"
    citation: ClassVar[str] = "ObjectNet Captions, section 4.2"
    words: ClassVar[Words] = Words(
        "HUMANr",
        "Raters say on a scale from 1 to 9 which of two captions goes best with the image: a human caption "
        "or a system's. Every group of ten contains one attention check.",
        "Candidates, references (the human captions) and images. Many raters, who need no training.",
        "One response for each image and system, and one that compares two human captions. The paper paid "
        "0.25 dollars for ten comparisons.",
        "How far each system is from human captions, from -1 to 1, with intervals and a human baseline.",
        "You will see photographs, each with two captions, and say which one goes best with the image.",
        asks="comparison",
    )
    needs: ClassVar[frozenset[Need]] = frozenset({"images", "references"})
    human_sources: ClassVar[frozenset[str]] = frozenset({HUMAN, BASELINE})
    raters_option: ClassVar[str] = "target"
    usual_seconds: ClassVar[float | None] = SECONDS_PER_COMPARISON

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """-1: the human caption alone fits, 1: the system's."""
        return {"preference": (-1.0, 1.0)}

    def asked(self, first: int) -> Asked:
        """A check in every group: the last group holds what is left, and its check.

        91 comparisons in groups of ten are ten groups of nine with a check each, and one of one
        with its check: 91 + 11 = 102 responses.

        >>> Humanr().asked(91).responses
        102
        """
        return Asked(first, checks=ceil(first / (self.group_size - 1)))

    def raters_needed(self, items: Sequence[Item]) -> int:
        """Nobody meets an image twice, and each group's check takes an image too."""
        by_image = Counter[str]()
        for item in items:
            if item.counts:
                by_image[item.image] += item.target
        images = len({item.image for item in items})
        most = self.most_answers(len(by_image), images - len(by_image))
        if not by_image or not most:
            return len(by_image)
        return max(*by_image.values(), ceil(by_image.total() / most))

    def most_answers(self, free: int, other: int) -> int:
        """Of the images that are new to a rater, as many as leave one for the check of each group.

        >>> Humanr().most_answers(10, 0), Humanr().most_answers(10, 2)
        (9, 10)
        """
        images = free + other
        return min(free, images - ceil(images / self.group_size))

    def usual_pay(self, asked: Asked) -> Pay:
        """Each group is paid, the last one too."""
        basis = f"{PAY_PER_GROUP:g} USD per group, as in the paper"
        return Pay(asked.checks * PAY_PER_GROUP, "USD", basis)

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """Every comparison, and for each image the check that may be planted on it.

        The candidate stands on the left in half of the comparisons of each kind, on the right in
        the other, drawn from the seed.
        """
        refuse_names(corpus, HUMAN, BASELINE, CHECK)
        humans = human_captions(corpus, clean=self.clean)
        written = captions_of(corpus, clean=self.clean)
        drawn: list[tuple[str, str, str, str]] = []
        for image, texts in written.items():
            drawn += _comparisons(image, texts, humans.get(image, []), seed, self.baseline)
        checks = _checks(humans, list(written), seed)
        return [*_sided(drawn, seed, self.target), *_sided(checks, seed, target=UNLIMITED)]

    def example_item(self, image: str, captions: Sequence[str]) -> Item:
        """A comparison: the caption on the left, then the one on the right."""
        if len(captions) != 2:
            raise InputError(f"{self.name} compares two captions; found {len(captions)}.")
        left, right = captions
        return as_practice(_item((image, "", left, right), True, 1, 0), captions)

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """What is asked, in words that favour neither long nor polished captions."""
        return _GUIDE

    def next_items(
        self, items: Sequence[Item], progress: Progress, rater: str, *, now: float, seed: int
    ) -> list[Item]:
        """A group of distinct images that are new to the rater, one of them a check.

        A last group may be smaller; a group is never without its check. A rater for whom no image
        is left for a check is done.
        """
        real = [item for item in items if not item.check]
        group = choose(
            real, progress, rater, now=now, seed=seed, once_per_image=True, count=self.group_size - 1
        )
        seen = progress.images.get(rater, frozenset())
        check = _unseen_check(items, progress, rater, seed, seen | {item.image for item in group})
        if check is None and group:
            # Too few images are left for comparisons and a check: one comparison gives way.
            group.pop()
            used = seen | {item.image for item in group}
            check = _unseen_check(items, progress, rater, seed, used)
        if check is None or not group:
            return []
        group, check = _last_group(items, group, check, progress, rater, now=now)
        place = int(draws(seed, "place", rater, check.key).integers(len(group) + 1))
        return [*group[:place], check, *group[place:]]

    def removed_raters(self, items: Iterable[Item], responses: Iterable[Response]) -> frozenset[str]:
        """Raters who preferred the planted caption of a check; nobody where it costs an assignment."""
        return frozenset() if self.attention == DROP_ASSIGNMENT else failed_raters(items, responses)

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """Preferences in [-1, 1] for each system, without the raters who failed a check.

        The human-human baseline is under the system `human-human`.
        """
        for one in self.comparisons(items, responses):
            yield Row(
                one.image, one.system, one.caption, one.rater, "preference", one.score, one.stage, one.time
            )

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """HUMANr by system with intervals and significance, and the raters who were removed."""
        from captious.protocols.humanr.analysis import humanr_tables

        return humanr_tables(items, responses, self)

    def comparisons(self, items: Iterable[Item], responses: Iterable[Response]) -> list[Comparison]:
        """Every answer that counts under this rule for attention checks."""
        items, responses = list(items), list(responses)
        if self.attention == DROP_ASSIGNMENT:
            failed = {id(one) for own in self.failed_assignments(items, responses) for one in own}
            return comparisons(
                items, [one for one in responses if id(one) not in failed], removed=frozenset()
            )
        return comparisons(items, responses)

    def failed_assignments(
        self, items: Sequence[Item], responses: Sequence[Response]
    ) -> list[list[Response]]:
        """Assignments with a check on which the image's own caption was not preferred.

        An assignment is a group: so many answers of a rater in the order in which they were given.
        """
        checks = {item.key: item.check for item in items if item.check}
        by_rater: dict[str, list[Response]] = {}
        for response in sorted(responses, key=lambda one: one.time):
            by_rater.setdefault(response.rater, []).append(response)
        groups = [
            own[start : start + self.group_size]
            for own in by_rater.values()
            for start in range(0, len(own), self.group_size)
        ]
        return [
            group for group in groups if any(_inattentive(one, checks.get(one.item, "")) for one in group)
        ]

    def possible_scores(self) -> Mapping[str, Sequence[float]]:
        """The nine points, from the human caption only to the system's only."""
        return {"preference": tuple(place / 4 for place in range(-4, 5))}

    def agreement(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = DEFAULT_RESAMPLES
    ) -> list[Table]:
        """Beside questions that several answered: HUMANr of random halves of the raters."""
        from captious.protocols.humanr.analysis import halves_table

        found = self.comparisons(items, responses)
        several = len({one.rater for one in found}) > 1
        own = [halves_table(found, "shows how much the result depends on who rates")] if several else []
        return super().agreement(items, responses, resamples=resamples) + own

    def simulated(self, item: Item, someone: Someone) -> dict[str, Any]:
        """5 where both are as good, up to 1 and 9 where one is by 1 better."""
        if item.check:
            planted_right = (item.check == RIGHT) == someone.attentive
            return {"preference": LOWEST if planted_right else HIGHEST}
        right, left = (someone.opinion(item, key) for key in (RIGHT, LEFT))
        rating = EVEN + (HIGHEST - EVEN) * (right - left) + (HIGHEST - EVEN) * someone.noise()
        return {"preference": float(np.clip(round(rating), LOWEST, HIGHEST))}


def _comparisons(
    image: str, texts: dict[str, list[str]], humans: list[str], seed: int, baseline: bool
) -> list[tuple[str, str, str, str]]:
    """The (image, kind, human caption, candidate) of an image."""
    found = []
    for text, systems in texts.items():
        # A system that copies one human caption meets another; with no other there is no contest.
        others = [human for human in humans if same_text_key(human) != same_text_key(text)]
        for system in systems if others else []:
            rng = draws(seed, "human caption", image, system)
            found.append((image, system, others[int(rng.integers(len(others)))], text))
    distinct = list({same_text_key(human): human for human in humans}.values())
    if baseline and len(distinct) > 1:
        one, two = draws(seed, BASELINE, image).permutation(len(distinct))[:2].tolist()
        found.append((image, BASELINE, distinct[one], distinct[two]))
    return found


def _checks(humans: dict[str, list[str]], images: list[str], seed: int) -> list[tuple[str, str, str, str]]:
    """For each image a check: one of its human captions against one of another image."""
    found = []
    for image in images:
        own = {same_text_key(text) for text in humans[image]}
        rng = draws(seed, CHECK, image)
        start = int(rng.integers(len(images)))
        for other in chain(islice(images, start, None), islice(images, start)):
            foreign = [text for text in humans[other] if same_text_key(text) not in own]
            if other != image and foreign:
                right = humans[image][int(rng.integers(len(humans[image])))]
                found.append((image, CHECK, right, foreign[int(rng.integers(len(foreign)))]))
                break
    if not found:
        raise InputError(
            "checks: all images have the same captions, so no attention check can be made. Give more images."
        )
    return found


def _sided(drawn: list[tuple[str, str, str, str]], seed: int, target: int) -> list[Item]:
    """Items whose candidate is on the right in half of each kind, rounded down or up."""
    kinds: dict[str, list[tuple[str, str, str, str]]] = {}
    for one in drawn:
        kinds.setdefault(one[1], []).append(one)
    found = []
    for kind, own in kinds.items():
        rng = draws(seed, "sides", kind)
        start = int(rng.integers(2))
        on_right = rng.permutation((np.arange(len(own)) + start) % 2).tolist()
        found += [_item(one, bool(side), target, seed) for one, side in zip(own, on_right, strict=True)]
    return found


def _item(drawn: tuple[str, str, str, str], on_right: bool, target: int, seed: int) -> Item:
    image, kind, human, candidate = drawn
    side, other = (RIGHT, LEFT) if on_right else (LEFT, RIGHT)
    texts = {side: candidate, other: human}
    return Item(
        key=opaque(seed, kind, image),
        image=image,
        captions=(Caption(LEFT, texts[LEFT]), Caption(RIGHT, texts[RIGHT])),
        form=FORM,
        sources={side: (kind,), other: (HUMAN,)},
        target=target,
        balance=kind,
        check=side if kind == CHECK else "",
    )


def _unseen_check(
    items: Sequence[Item], progress: Progress, rater: str, seed: int, seen: frozenset[str]
) -> Item | None:
    """A check on an image new to the rater, rather one whose comparisons others have finished."""
    wanted: Counter[str] = Counter()
    for item in items:
        if not item.check:
            wanted[item.image] += item.target - progress.taken.get(item.key, 0)
    place = rater_order(seed, rater)
    return min(
        (item for item in items if item.check and item.image not in seen),
        key=lambda item: (wanted[item.image], place(item.key)),
        default=None,
    )


def _last_group(
    items: Sequence[Item], group: list[Item], check: Item, progress: Progress, rater: str, *, now: float
) -> tuple[list[Item], Item]:
    """Where no other image is left for the check, the image that lacks least gives way to it.

    Else each rater in turn would leave out the same image, and it would never be finished.
    """
    seen = progress.images.get(rater, frozenset()) | {item.image for item in group}
    if any(item.check and item.image not in seen and item is not check for item in items):
        return group, check

    def lacks(item: Item) -> int:
        return item.target - progress.taken.get(item.key, 0)

    left_out = [
        item
        for item in items
        if item.image == check.image
        and not item.check
        and eligible(item, progress, rater, now=now, once_per_image=True)
    ]
    gives_way = min(group, key=lacks)
    planted = next((item for item in items if item.check and item.image == gives_way.image), None)
    if not left_out or planted is None or max(map(lacks, left_out)) <= lacks(gives_way):
        return group, check
    taken_up = max(left_out, key=lacks)
    return [taken_up if item is gives_way else item for item in group], planted


def failed_raters(items: Iterable[Item], responses: Iterable[Response]) -> frozenset[str]:
    """Raters who preferred the caption of another image in any check (4.2: they are removed)."""
    failed = set()
    for item, response in matched(items, responses):
        if not item.check:
            continue
        rating = _rating(response)
        preferred = RIGHT if rating > EVEN else LEFT if rating < EVEN else ""
        if preferred == item.check:
            failed.add(response.rater)
    return frozenset(failed)


def _rating(response: Response) -> float:
    rating = as_number(response.answers.get("preference"))
    if rating is None:
        raise InputError(f'item "{response.item}": the response of {response.rater} has no rating.')
    return rating


def _candidate(item: Item) -> str:
    """What stands against the human caption; `balance` is blank where an adjudicator decided."""
    return next(name for names in item.sources.values() for name in names if name != HUMAN)


def _inattentive(response: Response, planted: str) -> bool:
    """Whether the planted caption of a check was preferred or found equal."""
    rating = _rating(response) if planted else EVEN
    return bool(planted) and (rating >= EVEN if planted == RIGHT else rating <= EVEN)


def comparisons(
    items: Iterable[Item], responses: Iterable[Response], *, removed: frozenset[str] | None = None
) -> list[Comparison]:
    """Every answer that counts, turned to the candidate; removed raters and checks left out.

    The default removes the raters who failed a check.
    """
    items, responses = list(items), list(responses)
    removed = failed_raters(items, responses) if removed is None else removed
    kept = [
        (item, response)
        for item, response in matched(items, responses)
        if not item.check and response.rater not in removed
    ]
    ratings = [_rating(response) for _, response in kept]
    on_right = [HUMAN not in item.sources[RIGHT] for item, _ in kept]
    if not kept:
        return []
    scores = preference_score(ratings, on_right)
    return [
        Comparison(
            item.image,
            _candidate(item),
            response.rater,
            float(score),
            response.time,
            item.stage,
            next(caption.text for caption in item.captions if HUMAN not in item.sources[caption.key]),
        )
        for (item, response), score in zip(kept, scores, strict=True)
    ]
