"""`captious.Reward`: a metric as the reward of a training loop, with what references give made ready once.

Self-critical sequence training (Rennie et al. 2017) scores some sampled captions of some images in every
step, always against the same references. What a metric knows of the corpus is gathered once, from all
references; for CIDEr-D also their n-grams, weights and lengths. A call only reads, so that threads may share
a reward.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from captious.arguments import check_arguments
from captious.corpus import Corpus
from captious.corpus.columns import (
    FloatArray,
    IntArray,
    is_list,
    is_table,
    listed,
    require_list,
    require_texts,
)
from captious.corpus.given import Given, rows_of
from captious.corpus.images import find_images
from captious.corpus.load import reference_sets
from captious.corpus.readers.memory import are_rows, in_columns
from captious.engine.run import statistics_of
from captious.errors import CaptiousWarning, InputError, one_line
from captious.metrics import Batch, Metric
from captious.metrics.base import most_words, refuse_too_long
from captious.metrics.cider import CiderD
from captious.metrics.languages import refuse_languages, warn_of_texts
from captious.metrics.prepared_cider import PreparedCider
from captious.metrics.weighted import Weighted, parts_of
from captious.text.markup import marked_up


class Reward:
    """Scores captions against fixed references, as a reward in a training loop.

    `metric` is one, several whose scores are summed, or `{metric: weight}`. `references` maps image ids to
    references: a dict or a Series; a list, whose positions are the ids; a `Corpus`; or a file or table as for
    `load_corpus`. `images` is the folder of the images or maps ids to files, for metrics that look at them;
    given a mapping, `references` may be left out. CIDEr's document frequencies are counted over all
    references, unless the metric names a table (`cider[df=FILE]`). For text that is already tokenised, use
    `cider[tokeniser=space]`. Threads can share a reward.

    >>> reward = Reward("cider", references={7: ["a dog runs"], 8: ["two cats", "cats sleep"]})
    >>> reward([7, 7, 8], ["a dog runs", "a bird", "two cats"]).round(2).tolist()
    [7.5, 1.01, 3.12]
    >>> both = Reward({"cider": 1, "rouge_l": 0.5}, references={7: ["a dog runs"], 8: ["two cats"]})
    >>> both([7], ["a dog runs"]).round(2).tolist()
    [8.0]
    """

    def __init__(
        self,
        metric: Weighted = "cider",
        *,
        references: Given | None = None,
        images: str | PathLike[str] | Mapping[Any, Any] | None = None,
    ) -> None:
        check_arguments(Reward.__init__, locals())
        given = ["references"] * (references is not None) + ["image"] * (images is not None)
        self.parts = parts_of(metric, given)
        found: dict[Any, list[str]] = {}
        self._spelled = False
        if references is not None:
            found, self._spelled = _by_image(references)
        elif not isinstance(images, Mapping):
            raise InputError("a reward needs references={image: [texts]}, or images={image: file}.")
        known = found if references is not None else images
        self._places = {image: place for place, image in enumerate(known)}  # type: ignore[arg-type]
        self._references = list(found.values())
        self._paths = _paths(list(self._places), images)
        self._metrics = [part.metric for part in self.parts.values()]
        self._limited = [metric for metric in self._metrics if most_words(metric) is not None]
        if self._references:
            unseen = Corpus.from_lists([""] * len(self._references), self._references)
            refuse_languages(unseen, self._metrics)
            refuse_too_long(unseen, self._limited)
            warn_of_texts(self._metrics, unseen)
        self._scorers = [(_Scorer(part.metric, self), part.weight) for part in self.parts.values()]
        self._markup_told = False

    def __repr__(self) -> str:
        return f"Reward({' + '.join(self.parts)}, references of {len(self._references):,} images)"

    def __call__(self, images: Sequence[Any], captions: Sequence[str]) -> FloatArray:
        """Score each caption for the image at the same position. Images may repeat."""
        images, captions = listed(images), listed(captions)
        require_texts(captions, "captions")
        require_list(images, "images")
        if len(images) != len(captions):
            raise InputError(f"{len(images)} images and {len(captions)} captions; give one of each.")
        try:
            images = [str(image) for image in images] if self._spelled else images
            rows = np.array([self._places[image] for image in images], dtype=np.int64)
        except (KeyError, TypeError):
            raise self._unknown(images) from None
        if not len(rows):
            return np.zeros(0)
        if not all(map(str.isascii, captions)):
            refuse_languages(Corpus.from_lists(captions), self._metrics)
        if self._limited:
            refuse_too_long(Corpus.from_lists(captions), self._limited)
        if not self._markup_told and (marked := marked_up(captions)):
            self._markup_told = True
            shown = one_line(captions[marked[0]], 40)
            warnings.warn(
                f'captions with markup, such as "{shown}": most metrics read it as words. '
                "captious.text.markup.without_markup takes it out.",
                CaptiousWarning,
                stacklevel=2,
            )
        total = np.zeros(len(rows))
        for scorer, weight in self._scorers:
            total += weight * scorer.scores(rows, captions)
        return total

    def _unknown(self, images: Sequence[Any]) -> InputError:
        """The first image that has no references, and whether only its kind is another."""
        for image in images:
            try:
                if image in self._places:
                    continue
            except TypeError:
                return InputError(
                    f"images: a {type(image).__name__} is not an image id. Give ids of the references."
                )
            known = next(iter(self._places))
            other = type(known) is not type(image) and str(image) in map(str, self._places)
            kinds = (
                f" Ids there are of type {type(known).__name__}, not {type(image).__name__}." if other else ""
            )
            return InputError(f'image "{one_line(str(image), 40)}" has no references here.{kinds}')
        raise AssertionError("every image is known")

    def corpus(self, rows: IntArray, captions: Sequence[str]) -> Corpus:
        """Captions of the images at `rows`, with what is known of them."""
        places = rows.tolist()
        ids = [str(place) for place in places]
        paths = {
            str(place): self._paths[place] for place in set(places) if self._paths and self._paths[place]
        }
        own = [self._references[place] for place in places] if self._references else None
        return Corpus.from_lists(list(captions), own, image_ids=ids, image_paths=paths or None)

    def first_captions(self) -> list[str]:
        """A caption for each image, where only the references count."""
        return [texts[0] for texts in self._references] or ["" for _ in self._places]

    @property
    def references(self) -> list[list[str]]:
        """The references of each image."""
        return self._references


class _Scorer:
    """One metric, with what references give made ready."""

    def __init__(self, metric: Metric, reward: Reward) -> None:
        self.metric, self.reward = metric, reward
        self._prepared: PreparedCider | None = None
        self._knowledge: Any = None
        # Of a metric that only notes what was long; None where there is nothing to tell.
        wide = metric.corpus_wide or type(metric).collect is Metric.collect
        self._told: bool | None = None if wide else False
        if type(metric) is CiderD:
            self._prepared = PreparedCider(metric, reward.references)
        elif wide:
            captions = reward.first_captions()
            whole = reward.corpus(np.arange(len(captions)), captions)
            self._knowledge = metric.merge([metric.collect(Batch(whole))])
            metric.check(whole, self._knowledge)

    def scores(self, rows: IntArray, captions: Sequence[str]) -> FloatArray:
        """The metric's score of each caption."""
        if self._prepared is not None:
            return self._prepared.scores(rows, captions)
        batch = Batch(self.reward.corpus(rows, captions))
        knowledge = self._knowledge
        if self._told is not None:
            knowledge = self.metric.merge([self.metric.collect(batch)])
            for line in self.metric.notes(batch.corpus, knowledge):
                self._warn(line)
        return self.metric.example_scores(statistics_of(self.metric, batch, knowledge))

    def _warn(self, line: str) -> None:
        """Tell what was cut off, or read in windows; once, not in every step."""
        if not self._told:
            warnings.warn(line, CaptiousWarning, stacklevel=4)
        self._told = True


def _paths(ids: Sequence[Any], images: Any) -> list[str | None]:
    """The file of each image, in a folder or as a mapping names it."""
    if images is None:
        return []
    if isinstance(images, Mapping):
        found = [str(images[image]) if image in images else None for image in ids]
    else:
        found = find_images(images, [str(image) for image in ids])
    if ids and not any(found):
        raise InputError(f'images: none of the {len(ids):,} images is there; the first is "{ids[0]}".')
    return found


def _by_image(references: Given) -> tuple[dict[Any, list[str]], bool]:
    """References by image, and whether their ids are texts because a file or a table spells them."""
    if isinstance(references, Corpus):
        return {one.image_id: one.references for one in references}, True
    if hasattr(references, "to_dict") and not is_table(references):
        references = references.to_dict()  # a Series
    given = listed(references)
    if is_list(given) and not are_rows(given):
        given = dict(enumerate(given))
    if not isinstance(given, Mapping) or in_columns(given):
        sets = reference_sets(rows_of(given, "references"))
        return {image: sets.sets[place] for image, place in sets.ids.items()}, True
    if not given:
        raise InputError("references: there are none. Give {image: [texts]}.")
    found = {}
    for image, own in given.items():
        texts = listed(own)
        require_texts(texts, f"references of image {one_line(str(image), 40)}")
        if not len(texts):
            raise InputError(f'image "{one_line(str(image), 40)}" has no references. Give at least one.')
        found[image] = list(texts)
    return found, False
