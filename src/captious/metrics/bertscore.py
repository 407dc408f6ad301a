"""BERTScore (Zhang et al. 2020): tokens matched by the cosine of their contextual vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.findings import Place
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Limit, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.bertscore_baseline import NO_BASELINE, Baseline, read_baseline
from captious.metrics.bertscore_tokens import Tokens, match_pairs, tokens_of, words_of
from captious.metrics.image_notes import Noted, OfTexts
from captious.metrics.marked_words import WORD
from captious.metrics.registry import register
from captious.models.encoders import sentence as encoders
from captious.models.encoders.long_texts import LONG, TRUNCATE
from captious.models.encoders.wordpiece import is_english, unread_shares
from captious.models.locate import MINILM
from captious.stats.resample import DEFAULT_SEED
from captious.text.languages import ANY
from captious.text.lookup import chunks, numbered

# The mean best cosine of a word's tokens below which no reference has the like of it: of 3,829 words of
# captions of M2 it holds for 5% of those that a reference has, and for 78% of the others.
UNLIKE = 0.6
PARTS = ("precision", "recall", "f1")
# The layer that the default encoder is read at; see docs/metrics/bertscore.md. For the encoders of
# their paper Zhang et al. name layers of their own choice: 17 for roberta-large, 9 for bert-base.
DEFAULT_LAYERS = {MINILM: 6, "roberta-large": 17, "bert-base-uncased": 9, "bert-large-uncased": 18}
_TOKENS_AT_A_TIME = 1 << 18  # whose vectors are held at once: 400 MB with 384 dimensions


class Frequencies(NamedTuple):
    """In how many references each token occurs, and how many references there are."""

    documents: int
    counts: dict[int, int]

    def weights(self, ids: IntArray) -> FloatArray:
        """Inverse document frequency of tokens, with add-one smoothing: log((N + 1) / (d + 1))."""
        distinct, places = numbered(ids)
        counts = np.array([self.counts.get(number, 0) for number in distinct.tolist()])
        weights: FloatArray = np.log((self.documents + 1) / (counts + 1))[places]
        return weights


class Known(NamedTuple):
    """What BERTScore knows of a corpus: frequencies of tokens, where it weighs by them, and long texts."""

    frequencies: Frequencies | None
    noted: Noted


@register("bertscore")
@dataclass(frozen=True)
class BertScore(OfTexts):
    """BERTScore of each caption with the best of its references.

    With x_i the vectors of a reference's tokens, y_j those of the candidate's, all of length 1, and
    w the weight of a token (1, or its inverse document frequency with `idf=yes`):
    R = sum_i w_i max_j x_i . y_j / sum_i w_i, P = sum_j w_j max_i x_i . y_j / sum_j w_j, and
    F1 = 2 P R / (P + R). Special tokens weigh 0 but may be matched. Of several references the
    highest value counts. A baseline b turns a value v into (v - b) / (1 - b).

    A text beyond the encoder's limit is cut off, as bert-score does; with `long=chunk` its tokens are those
    of all windows, the first one's begin token and the last one's end token.

    >>> BertScore(part="recall", idf=True).layer
    0
    """

    title: ClassVar[str] = "BERTScore"
    summary: ClassVar[str] = "F1 of tokens matched by the cosine of contextual vectors (MiniLM)"
    citation: ClassVar[str] = "Zhang et al. 2020"
    neural: ClassVar[bool] = True
    longest: ClassVar[Limit | None] = Limit(512, "tokens", LONG, TRUNCATE)
    dotted: ClassVar[str] = "part"

    part: str = "f1"
    idf: bool = False
    baseline: str = NO_BASELINE
    layer: int = 0
    encoder: str = MINILM
    backend: str = "auto"
    long: str = TRUNCATE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.part not in PARTS:
            raise UnknownNameError(f"part of {self.name}", self.part, PARTS)
        if self.layer < 0:
            raise InputError(f"{self.name}: layer is {self.layer}; layers count from 1.")
        encoders.check_backend(self.backend)

    def languages(self) -> tuple[str, ...]:
        """English for encoders with an English vocabulary, any for others."""
        return ("en",) if is_english(self.encoder) else (ANY,)

    def unread(self, texts: Sequence[str]) -> FloatArray:
        """What the encoder cannot read of each text."""
        return unread_shares(self.encoder, self.backend, texts)

    def way_out(self, code: str) -> str:
        """An encoder of many languages."""
        return "NAME[encoder=FOLDER], with a multilingual encoder"

    def weights(self) -> tuple[str, ...]:
        """The encoder's weights."""
        return (self.encoder,)

    def ready(self) -> None:
        """The encoder's weights and what runs them."""
        encoders.ready(self.encoder, self.backend)

    @property
    def corpus_wide(self) -> bool:
        """Whether tokens are weighted by how rare they are in the references."""
        return self.idf

    @property
    def counts_documents(self) -> bool:
        """Every image's references count once."""
        return True

    def collect(self, batch: Batch) -> Known:  # type: ignore[override]
        """In how many references each token occurs, and which texts are too long."""
        return Known(self._frequencies(batch) if self.idf else None, super().collect(batch))

    def _frequencies(self, batch: Batch) -> Frequencies:
        """Every image's references count once."""
        references = batch.corpus.references
        used = batch.used_reference_sets
        texts = [
            batch.reference_text[references.offsets[i] : references.offsets[i + 1]]
            for i in used[used >= 0].tolist()
        ]
        ids = self._tokens(batch).ids
        counts: Counter[int] = Counter()
        for text in (text for own in texts for text in own.tolist()):
            counts.update(set(ids[text]))
        return Frequencies(sum(map(len, texts)), dict(counts))

    def merge(self, parts: Sequence[Known]) -> Known:  # type: ignore[override]
        """What all batches give together."""
        noted = super().merge([part.noted for part in parts])
        found = [part.frequencies for part in parts if part.frequencies is not None]
        if not found:
            return Known(None, noted)
        counts: Counter[int] = Counter()
        for part in found:
            counts.update(part.counts)
        return Known(Frequencies(sum(part.documents for part in found), dict(counts)), noted)

    def notes(self, corpus: Corpus, knowledge: Known) -> list[str]:  # type: ignore[override]
        """Long texts."""
        return super().notes(corpus, knowledge.noted)

    def beyond(self, batch: Batch) -> IntArray:
        """Tokens of each text beyond the limit."""
        return self._tokens(batch).cut.beyond

    def windows(self) -> str:
        """The label of the windows that a long text is read in."""
        return encoders.windows_of(encoders.load_encoder(self.encoder, self.backend).longest)

    def score_examples(self, batch: Batch, knowledge: Known | None) -> FloatArray:
        """The asked part of every example, of the best reference, rescaled if so asked."""
        values = self.all_parts(batch, knowledge)[:, PARTS.index(self.part)]
        return self._baseline().rescale(values, PARTS.index(self.part))

    def all_parts(self, batch: Batch, knowledge: Known | None) -> FloatArray:
        """Precision, recall and F1 of every example, each of its own best reference."""
        key = ("bertscore", self.encoder, self.backend, self._layer(), self.idf, self.long)
        frequencies = knowledge.frequencies if knowledge is not None else None
        return batch.once(key, lambda: self._all_parts(batch, frequencies))

    def findings(self, batch: Batch, knowledge: Known) -> list[list[Place] | None]:
        """The caption's words that no token of a reference is like, by their best cosine.

        None for a caption whose words are not cut into tokens one by one, and for one that is too long.
        """
        encoder = encoders.load_encoder(self.encoder, self.backend)
        tokens, corpus = self._tokens(batch), batch.corpus
        starts = corpus.references.offsets[corpus.references_of]
        found: list[list[Place] | None] = []
        for row, text in enumerate(batch.candidate_text.tolist()):
            words = words_of(corpus.captions[row], encoder)
            own = range(starts[row], starts[row] + corpus.reference_counts[row])
            used = np.append(text, batch.reference_text[own.start : own.stop]).astype(np.int64)
            states, offsets = self._states(encoder, tokens, used)
            states = states / np.linalg.norm(states, axis=1, keepdims=True)
            best = (states[: offsets[1]] @ states[offsets[1] :].T).max(axis=1)
            best = best[encoder.ends[0] : len(best) - encoder.ends[1]]
            if not words or sum(count for _, count in words) != len(best):
                found.append(None if words else [])
                continue
            means = [float(part.mean()) for part in np.split(best, np.cumsum([n for _, n in words])[:-1])]
            found.append(
                [
                    Place(*span, WORD, confidence=min(max(1.0 - mean, 0.0), 1.0))
                    for (span, _), mean in zip(words, means, strict=True)
                    if span is not None and mean < UNLIKE
                ]
            )
        return found

    def facts(self, corpus: Corpus, knowledge: Known) -> dict[str, str]:
        """Everything that changes the number; the layer as it was chosen."""
        label, backend = encoders.label_of(self.encoder, self.backend)
        facts = {"refs": reference_count_label(corpus), "part": self.part, "enc": label}
        facts["layer"] = str(self._layer())
        weighed = knowledge.frequencies
        facts["idf"] = f"refs:{weighed.documents}" if weighed is not None else "no"
        facts["baseline"] = self._baseline().label
        return facts | self.long_facts(knowledge.noted) | {"backend": backend}

    def _layer(self) -> int:
        if not self.layer and self.encoder in DEFAULT_LAYERS:
            return DEFAULT_LAYERS[self.encoder]
        layers = encoders.load_encoder(self.encoder, self.backend).layers
        if self.layer > layers:
            raise InputError(f"{self.name}: layer is {self.layer}; {self.encoder} has layers 1 to {layers}.")
        return self.layer or layers

    def _baseline(self) -> Baseline:
        return read_baseline(self.baseline, self._layer())

    def _tokens(self, batch: Batch) -> Tokens:
        def make() -> Tokens:
            encoder = encoders.load_encoder(self.encoder, self.backend)
            cut = encoders.text_windows(encoder, batch.texts, encoder.longest, self.long)
            return tokens_of(cut, encoder.ends)

        return batch.once(("token windows", self.encoder, self.backend, self.long), make)

    def _all_parts(self, batch: Batch, knowledge: Frequencies | None) -> FloatArray:
        tokens = self._tokens(batch)
        examples, texts = batch.pairs()
        lengths = np.array([len(row) for row in tokens.ids], dtype=np.int64)
        # Examples of one image stand together, so that their references are encoded once.
        order = np.argsort(batch.corpus.references_of, kind="stable")
        sizes = np.bincount(examples, lengths[texts], minlength=len(batch)).astype(np.int64)
        sizes += lengths[batch.candidate_text]
        firsts = np.searchsorted(examples, np.arange(len(batch) + 1))
        best = np.zeros((len(batch), len(PARTS)))
        for part in chunks(sizes[order], _TOKENS_AT_A_TIME):
            pairs = np.concatenate([np.arange(firsts[i], firsts[i + 1]) for i in order[part]])
            candidates = batch.candidate_text[examples[pairs]]
            values = self._match(tokens, candidates, texts[pairs], knowledge)
            np.maximum.at(best, examples[pairs], values)
        return best

    def _match(
        self, tokens: Tokens, candidates: IntArray, references: IntArray, knowledge: Frequencies | None
    ) -> FloatArray:
        """Precision, recall and F1 of each pair of texts."""
        used, places = numbered(np.concatenate([candidates, references]))
        own = [tokens.ids[text] for text in used.tolist()]
        encoder = encoders.load_encoder(self.encoder, self.backend)
        states, offsets = self._states(encoder, tokens, used)
        states /= np.linalg.norm(states, axis=1, keepdims=True)
        flat = np.array([number for row in own for number in row], dtype=np.int64)
        weights = np.ones(len(flat)) if knowledge is None else knowledge.weights(flat)
        weights[np.isin(flat, list(encoder.special))] = 0.0
        ours, theirs = np.split(places.astype(np.int64), [len(candidates)])
        precision, recall = np.zeros(len(ours)), np.zeros(len(ours))
        words = encoders.has_words(encoder, own)
        both = words[ours] & words[theirs]  # else there is nothing to match; bert-score gives 0 too
        precision[both], recall[both] = match_pairs(states, offsets, weights, ours[both], theirs[both])
        total = precision + recall
        f1 = np.zeros_like(total)
        np.divide(2 * precision * recall, total, out=f1, where=total > 0)
        return np.stack([precision, recall, f1], axis=1)

    def _states(
        self, encoder: encoders.Encoder, tokens: Tokens, used: IntArray
    ) -> tuple[NDArray[np.float32], IntArray]:
        """States of the tokens of some texts in one column, and where each text begins in it."""
        offsets = tokens.cut.offsets
        rows = [row for text in used.tolist() for row in range(offsets[text], offsets[text + 1])]
        states, starts = encoders.token_states(encoder, [tokens.cut.rows[row] for row in rows], self._layer())
        if len(rows) == len(used):
            return states, starts
        places = [
            np.arange(start + tokens.kept[row].start, start + tokens.kept[row].stop)
            for row, start in zip(rows, starts.tolist(), strict=False)
        ]
        lengths = [len(tokens.ids[text]) for text in used.tolist()]
        return states[np.concatenate(places)], np.append(0, np.cumsum(lengths))


def measure_baseline(
    texts: Sequence[str], metric: BertScore | None = None, seed: int = DEFAULT_SEED
) -> tuple[float, float, float]:
    """Mean precision, recall and F1 of random pairs of different texts.

    Zhang et al. took a million pairs of sentences from Common Crawl; a few thousand captions of
    different images serve as well for captions. `write_baseline` saves the result.
    """
    distinct = list(dict.fromkeys(texts))
    if len(distinct) < 2:
        raise InputError("a baseline needs at least two different texts.")
    order = np.random.default_rng(seed).permutation(len(distinct)).tolist()
    # Each text meets its neighbour in a random circle, so that none meets itself.
    corpus = Corpus.from_lists([distinct[i] for i in order], [[distinct[i]] for i in order[1:] + order[:1]])
    metric = metric or BertScore()
    batch = Batch(corpus)
    means = metric.all_parts(batch, metric.merge([metric.collect(batch)])).mean(axis=0)
    precision, recall, f1 = means.tolist()
    return precision, recall, f1
