"""Protocols, and the two kinds of judged data: rated examples and preferences."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from captious.corpus import Corpus, Findings, Judgments
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.splits import Split
from captious.errors import InputError, UnknownNameError

Task = Literal["correlation", "preference", "spans"]
Ratings = Literal["each", "mean"]
SPANS = "spans"  # the aspect of benchmarks whose raters marked places


@dataclass(frozen=True)
class Protocol:
    """Everything that affects the numbers of a benchmark.

    `ratings="each"` makes every rating a separate row with the metric score of its example ("method
    A"); `"mean"` averages an example's ratings first. `documents` says what CIDEr counts as a document.
    `options` are the choices made when the data were loaded, such as `human=without`.

    >>> protocol = Protocol("mine", coefficients=("pearson",), ratings="mean")
    >>> protocol.to_dict()["coefficients"]
    ['pearson']
    """

    name: str
    task: Task = "correlation"
    coefficients: tuple[str, ...] = ("kendall_c", "kendall_b", "pearson", "spearman")
    ratings: Ratings = "mean"
    aspect: str = "overall"
    level: str = "item"
    references: str = "all in the data"
    left_out: str = "nothing"
    documents: Literal["examples", "images"] = "examples"
    confidence: float = 0.95
    ties: str = ""
    draws: int = 1
    seed: int = 0
    options: dict[str, str] = field(default_factory=dict)
    source: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what says nothing is left out."""
        found = asdict(self)
        found["coefficients"] = list(self.coefficients)
        silent = {
            "preference": ("coefficients", "ratings", "level", "aspect"),
            "correlation": ("ties", "draws", "seed"),
            "spans": ("ties", "draws", "seed", "level", "ratings"),
        }
        for name in silent[self.task]:
            del found[name]
        return {key: value for key, value in found.items() if value not in ("", {})}

    def with_options(self, **options: str) -> Protocol:
        """The protocol with choices added, so that they are printed with the result."""
        return replace(self, options={**self.options, **options})


@dataclass(frozen=True, eq=False)
class RatedExamples:
    """Examples with ratings: example `i` of the corpus is `judgments.keys[i]`.

    `ids[i]` names the example within its system, as files of scores computed elsewhere name it; `by[i]`
    is its value of the column that results were asked for by, where they were. `split` is the one that
    the file names. `findings` are what raters marked, where they did: example `i` is row `i` of the corpus.
    """

    protocol: Protocol
    corpus: Corpus
    judgments: Judgments
    ids: list[str]
    notes: tuple[str, ...] = ()
    by: list[str] = field(default_factory=list)
    split: Split | None = None
    findings: Findings | None = None

    def __post_init__(self) -> None:
        n = len(self.corpus)
        if len(self.judgments.keys) != n or len(self.ids) != n:
            raise InputError(
                f"{self.protocol.name}: {n} examples, {len(self.judgments.keys)} judged examples "
                f"and {len(self.ids)} ids. Every example needs judgments and its own id."
            )

    def keys(self) -> list[str]:
        """One name for each example: `system|id`, or the id alone where there is one system."""
        if len(self.corpus.systems) < 2:
            return self.ids
        systems = (self.corpus.systems[s] for s in self.corpus.system_of.tolist())
        return [f"{system}|{own}" for system, own in zip(systems, self.ids, strict=True)]

    def rows(self, aspect: str) -> tuple[IntArray, FloatArray]:
        """Example and value of every row that enters a correlation, as the protocol has it."""
        if aspect not in self.judgments.aspects:
            raise UnknownNameError("aspect", aspect, self.judgments.aspects)
        if self.protocol.ratings == "each":
            rows = self.judgments.rows(aspect)
            return self.judgments.example_of[rows], self.judgments.values[rows]
        means = self.judgments.means(aspect)
        rated = np.flatnonzero(~np.isnan(means))
        return rated, means[rated]


@dataclass(frozen=True, eq=False)
class Preferences:
    """Pairs of captions of one image with the one that humans preferred, in categories.

    Pair `p` is examples `first[p]` and `second[p]`; `label[p]` is 0 where humans preferred the
    first. There is one corpus for each draw of references; all hold the same examples.
    """

    protocol: Protocol
    corpora: list[Corpus]
    first: IntArray
    second: IntArray
    label: IntArray
    category: list[str]
    ids: list[str]
    notes: tuple[str, ...] = ()

    def keys(self) -> list[str]:
        """One name for each example, as files of scores computed elsewhere name it."""
        return self.ids


def marked_examples(
    protocol: Protocol, findings: Findings, corpus: Corpus, notes: tuple[str, ...] = ()
) -> RatedExamples:
    """Captions with raters' findings, and the ratings that follow from them (`Findings.to_judgments`)."""
    images = [corpus.image_ids[image] for image in corpus.image_of.tolist()]
    examples = np.arange(len(corpus))
    judgments = findings.to_judgments()
    order = {key: row for row, key in enumerate(zip(findings.keys, findings.ids, strict=True))}
    places = [order[key] for key in zip(judgments.keys, judgments.ids, strict=True)]
    ordered = judgments.in_order(np.array(places, dtype=np.int64), len(examples))
    return RatedExamples(protocol, corpus, ordered, images, notes, findings=findings)


def rated_examples(
    protocol: Protocol,
    corpus: Corpus,
    ratings: dict[str, list[list[float]]],
    ids: list[str],
    notes: tuple[str, ...] = (),
) -> RatedExamples:
    """Join examples and their ratings: for each aspect a list of ratings an example.

    >>> corpus = Corpus.from_lists(["a dog", "a cat"], [["dog"], ["cat"]])
    >>> found = rated_examples(Protocol("mine"), corpus, {"overall": [[4, 5], [1, 2]]}, ["a", "b"])
    >>> found.rows("overall")[1].tolist()
    [4.5, 1.5]
    """
    examples: list[int] = []
    raters: list[str] = []
    aspects: list[str] = []
    values: list[float] = []
    for row in range(len(corpus)):
        for aspect, lists in ratings.items():
            for rater, value in enumerate(lists[row], 1):
                examples.append(row)
                raters.append(str(rater))
                aspects.append(aspect)
                values.append(value)
    table = Judgments.from_columns(
        images=[corpus.image_ids[int(corpus.image_of[row])] for row in examples],
        systems=[corpus.systems[int(corpus.system_of[row])] for row in examples],
        captions=[corpus.captions[row] for row in examples],
        # The place in the corpus tells examples of one image apart that no system name does.
        examples=[str(row) for row in examples],
        raters=raters,
        aspects=aspects,
        values=values,
    )
    return RatedExamples(protocol, corpus, table, ids, notes)
