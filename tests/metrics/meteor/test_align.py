"""Which of several equally good alignments is chosen, against the program's choices."""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from captious.metrics.meteor import align
from captious.metrics.meteor.align import _first_of_pairs, align_pairs
from captious.metrics.meteor.matchers import Captions, Matches, find_matches
from captious.metrics.meteor.tables import Tables
from captious.text.tokens import table_of

sys.path.insert(0, str(Path(__file__).parent))
import jar

FIGURES = Path(__file__).parent / "data" / "jar.json.gz"


def _chosen(tables: Tables, pairs: list[tuple[str, str]]) -> list[list[jar.Match]]:
    tokens = table_of([text.split() for pair in pairs for text in pair])
    captions = Captions(tokens.ids.astype(np.int64), tokens.offsets)
    own = 2 * np.arange(len(pairs))
    words = tables.describe(tokens.vocabulary)
    matches = find_matches(tables, words, captions, own, own + 1)
    rows = align_pairs(matches, captions, own, own + 1).rows
    chosen: list[list[jar.Match]] = [[] for _ in pairs]
    columns = [matches.candidate, matches.candidate_length, matches.reference]
    columns += [matches.reference_length, matches.matcher]
    for pair, *match in zip(*(c[rows].tolist() for c in (matches.pair, *columns)), strict=True):
        chosen[pair].append(match)
    return [sorted(found) for found in chosen]


def test_stored_alignments(tables: Tables) -> None:
    stored = json.loads(gzip.decompress(FIGURES.read_bytes()))["alignments"]
    assert len(stored) == 2000
    ours = _chosen(tables, [(own, their) for own, their, _ in stored])
    assert [row for row, found in zip(stored, ours, strict=True) if row[2] != found] == []


@pytest.mark.long
def test_repeated_words_against_the_program(java: str, tables: Tables) -> None:
    draw = random.Random(5)
    words = ["zqav", "zqbv", "zqcv", "of", "a", "couple", "pair", "the", "dogs", "dog", "photo"]
    pairs = []
    for _ in range(5000):
        known = draw.sample(words, draw.randint(2, 6))
        sides = [draw.choices(known, k=draw.randint(1, 12)) for _ in range(2)]
        pairs.append((" ".join(sides[0]), " ".join(sides[1])))
    assert _chosen(tables, pairs) == jar.alignments(java, pairs)


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        # Neither way costs anything; the match that comes last leaves its chunk open.
        ("zqa", "zqa zqa", [(0, 1, 1, 1)]),
        # Two chunks each way, at no cost. Matching the first "zqb" leads until the second is
        # matched elsewhere, and equal ones keep their order.
        ("zqa zqb zqa zqa", "zqa zqb zqb zqa", [(0, 1, 0, 1), (1, 1, 1, 1), (2, 1, 3, 1)]),
        # To match the second "zqa" would cost the first one's distance, 1, to match the first none.
        ("zqa zqa", "zqb zqa", [(0, 1, 1, 1)]),
        # To pass over the first word costs |0 - 0|, over the second |0 - 1|: the second is matched.
        ("zqa", "zqa zqa zqa", [(0, 1, 1, 1)]),
    ],
)
def test_ties(
    tables: Tables, candidate: str, reference: str, expected: list[tuple[int, int, int, int]]
) -> None:
    assert [match[:4] for match in align(candidate.split(), reference.split())] == expected


def _matches(rows: list[tuple[int, int, int, int, int]]) -> Matches:
    columns = np.array([(0, *row) for row in rows], dtype=np.int64).T
    return Matches(*columns)


def test_a_phrase_counts_half_its_words_rounded_down() -> None:
    captions = Captions(np.zeros(10, dtype=np.int64), np.array([0, 6, 10]))
    pair = np.array([0]), np.array([1])
    # One exact word counts 1 + 1. Five words against one count 2 + 0: no more, and later in the
    # list. Six words against one count 3 + 0.
    for length, expected in ((5, [0]), (6, [1])):
        matches = _matches([(0, 1, 0, 1, 0), (0, length, 0, 1, 3)])
        assert align_pairs(matches, captions, *pair).rows.tolist() == expected


def test_order_does_not_depend_on_how_large_costs_are() -> None:
    pair = np.array([0, 0, 0, 0, 3, 3, 3])
    gain = np.array([2, 4, 4, 4, 1, 1, 1])
    chunks = np.array([0, 2, 1, 1, 5, 5, 5])
    for unit in (1, 1 << 61):  # the second does not fit in one sort key
        cost = np.array([0, 0, 1, 0, 1, 0, 0]) * unit
        # More gain, then fewer chunks, then less cost; rows 5 and 6 are equal.
        assert _first_of_pairs(pair, gain, chunks, cost, np.full(4, 3)).tolist() == [3, 2, 1, 5, 6, 4]
