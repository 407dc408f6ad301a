from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from captious import Corpus
from captious.metrics import Batch, matching
from captious.metrics.matching import matches_of, ngrams_of

TEXT = st.lists(st.sampled_from("abc"), max_size=8).map(" ".join)
PAIRS = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=6)
Pairs = list[tuple[str, list[str]]]


def ngrams(text: str) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1))


def batch_of(pairs: Pairs) -> Batch:
    return Batch(Corpus.from_lists([c for c, _ in pairs], [r for _, r in pairs]))


@pytest.mark.parametrize("chunk", [1, 1 << 21])
@given(pairs=PAIRS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_shared_n_grams_are_what_a_loop_finds(
    monkeypatch: pytest.MonkeyPatch, chunk: int, pairs: Pairs
) -> None:
    monkeypatch.setattr(matching, "_CHUNK", chunk)
    batch = batch_of(pairs)
    matches, index = matches_of(batch, "space"), ngrams_of(batch, "space").index
    found = sorted(
        (pair, index.ngram(gram), own, theirs)
        for pair, gram, own, theirs in zip(
            matches.pairs.tolist(),
            matches.grams.tolist(),
            matches.candidate_counts.tolist(),
            matches.reference_counts.tolist(),
            strict=True,
        )
    )
    flat = [(c, r) for c, references in pairs for r in references]
    expected = sorted(
        (pair, gram, ngrams(c)[gram], ngrams(r)[gram])
        for pair, (c, r) in enumerate(flat)
        for gram in ngrams(c).keys() & ngrams(r).keys()
    )
    assert found == expected
    clipped = np.zeros((len(pairs), 4), dtype=np.int64)
    for row, (c, references) in enumerate(pairs):
        for gram, count in ngrams(c).items():
            clipped[row, len(gram) - 1] += min(count, max(ngrams(r)[gram] for r in references))
    assert np.array_equal(matches.clipped, clipped)
