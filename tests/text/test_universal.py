from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from captious.text.parse import Parse
from captious.text.universal import universal_tags


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
