"""The features of a batch: every text is read once, by words and by meaning."""

from __future__ import annotations

from functools import lru_cache
from os import getpid

import numpy as np

from captious.corpus.columns import FloatArray, IntArray
from captious.metrics.batch import Batch
from captious.metrics.captious_metric.meaning import Meant, meaning_features, read_meanings
from captious.metrics.captious_metric.model import FEATURES, Model
from captious.metrics.captious_metric.words import Said, word_features
from captious.models import locate
from captious.models.encoders import sentence as encoders
from captious.models.encoders.onnx_sentence import OnnxEncoder
from captious.text.lookup import chunks

_TEXTS_AT_A_TIME = 1 << 12  # whose vectors are held at once


def extract(batch: Batch, model: Model) -> FloatArray:
    """The values of `FEATURES`, one row per example."""
    examples, texts = batch.pairs()
    firsts = np.searchsorted(examples, np.arange(len(batch) + 1))
    # Examples of one image stand together, so that their references are read once.
    order = np.argsort(batch.corpus.references_of, kind="stable")
    sizes = 1 + np.diff(firsts)
    found = np.zeros((len(batch), len(FEATURES)))
    for part in chunks(sizes[order], _TEXTS_AT_A_TIME):
        rows = order[part]
        pairs = [texts[firsts[row] : firsts[row + 1]] for row in rows.tolist()]
        found[rows] = _part(batch, batch.candidate_text[rows], pairs, model)
    return found


def _part(batch: Batch, candidates: IntArray, references: list[IntArray], model: Model) -> FloatArray:
    used = np.unique(np.concatenate([candidates, *references])).tolist()
    said, meant = read_texts(batch, used, model)
    return np.array(
        [
            [
                *word_features(said[own], [said[text] for text in others]),
                *meaning_features(meant[own], [meant[text] for text in others]),
            ]
            for own, others in zip(candidates.tolist(), (r.tolist() for r in references), strict=True)
        ]
    )


def read_texts(
    batch: Batch, used: list[int], model: Model
) -> tuple[dict[int, Said], dict[int, Meant | None]]:
    """Words and meaning of some of the batch's texts, by row."""
    tokens = batch.tokens("ptb")
    words = [tokens.words(row) for row in used]
    said = [model.table.say(own) for own in words]
    # Words alone: neither letter case nor punctuation changes a score.
    meant = read_meanings(encoder_of(model), [" ".join(own) for own in words], model.tokens)
    return dict(zip(used, said, strict=True)), dict(zip(used, meant, strict=True))


def encoder_of(model: Model) -> OnnxEncoder:
    """The tuned encoder, opened once in this process: threads do not survive a fork."""
    return _encoder(model, getpid())


@lru_cache(maxsize=2)
def _encoder(model: Model, process: int) -> OnnxEncoder:
    folder = locate.carried(locate.MINILM)
    return OnnxEncoder(encoders.folder_label(locate.MINILM, folder), folder, model.change, model.ranges)
