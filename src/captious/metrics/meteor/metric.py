"""METEOR 1.5 (Denkowski & Lavie 2014) without Java."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError
from captious.metrics.base import Limit, Metric, reference_count_label
from captious.metrics.batch import Batch
from captious.metrics.meteor.align import align_pairs
from captious.metrics.meteor.languages import (
    FUNCTION_WORDS,
    LANGUAGES,
    PROGRAM,
    Language,
    load_language,
    require_stemmer,
    stemmer_label,
)
from captious.metrics.meteor.matchers import MATCHERS, MOST_CELLS, Captions, Matches, find_matches
from captious.metrics.meteor.normalise import is_plain, normalise
from captious.metrics.meteor.score import COLUMNS, Parameters, meteor, statistics
from captious.metrics.meteor.sources import find_sources
from captious.metrics.meteor.tables import Ints, Tables, Words, load_tables, spans
from captious.metrics.registry import register
from captious.progress import Report
from captious.text.tokens import LOWER, TokenTable, table_of

ENGLISH = "en"
_PAIRS_AT_ONCE = 8192
_CELLS_AT_ONCE = 4_000_000  # words of a candidate times words of its reference, summed
_TABLE_AT_ONCE = 1 << 26


@register("meteor")
@dataclass(frozen=True)
class Meteor(Metric):
    """METEOR 1.5 as coco-caption runs it for English, or of another language: the best reference's score.

    Words are matched as they are, by stem, by WordNet synset and by a table of paraphrases; the
    alignment of the most words in the fewest chunks gives precision, recall and a penalty for
    fragmentation. The corpus score is METEOR of the summed statistics.

    `language` chooses parameters, function words and stems (`languages.LANGUAGES`); in other languages
    than English words match as they are and by stem. Texts of German, Spanish, French, Czech and
    Russian are cut by METEOR's own rules, others by sacreBLEU's `intl`, in lower case.

    >>> Meteor(language="de").alpha, Meteor(language="de").matchers
    (0.95, 'exact+stem')
    """

    title: ClassVar[str] = "METEOR"
    summary: ClassVar[str] = "METEOR 1.5 without Java: stems, in English also synonyms and paraphrases"
    citation: ClassVar[str] = "Denkowski & Lavie 2014"
    longest: ClassVar[Limit | None] = Limit(20_000, "words")

    alpha: float = nan  # stands for the language's own, as do the next four
    beta: float = nan
    gamma: float = nan
    delta: float = nan
    matchers: str = ""
    language: str = ENGLISH
    function: str = PROGRAM  # the function words: English ones as in the program, or the language's own

    def __post_init__(self) -> None:
        if self.language != ENGLISH and self.language not in LANGUAGES:
            raise UnknownNameError("language of meteor", self.language, [ENGLISH, *LANGUAGES])
        if self.function not in FUNCTION_WORDS:
            raise UnknownNameError("function of meteor", self.function, FUNCTION_WORDS)
        usual = LANGUAGES.get(self.language)
        own: Parameters | Language = usual or Parameters()
        for name in ("alpha", "beta", "gamma", "delta"):
            if isnan(getattr(self, name)):
                object.__setattr__(self, name, getattr(own, name))
        known = usual.matchers.split("+") if usual else list(MATCHERS)
        if not self.matchers:
            object.__setattr__(self, "matchers", "+".join(known))
        for name in self.matchers.split("+"):
            if name not in known:
                raise UnknownNameError("matcher of meteor", name, known)
        for name in ("alpha", "gamma", "delta"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"meteor: {name} is {getattr(self, name)}; it must be between 0 and 1.")
        if not self.beta > 0:
            raise InputError(f"meteor: beta is {self.beta}; it must be above 0.")

    @property
    def parameters(self) -> Parameters:
        """The four parameters with the matchers' weights."""
        weights = Parameters().weights
        if self.language != ENGLISH:
            own = LANGUAGES[self.language].weights
            weights = (*own, *(0.0 for _ in weights[len(own) :]))
        return Parameters(self.alpha, self.beta, self.gamma, self.delta, weights)

    @property
    def _chosen(self) -> list[int]:
        return sorted(MATCHERS.index(name) for name in set(self.matchers.split("+")))

    def languages(self) -> tuple[str, ...]:
        """The one of its option."""
        return (self.language,)

    def way_out(self, code: str) -> str:
        """METEOR of that language, where there is one."""
        return f"meteor[language={code}]" if code in LANGUAGES else ""

    def ready(self) -> None:
        """Raise where METEOR's word lists are not installed."""
        find_sources()
        if self.language != ENGLISH:
            require_stemmer()

    def prepare(self, report: Report | None = None) -> None:
        """Compile METEOR's tables, once on a machine."""
        if self.language == ENGLISH:
            load_tables(report)

    def _tables(self) -> Tables:
        return load_tables() if self.language == ENGLISH else load_language(self.language, self.function)

    def _tokens(self, batch: Batch, tables: Tables) -> TokenTable:
        if self.language == ENGLISH:
            return batch.once("meteor_tokens", lambda: normalised(batch.tokens("ptb"), tables))
        if not LANGUAGES[self.language].normalised:
            return batch.tokens(f"intl{LOWER}")

        def cut() -> TokenTable:
            return table_of(normalise(text, tables.abbreviations, self.language) for text in batch.texts)

        return batch.once(("meteor_tokens", self.language), cut)

    def statistics(self, batch: Batch, knowledge: Any) -> FloatArray:
        """METEOR's 23 statistics of each example's best reference."""
        if not len(batch):
            return np.zeros((0, COLUMNS))
        tables = self._tables()
        tokens = self._tokens(batch, tables)
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
        facts = {
            "refs": reference_count_label(corpus),
            "tok": "ptb+meteor",
            "alpha": str(self.alpha),
            "beta": str(self.beta),
            "gamma": str(self.gamma),
            "delta": str(self.delta),
            "matchers": self.matchers,
            "tables": self._tables().digest[:12],
        }
        if self.language == ENGLISH:
            return facts
        tokens = "meteor" if LANGUAGES[self.language].normalised else f"intl{LOWER}"
        return facts | {
            "tok": tokens,
            "language": self.language,
            "function": self.function,
            "stems": stemmer_label(),
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
