from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.errors import InputError
from captious.text.parse import Parse
from captious.text.parser import CaptionParser, parse_many, parser_name
from captious.text.parser.decode import are_projective_trees
from captious.text.parser.load import WEIGHTS_FILE, read_model, shipped_model

SAMPLES = json.loads((Path(__file__).parent / "samples.json").read_text(encoding="utf-8"))


def _assert_is_a_tree(parse: Parse, tokens: list[str]) -> None:
    assert parse.words == tuple(tokens)
    assert len(parse.tags) == len(parse.lemmas) == len(parse.labels) == len(tokens)
    assert are_projective_trees(np.array([parse.heads])).all()
    assert [label == "root" for label in parse.labels] == [head == 0 for head in parse.heads]


def test_says_what_the_trained_network_says() -> None:
    """`samples.json` holds what training/caption_parser/samples.py got from PyTorch."""
    same = total = 0
    parses = parse_many([sample["caption"].split() for sample in SAMPLES])
    for sample, parse in zip(SAMPLES, parses, strict=True):
        if not are_projective_trees(np.array([sample["heads"]])).all():
            continue  # word by word these heads make no tree: PyTorch leaves them so, we do not
        theirs = zip(sample["tags"].split(), sample["heads"], sample["relations"].split(), strict=True)
        ours = zip(parse.tags, parse.heads, parse.labels, strict=True)
        agreed = [their == our for their, our in zip(theirs, ours, strict=True)]
        same, total = same + sum(agreed), total + len(agreed)
    assert total > 1000
    assert same / total >= 0.999


def test_a_caption_is_parsed_alike_alone_and_among_others() -> None:
    captions = [sample["caption"].split() for sample in SAMPLES[:40]]
    together = parse_many(captions)
    assert parse_many(captions[::-1]) == together[::-1]
    assert [parse_many([caption])[0] for caption in captions] == together


def test_nothing_to_parse() -> None:
    assert parse_many([]) == []
    assert parse_many([[], []]) == [Parse((), (), (), (), ())] * 2


@pytest.mark.parametrize(
    "caption",
    [
        "dog",
        "the",
        "🐕",
        "🐕 🛹 on a beach",
        "7",
        "3 1/2 22 1990s 5-year-old 4,000",
        "ein hund läuft durch den schnee",
        "一只 狗 在 雪地 里",
        "zxqv brillig slithy toves gimble",
        "a\u0301 \u200d \ufeff x",
        "-lrb- -rrb- # $ %",
        "two men are standing a dog runs it is sunny",
        "x" * 5000,
    ],
)
def test_odd_captions_get_a_tree(caption: str) -> None:
    tokens = caption.split()
    _assert_is_a_tree(parse_many([tokens])[0], tokens)


def test_two_hundred_words_get_a_tree() -> None:
    tokens = ("a man and a dog near the red house " * 25)[:].split()[:200]
    _assert_is_a_tree(parse_many([tokens])[0], tokens)


def test_a_caption_longer_than_the_longest_tree_is_joined_from_pieces() -> None:
    tokens = ["a", "dog", "runs", "in", "the", "park"] * 100
    parse = parse_many([tokens, tokens[:6]])[0]
    assert len(parse) == 600
    assert parse.heads.count(0) == parse.labels.count("root") == 1
    assert max(parse.heads) <= 600
    assert all(head != place for place, head in enumerate(parse.heads, 1))


@given(st.lists(st.lists(st.text(min_size=1, max_size=12), max_size=12), max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_tokens_get_a_tree(captions: list[list[str]]) -> None:
    for tokens, parse in zip(captions, parse_many(captions), strict=True):
        if tokens:
            _assert_is_a_tree(parse, tokens)


def test_unknown_words_are_read_by_their_spelling() -> None:
    known = shipped_model().known
    assert "blorping" not in known
    assert "flumpers" not in known
    parse = parse_many([["a", "man", "is", "blorping", "two", "flumpers"]])[0]
    assert parse.tags == ("DT", "NN", "VBZ", "VBG", "CD", "NNS")


def test_the_name_of_the_weights_is_part_of_a_signature() -> None:
    assert parser_name() == CaptionParser(shipped_model()).name
    assert parser_name().startswith("captions-")


def test_another_file_is_refused_in_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    np.savez(other, words=np.zeros(3))
    with pytest.raises(InputError, match=r'other\.npz: no array "general"'):
        read_model(other)


def test_weights_fit_in_the_package() -> None:
    import captious.text.parser as package

    folder = Path(str(package.__file__)).parent
    assert (folder / WEIGHTS_FILE).stat().st_size < 12_000_000
