"""What METEOR knows about words, against what the program matches."""

from __future__ import annotations

import numpy as np
import pytest

from captious.errors import MissingDependencyError
from captious.metrics.meteor import sources
from captious.metrics.meteor.tables import Tables


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("taking", "drove", True),
        ("giraffe", "giraffes", True),
        ("bigger", "large", True),
        # The first rule that gives a lemma decides: passes -> passe, doing -> doe.
        ("top", "passes", False),
        ("do", "doing", False),
        ("a", "as", False),
        ("mothproof", "mothprooves", False),
        ("skateboarders", "skateboarder", True),
    ],
)
def test_synonyms(tables: Tables, first: str, second: str, share: bool) -> None:
    words = tables.describe([first, second])
    split = words.synset_offsets[1]
    assert bool(set(words.synsets[:split]) & set(words.synsets[split:])) is share


def test_stems_of_known_and_unknown_words(tables: Tables) -> None:
    words = tables.describe(["zorbing", "zorbed", "riding", "rides", "dog"])
    assert words.stem[0] == words.stem[1]
    assert words.stem[2] == words.stem[3]
    assert len(set(words.stem.tolist())) == 3


def test_words_are_known_from_memory_as_from_the_tables(tables: Tables) -> None:
    """A few words, some of which have come before, against thousands, which are always looked up."""
    few = ["taking", "drove", "zorbing", "the", "4711", "passes", "zorbed"]
    tables.describe(few[:3])
    remembered = tables.describe(few)
    looked_up = tables.describe([*few, *(f"w{number}" for number in range(5_000))])
    assert remembered.number.tolist() == looked_up.number[: len(few)].tolist()
    assert remembered.function.tolist() == looked_up.function[: len(few)].tolist()
    ends = remembered.synset_offsets.tolist()
    assert ends == looked_up.synset_offsets[: len(few) + 1].tolist()
    assert remembered.synsets.tolist() == looked_up.synsets[: ends[-1]].tolist()
    assert remembered.stem[2] == remembered.stem[6]
    assert len(set(remembered.stem.tolist())) == len(set(looked_up.stem[: len(few)].tolist())) == 6


def test_remembered_steps_lead_to_the_nodes_that_a_search_finds(tables: Tables) -> None:
    words = tables.describe(["a", "lot", "of", "zorbing"]).number
    first, second = words[[0, 1, 0, 0]], words[[1, 2, 2, 0]]
    many = np.arange(5_000)
    looked_up = tables.step(np.append(first, many), np.append(second, many))[:4]
    for _ in range(2):
        assert tables.step(first, second).tolist() == looked_up.tolist()
    assert looked_up[0] >= 0  # "a lot" begins phrases of the table


def test_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    sources.find_sources.cache_clear()
    with pytest.raises(MissingDependencyError, match=r'pip install "captious\[meteor\]"'):
        sources.find_sources()
    sources.find_sources.cache_clear()
