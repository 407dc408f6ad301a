from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from captious.corpus.parts_of_speech import missing_for_taggers, parts_of_speech, universal_tags
from captious.errors import CaptiousError
from captious.text.parse import Parse

CAPTIONS = ["A dog runs on the grass.", "Two red buses."]


@pytest.mark.parametrize("tagger", ["caption", "spacy"])
def test_shares_of_words(tagger: str) -> None:
    if missing_for_taggers()[tagger]:
        pytest.skip("spaCy with an English model is not installed")
    found = parts_of_speech(CAPTIONS, tagger)
    # dog, grass, buses of nine words; the full stops are none.
    assert found.shares == pytest.approx(
        {"NOUN": 3 / 9, "DET": 2 / 9, "VERB": 1 / 9, "ADP": 1 / 9, "NUM": 1 / 9, "ADJ": 1 / 9}
    )
    assert found.tagger.startswith(f"{tagger}:")


@pytest.mark.parametrize("captions", [[], [""], ["...", " "]])
def test_no_words_have_no_parts_of_speech(captions: list[str]) -> None:
    assert parts_of_speech(captions).shares == {}


def test_both_taggers_say_nearly_the_same_of_real_captions(data: Path) -> None:
    if missing_for_taggers()["spacy"]:
        pytest.skip("spaCy with an English model is not installed")
    references = json.loads((data / "coco_karpathy" / "reference_captions.json").read_text())
    captions = [text for texts in list(references.values())[:100] for text in texts]
    ours, theirs = (parts_of_speech(captions, name).shares for name in ("caption", "spacy"))
    for tag in ("NOUN", "DET", "ADP", "VERB", "ADJ", "AUX", "PRON", "CCONJ", "NUM"):
        assert ours[tag] == pytest.approx(theirs[tag], abs=0.025), tag


def test_a_tagger_that_is_none_is_refused_with_one_line() -> None:
    with pytest.raises(CaptiousError) as caught:
        parts_of_speech(CAPTIONS, "no_such_model")
    assert "no_such_model" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("word", "tag", "label", "expected"),
    [
        ("is", "VBZ", "aux", "AUX"),
        ("was", "VBD", "auxpass", "AUX"),
        ("are", "VBP", "cop", "AUX"),
        ("is", "VBZ", "root", "VERB"),
        ("can", "MD", "aux", "AUX"),
        ("to", "TO", "mark", "PART"),
        ("to", "TO", "case", "ADP"),
        ("while", "IN", "mark", "SCONJ"),
        ("on", "IN", "case", "ADP"),
        ("up", "RP", "compound:prt", "ADP"),
        ("not", "RB", "neg", "PART"),
        ("very", "RB", "advmod", "ADV"),
        ("'s", "POS", "case", "PART"),
        ("his", "PRP$", "nmod:poss", "PRON"),
        ("three", "CD", "nummod", "NUM"),
        ("london", "NNP", "compound", "PROPN"),
        ("?", "-LRB-", "punct", "X"),
    ],
)
def test_a_word_by_its_tag_and_relation(word: str, tag: str, label: str, expected: str) -> None:
    assert list(universal_tags(Parse((word,), (tag,), (word,), (0,), (label,)))) == [expected]


def test_every_tag_of_the_golden_captions_is_known(golden: Path) -> None:
    with gzip.open(golden / "spice" / "parses.jsonl.gz") as lines:
        rows = [json.loads(line) for line in islice(lines, 0, 144_000, 40)]
    tags = {tag for row in rows for tag in row["sentences"][0]["tags"].split()}
    parses = (Parse(("x",), (tag,), ("x",), (0,), ("root",)) for tag in tags)
    unknown = {parse.tags[0] for parse in parses if next(universal_tags(parse)) == "X"}
    assert unknown <= {"FW", "LS", "-LRB-", "-RRB-", ":", "``", "''", ",", "."}
