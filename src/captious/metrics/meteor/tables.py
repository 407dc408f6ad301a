"""METEOR's knowledge of words: stems, synsets, function words and paraphrases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.files import cache_folder
from captious.metrics.meteor.cache import Arrays, cached_arrays
from captious.metrics.meteor.compiler import WORD_BITS, base_forms, compile_tables, word_keys
from captious.metrics.meteor.sources import Sources, find_sources
from captious.progress import Report
from captious.text.remembered import Remembered
from captious.text.stem import stem

Ints = NDArray[np.int64]
_FORMAT = 2  # of the cached arrays; raise it when they change
_SMALL = 4_096  # words of a call of the scoring service, say, of which most have come before
_MOST_WORDS = 16_384


@dataclass(frozen=True, eq=False)
class Words:
    """What is known of each word of a vocabulary."""

    number: Ints  # in the tables; -1 where they do not hold the word
    stem: Ints  # equal for words of one stem
    synsets: Ints
    synset_offsets: Ints
    function: NDArray[np.bool_]


class Entry(NamedTuple):
    """What is known of one word."""

    number: int
    stem: int  # its key
    synsets: bytes  # of their numbers: such lists are joined faster than Python's
    function: bool


def _entries(stems: NDArray[np.uint64], words: Words) -> Iterator[Entry]:
    synsets = [part.tobytes() for part in np.split(words.synsets, words.synset_offsets[1:-1])]
    columns = words.number.tolist(), stems.tolist(), synsets, words.function.tolist()
    return map(Entry, *columns)


def _joined(entries: Sequence[Entry]) -> Words:
    number, stem, synsets, function = zip(*entries, strict=True)
    return Words(
        number=np.array(number, dtype=np.int64),
        stem=np.unique(np.array(stem, dtype=np.uint64), return_inverse=True)[1],
        synsets=np.frombuffer(b"".join(synsets), dtype=np.int64),
        synset_offsets=np.cumsum([0, *map(len, synsets)]) // np.dtype(np.int64).itemsize,
        function=np.array(function, dtype=bool),
    )


@dataclass(frozen=True, eq=False)
class Tables:
    """METEOR's language data, mapped into memory."""

    arrays: Arrays
    function_words: frozenset[str]
    abbreviations: frozenset[str]
    digest: str
    remembered: Remembered[str, Entry] = field(default_factory=lambda: Remembered(_MOST_WORDS))
    steps: Remembered[int, int] = field(default_factory=Remembered)

    def describe(self, vocabulary: Sequence[str]) -> Words:
        """Look up every word of a vocabulary; the words of small ones are remembered."""
        if not 0 < len(vocabulary) <= _SMALL:
            stems, words = self._look_up(vocabulary)
            return replace(words, stem=np.unique(stems, return_inverse=True)[1])
        found = list(map(self.remembered.get, vocabulary))
        fresh = [place for place, entry in enumerate(found) if entry is None]
        if fresh:
            stems, words = self._look_up([vocabulary[place] for place in fresh])
            for place, entry in zip(fresh, _entries(stems, words), strict=True):
                found[place] = self.remembered[vocabulary[place]] = entry
        return _joined([entry for entry in found if entry is not None])

    def _look_up(self, vocabulary: Sequence[str]) -> tuple[NDArray[np.uint64], Words]:
        """Keys of the words' stems, and the rest."""
        keys = word_keys(vocabulary)
        number = self._find(keys)
        known = number >= 0
        stems = np.zeros(len(keys), dtype=np.uint64)
        stems[known] = self.arrays["stem_keys"][number[known]]
        unknown = np.flatnonzero(~known)
        stems[unknown] = word_keys([stem(vocabulary[i]) for i in unknown.tolist()])
        synsets, offsets = self._synsets(vocabulary, number)
        return stems, Words(
            number=number,
            stem=np.zeros(0, dtype=np.int64),
            synsets=synsets,
            synset_offsets=offsets,
            function=np.array([word in self.function_words for word in vocabulary], dtype=bool),
        )

    def step(self, nodes: Ints, words: Ints) -> Ints:
        """Trie nodes after one more word; -1 where no phrase goes on so. Few steps are remembered."""
        wanted = nodes << WORD_BITS | words
        if len(wanted) > _SMALL:
            return self._step(wanted)
        keys = wanted.tolist()
        found = list(map(self.steps.get, keys))
        fresh = [place for place, node in enumerate(found) if node is None]
        if fresh:
            for place, node in zip(fresh, self._step(wanted[fresh]).tolist(), strict=True):
                found[place] = self.steps[keys[place]] = node
        return np.array(found, dtype=np.int64)

    def _step(self, wanted: Ints) -> Ints:
        edges = self.arrays["edges"]
        place = np.searchsorted(edges, wanted)
        place[place == len(edges)] = 0
        found = edges[place] == wanted
        return np.where(found, len(self.arrays["word_keys"]) + place, -1)

    def paraphrases(self, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """Every (row of `nodes`, node of a paraphrase of it, rank among its paraphrases)."""
        offsets = self.arrays["paraphrases_offsets"]
        first = offsets[nodes].astype(np.int64)
        rows, places = spans(first, offsets[nodes + 1])
        return rows, self.arrays["paraphrases"][places].astype(np.int64), places - first[rows]

    def _find(self, keys: NDArray[np.uint64]) -> Ints:
        known = self.arrays["word_keys"]
        place = np.searchsorted(known, keys)
        place[place == len(known)] = 0
        return np.where(known[place] == keys, place, -1)

    def _synsets(self, vocabulary: Sequence[str], number: Ints) -> tuple[Ints, Ints]:
        values = {name: self.arrays[name] for name in ("word_synsets", "lemma_synsets")}
        bounds = {name: self.arrays[f"{name}_offsets"] for name in values}
        start = np.where(number >= 0, bounds["word_synsets"][number], 0).astype(np.int64)
        stop = np.where(number >= 0, bounds["word_synsets"][number + 1], 0).astype(np.int64)
        # Words that no table holds may still be regular forms of a lemma.
        shift = len(values["word_synsets"])
        for row in np.flatnonzero(number < 0).tolist():
            forms = base_forms(vocabulary[row])
            for lemma in self._find(word_keys(forms)).tolist() if forms else ():
                first, last = bounds["lemma_synsets"][lemma : lemma + 2] if lemma >= 0 else (0, 0)
                if last > first:
                    start[row], stop[row] = shift + first, shift + last
                    break
        _, places = spans(start, stop)
        found = np.empty(len(places), dtype=np.int64)
        regular = places >= shift
        found[~regular] = values["word_synsets"][places[~regular]]
        found[regular] = values["lemma_synsets"][places[regular] - shift]
        return found, np.concatenate([[0], np.cumsum(stop - start)])


def spans(starts: NDArray[Any], stops: NDArray[Any]) -> tuple[Ints, Ints]:
    """Row and value of every integer of the ranges `starts[i] .. stops[i]`.

    >>> rows, values = spans(np.array([3, 9]), np.array([5, 10]))
    >>> rows.tolist(), values.tolist()
    ([0, 0, 1], [3, 4, 9])
    """
    lengths = np.asarray(stops, dtype=np.int64) - starts
    rows = np.arange(len(lengths)).repeat(lengths)
    first = starts - (lengths.cumsum() - lengths)
    return rows, np.arange(len(rows)) + first[rows]


_loaded: list[Tables] = []


def load_tables(report: Report | None = None) -> Tables:
    """The tables, compiled at first use and mapped from the cache folder after that.

    `report(what, done, total)` is called with progress.
    """
    if not _loaded:
        sources = find_sources()
        digest = _digest(sources)
        arrays = cached_arrays(
            f"meteor-{_FORMAT}-{digest[:16]}",
            lambda: compile_tables(
                sources, lambda done: report("meteor tables", done, 100) if report else None
            ),
        )
        _loaded.append(Tables(arrays, sources.function_words(), sources.abbreviations(), digest))
    return _loaded[0]


def _digest(sources: Sources) -> str:
    """Digest of the sources, remembered by size and time of change: 68 MB take a while to read."""
    files = [(path.stat(), str(path)) for path in (sources.jar, sources.paraphrases)]
    state = [[name, stat.st_size, stat.st_mtime_ns] for stat, name in files]
    memory = cache_folder() / "meteor-sources.json"
    try:
        remembered = json.loads(memory.read_text("utf-8"))
        if remembered["state"] == state:
            return str(remembered["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        remembered = None
    digest = sources.digest()
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.write_text(json.dumps({"state": state, "digest": digest}), "utf-8")
    except OSError:
        return digest
    return digest
