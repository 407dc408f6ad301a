"""`captious_free`: without references, from the objects in the image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.metrics.base import Limit, Need
from captious.metrics.batch import Batch
from captious.metrics.captious_metric.extract import encoder_of, spoken_words
from captious.metrics.captious_metric.meaning import MEANING_FEATURES, joined, meaning_features, read_meanings
from captious.metrics.captious_metric.model import SHIPPED, load_model
from captious.metrics.captious_metric.words import plain_words
from captious.metrics.image_notes import Noted, Noting
from captious.metrics.object_bags import ALL, check_sources, object_counts, require_objects, wanted_sources
from captious.metrics.registry import register
from captious.models import locate
from captious.models.encoders import sentence as encoders
from captious.models.encoders.long_texts import CHUNK, LONG
from captious.models.encoders.sentence import LONGEST_SENTENCE
from captious.models.encoders.wordpiece import unread_shares

_BACKEND = "onnx"
_SENTENCE, _RECALL = MEANING_FEATURES.index("sentence"), MEANING_FEATURES.index("recall_mean")
_SEVERAL = "several"


@register("captious_free")
@dataclass(frozen=True)
class CaptiousFree(Noting):
    """Similarity of a caption to a list of the image's objects, by the encoder of `captious`.

    The labels become one line ("person, several dog, frisbee"); the score is the mean of the cosine of
    both sentence vectors and of how well each of the line's tokens finds a partner in the caption. Below
    0 counts as 0; a caption without a word, or an image without objects, scores 0. A long caption's vector
    is the mean of its windows', and the tokens of all its windows are its tokens.

    >>> CaptiousFree(objects="gold").objects
    'gold'
    """

    summary: ClassVar[str] = "similarity to the objects in the image (tuned MiniLM); no references"
    citation: ClassVar[str] = "captious, docs/metrics/captious.md"
    neural: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = Limit(LONGEST_SENTENCE, "tokens", LONG, CHUNK)
    by_batch: ClassVar[bool] = True  # the encoder rounds a batch to whole numbers together
    needs: ClassVar[frozenset[Need]] = frozenset({"objects"})

    objects: str = ALL
    model: str = SHIPPED
    long: str = CHUNK

    def languages(self) -> tuple[str, ...]:
        """English, which encoder and weights were trained on."""
        return ("en",)

    def unread(self, texts: Sequence[str]) -> FloatArray:
        """What the encoder cannot read of each text."""
        return unread_shares(locate.MINILM, _BACKEND, texts)

    def ready(self) -> None:
        """The encoder's weights and what runs them."""
        encoders.ready(locate.MINILM, _BACKEND)

    def check(self, corpus: Corpus, knowledge: Noted) -> None:
        """Objects, and from the sources that were asked for."""
        require_objects(self.name, corpus)
        check_sources(corpus, wanted_sources(self.objects))

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Score of each example."""
        return self._scored(batch)[0]

    def collect(self, batch: Batch) -> Noted:
        """What was too long."""
        return Noted.of(0, {}, [self._scored(batch)[1]])

    def _scored(self, batch: Batch) -> tuple[FloatArray, IntArray]:
        """Score of each example, and tokens beyond the limit of its caption or its line of objects."""
        return batch.once((self.name, self.objects, self.model, self.long), lambda: self._score(batch))

    def _score(self, batch: Batch) -> tuple[FloatArray, IntArray]:
        require_objects(self.name, batch.corpus)
        model, tokens = load_model(self.model), batch.tokens("ptb")
        captions = [
            spoken_words(batch.texts[row], plain_words(tokens.words(row)))
            for row in batch.candidate_text.tolist()
        ]
        lines = [self._line(batch.corpus, image) for image in batch.corpus.image_of.tolist()]
        texts = list(dict.fromkeys([*captions, *lines]))
        found = read_meanings(encoder_of(model), texts, model.tokens, self.long)
        meant = dict(zip(texts, map(joined, found.windows), strict=True))
        beyond = dict(zip(texts, found.beyond.tolist(), strict=True))
        values = [meaning_features(meant[c], [meant[line]]) for c, line in zip(captions, lines, strict=True)]
        table = np.array(values).reshape(len(values), len(MEANING_FEATURES))
        scores: FloatArray = np.clip((table[:, _SENTENCE] + table[:, _RECALL]) / 2, 0.0, 1.0)
        return scores, np.array([max(beyond[c], beyond[o]) for c, o in zip(captions, lines, strict=True)])

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return encoders.windows_of(LONGEST_SENTENCE)

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """Sources of objects, the model's file, the encoder, long texts."""
        label, _ = encoders.label_of(locate.MINILM, _BACKEND)
        sources = "+".join(wanted_sources(self.objects)) or ALL
        model = f"{self.model}/{load_model(self.model).digest}"
        facts = {"objects": sources, "model": model, "enc": label}
        return facts | (self.long_facts(knowledge) if knowledge.texts else {})

    def _line(self, corpus: Corpus, image: int) -> str:
        labels = corpus.objects[image] if corpus.objects else []
        return object_line(object_counts(labels, wanted_sources(self.objects)))


def object_line(counts: Mapping[str, int]) -> str:
    """Objects as a line of text.

    >>> object_line({"person": 1, "dog": 3})
    'person , several dog'
    """
    return " , ".join(f"{_SEVERAL} {label}" if count > 1 else label for label, count in counts.items())
