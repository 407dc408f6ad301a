from __future__ import annotations

import re

import pytest

from captious.corpus import Corpus
from captious.protocols import protocol

SYSTEM, HUMAN = "a dog runs on the grass", "The brown dog is running through tall grass."


def _items(name: str, **options: bool) -> list[str]:
    corpus = Corpus.from_lists(
        [SYSTEM, "a cat on a mat"],
        [[HUMAN, "A dog plays outside."], ["A cat sleeps on its mat.", "One cat."]],
        image_ids=["1", "2"],
        systems=["m2", "m2"],
    )
    return [
        caption.text for item in protocol(name, **options).items(corpus, seed=1) for caption in item.captions
    ]


@pytest.mark.parametrize("name", ["humanr", "tagging", "audit", "thumb"])
def test_letter_case_and_full_stops_do_not_give_a_system_away(name: str) -> None:
    assert all(re.fullmatch(r"[A-Z].*\.", text) for text in _items(name))
    assert SYSTEM in _items(name, clean=False)
