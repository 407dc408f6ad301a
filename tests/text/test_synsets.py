from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from captious.errors import InputError
from captious.text.synsets import meteor_table, wordnet


@pytest.mark.parametrize(
    ("one", "other"),
    [("tv", "television"), ("bike", "bicycle"), ("climb", "climb up"), ("surfer", "surfboard")],
)
def test_words_that_the_reference_takes_for_synonyms(one: str, other: str) -> None:
    assert wordnet().of(one) & wordnet().of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("player", "play"), ("rider", "ride"), ("bus", "buss"), ("cat", "dog")]
)
def test_words_that_it_tells_apart(one: str, other: str) -> None:
    # "player" and "bed" are their own base forms in WordNet's list of exceptions; "rider" loses
    # "er" and is "rid"; nothing is taken from a word in "ss".
    assert not wordnet().of(one) & wordnet().of(other)


def test_irregular_forms_have_base_forms() -> None:
    assert wordnet().base_forms("children") == ["child"]
    assert wordnet().base_forms("dogs") == []


def test_unknown_words_are_in_no_synset() -> None:
    assert not wordnet().of("qzxv") and not wordnet().of("") and not wordnet().of("😀")


def test_the_compact_table_groups_words_as_meteors_does() -> None:
    if find_spec("pycocoevalcap") is None:
        pytest.skip("pycocoevalcap is not installed")
    import pycocoevalcap

    folder = Path(next(iter(pycocoevalcap.__path__)))
    theirs, ours = meteor_table(folder / "meteor" / "meteor-1.5.jar"), wordnet()
    name_of: dict[str, str] = {}
    for word in ours.words():
        mine, other = sorted(ours.of(word)), theirs.of(word)
        assert len(mine) == len(other)
        if len(mine) == 1:
            assert name_of.setdefault(mine[0], *other) == next(iter(other))
    assert len(set(name_of.values())) == len(name_of) > 50_000


def test_a_missing_jar_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere\.jar: no such file"):
        meteor_table(Path("nowhere.jar"))
