"""Features by name: any metric and any embedding, as columns of numbers.

`cider` and `sentsim[agg=mean]` are metrics; `sentsim.mean` is short for the latter, for metrics that
say which option a dot sets; `sentence.joint` is an embedding of many columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError, MissingDependencyError, NotSetUpError, UnknownNameError, one_line
from captious.metrics.base import Limit, Metric, Need
from captious.metrics.batch import Batch
from captious.metrics.document_frequency import CORPUS
from captious.metrics.learned import vilbert_embedding as _vilbert_embedding  # noqa: F401  # joins the providers
from captious.metrics.learned.embeddings import PROVIDERS, Embedding, embedding
from captious.metrics.registry import find, is_folder, known_metrics, resolve
from captious.models.encoders.feature_file import is_feature_file


@dataclass(frozen=True)
class Feature:
    """A named source of columns: a metric, or an embedding."""

    name: str
    source: Metric | Embedding

    @property
    def needs(self) -> frozenset[Need]:
        """What the feature needs of each example."""
        return self.source.needs

    @property
    def longest(self) -> Limit | None:
        """The longest text that it reads at once, and what it does with a longer one as it is set."""
        own = self.source.longest
        if own is None:
            return None
        how = getattr(self.source, "long", own.default)
        return own._replace(beyond=(how,), default=how)

    @property
    def partial(self) -> bool:
        """Whether it may have no value, NaN, for some examples: an image that cannot be read."""
        if isinstance(self.source, Embedding):
            return "image" in self.source.needs
        return self.source.partial

    @property
    def sign(self) -> int:
        """1 where more is better, -1 where less is, 0 where neither can be said."""
        if isinstance(self.source, Embedding):
            return 0
        return 1 if self.source.higher_is_better else -1

    def missing(self, corpus: Corpus | None = None) -> str:
        """Why the feature cannot be had, here or for this corpus; empty where it can."""
        try:
            self.source.ready()
        except MissingDependencyError as error:
            return str(error)
        return self.lacking(corpus) if corpus is not None else ""

    def lacking(self, corpus: Corpus) -> str:
        """What the feature needs and the corpus has not; empty where it has everything."""
        if "references" in self.needs and not len(corpus.references):
            return "needs references: give --references FILE"
        if "objects" in self.needs and corpus.objects is None:
            return "needs objects: give --objects FILE"
        if "image" in self.needs and not any(corpus.image_paths or []) and not self._from_file():
            return "needs images: give --images DIR"
        return ""

    def _from_file(self) -> bool:
        """Whether vectors were computed before and are in a file, by image id."""
        if getattr(self.source, "regions", ""):
            return True
        encoder = getattr(self.source, "encoder", "")
        return bool(encoder) and Path(encoder).exists() and is_feature_file(Path(encoder))

    def with_table(self, path: Path) -> Feature:
        """The feature with document frequencies from a file, where it would count them itself."""
        if isinstance(self.source, Metric) and counts_documents(self.source):
            return replace(self, source=replace(self.source, df=str(path)))  # type: ignore[call-arg]
        return self

    def collect(self, batch: Batch) -> Any:
        """What the batch contributes to the feature's knowledge of the whole corpus."""
        return None if isinstance(self.source, Embedding) else self.source.collect(batch)

    def merge(self, parts: Sequence[Any]) -> Any:
        """Join what the batches gave."""
        return None if isinstance(self.source, Embedding) else self.source.merge(parts)

    def check(self, corpus: Corpus, knowledge: Any) -> None:
        """Refuse a corpus for which the feature is not defined."""
        if isinstance(self.source, Metric):
            self.source.check(corpus, knowledge)

    def columns(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Values of every example, one or more columns."""
        if isinstance(self.source, Embedding):
            return self.source.rows(batch)
        return self.source.example_scores(self.source.statistics(batch, knowledge))[:, None]

    def signature(self, corpus: Corpus, knowledge: Any) -> str:
        """Everything that changes the numbers."""
        if isinstance(self.source, Embedding):
            return f"{self.name}|{self.source.label()}"
        return self.source.signature(corpus, knowledge)


def shortest(limits: Iterable[Limit | None]) -> Limit | None:
    """The lowest of several limits: beyond it some part no longer reads the whole text at once.

    >>> shortest([None, Limit(5_000, "words"), Limit(77, "tokens")])
    Limit(most=77, unit='tokens', beyond=('error',), default='error')
    """
    return min((one for one in limits if one is not None), key=lambda one: one.most, default=None)


def counts_documents(metric: Metric) -> bool:
    """Whether a metric weighs n-grams by the corpus that it scores, as CIDEr does."""
    options = {field.name for field in fields(metric)}
    return "df" in options and getattr(metric, "df", "") == CORPUS


def parse_feature(name: str) -> Feature:
    """The feature of a name.

    >>> parse_feature("sentsim.mean").source.agg
    'mean'
    >>> parse_feature("sentence.joint").sign
    0
    """
    text = name.strip()
    if "/" in text.partition("[")[0]:
        raise InputError(f'feature "{one_line(text)}" is a folder. Name metrics and embeddings instead.')
    named, bracket, options = text.partition("[")
    head, dot, part = named.partition(".")
    if dot and head in PROVIDERS:
        return Feature(text, embedding(text))
    known = find(head)
    if known is None:
        raise UnknownNameError(
            "feature",
            head,
            [*known_metrics(), *(f"{name}.{p}" for name in PROVIDERS for p in PROVIDERS[name].parts)],
        )
    if dot and known.dotted:
        metric = resolve(f"{head}[{known.dotted}={part}{',' + options if bracket else ']'}")
    else:
        metric = resolve(text)
    if getattr(metric, "send", False):  # a folder from a stranger must not send anybody's captions away
        raise InputError(
            f"feature {head}: sends captions to an endpoint, which is not allowed in a learned metric."
        )
    return Feature(text, metric)


def parse_metric(name: str) -> Feature:
    """A feature, or the trained metric in a folder, to compare with."""
    return Feature(name.strip(), resolve(name)) if is_folder(name) else parse_feature(name)


def parse_features(names: Sequence[str]) -> list[Feature]:
    """Features in order, each once."""
    if not names:
        raise InputError("no features. Name some, for example --features cider,rouge_l,sentsim.mean.")
    return [parse_feature(name) for name in dict.fromkeys(name.strip() for name in names)]


def require_features(features: Sequence[Feature], who: str) -> None:
    """Refuse to go on where features are missing on this machine; names every one of them."""
    missing = {feature.name: why for feature in features if (why := feature.missing())}
    if missing:
        listed = "; ".join(f"{name} ({why})" for name, why in missing.items())
        raise NotSetUpError(f"{who} needs features that are not available: {listed}")


def check_corpus(features: Sequence[Feature], corpus: Corpus, who: str) -> None:
    """Refuse a corpus that lacks what features need; names every one of them."""
    lacking = {feature.name: why for feature in features if (why := feature.lacking(corpus))}
    if lacking:
        listed = "; ".join(f"{name} ({why})" for name, why in lacking.items())
        raise InputError(f"{who} needs features that are not available: {listed}.")


def matrix_of(features: Sequence[Feature], batch: Batch, knowledge: Sequence[Any]) -> FloatArray:
    """All features' columns side by side, one row per example."""
    columns = [one.columns(batch, own) for one, own in zip(features, knowledge, strict=True)]
    return np.concatenate(columns, axis=1)


def joint_digest(signatures: Sequence[str]) -> str:
    """Eight digits that change with any of the features' signatures."""
    return hashlib.sha256("\n".join(signatures).encode()).hexdigest()[:8]
