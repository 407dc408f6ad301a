from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.protocols.thumb.hints import fluency_hints


@pytest.mark.parametrize(
    ("caption", "kinds"),
    [
        ("A otter is laying on the sand.", ["grammar"]),
        ("An dog on a beach.", ["grammar"]),
        ("A man watches tv.", ["casing"]),
        ("a dog on a beach.", ["casing"]),
        ("A man with a cel phone and a surf board.", ["spelling", "spelling"]),
        ("A dog on on the grass.", ["duplication"]),
        ("A Christmas tree beside a TV.", []),
        ("An hour with a uniformed officer and an umbrella.", []),
        ("A one-way sign, a unicorn, a European city and a utensil.", []),
        ("An unidentified object, an uninteresting view and an image.", []),
        ("He said that that dog had had enough.", []),
        ("An MRI of a UFO.", []),
        ("", []),
    ],
)
def test_hints_are_sure_or_silent(caption: str, kinds: list[str]) -> None:
    assert [hint.kind for hint in fluency_hints(caption)] == kinds


@settings(deadline=None)
@given(st.text())
def test_a_hint_points_into_the_caption(caption: str) -> None:
    for hint in fluency_hints(caption):
        assert 0 <= hint.start < hint.end <= len(caption)
