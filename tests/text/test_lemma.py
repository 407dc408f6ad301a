from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from captious.text.lemma import lemma, rule_lemma


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("women", "NNS", "woman"),
        ("knives", "NNS", "knife"),
        ("benches", "NNS", "bench"),
        ("shorts", "NNS", "shorts"),
        ("graffiti", "NNS", "graffitus"),
        ("sitting", "VBG", "sit"),
        ("lying", "VBG", "lie"),
        ("carries", "VBZ", "carry"),
        ("is", "VBZ", "be"),
        ("sitting", "NN", "sitting"),
        ("an", "DT", "a"),
        ("them", "PRP", "they"),
    ],
)
def test_lemmas_of_the_reference(word: str, tag: str, expected: str) -> None:
    # Each as CoreNLP 3.6.0 gives it.
    assert lemma(word, tag) == expected


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [("gnomes", "NNS", "gnome"), ("tweeting", "VBG", "tweet"), ("biked", "VBD", "bike")],
)
def test_rules_carry_over_to_words_outside_the_golden_data(word: str, tag: str, expected: str) -> None:
    assert rule_lemma(word, tag) == expected


@pytest.mark.parametrize("word", ["", "s", "ing", "ed", "😀", "1990s", "-lrb-"])
def test_odd_words_have_a_lemma(word: str) -> None:
    for tag in ("NN", "NNS", "VBG", "VBZ", "PRP", ""):
        assert isinstance(lemma(word, tag), str)


def test_every_golden_lemma(golden: Path) -> None:
    wanted: dict[tuple[str, str], str] = {}
    with gzip.open(golden / "spice" / "parses.jsonl.gz") as lines:
        for line in lines:
            for sentence in orjson.loads(line)["sentences"]:
                columns = (sentence[key].split(" ") for key in ("words", "tags", "lemmas"))
                wanted.update({(word, tag): base for word, tag, base in zip(*columns, strict=True)})
    wrong = {pair for pair, base in wanted.items() if lemma(*pair) != base}
    assert len(wanted) > 20_000
    assert len(wrong) <= 0.001 * len(wanted)
    inflected = [pair for pair in wanted if pair[1] == "NNS" or pair[1][0] == "V"]
    by_rule = sum(rule_lemma(*pair) == wanted[pair] for pair in inflected)
    assert by_rule / len(inflected) >= 0.96
