"""Parsing in blocks gives what parsing whole gives, wherever the cuts fall."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.corpus.readers import parse
from captious.corpus.readers.open import Source
from captious.errors import InputError

# Texts that look like the border between two objects, and nested objects that have one.
tricky = st.text(alphabet='}{,:"\\[] \nax', max_size=12)
values = st.one_of(tricky, st.lists(st.dictionaries(tricky, tricky, max_size=2), max_size=3))
objects = st.dictionaries(tricky, values, max_size=3)


def source(text: str) -> Source:
    return Source("x.json", "x", text.encode())


@given(st.lists(objects, max_size=12), st.sampled_from([None, 1]))
def test_array_blocks(items: list[object], indent: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "BLOCK", 4)
        blocks = list(parse.array_blocks(source(json.dumps(items, indent=indent))))
    assert [item for block in blocks for item in block] == items


@given(st.lists(st.tuples(objects, st.integers(0, 2)), min_size=1, max_size=12))
def test_line_blocks(items: list[tuple[object, int]]) -> None:
    # After each object some blank lines; its line number is one more than the line ends before it.
    text, expected, line = "", [], 1
    for item, blank in items:
        text += json.dumps(item) + "\n" * (1 + blank)
        expected.append((item, line))
        line += 1 + blank
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse, "BLOCK", 4)
        blocks = list(parse.line_blocks(source(text)))
    found = [pair for found, lines in blocks for pair in zip(found, lines, strict=True)]
    assert found == expected


def test_an_error_in_a_late_block_is_located(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "BLOCK", 4)
    text = '[{"a": 1},\n{"a": 2},\n{"a": 3},\n{"a" 4}]'
    with pytest.raises(InputError, match=r"^x.json: line 4, column 6: not valid JSON"):
        list(parse.array_blocks(source(text)))


def test_two_values_on_a_line_are_refused() -> None:
    with pytest.raises(InputError, match=r"^x.json: line 1, column "):
        list(parse.line_blocks(source('{"a": 1},{"a": 2}\n{"a": 3}')))


@given(st.lists(st.tuples(tricky, tricky), max_size=6))
def test_repeated_keys(pairs: list[tuple[str, str]]) -> None:
    text = "{" + ",".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pairs) + "}"
    keys = [key for key, _ in pairs]
    found = parse.repeated_keys(source(text), 2 * len(set(keys)))
    assert found == {key: keys.count(key) for key in keys if keys.count(key) > 1}
