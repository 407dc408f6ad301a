"""The layers below the score: tuples from golden dependencies, and our parser's dependencies."""

from __future__ import annotations

from typing import NamedTuple

from captious.benchmarks.data_files.locate import MissingDataError, golden_folder
from captious.benchmarks.published.measurements import Measurements, ReproductionRequest
from captious.benchmarks.published.spice.agreement import parser_agreement
from captious.benchmarks.published.spice.division import Division
from captious.benchmarks.published.spice.golden import GoldenParse, read_parses
from captious.text.parser import CaptionParser
from captious.text.scene_graph import Tuple, scene_tuples

FROM_DEPENDENCIES = "from_dependencies/all captions/tuples equal"
PARSER = "parser/"
OTHER_WEIGHTS = (
    "this goal is for weights that learnt from nine tenths of all images; these were kept from all "
    "images of the benchmarks"
)


class Golden(NamedTuple):
    """Golden tuples by caption, and the golden parses of captions kept from training."""

    tuples: dict[str, list[Tuple]]
    kept: list[GoldenParse]


def read_golden(asked: ReproductionRequest, division: Division | None, measured: Measurements) -> Golden:
    """Pass over the golden parses once, reading tuples from their dependencies on the way."""
    found = Golden({}, [])
    equal = 0
    try:
        for golden in read_parses(golden_folder(asked.data, asked.golden)):
            found.tuples[golden.caption] = golden.tuples
            equal += set(scene_tuples(golden.parse)) == set(golden.tuples)
            if division is not None and division.part(golden.caption) == "kept":
                found.kept.append(golden)
    except MissingDataError as error:
        measured.skipped |= dict.fromkeys((FROM_DEPENDENCIES, PARSER), error.typed)
        return found
    total = len(found.tuples)
    measured.values[FROM_DEPENDENCIES] = equal / total
    measured.remarks[FROM_DEPENDENCIES] = f"{equal:,} of {total:,} captions, every tuple"
    return found


def measure_parser(parser: CaptionParser, kept: list[GoldenParse], measured: Measurements) -> None:
    """Tags, labelled attachment and tuples against the golden ones."""
    if not kept:
        measured.skipped.setdefault(PARSER, "no golden parse is of an image kept from training")
        return
    found = parser_agreement(parser, kept)["all"]
    values = {"tags": found.tags, "LAS": found.las, "tuple F1": found.tuple_f1}
    said = f"{parser.name}, {found.captions:,} captions of images kept from its training"
    if parser.notes.get("benchmarks_held_out"):
        told = ", ".join(f"{name} {100 * value:.2f}" for name, value in values.items())
        measured.skipped[PARSER] = f"{OTHER_WEIGHTS}. {said}: {told}"
        return
    measured.values |= {f"{PARSER}kept images/{name}": value for name, value in values.items()}
    measured.remarks[PARSER] = said
