"""Statistics of caption files side by side, and their tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from captious.cli.output import Format, note
from captious.corpus.describe import (
    ORDERS,
    CaptionStatistics,
    MeanSd,
    common_sample,
    describe,
    load_captions,
    sampled_captions,
)
from captious.corpus.parts_of_speech import NONE, misread_by, parts_of_speech
from captious.engine import Progress
from captious.tables import Cell, Number, Table


def describe_files(
    paths: Sequence[Path],
    *,
    images: int | None,
    captions: int | None,
    draws: int,
    seed: int,
    tagger: str,
    tokeniser: str = "ptb",
    progress: Progress | None = None,
) -> list[CaptionStatistics]:
    """Describe every file on samples of one size."""
    sets = [load_captions(path) for path in paths]
    sample = common_sample(sets, images, captions, draws, seed)
    found = []
    for done, (name, own) in enumerate(zip(_names(paths), sets, strict=True)):
        if progress:
            progress(name, done, len(sets))
        statistics = describe(name, own, sample, tokeniser)
        texts = sampled_captions(own, sample)
        if tagger != NONE and not (why := misread_by(tagger, texts)):
            statistics = replace(statistics, parts_of_speech=parts_of_speech(texts, tagger))
        elif tagger != NONE:
            note(f"{name}: no parts of speech: {why} Use --tagger NAME, a spaCy model of that language.")
        found.append(statistics)
    return found


def _names(paths: Sequence[Path]) -> list[str]:
    """File names; with their folders where two files share one."""
    names = [path.name for path in paths]
    return [str(p) if names.count(p.name) > 1 else p.name for p in paths]


def tables(found: list[CaptionStatistics], form: Format) -> list[Table]:
    """Sizes and n-grams, lengths, and parts of speech unless no tagger is wanted.

    CSV is one long table, for programs.
    """
    if form is Format.csv:
        return [_long(found)]
    made = [_sizes(found), _lengths(found)]
    if tagged := [one for one in found if one.parts_of_speech is not None]:
        made.append(_parts(tagged))
    return made


def _sizes(found: list[CaptionStatistics]) -> Table:
    rows: list[list[Cell]] = [
        [
            one.name,
            _count(one.images),
            _count(one.captions),
            _count(one.tokens),
            _count(one.unique_tokens),
            *(_mean(value) for value in one.unique),
        ]
        for one in found
    ]
    sample = found[0].sample
    header = ["file", "images", "captions", "tokens", "unique tokens"]
    header += [f"{order}-grams" for order in ORDERS]
    each = "1 caption" if sample.captions == 1 else f"{sample.captions} captions"
    note = (
        f"n-grams: distinct n-grams in samples of {sample.images:,} images with {each} each; "
        f"mean and SD of {sample.draws} draws, seed {sample.seed}"
    )
    tokens = found[0].tokeniser
    return Table("", header, rows, note if tokens == "ptb" else f"{note}; tokens: {tokens}")


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
        plain |= {f"part of speech {tag}": share for tag, share in _part_shares(one).items()}
        rows += [[one.name, name, Number(value, str(value))] for name, value in plain.items()]
    return Table("", ["file", "statistic", "value"], rows)


def _count(value: int) -> Number:
    return Number(value, f"{value:,}")


def _mean(value: MeanSd) -> Number:
    detail = "" if math.isnan(value.sd) else f"± {value.sd:,.0f}"
    return Number(value.mean, f"{value.mean:,.0f}", detail)


def _lengths(found: list[CaptionStatistics]) -> Table:
    longest = max((one.histogram for one in found), key=len)
    rows: list[list[Cell]] = [
        [
            one.name,
            _decimal(one.length_mean),
            _decimal(one.length_sd),
            _decimal(one.length_median),
            one.length_longest,
            *(_share(one.histogram.get(span, 0) / one.captions) for span in longest),
        ]
        for one in found
    ]
    header = ["file", "mean length", "SD", "median", "longest", *longest]
    return Table("length in tokens, share of captions in %", header, rows)


def _part_shares(one: CaptionStatistics) -> dict[str, float]:
    return one.parts_of_speech.shares if one.parts_of_speech else {}


def _parts(found: list[CaptionStatistics]) -> Table:
    shares = {one.name: _part_shares(one) for one in found}
    tags = list(dict.fromkeys(tag for own in shares.values() for tag in own))
    rows: list[list[Cell]] = [
        [name, *(_share(own.get(tag, 0.0)) for tag in tags)] for name, own in shares.items()
    ]
    title = "parts of speech in the first sample, share of words in %"
    taggers = dict.fromkeys(one.parts_of_speech.tagger for one in found if one.parts_of_speech)
    return Table(title, ["file", *tags], rows, f"tagger: {', '.join(taggers)}")


def _decimal(value: float) -> Number:
    return Number(value, f"{value:.2f}")


def _share(value: float) -> Number:
    return Number(value, f"{100 * value:.1f}")
