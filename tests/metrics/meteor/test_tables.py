"""What METEOR knows about words, against what the program matches."""

from __future__ import annotations

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


def test_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    sources.find_sources.cache_clear()
    with pytest.raises(MissingDependencyError, match=r'pip install "captious\[meteor\]"'):
        sources.find_sources()
    sources.find_sources.cache_clear()
