"""`captious`: our learned metric for captions with references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.findings import Place
from captious.metrics.base import Limit, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.captious_metric.extract import Compared, extract
from captious.metrics.captious_metric.model import NOTHING, SHIPPED, load_model
from captious.metrics.captious_metric.words import faults, plain_words
from captious.metrics.image_notes import Noted, OfTexts
from captious.metrics.marked_words import marked_words
from captious.metrics.registry import register
from captious.models import locate
from captious.models.encoders import sentence as encoders
from captious.models.encoders.long_texts import CHUNK, LONG
from captious.models.encoders.sentence import LONGEST_SENTENCE
from captious.models.encoders.wordpiece import unread_shares

_BACKEND = "onnx"
RULES = "2"  # what changes scores beside the model: since 2, markup is not read and copies score 1


@register("captious")
@dataclass(frozen=True)
class CaptiousMetric(OfTexts):
    """A ranking model over what a caption means and what it says word for word.

    An encoder (all-MiniLM-L6-v2 with a learned change of low rank, in integers) gives similarities
    of sentences and alignments of tokens; counts of words and pairs of words, contradictions and the
    agreement of the references join them. A score is 1 / (1 + exp(-(b + w . x))); the signs of the
    weights are fixed, so an error never raises it and a similarity never lowers it. A caption with the words
    of a reference scores 1, one without a word 0. See docs/metrics/captious.md.

    Where a caption or a reference is read in windows (`long=chunk`), its score is the lower of two means,
    each by tokens: over the caption's windows, each scored against the nearest window of every reference,
    and over the references' windows, each with the nearest of the caption.

    >>> CaptiousMetric(held_out="thumb").model
    'shipped'
    """

    summary: ClassVar[str] = "learned: sentence, token and word similarity to the references (MiniLM)"
    citation: ClassVar[str] = "captious, docs/metrics/captious.md"
    neural: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = Limit(LONGEST_SENTENCE, "tokens", LONG, CHUNK)
    by_batch: ClassVar[bool] = True  # the encoder rounds a batch to whole numbers together

    model: str = SHIPPED
    held_out: str = NOTHING
    long: str = CHUNK

    def __post_init__(self) -> None:
        super().__post_init__()
        load_model(self.model).head(self.held_out)

    def languages(self) -> tuple[str, ...]:
        """English, which encoder and weights were trained on."""
        return ("en",)

    def unread(self, texts: Sequence[str]) -> FloatArray:
        """What the encoder cannot read of each text."""
        return unread_shares(locate.MINILM, _BACKEND, texts)

    def ready(self) -> None:
        """The encoder's weights and what runs them."""
        encoders.ready(locate.MINILM, _BACKEND)

    def seen_images(self) -> frozenset[str]:
        """The images that `captious train captious` fitted this model to; a shipped one names none."""
        return load_model(self.model).images

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Score of each example."""
        head = load_model(self.model).head(self.held_out)
        return self.compared(batch).scores(head)

    def findings(self, batch: Batch, knowledge: Any) -> list[list[Place]]:
        """The caption's words that no reference supports, by rarity, and those that references contradict."""
        say = load_model(self.model).table.say
        tokens, corpus = batch.tokens("ptb"), batch.corpus
        starts = corpus.references.offsets[corpus.references_of]
        found = []
        for row, text in enumerate(batch.candidate_text.tolist()):
            own = range(starts[row], starts[row] + corpus.reference_counts[row])
            theirs = [say(plain_words(tokens.words(batch.reference_text[one]))) for one in own]
            said = say(plain_words(tokens.words(text)))
            found.append(marked_words(corpus.captions[row], "ptb", faults(said, theirs)))
        return found

    def compared(self, batch: Batch) -> Compared:
        """The features of every example, made once for a batch."""
        key = ("captious features", self.model, self.long)
        return batch.once(key, lambda: extract(batch, load_model(self.model), self.long))

    def beyond(self, batch: Batch) -> IntArray:
        """Tokens of each text beyond the limit."""
        return self.compared(batch).beyond

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return encoders.windows_of(LONGEST_SENTENCE)

    def facts(self, corpus: Corpus, knowledge: Noted) -> dict[str, str]:
        """References, the model's file, what it was fitted without, the encoder, long texts."""
        label, _ = encoders.label_of(locate.MINILM, _BACKEND)
        model = f"{self.model}/{load_model(self.model).digest}"
        facts = {"refs": reference_count_label(corpus), "model": model, "held_out": self.held_out}
        facts["rules"] = RULES
        return facts | {"enc": label} | self.long_facts(knowledge)
