"""Rated captions from what was typed: a benchmark by name, or a file of judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from captious.corpus import Corpus
    from captious.corpus.splits import Shares, Split
    from captious.learn import RatedSet


class Typed(NamedTuple):
    """Where captions and what belongs to them are, beside the judgments."""

    candidates: Sequence[Path] | None = None
    references: Sequence[Path] | None = None
    images: Path | None = None
    objects: Path | None = None
    data: Path | None = None
    aspect: str = ""
    scale: str = ""
    split: str = ""


def rated_sets(names: Sequence[str], typed: Typed, shares: Shares) -> list[RatedSet]:
    """One rated set for each file or benchmark.

    Its images are split as `typed.split` says, else as the file says, else into `shares`.
    """
    from captious.cli.output import note
    from captious.corpus.splits import Split

    given = split_typed(typed.split)
    if given and not isinstance(given, Split):
        shares = given

    found = []
    titles = [_title(name) for name in names]
    names = [place for _, place in titles]
    for title, name in titles:
        one = _of_candidates(name, typed, shares) if typed.candidates else _of_name(name, typed, shares)
        if given:
            one = replace(one, split=given if isinstance(given, Split) else None)
        one = replace(one, name=title or one.name)
        note(
            f"{one.name}: {len(one.corpus):,} captions of {len(set(one.corpus.image_of.tolist())):,} images, "
            f"{len(one.values):,} ratings of {one.aspect}, scale {one.scale[0]:g} to {one.scale[1]:g}, "
            f"split by {one.parts.source}"
        )
        found.append(one)
    return [_named_apart(one, name, found) for one, name in zip(found, names, strict=True)]


def _title(given: str) -> tuple[str, str]:
    """A data set's own name and its file, from `NAME=FILE`.

    >>> _title("cocog=export/pairs.jsonl"), _title("thumb")
    (('cocog', 'export/pairs.jsonl'), ('', 'thumb'))
    """
    title, equals, place = given.partition("=")
    return (title, place) if equals and title.replace("-", "_").isidentifier() else ("", given)


def split_typed(text: str) -> Split | Shares | None:
    """The split in a file, or shares such as 64/16/20; None where nothing was typed."""
    from captious.corpus.splits import read_split
    from captious.learn.splits import parse_shares

    if not text:
        return None
    return read_split(Path(text)) if Path(text).is_file() or Path(text).suffix else parse_shares(text)


def _named_apart(one: RatedSet, given: str, every: Sequence[RatedSet]) -> RatedSet:
    """Exports of several campaigns are all called judgments.jsonl; their folders tell them apart."""
    if sum(other.name == one.name for other in every) < 2:
        return one
    return replace(one, name=f"{Path(given).resolve().parent.name}/{one.name}")


def _of_name(name: str, typed: Typed, shares: Shares) -> RatedSet:
    import numpy as np

    from captious.benchmarks.protocol import Preferences
    from captious.benchmarks.registry import load_benchmark
    from captious.benchmarks.selection.extra_inputs import ExtraInputs
    from captious.cli.output import note
    from captious.cli.scales import scale
    from captious.errors import InputError
    from captious.learn.rated import rated_set

    if typed.references and Path(name).is_file():
        return _of_candidates(name, typed, shares)
    loaded = load_benchmark(name, typed.data, ExtraInputs(typed.objects, typed.images))
    if isinstance(loaded, Preferences):
        raise InputError(
            f"{name}: contains preferences between captions, but training needs ratings of single captions."
        )
    for line in loaded.notes:
        note(line)
    return rated_set(
        Path(name).name.partition(".")[0] if Path(name).suffix else name,
        loaded.corpus,
        loaded.judgments,
        np.arange(len(loaded.corpus)),
        aspect=typed.aspect,
        scale=scale(typed.scale),
        shares=shares,
        split=loaded.split,
    )


def _of_candidates(name: str, typed: Typed, shares: Shares) -> RatedSet:
    """Judgments of captions that other files hold."""
    from captious.cli import inputs
    from captious.cli.judged import judged_corpus
    from captious.cli.scales import scale
    from captious.corpus.splits import find_split
    from captious.errors import InputError
    from captious.learn.rated import rated_set

    def load(paths: Sequence[Path]) -> Corpus:
        return inputs.load(paths, typed.references, None, typed.images, typed.objects)

    corpus, judgments = judged_corpus(
        typed.candidates, typed.references, Path(name), typed.images, load, "train on", typed.objects
    )
    if judgments is None:
        raise InputError(f"{name}: contains no judgments.")
    return rated_set(
        Path(name).name.partition(".")[0],
        corpus,
        judgments,
        judgments.places_in(corpus),
        aspect=typed.aspect,
        scale=scale(typed.scale),
        shares=shares,
        split=find_split(Path(name)),
    )
