"""Statistics of a data set of captions: size, lengths, and how varied its words are.

Numbers of unique n-grams grow with the number of captions, so data sets are compared on samples of
one size: so many images, so many captions each (ObjectNet Captions, Table 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.load import texts_by_image
from captious.corpus.parts_of_speech import PartsOfSpeech
from captious.corpus.readers import PathText, read_rows
from captious.corpus.types import Ragged
from captious.errors import InputError
from captious.text.tokens import refuse_clauses, token_table

SAMPLE_IMAGES = 4500  # ObjectNet Captions, Table 1
SAMPLE_CAPTIONS = 5  # ObjectNet Captions, Table 1
ORDERS = (1, 2, 3, 4)
HISTOGRAM_STEP = 5
HISTOGRAM_END = 100  # tokens; all longer captions are counted together


class MeanSd(NamedTuple):
    """Mean and standard deviation (n - 1) over draws."""

    mean: float
    sd: float


class Sample(NamedTuple):
    """How large the samples are and how many were drawn."""

    images: int
    captions: int
    draws: int
    seed: int


@dataclass(frozen=True)
class CaptionStatistics:
    """One data set in numbers; `unique[n - 1]` counts distinct n-grams in the samples."""

    name: str
    captions: int
    images: int
    tokens: int
    unique_tokens: int
    length_mean: float
    length_sd: float
    length_median: float
    length_longest: int
    histogram: dict[str, int]
    tokeniser: str
    sample: Sample
    unique: tuple[MeanSd, ...]
    parts_of_speech: PartsOfSpeech | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found: dict[str, Any] = {
            "captions": self.captions,
            "images": self.images,
            "tokeniser": self.tokeniser,
            "tokens": self.tokens,
            "unique_tokens": self.unique_tokens,
            "length": {
                "mean": self.length_mean,
                "sd": self.length_sd,
                "median": self.length_median,
                "longest": self.length_longest,
                "histogram": self.histogram,
            },
            "sample": self.sample._asdict(),
            "unique": {
                f"{order}-grams": value._asdict() for order, value in zip(ORDERS, self.unique, strict=True)
            },
        }
        if self.parts_of_speech is not None:
            found["parts_of_speech"] = self.parts_of_speech.shares
            found["tagger"] = self.parts_of_speech.tagger
        return found


def load_captions(path: PathText) -> Ragged:
    """The captions of each image of a file, whatever its format."""
    return texts_by_image([read_rows(path)]).sets


def common_sample(
    sets: Sequence[Ragged],
    images: int | None = None,
    captions: int | None = None,
    draws: int = 5,
    seed: int = 0,
) -> Sample:
    """The paper's sample, or the largest that every data set allows.

    >>> common_sample([Ragged.from_lists([["a dog"], ["a cat"]])])
    Sample(images=2, captions=1, draws=5, seed=0)
    """
    most = min(int(own.counts.max()) for own in sets)
    each = captions or min(SAMPLE_CAPTIONS, most)
    have = [int((own.counts >= each).sum()) for own in sets]
    if not min(have):
        raise InputError(f"no image has {each} captions (the most is {most}). Ask for fewer.")
    count = images or min(SAMPLE_IMAGES, *have)
    if count > min(have):
        raise InputError(
            f"only {min(have):,} images have {each} captions; {count:,} were asked for. "
            "Ask for fewer images or captions."
        )
    return Sample(count, each, draws, seed)


def describe(name: str, captions: Ragged, sample: Sample, tokeniser: str = "ptb") -> CaptionStatistics:
    """Count a data set's captions, tokens, lengths and unique n-grams.

    >>> sets = Ragged.from_lists([["a dog runs"], ["a dog sits"]])
    >>> found = describe("dogs", sets, common_sample([sets]), tokeniser="space")
    >>> found.unique_tokens, [value.mean for value in found.unique]
    (4, [4.0, 3.0, 2.0, 0.0])
    """
    refuse_clauses(captions.values, tokeniser, f"{name}: captions")
    table = token_table(captions.values, tokeniser)
    lengths = np.diff(table.offsets)
    grams = [_gram_codes(table.ids.astype(np.int64), lengths, order) for order in ORDERS]
    masks = _draw_masks(captions, sample)
    unique = tuple(_unique_in(codes, owner, masks) for codes, owner in grams)
    return CaptionStatistics(
        name=name,
        captions=len(captions.values),
        images=len(captions),
        tokens=int(lengths.sum()),
        unique_tokens=len(np.unique(table.ids)),
        length_mean=float(lengths.mean()),
        length_sd=float(lengths.std(ddof=1)) if len(lengths) > 1 else float("nan"),
        length_median=float(np.median(lengths)),
        length_longest=int(lengths.max()),
        histogram=_histogram(lengths),
        tokeniser=tokeniser,
        sample=sample,
        unique=unique,
    )


def sampled_captions(captions: Ragged, sample: Sample) -> list[str]:
    """The captions of the first draw of the sample."""
    mask = _draw_masks(captions, sample._replace(draws=1))[0]
    return [text for text, kept in zip(captions.values, mask.tolist(), strict=True) if kept]


def _gram_codes(ids: IntArray, lengths: IntArray, order: int) -> tuple[IntArray, IntArray]:
    """A number for each n-gram, equal for equal n-grams, and the caption that holds it."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    size = int(ids.max()) + 1 if len(ids) else 1
    codes, starts = ids, np.arange(len(ids))
    for length in range(2, order + 1):
        ends = starts + length - 1
        inside = ends < len(ids)
        inside[inside] &= owner[starts[inside]] == owner[ends[inside]]
        starts = starts[inside]
        # Renumbered at each step, so that no code outgrows 64 bits however large the vocabulary.
        joined = codes[inside] * size + ids[ends[inside]]
        codes = np.unique(joined, return_inverse=True)[1].astype(np.int64)
    return codes, owner[starts]


def _draw_masks(captions: Ragged, sample: Sample) -> list[FloatArray]:
    """For each draw, which captions are in it."""
    enough = np.flatnonzero(captions.counts >= sample.captions)
    masks = []
    for draw in range(sample.draws):
        rng = np.random.default_rng([sample.seed, draw])
        mask = np.zeros(len(captions.values), dtype=bool)
        for image in rng.permutation(enough)[: sample.images].tolist():
            start, end = captions.offsets[image : image + 2].tolist()
            mask[start + rng.permutation(end - start)[: sample.captions]] = True
        masks.append(mask)
    return masks


def _unique_in(codes: IntArray, owner: IntArray, masks: Sequence[FloatArray]) -> MeanSd:
    size = int(codes.max()) + 1 if len(codes) else 0
    counts = []
    for mask in masks:
        seen = np.zeros(size, dtype=bool)
        seen[codes[mask[owner]]] = True
        counts.append(int(seen.sum()))
    sd = float(np.std(counts, ddof=1)) if len(counts) > 1 else float("nan")
    return MeanSd(float(np.mean(counts)), sd)


def _histogram(lengths: IntArray) -> dict[str, int]:
    counts = np.bincount(np.minimum(lengths, HISTOGRAM_END) // HISTOGRAM_STEP)
    starts = range(0, len(counts) * HISTOGRAM_STEP, HISTOGRAM_STEP)
    return {
        f"{start}-{start + HISTOGRAM_STEP - 1}" if start < HISTOGRAM_END else f"{start}-": count
        for start, count in zip(starts, counts.tolist(), strict=True)
    }
