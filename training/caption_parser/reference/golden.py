"""What the reference implementation says: its parses, its tuples, its item scores.

The files come from SPICE 1.0 with Stanford CoreNLP 3.6.0, a JSON line a caption or an item:
`spice/parses.jsonl.gz` and `spice/SET.jsonl.gz` under the golden folder.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from captious.benchmarks.data_files import wanted
from captious.errors import InputError
from captious.metrics.spice import Counts
from captious.text.parse import Parse
from captious.text.scene_graph import Tuple

PARSES = "spice/parses.jsonl.gz"
_NO_BREAK_SPACE = "\xa0"


class GoldenParse(NamedTuple):
    """One caption (its tokens as text), the set it came from, its parse and its tuples."""

    caption: str
    source: str
    parse: Parse
    tuples: list[Tuple]


class GoldenItem(NamedTuple):
    """The score of one candidate against its references, and the counts it is made of."""

    f: float
    counts: Counts


def read_parses(folder: Path) -> Iterator[GoldenParse]:
    """Every caption of the golden parses, in the order of the file."""
    path = wanted(folder, PARSES, option="--golden")
    for number, row in enumerate(_rows(path), start=1):
        try:
            (sentence,) = row["sentences"]
            yield GoldenParse(
                row["caption"].replace(_NO_BREAK_SPACE, " "),
                row["set"],
                _parse(sentence),
                [tuple(parts) for parts in row["tuples"]],
            )
        except (KeyError, TypeError, ValueError, IndexError):
            raise InputError(f"{path}: line {number} is not a golden parse. Copy the file again.") from None


def read_items(folder: Path, name: str) -> dict[str, GoldenItem]:
    """Golden items of one set by their ids."""
    path = wanted(folder, f"spice/{name}.jsonl.gz", option="--golden")
    found = {}
    for number, row in enumerate(_rows(path), start=1):
        try:
            counts = Counts(row["tp"], row["fp"], row["fn"])
            found[str(row["id"])] = GoldenItem(float(row["f"]), counts)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{path}: line {number} is not a golden item. Copy the file again.") from None
    return found


def _rows(path: Path) -> Iterator[Any]:
    try:
        with gzip.open(path) as lines:
            yield from map(orjson.loads, lines)
    except (OSError, EOFError, orjson.JSONDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}). Copy the file again.") from None


def _parse(sentence: dict[str, str]) -> Parse:
    words, tags, lemmas = (tuple(sentence[key].split(" ")) for key in ("words", "tags", "lemmas"))
    heads, labels = [0] * len(words), [""] * len(words)
    for edge in sentence["basic"].split():
        label, _, ends = edge[:-1].rpartition("(")
        head, dependent = map(int, ends.split(","))
        heads[dependent - 1], labels[dependent - 1] = head, label
    return Parse(words, tags, lemmas, tuple(heads), tuple(labels))
