"""What a metric is.

A metric is a frozen dataclass: its fields are its options. It turns a batch into per-example
sufficient statistics, and statistics into scores, so that an interval or a significance test
resamples statistics and never computes the metric again (as sacreBLEU does; Post 2018).

Work may be split over processes or machines. What a metric must know of the whole corpus (the
document frequencies of CIDEr) it gathers in three steps: `collect` looks at one batch, `merge`
joins what the batches gave, and `statistics` gets the result with each batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from captious._version import __version__
from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.findings import Place
from captious.errors import InputError, one_line
from captious.metric_names import PLUGINS
from captious.metrics.batch import Batch
from captious.progress import Report
from captious.text.languages import ANY
from captious.text.tokens import languages_of_tokeniser, tokenisers_for

ANY_LANGUAGE = "any_language"
Need = Literal["references", "image", "objects"]


class Resources(NamedTuple):
    """What a metric needs on a cluster."""

    processors: float = 1.0
    gpus: float = 0.0


class Limit(NamedTuple):
    """The longest text that a metric reads at once, and what it does with a longer one.

    `beyond` are the ways that it offers (of error, truncate and chunk), `default` is the one that it
    takes unless its option `long` says otherwise. A limit in words is one of time: a longer text is refused.

    >>> str(Limit(5_000, "words")), str(Limit(77, "tokens"))
    ('5,000 words', '77 tokens')
    """

    most: int
    unit: Literal["tokens", "words"]
    beyond: tuple[str, ...] = ("error",)
    default: str = "error"

    def __str__(self) -> str:
        return f"{self.most:,} {self.unit}"


@dataclass(frozen=True)
class Metric:
    """Base of all metrics. Subclasses are frozen dataclasses, registered by `@register`.

    A metric that is simply the mean of its example scores overrides `score_examples` alone.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""  # as papers print it; else the name
    summary: ClassVar[str] = ""
    citation: ClassVar[str] = ""
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    needs_one_of: ClassVar[tuple[Need, ...]] = ()  # where any of these is enough
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    percent: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = None  # None: it reads a text of any length
    neural: ClassVar[bool] = False  # whether it runs the weights of a neural network
    partial: ClassVar[bool] = False  # whether it may have no score, NaN, for some examples
    fewest_images: ClassVar[int] = 1
    # Whether the last bits of a score depend on which other captions are in the batch.
    by_batch: ClassVar[bool] = False
    # Whether its scores mean nothing in languages that it is not for, even in the same script.
    strict_language: ClassVar[bool] = False
    # The option that `name.value` sets where a learned metric names its features: `sentsim.max`.
    dotted: ClassVar[str] = ""

    any_language: bool = field(default=False, kw_only=True)  # score captions in languages that it is not for

    def languages(self) -> tuple[str, ...]:
        """The languages that it is right for: codes of ISO 639-1, `spaced` or `any`.

        `spaced` are all that write spaces between words. `metrics.languages` refuses or warns of others.
        Without a declaration, they are those of the option `tokeniser`, or any.
        """
        tokeniser = getattr(self, "tokeniser", "")
        return languages_of_tokeniser(tokeniser) if tokeniser else (ANY,)

    def unread(self, texts: Sequence[str]) -> FloatArray | None:
        """The share of each text that its encoder cannot read; None where it has no encoder."""
        return None

    def way_out(self, code: str) -> str:
        """How to score captions in a language that it is not for; empty where there is no way.

        It ends a sentence that begins with "Use".
        """
        if not getattr(self, "tokeniser", ""):
            return ""
        first, *others = tokenisers_for(code)
        return f"NAME[tokeniser={first}]" + "".join(f" or {one}" for one in others)

    def ready(self) -> None:
        """Raise `MissingDependencyError` if a package or file that it needs is not installed."""
        return

    def weights(self) -> tuple[str, ...]:
        """Names of the published weights that it runs, for `captious doctor`."""
        return ()

    def seen_images(self) -> frozenset[str]:
        """Images that it was fitted to, by their loose ids, as far as its model says."""
        return frozenset()

    def prepare(self, report: Report | None = None) -> None:
        """Prepare what is made once per machine; `report(what, done, total)` is called with progress."""
        return

    def collect(self, batch: Batch) -> Any:
        """What this batch contributes to the metric's knowledge of the whole corpus."""
        return None

    def merge(self, parts: Sequence[Any]) -> Any:
        """Join what `collect` returned for each batch."""
        return None

    @property
    def corpus_wide(self) -> bool:
        """Whether a caption's statistics change with the rest of the corpus, as CIDEr's do.

        If not, `statistics` needs only what its own batch has collected, and a corpus that is read
        in blocks is gone through once. A metric that collects is taken to be, unless it says otherwise.
        """
        return type(self).collect is not Metric.collect

    @property
    def counts_documents(self) -> bool:
        """Whether `collect` counts the references of every image once, in whichever batch comes first."""
        return False

    def resources(self) -> Resources:
        """What a process needs to run it: a processor, and a GPU if its option `device` names one."""
        return Resources(gpus=float(str(getattr(self, "device", "cpu")).startswith("cuda")))

    def statistics(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Sufficient statistics, one row per example, that can be summed over examples.

        An example whose score is NaN has none: it counts for nothing in the mean. Only a metric
        that is `partial`, or looks at images that may be missing, may leave examples out so.
        """
        scores = np.asarray(self.score_examples(batch, knowledge))
        known = ~np.isnan(scores)
        if not (self.partial or "image" in self.needs or known.all()):
            self.refuse_gaps(batch, np.flatnonzero(~known))
        return np.stack([np.where(known, scores, 0.0), known.astype(np.float64)], axis=1)

    def refuse_gaps(self, batch: Batch, rows: IntArray) -> None:
        """Refuse, by the metric's name, that some examples have no finite value."""
        first = batch.corpus.example(int(rows[0])).image_id
        raise InputError(
            f"{self.name} has no finite value for {len(rows):,} of {len(batch):,} captions, the first of "
            f'image "{first}". Leave the metric out, or fix {type(self).__module__}.'
        )

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Score of each example; what a mean-of-examples metric overrides."""
        return self.example_scores(self.statistics(batch, knowledge))

    def example_scores(self, statistics: FloatArray) -> FloatArray:
        """Scores of single examples from their statistics."""
        return self.corpus_score(statistics)

    def details(self, statistics: FloatArray) -> dict[str, FloatArray]:
        """Further values of each example by name, for files of per-example scores."""
        return {}

    def findings(self, batch: Batch, knowledge: Any) -> Sequence[Sequence[Place] | None]:
        """What is wrong in each caption and where; None for a caption at which it did not look.

        Places are code points of the caption as given. It is asked only for findings, after `statistics`.
        """
        return [None] * len(batch)

    @property
    def gives_findings(self) -> bool:
        """Whether it marks places in captions."""
        return type(self).findings is not Metric.findings

    def corpus_score(self, summed: FloatArray) -> FloatArray:
        """Score from summed statistics; works on any number of leading axes."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(summed[..., 0] / summed[..., 1], dtype=np.float64)

    def single_scores(self, statistics: FloatArray) -> list[float]:
        """`corpus_score` of every row as a separate corpus, identical bit for bit.

        A row at a time: NumPy's powers of a number and of an array may differ in the last bit. Metrics
        whose formula gives the same bits either way, as a quotient does, take all rows at once.
        """
        if type(self).corpus_score is Metric.corpus_score:
            found: list[float] = self.corpus_score(statistics).tolist()
            return found
        return [float(self.corpus_score(row)) for row in statistics]

    def check(self, corpus: Corpus, knowledge: Any) -> None:
        """Raise `InputError` for a corpus that the metric is not defined for."""
        return

    def notes(self, corpus: Corpus, knowledge: Any) -> list[str]:
        """Remarks for readers of the scores, one line each, shown below tables and in reports."""
        return []

    def corpus_values(self, knowledge: Any) -> Mapping[str, float]:
        """Values of systems that their captions' statistics do not give: they cannot be resampled."""
        return {}

    def unscored(self, knowledge: Any) -> dict[str, str]:
        """Images whose captions have no score, each with the reason."""
        return {}

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """Everything besides the version that changes the number, in the signature's order."""
        facts: dict[str, str] = {}
        if "references" in self.needs:
            facts["refs"] = reference_count_label(corpus)
        names = [option.name for option in fields(self) if option.name != ANY_LANGUAGE]
        return facts | {name: str(getattr(self, name)) for name in names}

    def signature(self, corpus: Corpus, knowledge: Any, texts: Corpus | None = None) -> str:
        """Name, everything that changes the number, version: `cider|refs:5|tok:ptb|…|v:0.1.0`.

        A metric of another package has that package's name and version too; captions in a language that
        the metric is not for are told (`captions:de`), and so is markup (`markup:captions`), by the corpus's
        texts or, where it has none, those of a sample of it.
        """
        from captious.metrics.languages import marked_up_sides, unclaimed

        facts = self.facts(corpus, knowledge) | package_fact(type(self).__module__)
        if others := unclaimed(self, corpus if texts is None else texts):
            facts["captions"] = "+".join(others)
        if marked := marked_up_sides(self, corpus if texts is None else texts):
            facts["markup"] = "+".join(marked)
        return "|".join([self.name, *(f"{k}:{v}" for k, v in facts.items()), f"v:{__version__}"])


def package_fact(module: str) -> dict[str, str]:
    """Name and version of the package that brings a metric, where it is not captious.

    >>> package_fact("captious.metrics.cider")
    {}
    """
    top = module.partition(".")[0]
    if top == "captious":
        return {}
    from importlib.metadata import entry_points

    homes = (entry.dist for entry in entry_points(group=PLUGINS) if entry.module.partition(".")[0] == top)
    return {home.name: home.version for home in homes if home is not None}


def most_words(metric: Metric) -> int | None:
    """The most words of a text that a metric takes, where its limit is one of words."""
    return metric.longest.most if metric.longest is not None and metric.longest.unit == "words" else None


def refuse_too_long(corpus: Corpus, metrics: Sequence[Metric]) -> None:
    """Refuse texts on which a metric would run for hours, before any work is done.

    >>> class Slow(Metric):
    ...     name, longest = "slow", Limit(3, "words")
    >>> refuse_too_long(Corpus.from_lists(["a dog on a mat"]), [Slow()])
    Traceback (most recent call last):
    captious.errors.InputError: slow: "a dog on a mat" has 5 words; at most 3 are allowed...
    """
    for metric in metrics:
        most = most_words(metric)
        if most is None:
            continue
        for text in chain(corpus.captions, corpus.references.values):
            # N words have at least 2 N - 1 characters: most texts need not be split.
            if len(text) > 2 * most and (words := len(text.split())) > most:
                raise InputError(
                    f'{metric.name}: "{one_line(text, 40)}" has {words:,} words; at most {most:,} '
                    "are allowed. Shorten the text, or leave the metric out."
                )


def reference_count_label(corpus: Corpus) -> str:
    """`5` if every example has five references, `4-5` if they differ.

    >>> reference_count_label(Corpus.from_lists(["a", "b"], [["x", "y"], ["x", "y", "z"]]))
    '2-3'
    """
    counts = corpus.reference_counts
    if not len(counts):
        return "0"
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low}-{high}"
