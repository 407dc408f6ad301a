"""Captions as the reference parser and the reference scene graph rules read them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import orjson
import pytest

from captious.text.parse import Parse

_EDGE = re.compile(r"(\S+?)\((\d+),(\d+)\)")


class GoldenCaption(NamedTuple):
    text: str
    parse: Parse
    enhanced: str
    tuples: set[tuple[str, ...]]


def read_golden(path: Path, step: int) -> Iterator[GoldenCaption]:
    with gzip.open(path) as lines:
        for number, line in enumerate(lines):
            if number % step:
                continue
            row = orjson.loads(line)
            (sentence,) = row["sentences"]
            words, tags, lemmas = (tuple(sentence[key].split(" ")) for key in ("words", "tags", "lemmas"))
            heads, labels = [0] * len(words), [""] * len(words)
            for label, head, dependent in _EDGE.findall(sentence["basic"]):
                heads[int(dependent) - 1], labels[int(dependent) - 1] = int(head), label
            parse = Parse(words, tags, lemmas, tuple(heads), tuple(labels))
            tuples = {tuple(parts) for parts in row["tuples"]}
            yield GoldenCaption(row["caption"], parse, sentence["enhanced"], tuples)


@pytest.fixture(scope="session")
def golden_sample(golden: Path) -> list[GoldenCaption]:
    """Every fourteenth caption: about 10,000."""
    return list(read_golden(golden / "spice" / "parses.jsonl.gz", 14))


@pytest.fixture(scope="session")
def golden_captions(golden: Path) -> list[GoldenCaption]:
    """All 144,434 captions."""
    return list(read_golden(golden / "spice" / "parses.jsonl.gz", 1))
