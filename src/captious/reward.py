"""`captious.Reward`: a metric as the reward of a training loop, with what references give made ready once.

Self-critical sequence training (Rennie et al. 2017) scores some sampled captions of some images in every
step, always against the same references. What a metric knows of the corpus is gathered once, from all
references; for CIDEr-D also their n-grams, weights and lengths. A call only reads, so that threads may share
a reward.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from captious.arguments import check_arguments
from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.given import Given, rows_of
from captious.corpus.lists import is_list, is_table, listed, require_list, require_texts
from captious.corpus.load import reference_sets
from captious.corpus.readers.memory import are_rows, in_columns
from captious.engine.run import statistics_of
from captious.errors import CaptiousWarning, InputError, one_line
from captious.metrics import Batch, Metric, resolve
from captious.metrics.cider import CiderD
from captious.metrics.languages import refuse_languages
from captious.metrics.prepared_cider import PreparedCider
from captious.text.markup import marked_up


class Reward:
    """Scores captions against fixed references, as a reward in a training loop.

    `references` maps image ids to references: a dict or a Series; a list, whose positions are the ids; a
    `Corpus`; or a file or table as for `load_corpus`. CIDEr's document frequencies are counted over all
    of them, unless the metric names a table (`cider[df=FILE]`). For text that is already tokenised, use
    `cider[tokeniser=space]`. Threads can share a reward.

    >>> reward = Reward("cider", references={7: ["a dog runs"], 8: ["two cats", "cats sleep"]})
    >>> reward([7, 7, 8], ["a dog runs", "a bird", "two cats"]).round(2).tolist()
    [7.5, 1.01, 3.12]
    """

    def __init__(self, metric: str | Metric = "cider", *, references: Given) -> None:
        check_arguments(Reward.__init__, locals())
        self.metric = resolve(metric)
        if not self.metric.needs <= {"references"}:
            needs = ", ".join(sorted(self.metric.needs - {"references"}))
            raise InputError(
                f"{self.metric.name} needs {needs}, and a reward has only captions and references. "
                "Use a metric that needs no more than these, for example cider."
            )
        found, self._spelled = _by_image(references)
        self._places = {image: place for place, image in enumerate(found)}
        self._references = list(found.values())
        self._prepared: PreparedCider | None = None
        self._knowledge: Any = None
        # Of a metric that only notes what was long; None where there is nothing to tell.
        wide = self.metric.corpus_wide or type(self.metric).collect is Metric.collect
        self._told: bool | None = None if wide else False
        self._markup_told = False
        refuse_languages(Corpus.from_lists([text for own in self._references for text in own]), [self.metric])
        if type(self.metric) is CiderD:
            self._prepared = PreparedCider(self.metric, self._references)
        else:
            whole = self._corpus(np.arange(len(self._references)), [texts[0] for texts in self._references])
            if wide:
                self._knowledge = self.metric.merge([self.metric.collect(Batch(whole))])
                self.metric.check(whole, self._knowledge)

    def __repr__(self) -> str:
        return f"Reward({self.metric.name}, references of {len(self._references):,} images)"

    def __call__(self, images: Sequence[Any], captions: Sequence[str]) -> FloatArray:
        """Score each caption against the references of the image at the same position. Images may repeat."""
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
            refuse_languages(Corpus.from_lists(captions), [self.metric])
        if not self._markup_told and (marked := marked_up(captions)):
            self._markup_told = True
            shown = one_line(captions[marked[0]], 40)
            warnings.warn(
                f'captions with markup, such as "{shown}": most metrics read it as words. '
                "captious.text.markup.without_markup takes it out.",
                CaptiousWarning,
                stacklevel=2,
            )
        if self._prepared is not None:
            return self._prepared.scores(rows, captions)
        batch = Batch(self._corpus(rows, captions))
        knowledge = self._knowledge
        if self._told is not None:
            knowledge = self.metric.merge([self.metric.collect(batch)])
            for line in self.metric.notes(batch.corpus, knowledge):
                self._warn(line)
        return self.metric.example_scores(statistics_of(self.metric, batch, knowledge))

    def _warn(self, line: str) -> None:
        """Tell what was cut off, or read in windows; once, not in every step."""
        if not self._told:
            warnings.warn(line, CaptiousWarning, stacklevel=3)
        self._told = True

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

    def _corpus(self, rows: IntArray, captions: Sequence[str]) -> Corpus:
        places = rows.tolist()
        return Corpus.from_lists(
            list(captions), [self._references[place] for place in places], image_ids=[str(p) for p in places]
        )


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
