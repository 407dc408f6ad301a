"""The contract of a human protocol: everything that campaigns, pages and commands ask of one.

A protocol is one module or folder, registered with `@register("name")`; nobody else knows it by
name. It is pure: no clock, no storage, no randomness but the seed it is given. A campaign stores
its items and responses, and hands them back. Most of the contract has a default: a protocol must
say what its items are (`items`), what raters are told (`guide`), how answers become rows of
judgments (`rows`) and which tables its results are (`tables`).

| who asks | what it reads |
|---|---|
| wizard, command line | `words`, `needs`, the options (`options_of`) |
| cost, preview, verdict | `asked`, `raters_needed`, `most_answers`, `usual_seconds`, `usual_pay` |
| assignment | `group_size`, `once_per_image`, `next_items` |
| a response coming in | `validate`, `follow_ups` |
| training | `example_item` |
| pages | `guide`, `stages` |
| analysis | `removed_raters`, `counts`, `rows`, `tables`, `agreement`, `final_rows`, `scale_of` |
| planning, stopping | `ranges` |
| charts | `tables` with a `Chart`, `possible_scores`, `agreement_by_aspect` |
| adjudication | `compares`, `final_rows` |
| export, import | `export_files`, `extra_files`, `adopt` |
| simulation | `human_sources`, `simulated` |

What only some can do stands in `capabilities`: a file, rounds, recordings, a known past, a game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

from captious.corpus import Corpus, Judgments
from captious.errors import InputError
from captious.protocols import agreement as shared
from captious.protocols import simulation
from captious.protocols.assign import (
    Progress,
    blind_key,
    captions_of,
    choose,
    clean_option,
    draws,
    human_captions,
    opaque,
    refuse_names,
)
from captious.protocols.item import (
    ADJUDICATION,
    FIRST,
    UNLIMITED,
    Answers,
    Caption,
    Field,
    Guide,
    Item,
    Problem,
    Response,
    Row,
    as_judgments,
    as_practice,
    matched,
    row_of,
    split_adjudicated,
)
from captious.protocols.options import option, options_of
from captious.protocols.parts import (
    Adopted,
    Asked,
    Exported,
    ExportFile,
    ExportNote,
    Outcome,
    Past,
    Pay,
    Round,
    RoundData,
    Words,
)
from captious.stats.alpha import Scale
from captious.stats.resample import DEFAULT_RESAMPLES
from captious.tables import Chart, Table

MOST_RESPONSES = 10_000  # to one item; more is a slip of the finger, and cannot be taken back
MOST_IN_GROUP = 1000
Need = Literal["images", "references"]


class HumanProtocol(ABC):
    """The rules of one kind of human evaluation. Subclasses are frozen dataclasses of options.

    `group_size` items are handed out together; with `once_per_image` no rater meets an image twice.
    `compares` says which answers may disagree: those to one item, or all to one image. One with
    `final_rows` of its own counts an adjudicator's decision by its own rule. Raters of one that is
    `suggestible` may start from findings that are there already.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    citation: ClassVar[str] = ""
    words: ClassVar[Words] = Words()
    needs: ClassVar[frozenset[Need]] = frozenset({"images"})
    stages: ClassVar[Mapping[str, str]] = {}
    export_files: ClassVar[tuple[ExportNote, ...]] = ()
    human_sources: ClassVar[frozenset[str]] = frozenset()
    raters_option: ClassVar[str] = ""
    usual_seconds: ClassVar[float | None] = None
    compares: ClassVar[Literal["item", "image"]] = "item"
    suggestible: ClassVar[bool] = False
    once_per_image: bool = False
    group_size: int = 1

    def __post_init__(self) -> None:
        for one in options_of(type(self)):
            one.refuse_beyond(getattr(self, one.name))

    # Making a campaign

    @classmethod
    def options_for(cls, raters: int) -> dict[str, Any]:
        """The options that ask so many raters about each item."""
        if not cls.raters_option:
            raise InputError(f"--raters: {cls.name} has no number of raters. See its options.")
        return {cls.raters_option: raters}

    @abstractmethod
    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """Everything to be judged in the first stage, the same for the same seed."""

    @abstractmethod
    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """The advice that stands beside the form in a stage."""

    def example_item(self, image: str, captions: Sequence[str]) -> Item:
        """An item of the first stage with these captions in this order, to learn on.

        It asks what the work asks. Where a protocol compares with references, the last caption
        stands for one.
        """
        written, human = list(captions), list(captions[-1:])
        if "references" in self.needs and len(written) > 1:
            written = written[:-1]
        corpus = Corpus.from_lists(
            written,
            [human] * len(written),
            image_ids=[image] * len(written),
            systems=[f"s{at}" for at in range(len(written))],
        )
        fitting = (one for one in self.items(corpus, seed=0) if len(one.captions) == len(captions))
        found = next((one for one in fitting if one.counts), None)
        if found is None:
            raise InputError(f"{self.name} cannot ask about {len(captions)} captions at once.")
        return as_practice(found, captions)

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The lowest and highest value of each aspect whose mean by system is a result.

        Collecting may stop once such a mean is known well enough, or systems are told apart.
        """
        return {}

    def asked(self, first: int) -> Asked:
        """The responses that `first` of the first stage bring with them: later stages, checks."""
        return Asked(first)

    def raters_needed(self, items: Sequence[Item]) -> int:
        """The number of raters without whom the items cannot be finished."""
        targets: dict[str, int] = {}
        for item in items:
            if item.counts:
                unit = item.image if self.once_per_image else item.key
                targets[unit] = targets.get(unit, 0) + item.target
        return max(targets.values(), default=0)

    def most_answers(self, free: int, other: int) -> int:
        """How many of `free` items (images with `once_per_image`) one rater can still answer.

        `other` images are new to the rater too, but nothing is wanted of them any more.
        """
        return free

    def usual_pay(self, asked: Asked) -> Pay | None:
        """What the protocol's paper would pay for the work, None where it does not say."""
        return None

    # A rater at work

    def next_items(
        self, items: Sequence[Item], progress: Progress, rater: str, *, now: float, seed: int
    ) -> list[Item]:
        """What the rater is handed next; empty when there is nothing left for them."""
        return choose(
            items,
            progress,
            rater,
            now=now,
            seed=seed,
            once_per_image=self.once_per_image,
            count=self.group_size,
        )

    def validate(
        self, item: Item, answers: Mapping[str, object], *, rater: str = "", time: float = float("nan")
    ) -> Response | list[Problem]:
        """Return a response, or one line for each field that is not right."""
        checked = item.form.check(answers, dict(item.captions))
        if isinstance(checked, list):
            return checked
        problems = self.problems(item, checked)
        return problems or Response(item.key, checked, rater, time, item.hints)

    def problems(self, item: Item, answers: Answers) -> list[Problem]:
        """What is wrong with answers that are each well formed."""
        return []

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        """Items that a response calls for: a second stage, a second round."""
        return []

    # What becomes of responses

    def counts(self, item: Item) -> bool:
        """Whether responses to the item are data."""
        return item.counts

    def removed_raters(self, items: Iterable[Item], responses: Iterable[Response]) -> frozenset[str]:
        """Raters none of whose responses counts; their slots are free for others."""
        return frozenset()

    @abstractmethod
    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """The responses as judgments, a row each; see `row_of`."""

    def judgments(self, items: Iterable[Item], responses: Iterable[Response]) -> Judgments:
        """The responses as the table that statistics, benchmarks and learners read."""
        return as_judgments(self.rows(items, responses))

    def final_rows(self, items: Sequence[Item], responses: Sequence[Response]) -> Iterable[Row]:
        """The judgments that stand: a decision in the place of the answers that it settled.

        In the order of the items; removed raters and checks are left out.
        """
        return counted_rows(self, items, split_adjudicated(items, responses)[1])

    @abstractmethod
    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """The analysis that the protocol's paper makes of its responses."""

    def agreement(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = DEFAULT_RESAMPLES
    ) -> list[Table]:
        """How far raters agree: on questions that several answered, and what its paper reports."""
        return shared.shared_table(items, responses, self.scale_of, resamples)

    def agreement_by_aspect(
        self, items: Sequence[Item], responses: Sequence[Response], *, resamples: int = DEFAULT_RESAMPLES
    ) -> list[shared.AspectAgreement]:
        """One coefficient an aspect, whose course is drawn while responses come in."""
        return shared.by_aspect(items, responses, self.scale_of, resamples)

    def possible_scores(self) -> Mapping[str, Sequence[float]]:
        """The values that a judgment of each aspect may have, lowest first.

        How often each system gets them is drawn. Leave out what is not on such a scale.
        """
        return {}

    def scale_of(self, field: Field) -> Scale:
        """The scale of a question's answers, for Krippendorff's alpha."""
        return field.rules.scale(field)

    # Exchange

    def extra_files(self, data: Exported) -> list[ExportFile]:
        """Files that an export adds, as `export_files` announces them."""
        return []

    @classmethod
    def adopt(cls, judgments: Judgments, corpus: Corpus, *, name: str, seed: int) -> Adopted | None:
        """The campaign that judgments from elsewhere would have come from, None where they cannot."""
        return None

    # Simulation

    def simulated(self, item: Item, someone: simulation.Someone) -> dict[str, Any]:
        """What a rater with known opinions answers."""
        return simulation.fill(item, someone)


def counted_rows(rules: HumanProtocol, items: Sequence[Item], responses: Sequence[Response]) -> Iterable[Row]:
    """The judgments of raters who were not removed, in the order of the items."""
    removed = rules.removed_raters(items, responses)
    by_item: dict[str, list[Response]] = {}
    for response in responses:
        if response.rater not in removed:
            by_item.setdefault(response.item, []).append(response)
    for item in items:
        if item.counts and item.key in by_item:
            yield from rules.rows([item], by_item[item.key])


__all__ = [
    "ADJUDICATION",
    "FIRST",
    "MOST_IN_GROUP",
    "MOST_RESPONSES",
    "UNLIMITED",
    "Adopted",
    "Asked",
    "Caption",
    "Chart",
    "ExportFile",
    "ExportNote",
    "Exported",
    "Guide",
    "HumanProtocol",
    "Item",
    "Outcome",
    "Past",
    "Pay",
    "Response",
    "Round",
    "RoundData",
    "Row",
    "Table",
    "Words",
    "as_judgments",
    "as_practice",
    "blind_key",
    "captions_of",
    "clean_option",
    "counted_rows",
    "draws",
    "human_captions",
    "matched",
    "opaque",
    "option",
    "refuse_names",
    "row_of",
    "split_adjudicated",
]
