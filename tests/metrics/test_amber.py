from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import captious
from captious.corpus import Corpus
from captious.errors import InputError, NotSetUpError
from captious.metrics.amber import Image, Rules, count
from captious.text.places import PlacedWord

NAMES = ["amber_chair", "amber_cover", "amber_hal", "amber_cog"]
WORDS = ["dog", "puppy", "cat", "kitten", "sky", "cloud", "bench", "sea", "ship", "boat", "light"]
ALIKE = {frozenset(("sea", "ship")), frozenset(("cat", "dog")), frozenset(("sky", "cloud"))}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """AMBER's files, small."""
    rows = [
        {"id": 1, "type": "generative", "truth": ["dog", "sky"], "hallu": ["cat", "bench"]},
        {"id": 2, "type": "generative", "truth": ["sea", "boat"], "hallu": ["ship"]},
        {"id": 3, "type": "discriminative-hallucination", "truth": "yes"},
    ]
    (tmp_path / "annotations.json").write_text(json.dumps(rows))
    related = {"dog": ["puppy"], "cat": ["kitten"], "sky": [], "bench": [], "sea": ["ocean"], "boat": []}
    related |= {"ship": [], "giraffe": []}
    (tmp_path / "relation.json").write_text(json.dumps(related))
    (tmp_path / "safe_words.txt").write_text("light\nsign")
    return str(tmp_path)


def test_the_four_values_and_the_places(folder: str) -> None:
    # Image 1: puppy is a synonym of dog, cat is expected, giraffe is not, and grass is unknown.
    # Image 2: nothing wrong.
    captions = ["Puppies and a cat on the grass see a Giraffe.", "A boat on the ocean."]
    corpus = Corpus.from_lists(captions, image_ids=["AMBER_1.jpg", "AMBER_2.jpg"])
    # No two of these words have a cosine of 1: only equal words and listed synonyms are near.
    names = [f"{name}[data={folder},similarity=0.9999]" for name in NAMES]
    scores = captious.score(corpus, names)
    values = [scores[name].values.tolist() for name in names]
    # CHAIR 2 of 3 nouns, 0 of 2; Cover dog of dog and sky, then both; Hal; Cog cat of cat and bench, 0 of 1.
    assert values == [[2 / 3, 0], [1 / 2, 1], [1, 0], [1 / 2, 0]]
    # Over the benchmark counts are summed: 2/5, 3/4, 1/2, 1/3.
    assert [scores[name].score for name in names] == [2 / 5, 3 / 4, 1 / 2, 1 / 3]
    found = captious.score(corpus, names[0], findings=True).findings
    assert [row.text for row in found.rows() if row.kind] == ["cat", "Giraffe"]


def _by_index(
    nouns: list[str], truth: list[str], hallu: list[str], related: dict[str, list[str]]
) -> list[int]:
    """The counts by the program's bookkeeping: flat lists of words, with flags behind the synonyms."""

    def flat(objects: list[str]) -> tuple[list[str], list[int]]:
        words = [word for name in objects for word in related[name]]
        owners = [place for place, name in enumerate(objects) for _ in related[name]]
        return words + objects, owners + [0] * len(objects)

    def flag(words: list[str], flags: list[int], size: int, j: int) -> None:
        synonyms = len(words) - size
        flags[flags[j] + synonyms if j < synonyms else j] = 1

    def alike(one: str, other: str) -> bool:
        return one == other or frozenset((one, other)) in ALIKE

    (safe, safe_flags), (bad, bad_flags) = flat(truth), flat(hallu)
    wrong = 0
    for noun in nouns:
        if noun == "light":
            continue
        if noun in safe:
            flag(safe, safe_flags, len(truth), safe.index(noun))
            continue
        if noun in bad:
            flag(bad, bad_flags, len(hallu), bad.index(noun))
        for j, word in enumerate(bad):
            if alike(noun, word):
                flag(bad, bad_flags, len(hallu), j)
                break
        for j, word in enumerate(safe):
            if alike(noun, word):
                flag(safe, safe_flags, len(truth), j)
                break
        else:
            wrong += 1
    covered = sum(safe_flags[len(safe) - len(truth) :])
    return [wrong, covered, sum(bad_flags[len(bad) - len(hallu) :])]


RELATED = {word: [] for word in WORDS} | {"dog": ["puppy"], "cat": ["kitten", "dog"], "sea": ["boat", "ship"]}


@given(*[st.lists(st.sampled_from(WORDS), max_size=6) for _ in range(3)])
def test_counts_are_those_of_the_program(nouns: list[str], truth: list[str], hallu: list[str]) -> None:
    rules = Rules({}, RELATED, frozenset(["light"]), frozenset(WORDS))
    placed = [PlacedWord(noun, place, place + 1) for place, noun in enumerate(nouns)]
    found = count(
        placed, Image(truth, hallu), rules, lambda a, b: a == b or frozenset((a, b)) in ALIKE
    )  # fmt: skip
    counts = [len(found.invented), len(found.covered), len(found.expected)]
    assert counts == _by_index(nouns, truth, hallu, RELATED)


def test_what_is_missing_is_said(folder: str, tmp_path: Path) -> None:
    corpus = Corpus.from_lists(["A dog."], image_ids=["AMBER_3.jpg"])
    with pytest.raises(NotSetUpError, match="amber_chair needs AMBER's files"):
        captious.score(corpus, "amber_chair")
    with pytest.raises(InputError, match=r'"AMBER_3.jpg" is no generative image'):
        captious.score(corpus, f"amber_hal[data={folder}]")
    with pytest.raises(InputError, match=r"annotations.json: cannot be read"):
        captious.score(corpus, f"amber_hal[data={tmp_path / 'nowhere'}]")
    (tmp_path / "annotations.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="is not AMBER's file"):
        captious.score(corpus, f"amber_hal[data={tmp_path}]")
    with pytest.raises(InputError, match="nouns of amber_hal"):
        captious.metrics.resolve("amber_hal[nouns=spacy]")
