"""What `captious reproduce spice` measures, layer by layer.

1. Scores from the reference implementation's tuples; 2. tuples from its dependencies; 3. our
parser's tags and dependencies on images kept from training; then the whole metric, from text:
its items against the golden items, its averages, its agreement with people.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from captious.benchmarks.data_files.locate import MissingDataError, golden_folder
from captious.benchmarks.published.measurements import Measurements, ReproductionRequest
from captious.benchmarks.published.spice.division import Division
from captious.benchmarks.published.spice.golden import GoldenItem, read_items
from captious.benchmarks.published.spice.items import SETS, Captions, ItemSet, counts_from_tuples
from captious.benchmarks.published.spice.kept import ITEM_R_KEPT, measure_kept_captions
from captious.benchmarks.published.spice.layers import PARSER, measure_parser, read_golden
from captious.benchmarks.published.spice.systems import SYSTEM_KEYS, measure_systems
from captious.corpus.columns import FloatArray
from captious.engine import run_metrics
from captious.errors import InputError
from captious.metrics.spice import Spice
from captious.stats.correlation import pearson
from captious.text.parser import CaptionParser, caption_parser
from captious.text.scene_graph import Tuple

# Rows of the tables of expected values, by the names of the golden files.
ROWS = {
    "thumb": "THumB",
    "flickr8k_expert": "Flickr8k-Expert",
    "karpathy_m2": "M2 on Karpathy",
    "nebula": "Nebula",
    "capeval1k": "CapEval1k",
}
FROM_TUPLES, ITEM_R = "from_tuples", "item_r"
EXACT = 1e-12


def recompute_spice(asked: ReproductionRequest) -> Measurements:
    """All figures of SPICE; what lacks its data or golden values is skipped with the reason."""
    measured = Measurements()
    parser = caption_parser(asked.parser)
    steps = ["golden parses", "caption parser", *ROWS.values()]
    _show(asked, steps, "golden parses")
    division = _division(asked.data, parser, measured)
    measured.remarks[f"{ITEM_R}/"] = _said_of_training(parser)
    golden = read_golden(asked, division, measured)
    _show(asked, steps, "caption parser")
    measure_parser(parser, golden.kept, measured)
    if division is not None:
        measure_kept_captions(parser, golden.kept, division, measured)
    for name, row in ROWS.items():
        _show(asked, steps, row)
        try:
            items = SETS[name](asked.data)
        except MissingDataError as error:
            _skip(row, error.typed, measured)
            measured.skipped |= dict.fromkeys(SYSTEM_KEYS[name], error.typed)
            continue
        scores = _score(items, asked.parser)
        try:
            official = _golden_items(name, items, asked)
        except MissingDataError as error:
            _skip(row, error.typed, measured)
            official = []
        theirs = np.array([item.f for item in official])
        measure_systems(name, row, items, scores, theirs, asked.data, measured)
        if official:
            captions = Captions.of(items.corpus)
            measured.values[f"{ITEM_R}/{row}/Pearson r"] = pearson(scores, theirs)
            _of_kept_images(row, captions, scores, theirs, division, measured)
            _from_tuples(row, captions, official, golden.tuples, measured)
    if asked.progress:
        asked.progress("", len(steps), len(steps))
    return measured


def _show(asked: ReproductionRequest, steps: list[str], step: str) -> None:
    if asked.progress:
        asked.progress(step, steps.index(step), len(steps))


def _said_of_training(parser: CaptionParser) -> str:
    if parser.notes.get("benchmarks_held_out"):
        return (
            f"{parser.name} learnt from no caption of THumB, Flickr8k-Expert, the "
            "Karpathy test split or CapEval1k"
        )
    return (
        f"{parser.name} learnt from the captions of nine tenths of these images; the kept images "
        "below, and --parser with weights that never saw a benchmark, show what it does on others"
    )


def _division(data: Path, parser: CaptionParser, measured: Measurements) -> Division | None:
    held_out = bool(parser.notes.get("benchmarks_held_out", False))
    try:
        return Division(data, benchmarks_held_out=held_out)
    except MissingDataError as error:
        why = f"all data sets are needed to tell which images were kept from training: {error}"
        measured.skipped |= {PARSER: why, f"{ITEM_R_KEPT}/": why}
        return None


def _skip(row: str, why: str, measured: Measurements) -> None:
    for measure in (FROM_TUPLES, ITEM_R, ITEM_R_KEPT):
        measured.skipped[f"{measure}/{row}/"] = why


def _score(items: ItemSet, weights: Path | None) -> FloatArray:
    """Scores of a set's examples as `captious score` gives them, from their text."""
    metric = Spice(f"caption:{weights}" if weights else "caption")
    (run,) = run_metrics(items.corpus, [metric])
    return metric.example_scores(run.statistics)


def _golden_items(name: str, items: ItemSet, asked: ReproductionRequest) -> list[GoldenItem]:
    """Golden items in the order of the examples."""
    found = read_items(golden_folder(asked.data, asked.golden), name)
    unknown = next((key for key in items.keys if key not in found), None)
    if unknown is not None:
        raise InputError(f'golden items of {name}: none has the id "{unknown}". Copy them again.')
    return [found[key] for key in items.keys]


def _from_tuples(
    row: str,
    captions: Captions,
    official: list[GoldenItem],
    tuples: Mapping[str, list[Tuple]],
    measured: Measurements,
) -> None:
    """Items that come out exactly, score and counts, given the golden tuples."""
    key = f"{FROM_TUPLES}/{row}/items equal"
    found = counts_from_tuples(captions, tuples)
    if not found:
        measured.skipped[key] = "no golden parses, or no item that has them for all its captions"
        return
    equal = sum(
        own == official[place].counts and abs(own.f - official[place].f) < EXACT
        for place, own in found.items()
    )
    measured.values[key] = equal / len(found)
    measured.remarks[key] = (
        f"{row}: {equal:,} of {len(found):,} items, score and counts; "
        f"{len(official) - len(found):,} more have a caption without golden tuples"
    )


def _of_kept_images(
    row: str,
    captions: Captions,
    scores: FloatArray,
    theirs: FloatArray,
    division: Division | None,
    measured: Measurements,
) -> None:
    """Items all of whose captions were kept from the parser's training."""
    if division is None:
        return
    kept = captions.holds_for_all(lambda tokens: division.part(tokens) == "kept")
    key = f"{ITEM_R_KEPT}/{row}/Pearson r"
    if kept.sum() < 2:
        measured.skipped[key] = "fewer than two items were kept from training"
        return
    measured.values[key] = pearson(scores[kept], theirs[kept])
    measured.remarks[key] = f"{row}: {int(kept.sum()):,} items"
