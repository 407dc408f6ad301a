from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text.normalise import same_text_key, thumb_normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a dog on a beach", "A dog on a beach."),
        ("  a dog on a beach .\n", "A dog on a beach."),
        ("A dog.", "A dog."),
        ("is it a dog?", "Is it a dog?"),
        ("a dog!", "A dog!"),
        ("2 dogs", "2 dogs."),
        ('"stop" on a sign', '"Stop" on a sign.'),
        ('a sign says "stop."', 'A sign says "stop."'),
        ('a sign says "stop"', 'A sign says "stop".'),
        ("a dog ...", "A dog..."),
        ("émile and a dog", "Émile and a dog."),
        ("ßtrange", "ßtrange."),
        ("", ""),
        ("  \t ", ""),
        (".", "."),
    ],
)
def test_thumb_normalise(text: str, expected: str) -> None:
    assert thumb_normalise(text) == expected


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = thumb_normalise(text)
    assert thumb_normalise(once) == once


def test_published_captions_are_normal_already(data: Path) -> None:
    # THumB's authors ran these steps over all candidates and references.
    rows = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text().splitlines()
    captions = [json.loads(row)["hyp"] for row in rows]
    rows = (data / "thumb" / "mscoco_references.jsonl").read_text().splitlines()
    captions += [text for row in rows for text in json.loads(row)["refs"]]
    assert len(captions) == 4_500
    assert [text for text in captions if thumb_normalise(text) != text] == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A dog , running .", "a dog, running", True),
        ("A  dog", "a dog.", True),
        ("A dog", "A dogs", False),
        ("A dog's", "A dogs", False),
    ],
)
def test_same_text(one: str, other: str, same: bool) -> None:
    assert (same_text_key(one) == same_text_key(other)) is same


@pytest.mark.parametrize(
    "text", ["สุนัขวิ่งบนชายหาด", "कुत्ता दौड़ता है।", "هل هذا كلب؟", "一只狗在跑。", "犬が走る。"]
)
def test_other_scripts_end_sentences_with_their_own_mark_or_none(text: str) -> None:
    assert thumb_normalise(text) == text
