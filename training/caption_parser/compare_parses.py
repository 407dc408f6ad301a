"""How often the caption parser agrees with the golden parses on captions kept from training.

    python training/caption_parser/compare_parses.py --data DATA --golden GOLDEN [--weights FILE]

The weights say themselves which images were kept from them. `compare_spice.py` goes on to SPICE's scores.
"""

from __future__ import annotations

import argparse
import json
from math import inf
from pathlib import Path

from reference.agreement import Agreement, parser_agreement
from reference.division import Division
from reference.golden import GoldenParse, read_parses

from captious.text.parse import Parse
from captious.text.parser import CaptionParser
from captious.text.parser.load import Model, read_model, shipped_model

COLUMNS = ("captions", "words", "tags", "UAS", "LAS", "exact", "tuple F1", "tuples")
# The longest caption of each group.
LENGTHS = {7: "1-7 words", 11: "8-11 words", 15: "12-15 words", 20: "16-20 words", inf: "over 20 words"}


def figures(found: Agreement) -> dict[str, float]:
    """Tags and attachment are shares of words; `exact` trees and `tuples` shares of captions."""
    return {
        "captions": found.captions,
        "words": found.words,
        "tags": found.tags,
        "UAS": found.uas,
        "LAS": found.las,
        "exact": found.exact_trees / found.captions,
        "tuple F1": found.tuple_f1,
        "tuples": found.exact_tuples / found.captions,
    }


def unknown_words(model: Model, kept: list[GoldenParse], parses: list[Parse]) -> dict[str, float]:
    """Words without a vector of their own: how many, and their tags and labelled attachment."""
    words = tags = arcs = 0
    for golden, parse in zip(kept, parses, strict=True):
        for place, word in enumerate(parse.words):
            if word in model.known:
                continue
            theirs = golden.parse
            words += 1
            tags += theirs.tags[place] == parse.tags[place]
            same_head = theirs.heads[place] == parse.heads[place]
            arcs += same_head and theirs.labels[place] == parse.labels[place]
    return {"words": words, "tags": tags / words, "LAS": arcs / words}


def by_length(parser: CaptionParser, kept: list[GoldenParse]) -> dict[str, Agreement]:
    """Agreement on captions of some lengths, to see whether long ones fare worse."""
    found = parser_agreement(parser, [golden._replace(source=_length(len(golden.parse))) for golden in kept])
    return {name: found[name] for name in LENGTHS.values() if name in found}


def _length(words: int) -> str:
    return next(name for longest, name in LENGTHS.items() if words <= longest)


def evaluate(model: Model, kept: list[GoldenParse]) -> dict[str, dict[str, float]]:
    """Figures for each set, for all, for words without a vector, and by length."""
    parser = CaptionParser(model)
    table = {name: figures(found) for name, found in parser_agreement(parser, kept).items()}
    parses = parser.parse_many([golden.parse.words for golden in kept])
    table["unknown words"] = unknown_words(model, kept, parses)
    lengths = by_length(parser, kept)
    return table | {name: figures(found) for name, found in lengths.items()}


def kept_captions(model: Model, data: Path, golden: Path) -> list[GoldenParse]:
    """Golden parses of the captions that were kept from the weights' training."""
    held_out = bool(model.notes.get("benchmarks_held_out", False))
    division = Division(data, benchmarks_held_out=held_out)
    return [row for row in read_parses(golden) if division.part(row.caption) == "kept"]


def as_text(table: dict[str, dict[str, float]]) -> str:
    """A table as papers print it."""
    lines = [f"{'set':<14}" + "".join(f"{column:>10}" for column in COLUMNS)]
    for name, row in table.items():
        cells = [row.get(column) for column in COLUMNS]
        shown = [
            "" if cell is None else f"{cell:,}" if isinstance(cell, int) else f"{100 * cell:.2f}"
            for cell in cells
        ]
        lines.append(f"{name:<14}" + "".join(f"{cell:>10}" for cell in shown))
    return "\n".join(lines)


def main() -> None:
    """Read the command line, evaluate, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--golden", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="default: the weights of the package")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    model = read_model(given.weights) if given.weights else shipped_model()
    table = evaluate(model, kept_captions(model, given.data, given.golden))
    print(json.dumps(table) if given.json else as_text(table))


if __name__ == "__main__":
    main()
