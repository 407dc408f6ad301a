"""Data-set statistics side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from captious.cli.output import Cell, Format, Number, Table
from captious.corpus.describe import (
    ORDERS,
    CaptionStatistics,
    MeanSd,
    common_sample,
    describe,
    load_captions,
    part_of_speech_shares,
    sampled_captions,
)

NO_TAGGER = (
    "parts of speech: give --tagger en_core_web_sm "
    '(pip install "captious[parse]"; python -m spacy download en_core_web_sm)'
)


def describe_files(
    paths: Sequence[Path],
    *,
    images: int | None,
    captions: int | None,
    draws: int,
    seed: int,
    tagger: str,
) -> list[CaptionStatistics]:
    """Describe every file on samples of one size."""
    sets = [load_captions(path) for path in paths]
    sample = common_sample(sets, images, captions, draws, seed)
    found = []
    for name, own in zip(_names(paths), sets, strict=True):
        statistics = describe(name, own, sample)
        if tagger:
            shares = part_of_speech_shares(sampled_captions(own, sample), tagger)
            statistics = replace(statistics, parts_of_speech=shares)
        found.append(statistics)
    return found


def _names(paths: Sequence[Path]) -> list[str]:
    """File names; with their folders where two files share one."""
    names = [path.name for path in paths]
    return [str(p) if names.count(p.name) > 1 else p.name for p in paths]


def tables(found: list[CaptionStatistics], form: Format) -> list[Table]:
    """Sizes and n-grams, lengths, and parts of speech where a tagger was named.

    CSV is one long table, for programs.
    """
    if form is Format.csv:
        return [_long(found)]
    made = [_sizes(found), _lengths(found)]
    if found[0].parts_of_speech is not None:
        made.append(_parts(found))
    else:
        made[-1].notes.append(NO_TAGGER)
    return made


def _sizes(found: list[CaptionStatistics]) -> Table:
    rows: list[list[Cell]] = [
        [one.name, _count(one.images), _count(one.captions), _count(one.tokens),
         _count(one.unique_tokens), *(_mean(value) for value in one.unique)]
        for one in found
    ]  # fmt: skip
    sample = found[0].sample
    header = ["file", "images", "captions", "tokens", "unique tokens"]
    header += [f"{order}-grams" for order in ORDERS]
    note = (
        f"n-grams: distinct ones in samples of {sample.images:,} images with {sample.captions} "
        f"captions each; mean and SD of {sample.draws} draws, seed {sample.seed}"
    )
    return Table(header, rows, notes=[note])


def _long(found: list[CaptionStatistics]) -> Table:
    rows: list[list[Cell]] = []
    for one in found:
        plain: dict[str, float] = {
            "images": one.images,
            "captions": one.captions,
            "tokens": one.tokens,
            "unique tokens": one.unique_tokens,
            "mean length": one.length_mean,
            "SD of length": one.length_sd,
            "median length": one.length_median,
            "longest": one.length_longest,
        }
        for order, value in zip(ORDERS, one.unique, strict=True):
            plain[f"unique {order}-grams"] = value.mean
            plain[f"SD of unique {order}-grams"] = value.sd
        plain |= {f"length {span}": count for span, count in one.histogram.items()}
        plain |= {f"part of speech {tag}": s for tag, s in (one.parts_of_speech or {}).items()}
        rows += [[one.name, name, Number(value, str(value))] for name, value in plain.items()]
    return Table(["file", "statistic", "value"], rows)


def _count(value: int) -> Number:
    return Number(value, f"{value:,}")


def _mean(value: MeanSd) -> Number:
    detail = "" if math.isnan(value.sd) else f"± {value.sd:,.0f}"
    return Number(value.mean, f"{value.mean:,.0f}", detail)


def _lengths(found: list[CaptionStatistics]) -> Table:
    longest = max((one.histogram for one in found), key=len)
    rows: list[list[Cell]] = [
        [one.name, _decimal(one.length_mean), _decimal(one.length_sd),
         _decimal(one.length_median), one.length_longest,
         *(_share(one.histogram.get(span, 0) / one.captions) for span in longest)]
        for one in found
    ]  # fmt: skip
    header = ["file", "mean length", "SD", "median", "longest", *longest]
    return Table(header, rows, "length in tokens, share of captions in %")


def _parts(found: list[CaptionStatistics]) -> Table:
    tags = list(dict.fromkeys(tag for one in found for tag in one.parts_of_speech or {}))
    rows: list[list[Cell]] = [
        [one.name, *(_share((one.parts_of_speech or {}).get(tag, 0.0)) for tag in tags)]
        for one in found
    ]
    return Table(["file", *tags], rows, "parts of speech in the first sample, share of words in %")


def _decimal(value: float) -> Number:
    return Number(value, f"{value:.2f}")


def _share(value: float) -> Number:
    return Number(value, f"{100 * value:.1f}")
