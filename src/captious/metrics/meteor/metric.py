"""METEOR 1.5 (Denkowski & Lavie 2014) without Java."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Limit, Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.meteor.align import align_pairs
from captious.metrics.meteor.matchers import MATCHERS, MOST_CELLS, Captions, Matches, find_matches
from captious.metrics.meteor.normalise import is_plain, normalise
from captious.metrics.meteor.score import COLUMNS, Parameters, meteor, statistics
from captious.metrics.meteor.sources import find_sources
from captious.metrics.meteor.tables import Ints, Tables, Words, load_tables, spans
from captious.metrics.registry import register
from captious.progress import Report
from captious.text.tokens import TokenTable, table_of

_PAIRS_AT_ONCE = 8192
_CELLS_AT_ONCE = 4_000_000  # words of a candidate times words of its reference, summed
_TABLE_AT_ONCE = 1 << 26


@register("meteor")
@dataclass(frozen=True)
class Meteor(Metric):
    """METEOR 1.5 for English as coco-caption runs it: the best reference's score.

    Words are matched as they are, by stem, by WordNet synset and by a table of paraphrases; the
    alignment of the most words in the fewest chunks gives precision, recall and a penalty for
    fragmentation. The corpus score is METEOR of the summed statistics.
    """

    title: ClassVar[str] = "METEOR"
    summary: ClassVar[str] = "METEOR 1.5 (English): stems, synonyms and paraphrases, without Java"
    language: ClassVar[str] = "English"
    citation: ClassVar[str] = "Denkowski & Lavie 2014"
    longest: ClassVar[Limit | None] = Limit(20_000, "words")

    alpha: float = 0.85
    beta: float = 0.2
    gamma: float = 0.6
    delta: float = 0.75
    matchers: str = "+".join(MATCHERS)

    def __post_init__(self) -> None:
        for name in self.matchers.split("+"):
            if name not in MATCHERS:
                raise UnknownNameError("matcher of meteor", name, MATCHERS)
        for name in ("alpha", "gamma", "delta"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"meteor: {name} is {getattr(self, name)}; it must be between 0 and 1.")
        if not self.beta > 0:
            raise InputError(f"meteor: beta is {self.beta}; it must be above 0.")

    @property
    def parameters(self) -> Parameters:
        """The four parameters with the matchers' weights."""
        return Parameters(self.alpha, self.beta, self.gamma, self.delta)

    @property
    def _chosen(self) -> list[int]:
        return sorted(MATCHERS.index(name) for name in set(self.matchers.split("+")))

    def ready(self) -> None:
        """Raise where METEOR's word lists are not installed."""
        find_sources()

    def prepare(self, report: Report | None = None) -> None:
        """Compile METEOR's tables, once on a machine."""
        load_tables(report)

    def statistics(self, batch: Batch, knowledge: Any) -> FloatArray:
        """METEOR's 23 statistics of each example's best reference."""
        if not len(batch):
            return np.zeros((0, COLUMNS))
        tables = load_tables()
        tokens = batch.once("meteor_tokens", lambda: normalised(batch.tokens("ptb"), tables))
        examples, references = batch.pairs()
        pairs, place = np.unique(
            batch.candidate_text[examples] * len(batch.texts) + references, return_inverse=True
        )
        table = pair_statistics(tables, tokens, *np.divmod(pairs, len(batch.texts)), self._chosen)
        scores = meteor(table, self.parameters)[place]
        best: FloatArray = table[place[_first_best(scores, examples)]]
        return best

    def corpus_score(self, summed: FloatArray) -> FloatArray:
        """METEOR of summed statistics."""
        return meteor(summed, self.parameters)

    def single_scores(self, statistics: FloatArray) -> list[float]:
        """METEOR of each row as a corpus of its own; its power is always one of arrays, if of no axis."""
        found: list[float] = self.corpus_score(statistics).tolist()
        return found

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """References, tokenisation, parameters, matchers and the tables' digest."""
        return {
            "refs": reference_count_label(corpus),
            "tok": "ptb+meteor",
            "alpha": str(self.alpha),
            "beta": str(self.beta),
            "gamma": str(self.gamma),
            "delta": str(self.delta),
            "matchers": self.matchers,
            "tables": load_tables().digest[:12],
        }


def normalised(tokens: TokenTable, tables: Tables) -> TokenTable:
    """The same texts after METEOR's own tokenisation."""
    odd = np.array([not is_plain(word) for word in tokens.vocabulary], dtype=bool)
    row = np.repeat(np.arange(len(tokens)), tokens.lengths)
    touched = np.unique(row[odd[tokens.ids]]) if len(tokens.ids) else row
    if not len(touched):
        return tokens
    changed = table_of(normalise(" ".join(tokens.words(i)), tables.abbreviations) for i in touched.tolist())
    known = {word: i for i, word in enumerate(tokens.vocabulary)}
    numbers = np.array([known.setdefault(word, len(known)) for word in changed.vocabulary], dtype=np.int32)
    lengths = tokens.lengths.copy()
    lengths[touched] = changed.lengths
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = np.empty(int(offsets[-1]), dtype=np.int32)
    is_touched = np.zeros(len(tokens), dtype=bool)
    is_touched[touched] = True
    new = np.repeat(is_touched, lengths)
    ids[new] = numbers[changed.ids]
    ids[~new] = tokens.ids[~is_touched[row]]
    return TokenTable(ids=ids, offsets=offsets, vocabulary=list(known))


def pair_statistics(
    tables: Tables, tokens: TokenTable, candidate: Ints, reference: Ints, matchers: Sequence[int]
) -> FloatArray:
    """METEOR's statistics of every pair of texts."""
    words = tables.describe(tokens.vocabulary)
    table = np.empty((len(candidate), COLUMNS))
    for rows in _portions(tokens, candidate, reference):
        # Only what a portion needs, or each would cost a look at the whole corpus.
        texts, places = np.unique([candidate[rows], reference[rows]], return_inverse=True)
        captions = Captions.of(tokens, texts)
        own, their = places.reshape(2, -1)
        matches = find_matches(tables, words, captions, own, their, matchers)
        alignment = align_pairs(matches, captions, own, their)
        table[rows] = statistics(words, captions, own, their, matches, alignment)
    return table


def _portions(tokens: TokenTable, candidate: Ints, reference: Ints) -> Iterator[slice]:
    """Slices of the pairs whose tables of words fit in modest memory."""
    cells = tokens.lengths[candidate] * tokens.lengths[reference]
    cells[cells > MOST_CELLS] = MOST_CELLS // 8  # of which few are looked at
    cells = np.cumsum(cells)
    small = len(tokens.vocabulary) ** 2 <= _TABLE_AT_ONCE
    start = 0
    while start < len(candidate):
        limit = (cells[start - 1] if start else 0) + _CELLS_AT_ONCE
        stop = min(int(np.searchsorted(cells, limit, side="right")), start + _PAIRS_AT_ONCE)
        stop = max(stop, start + 1)
        while not small and stop - start > 1 and _too_large(tokens, candidate, reference, start, stop):
            stop = (start + stop) // 2
        yield slice(start, stop)
        start = stop


def _too_large(tokens: TokenTable, candidate: Ints, reference: Ints, start: int, stop: int) -> bool:
    """Whether distinct words of the candidates times those of the references are too many cells."""
    sizes = []
    for rows in (candidate[start:stop], reference[start:stop]):
        _, places = spans(tokens.offsets[rows], tokens.offsets[rows + 1])
        sizes.append(len(np.unique(tokens.ids[places])))
    return sizes[0] * sizes[1] > _TABLE_AT_ONCE


def _first_best(scores: FloatArray, examples: Ints) -> Ints:
    """Row of each example's highest score; the first where several are equal."""
    order = np.lexsort((np.arange(len(scores)), -scores, examples))
    first = np.ones(len(order), dtype=bool)
    first[1:] = examples[order][1:] != examples[order][:-1]
    return order[first]


def align(candidate: Sequence[str], reference: Sequence[str]) -> list[tuple[int, int, int, int, str]]:
    """Which words METEOR matches, as (start, length, reference start, length, matcher).

    Tokens are taken as they are.

    >>> align("a dog leaps".split(), "the hound will jump".split())
    [(1, 1, 1, 1, 'synonym'), (2, 1, 3, 1, 'synonym')]
    """
    tables = load_tables()
    tokens = table_of([list(candidate), list(reference)])
    words: Words = tables.describe(tokens.vocabulary)
    captions = Captions.of(tokens, np.arange(2))
    own, their = np.array([0]), np.array([1])
    matches: Matches = find_matches(tables, words, captions, own, their)
    rows = align_pairs(matches, captions, own, their).rows
    columns = (matches.candidate, matches.candidate_length, matches.reference, matches.reference_length)
    places = zip(*(column[rows].tolist() for column in columns), strict=True)
    names = [MATCHERS[i] for i in matches.matcher[rows].tolist()]
    return [(*place, name) for place, name in zip(places, names, strict=True)]
