"""Captions with one wrong detail."""

from __future__ import annotations

from random import Random

from captious.learn.captious_metric import negatives
from captious.learn.captious_metric.negatives import WordPools, words_of, wrong_captions
from captious.text.parse import Parse
from captious.text.parser import parse_many

CAPTIONS = ["a red bus on a street", "two dogs run on the beach", "a woman holds a green umbrella"] * 4
PARSES = parse_many([caption.split() for caption in CAPTIONS])
POOLS = WordPools.of(PARSES, least=1)


def test_every_copy_differs_and_is_made_of_the_caption() -> None:
    for parse in PARSES[:3]:
        right = " ".join(parse.words)
        copies = wrong_captions(parse, frozenset(parse.words), POOLS, Random(1), 6)
        assert copies
        for copy in copies:
            assert copy != right
            assert len(set(copy.split()) & set(parse.words)) >= len(set(parse.words)) - 1


def test_no_detail_that_a_reference_confirms_is_brought_in() -> None:
    parse = PARSES[0]
    known = frozenset(word for words in POOLS.by_tag.values() for word in words)
    brought = {
        word
        for copy in wrong_captions(parse, known, POOLS, Random(2), 20)
        for word in set(copy.split()) - set(parse.words)
    }
    assert not brought & known


def test_the_same_seed_makes_the_same_copies() -> None:
    first, second = (wrong_captions(PARSES[1], frozenset(), POOLS, Random(5), 4) for _ in (0, 1))
    assert first == second


def test_an_empty_caption_has_no_copies() -> None:
    empty = parse_many([[]])[0]
    assert wrong_captions(empty, words_of([]), POOLS, Random(0), 2) == []


def test_what_changes_places_changes_the_meaning() -> None:
    words = ["a", "black", "dog", "chases", "a", "white", "cat", "and", "a", "bird"]
    parse = Parse(tuple(words), ("DT", "JJ", "NN", "VBZ", "DT", "JJ", "NN", "CC", "DT", "NN"), (), (), ())
    copies = {copy for seed in range(60) if (copy := _exchanged(parse, seed))}
    assert "a white dog chases a black cat and a bird" in copies  # what describes them
    assert "a white cat chases a black dog and a bird" in copies  # whole phrases
    assert "a black cat chases a white dog and a bird" in copies  # the nouns alone
    # "a cat and a bird" says what "a bird and a cat" says
    assert not any("bird and a" in copy and "chases a bird" in copy and "dog" in copy[:12] for copy in copies)


def _exchanged(parse: Parse, seed: int) -> str:
    found = negatives._exchange(parse, frozenset(), POOLS, Random(seed))
    return " ".join(found) if found else ""
