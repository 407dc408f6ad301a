"""CIDEr-D against references that stay the same: their n-grams, weights and lengths are made once.

Reference n-grams are kept as one sorted column of (image, n-gram) numbers. A call counts the n-grams of its
captions, finds each in that column, and sums what matches: work that grows with the captions alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from captious.corpus.columns import FloatArray, IntArray
from captious.metrics.cider import SCALE, CiderD, ngram_norms, pair_count_lengths
from captious.metrics.document_frequency import CORPUS, DocumentFrequencies, count_documents
from captious.text.lookup import ABSENT, Lookup, ranges
from captious.text.ngrams import MAX_ORDER, NgramIndex, count_ngrams, moved_keys
from captious.text.tokens import token_table


class _Finder:
    """The numbers that an index gives to the n-grams of others, with its tables made once."""

    def __init__(self, index: NgramIndex) -> None:
        self.size, self.starts = len(index.vocabulary), index.starts.tolist()
        self._words = {word: number for number, word in enumerate(index.vocabulary)}
        self._lookups = [Lookup(keys) for keys in index.keys]

    def find(self, other: NgramIndex) -> IntArray:
        """For each n-gram of `other` its number here; -1 where there is none."""
        tokens = np.array([self._words.get(word, ABSENT) for word in other.vocabulary], dtype=np.int64)
        found, local = [tokens], tokens
        for order, keys in enumerate(other.keys):
            if order >= len(self._lookups):
                found.append(np.full(len(keys), ABSENT))
                continue
            moved = moved_keys(keys, len(other.vocabulary), local, tokens, self.size)
            local = self._lookups[order].find(moved).astype(np.int64)
            found.append(np.where(local >= 0, local + self.starts[order + 1], ABSENT))
        return np.concatenate(found)


class PreparedCider:
    """CIDEr-D of captions against the references of images, which are numbered from 0.

    >>> ready = PreparedCider(CiderD(tokeniser="space"), [["a dog runs"], ["two red cats"]])
    >>> ready.scores(np.array([0, 1]), ["a dog runs", "two cats"]).round(3).tolist()
    [7.5, 2.013]
    """

    def __init__(self, metric: CiderD, references: Sequence[Sequence[str]]) -> None:
        self.metric = metric
        sizes = np.array([len(texts) for texts in references], dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(sizes)])
        texts = [text for own in references for text in own]
        table = count_ngrams(token_table(texts, metric.columns))
        if metric.df == CORPUS:
            counts = count_documents(table, np.arange(len(table)), self.starts)
            own = DocumentFrequencies(table.index, counts, len(references), metric.columns)
            self.frequencies = own
        else:
            self.frequencies = metric.merge([None])
        metric.check_documents(self.frequencies)
        self.norms = ngram_norms(table, self.frequencies.inverse(table.index))
        self.lengths = pair_count_lengths(table.lengths)
        self._grams = len(table.index)
        self._finder = _Finder(table.index)
        same = self.frequencies.index is table.index
        self._weights = self._finder if same else _Finder(self.frequencies.index)
        image_of = np.repeat(np.arange(len(references)), sizes)
        keys = np.repeat(image_of, table.sizes) * self._grams + table.grams
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._text = np.repeat(np.arange(len(table)), table.sizes)[order].astype(np.int32)
        self._count = table.counts[order]

    def scores(self, images: IntArray, captions: Sequence[str]) -> FloatArray:
        """CIDEr-D of each caption."""
        own = count_ngrams(token_table(list(captions), self.metric.columns))
        idf = self._inverse(own.index)
        entries_text = np.repeat(np.arange(len(own)), own.sizes)
        known = self._finder.find(own.index)[own.grams]
        wanted = np.where(known >= 0, images[entries_text] * self._grams + known, ABSENT)
        first = np.searchsorted(self._keys, wanted, side="left")
        sizes = np.searchsorted(self._keys, wanted, side="right") - first
        match = ranges(first, sizes)
        ours = np.repeat(np.arange(len(own.grams)), sizes)
        theirs = self._text[match]
        counts = self.starts[images + 1] - self.starts[images]
        pairs_before = np.cumsum(counts) - counts
        captions_of = entries_text[ours]
        pair = pairs_before[captions_of] + theirs - self.starts[images[captions_of]]
        grams = own.grams[ours]
        common = np.minimum(own.counts[ours], self._count[match]).astype(np.float64) * self._count[match]
        cells = pair * MAX_ORDER + own.index.orders_of(grams)
        total = int(counts.sum())
        weights = common * idf[grams] ** 2
        dots = np.bincount(cells, weights, minlength=total * MAX_ORDER).astype(np.float64)
        caption = np.repeat(np.arange(len(own)), counts)
        reference = ranges(self.starts[images], counts)
        cosines = self._cosines(
            dots.reshape(total, MAX_ORDER), ngram_norms(own, idf)[caption] * self.norms[reference]
        )
        difference = (pair_count_lengths(own.lengths)[caption] - self.lengths[reference]).astype(np.float64)
        penalty = np.exp(-(difference**2) / (2 * self.metric.sigma**2))
        sums = np.bincount(caption, cosines * penalty, minlength=len(own))
        return np.asarray(SCALE * sums / counts)

    def _cosines(self, dots: FloatArray, scale: FloatArray) -> FloatArray:
        found = np.zeros_like(dots)
        np.divide(dots, scale, out=found, where=scale > 0)
        return np.asarray(found[:, : self.metric.n].mean(axis=1))

    def _inverse(self, index: NgramIndex) -> FloatArray:
        """log(N / documents) of each n-gram of some captions."""
        places = self._weights.find(index)
        counts = np.append(self.frequencies.counts, np.int32(0))[places]
        return np.asarray(np.log(float(self.frequencies.documents)) - np.log(np.maximum(counts, 1)))
