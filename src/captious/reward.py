"""`captious.Reward`: a metric as the reward of a training loop, with what references give made ready once.

Self-critical sequence training (Rennie et al. 2017) scores some sampled captions of some images in every
step, always against the same references. What a metric knows of the corpus is gathered once, from all
references; for CIDEr-D also their n-grams, weights and lengths. A call only reads, so that threads may share
a reward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from captious.arguments import check_arguments
from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.types import require_texts
from captious.engine.run import statistics_of
from captious.errors import InputError, one_line
from captious.metrics import Batch, Metric, resolve
from captious.metrics.cider import CiderD
from captious.metrics.prepared_cider import PreparedCider


class Reward:
    """The scores of captions against references that stay the same.

    `references` gives the references of each image by its id. CIDEr's document frequencies are counted in
    all of them, unless the metric names a table (`cider[df=FILE]`). Texts that are tokenised already are
    read with `cider[tokeniser=space]`.

    >>> reward = Reward("cider", references={7: ["a dog runs"], 8: ["two cats", "cats sleep"]})
    >>> reward([7, 7, 8], ["a dog runs", "a bird", "two cats"]).round(2).tolist()
    [7.5, 1.01, 3.12]
    """

    def __init__(self, metric: str | Metric = "cider", *, references: Mapping[Any, Sequence[str]]) -> None:
        check_arguments(Reward.__init__, locals())
        self.metric = resolve(metric) if isinstance(metric, str) else metric
        if not self.metric.needs <= {"references"}:
            needs = ", ".join(sorted(self.metric.needs))
            raise InputError(f"{self.metric.name} needs {needs}; a reward has captions and references alone.")
        self._places = {image: place for place, image in enumerate(references)}
        self._references = [list(texts) for texts in references.values()]
        for image, texts in zip(references, self._references, strict=True):
            require_texts(texts, f"references of image {image}")
            if not texts:
                raise InputError(f'image "{one_line(str(image), 40)}" has no references. Give one at least.')
        if not self._references:
            raise InputError("references: there are none. Give {image: [texts]}.")
        self._prepared: PreparedCider | None = None
        self._knowledge: Any = None
        if type(self.metric) is CiderD:
            self._prepared = PreparedCider(self.metric, self._references)
        else:
            whole = self._corpus(np.arange(len(self._references)), [texts[0] for texts in self._references])
            self._knowledge = self.metric.merge([self.metric.collect(Batch(whole))])
            self.metric.check(whole, self._knowledge)

    def __call__(self, images: Sequence[Any], captions: Sequence[str]) -> FloatArray:
        """The score of each caption, for the image of the same place; an image may come several times."""
        if len(images) != len(captions):
            raise InputError(f"{len(images)} images and {len(captions)} captions; give one of each.")
        require_texts(captions, "captions")
        try:
            rows = np.array([self._places[image] for image in images], dtype=np.int64)
        except (KeyError, TypeError):
            unknown = next(image for image in images if image not in self._places)
            raise InputError(f'image "{one_line(str(unknown), 40)}" has no references here.') from None
        if not len(rows):
            return np.zeros(0)
        if self._prepared is not None:
            return self._prepared.scores(rows, captions)
        batch = Batch(self._corpus(rows, captions))
        return self.metric.example_scores(statistics_of(self.metric, batch, self._knowledge))

    def _corpus(self, rows: IntArray, captions: Sequence[str]) -> Corpus:
        places = rows.tolist()
        return Corpus.from_lists(
            list(captions), [self._references[place] for place in places], image_ids=[str(p) for p in places]
        )
