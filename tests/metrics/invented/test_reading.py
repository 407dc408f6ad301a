from __future__ import annotations

import pytest

from captious.metrics.invented.reading import read
from captious.metrics.invented.words import lexicon


def parts(caption: str) -> tuple[list[str], list[str]]:
    """Sentences and clauses."""
    found = read(caption, lexicon())
    sides = (found.sentences, found.clauses)
    sentences, clauses = ([caption[slice(*found.place(one))] for one in side] for side in sides)
    return sentences, clauses


def named(caption: str) -> list[str]:
    found = read(caption, lexicon())
    return [one.name for one in found.mentions if not one.modifies]


def test_sentences_and_clauses() -> None:
    caption = 'A dog runs, and a cat sits while it rains. "Stop!" Additionally, there is a bus\nThe end'
    sentences, clauses = parts(caption)
    assert sentences == [
        "A dog runs, and a cat sits while it rains",
        "Stop",
        "Additionally, there is a bus",
        "The end",
    ]
    assert clauses[:3] == ["A dog runs", "and a cat sits", "while it rains"]
    assert clauses[4] == "Additionally, there is a bus"


@pytest.mark.parametrize(
    ("caption", "things"),
    [
        ("A man rides a horse", ["man", "horse"]),
        ("Two dogs run", ["dog"]),
        ("a tennis court", ["court"]),  # tennis only says which
        ("The overall atmosphere of the image is serene", []),
        ("traffic lights and hot dogs", ["traffic light", "hot dog"]),
        ("the man's surfboard", ["man", "surfboard"]),
    ],
)
def test_things_that_can_be_pointed_at(caption: str, things: list[str]) -> None:
    assert named(caption) == things


def test_what_is_said_of_a_thing() -> None:
    found = read("several black and white cows near three small red buses", lexicon())
    cows, buses = found.mentions
    assert [found.words[place] for place in cows.colours] == ["white", "black"]
    assert (cows.plural, cows.number) == (True, -1)
    assert found.words[buses.number] == "three"
    assert [found.words[place] for place in buses.colours] == ["red"]
