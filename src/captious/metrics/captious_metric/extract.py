"""The features of a batch: every text is read once, by words and by meaning.

A caption that is read in one piece, as its references are, has one row of features. Where there are
windows, each of the caption's is compared with the nearest window of each reference, and each of a
reference's with the nearest of the caption and of the other references: a row each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from os import getpid
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray, IntArray
from captious.metrics.batch import Batch
from captious.metrics.captious_metric.meaning import Meant, meaning_features, read_meanings
from captious.metrics.captious_metric.model import FEATURES, Head, Model
from captious.metrics.captious_metric.words import Said, plain_words, word_features
from captious.models import locate
from captious.models.encoders import sentence as encoders
from captious.models.encoders.long_texts import CHUNK, sentences
from captious.models.encoders.torch_sentence import OnnxEncoder
from captious.text.lookup import chunks
from captious.text.tokens import token_table

_TEXTS_AT_A_TIME = 1 << 12  # whose vectors are held at once


class Window(NamedTuple):
    """A text, or a part of a long one: its words and its meaning, None where it has no word."""

    said: Said
    meant: Meant | None

    @property
    def size(self) -> int:
        """How many tokens it has."""
        return len(self.meant.tokens) if self.meant is not None else 0


class Compared(NamedTuple):
    """Values of `FEATURES`, row by row: the example, the row's share, whether a reference's window leads.

    `words` says of each example whether its caption has none (-1), those of a reference (1) or others (0).
    `beyond` counts for each of the batch's texts the tokens beyond the limit.
    """

    features: FloatArray
    example: IntArray
    share: FloatArray
    recalled: NDArray[np.bool_]
    words: IntArray
    beyond: IntArray

    def scores(self, head: Head) -> FloatArray:
        """Of each example 1 where its caption is a reference, 0 where it has no words, else its mean."""
        return np.where(self.words == 0, self._means(head, len(self.words)), self.words == 1)

    def _means(self, head: Head, examples: int) -> FloatArray:
        """Of each example the lower of two means: over the caption's windows, over the references'."""
        values = head.scores(self.features)
        if len(values) == examples:
            return values
        sides = [
            np.bincount(self.example[rows], (values * self.share)[rows], minlength=examples)
            for rows in (~self.recalled, self.recalled)
        ]
        several = np.bincount(self.example, minlength=examples) > 1
        found: FloatArray = np.where(several, np.minimum(*sides), sides[0])
        return found


def extract(batch: Batch, model: Model, long: str = CHUNK) -> Compared:
    """The rows of all examples, in their order."""
    examples, texts = batch.pairs()
    firsts = np.searchsorted(examples, np.arange(len(batch) + 1))
    # Examples of one image stand together, so that their references are read once.
    order = np.argsort(batch.corpus.references_of, kind="stable")
    sizes = 1 + np.diff(firsts)
    beyond = np.zeros(len(batch.texts), dtype=np.int64)
    rows: list[tuple[int, float, bool]] = []
    values: list[list[float]] = []
    words = np.zeros(len(batch), dtype=np.int64)
    for part in chunks(sizes[order], _TEXTS_AT_A_TIME):
        own = order[part].tolist()
        pairs = {row: texts[firsts[row] : firsts[row + 1]] for row in own}
        used = np.unique(np.concatenate([batch.candidate_text[own], *pairs.values()]))
        read, beyond[used] = read_texts(batch, used.tolist(), model, long)
        for row in own:
            caption = read[int(batch.candidate_text[row])]
            references = [read[text] for text in pairs[row].tolist()]
            words[row] = _copies(caption, references)
            for share, recalled, one, others in _comparisons(caption, references):
                rows.append((row, share, recalled))
                values.append(_features(one, others))
    example, share_of, recall = zip(*rows, strict=True) if rows else ((), (), ())
    back = np.argsort(np.array(example, dtype=np.int64), kind="stable")
    return Compared(
        np.array(values).reshape(len(values), len(FEATURES))[back],
        np.array(example, dtype=np.int64)[back],
        np.array(share_of, dtype=np.float64)[back],
        np.array(recall, dtype=bool)[back],
        words,
        beyond,
    )


def _copies(caption: Sequence[Window], references: Sequence[Sequence[Window]]) -> int:
    """1 where a caption has the words of a reference, -1 where it has none, else 0."""
    own, *others = ([word for one in text for word in one.said.words] for text in (caption, *references))
    return int(own in others) if own else -1


def _comparisons(
    caption: list[Window], references: list[list[Window]]
) -> Iterator[tuple[float, bool, Window, list[Window]]]:
    """A row's share, whether it is a reference's, and the windows that it compares."""
    if len(caption) == 1 and all(len(own) == 1 for own in references):
        yield 1.0, False, caption[0], [own[0] for own in references]
        return
    for window, share in _shares(caption):
        yield share, False, window, [_nearest(window, own) for own in references]
    for place, leading in enumerate(references):
        for window, share in _shares(leading):
            others = [[window] if at == place else own for at, own in enumerate(references)]
            near = [_nearest(window, own) for own in others]
            yield share / len(references), True, _nearest(window, caption), near


def _shares(windows: list[Window]) -> Iterator[tuple[Window, float]]:
    total = sum(window.size for window in windows)
    for window in windows:
        yield window, window.size / total if total else 1 / len(windows)


def _nearest(window: Window, others: list[Window]) -> Window:
    """The one whose sentence vector is nearest."""
    if len(others) == 1 or window.meant is None:
        return others[0]
    cosines = [other.meant.sentence @ window.meant.sentence for other in others if other.meant is not None]
    return others[int(np.argmax(cosines))]


def _features(one: Window, others: Sequence[Window]) -> list[float]:
    return [
        *word_features(one.said, [other.said for other in others]),
        *meaning_features(one.meant, [other.meant for other in others]),
    ]


def read_texts(
    batch: Batch, used: list[int], model: Model, long: str
) -> tuple[dict[int, list[Window]], IntArray]:
    """Windows of some of the batch's texts by row, and tokens of each text beyond the limit."""
    tokens, encoder = batch.tokens("ptb"), encoder_of(model)
    # Words alone: neither letter case nor punctuation nor markup changes a score.
    words = [plain_words(tokens.words(row)) for row in used]
    spoken = [spoken_words(batch.texts[row], own) for row, own in zip(used, words, strict=True)]
    read = read_meanings(encoder, spoken, model.tokens, long)
    found = {}
    for row, own, meant, starts in zip(used, words, read.windows, read.starts, strict=True):
        parts = [own] if len(starts) == 1 else _split(own, starts, encoder)
        held: list[Meant | None] = [*meant] if meant else [None]
        found[row] = [Window(model.table.say(part), one) for part, one in zip(parts, held, strict=True)]
    return found, read.beyond


def spoken_words(text: str, words: Sequence[str]) -> str:
    """A text's words; where they may need windows, each sentence's on a line of its own."""
    joined = " ".join(words)
    if len(joined) < encoders.LONGEST_SENTENCE:  # a token has at least one letter
        return joined
    table = token_table(sentences(text), "ptb")
    lines = [plain_words(table.words(row)) for row in range(len(table))]
    if [word for line in lines for word in line] != list(words):
        return joined
    return "\n".join(" ".join(line) for line in lines)


def _split(words: Sequence[str], starts: Sequence[int], encoder: OnnxEncoder) -> list[Sequence[str]]:
    """Words of each window, which begins at a token: the words that begin there or later."""
    sizes = [len(row) - sum(encoder.ends) for row in encoder.encode(words, encoders.WHOLE)]
    at = np.cumsum([0, *sizes])[:-1]
    cuts = [*np.searchsorted(at, starts).tolist(), len(words)]
    return [words[first:last] for first, last in pairwise(cuts)]


def encoder_of(model: Model) -> OnnxEncoder:
    """The tuned encoder, opened once in this process: threads do not survive a fork."""
    return _encoder(model, getpid())


@lru_cache(maxsize=2)
def _encoder(model: Model, process: int) -> OnnxEncoder:
    folder = locate.carried(locate.MINILM)
    return OnnxEncoder(encoders.folder_label(locate.MINILM, folder), folder, model.change, model.ranges)
