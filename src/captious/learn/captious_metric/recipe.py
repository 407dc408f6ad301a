"""From data to the metric `captious`: tune the encoder, then weigh the features.

A fifth of the graded images is kept from tuning and serves for the weights, so that the encoder's
likenesses are as good there as they will be on new images and no better.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

import numpy as np

from captious._version import __version__
from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.ids import loose_id
from captious.errors import InputError
from captious.learn.captious_metric.fit import Ranked, fit_head, ranked_by_ratings
from captious.learn.captious_metric.negatives import WordPools, with_neighbours, words_of, wrong_captions
from captious.learn.captious_metric.reader import FORGETFUL
from captious.learn.captious_metric.sources import CXC_SCALE, Group, Sources
from captious.learn.captious_metric.tune import Material, Report, Tuning, tune
from captious.learn.journal import Journal
from captious.metrics.batch import Batch
from captious.metrics.captious_metric.extract import encoder_of, extract
from captious.metrics.captious_metric.meaning import TokenWeights
from captious.metrics.captious_metric.model import NOTHING, Head, Model
from captious.metrics.captious_metric.words import make_table
from captious.models.encoders.checkpoint import LowRank
from captious.models.encoders.long_texts import TRUNCATE
from captious.text.parse import Parse

KEPT = 0.2  # share of graded images that the weights learn from
OTHERS, WRONG = "captions of other images", "wrong copies"
_EXAMPLES_AN_IMAGE = 14  # own captions, their wrong copies and captions of other images
_WRONG_OF = 3  # own captions of an image that get wrong copies
_NEAR = 30
_RANGE_TEXTS = 500  # captions from which the scale of whole numbers is taken
Pairs = tuple[IntArray, IntArray]
Tell = Callable[[str, dict[str, float]], None]  # what was held out, the weights of the views


@dataclass(frozen=True, eq=False)
class Judged:
    """A benchmark: examples with mean ratings, or pairs of examples (better, worse)."""

    corpus: Corpus
    ratings: FloatArray | None = None
    pairs: Pairs | None = None

    def first(self, count: int) -> Judged:
        """Some of the examples, evenly spread; of pairs half as many, with both examples."""
        if self.pairs is None:
            rows = np.unique(
                np.linspace(0, len(self.corpus) - 1, min(count, len(self.corpus))).astype(np.int64)
            )
            ratings = None if self.ratings is None else self.ratings[rows]
            return Judged(self.corpus.select(rows).compact(), ratings)
        chosen = _spread(len(self.pairs[0]), max(count // 2, 1))
        rows, places = np.unique(np.concatenate([side[chosen] for side in self.pairs]), return_inverse=True)
        better, worse = np.split(places.astype(np.int64), 2)
        return Judged(self.corpus.select(rows).compact(), pairs=(better, worse))


def _spread(n: int, count: int) -> IntArray:
    """At most `count` of `n` places, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(count, n)).astype(np.int64))


class Encoder(NamedTuple):
    """What tuning changes."""

    change: LowRank
    tokens: TokenWeights


class Kept(NamedTuple):
    """Graded images as examples: rating or -1, and for wrong copies the row that they copy."""

    corpus: Corpus
    ratings: FloatArray
    other: IntArray  # 1 for captions of other images
    copy_of: IntArray  # -1 for captions that are no wrong copies


def split_groups(groups: Sequence[Group]) -> tuple[Sequence[Group], Sequence[Group]]:
    """Images for tuning, and the last fifth for the weights."""
    cut = int(len(groups) * (1 - KEPT))
    return groups[:cut], groups[cut:]


def parse_captions(sources: Sources) -> dict[str, Parse]:
    """Every caption of the sources, parsed once."""
    from captious.text.parser import parse_many
    from captious.text.ptb.tokenise import tokenise_many

    texts = dict.fromkeys(
        text
        for group in (*sources.graded, *sources.plain)
        for text in (*group.captions, *(other for other, _ in group.others))
    ) | dict.fromkeys(text for pair in sources.pairs for text in pair[:2])
    found = parse_many(tokenise_many(list(texts)))
    return dict(zip(texts, found, strict=True))


def material_of(
    sources: Sources, tuned: Sequence[Group], parses: dict[str, Parse], near: dict[str, list[str]]
) -> Material:
    """What tuning draws from: no caption of a kept image is in it."""
    seen = {caption for group in tuned for caption in group.captions}
    kept = {caption for group in sources.graded for caption in group.captions} - seen
    pairs = [pair for pair in sources.pairs if not {pair.first, pair.second} & kept]
    pools = with_neighbours(WordPools.of(parses.values()))
    return Material(tuned, sources.plain, pairs, parses, pools, near)


def similar_images(groups: Sequence[Group]) -> dict[str, list[str]]:
    """For each image one caption of each of the images whose captions share most rare words."""
    if len(groups) < 2:
        return {}
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    vectors = table.fit_transform([" ".join(group.captions) for group in groups])
    rng = np.random.default_rng(0)
    found: dict[str, list[str]] = {}
    for start in range(0, len(groups), 500):
        cosines = (vectors[start : start + 500] @ vectors.T).toarray()
        for row, own in enumerate(cosines):
            own[start + row] = -1.0
            nearest = np.argsort(-own)[: min(_NEAR, len(groups) - 1)]
            found[groups[start + row].image] = [str(rng.choice(groups[i].captions)) for i in nearest.tolist()]
    return found


def kept_examples(groups: Sequence[Group], material: Material, seed: int, wrong: int = 2) -> Kept:
    """Own captions against the other own ones, wrong copies of them, and captions of other images."""
    rng = Random(seed)
    rows: list[tuple[str, Sequence[str], str, float, int, int]] = []
    for group in groups:
        known = words_of(material.parses[caption].words for caption in group.captions)
        for k, (caption, rating) in enumerate(zip(group.captions, group.ratings, strict=True)):
            others = [text for i, text in enumerate(group.captions) if i != k]
            place = len(rows)
            rows.append((caption, others, group.image, rating, 0, -1))
            copies = wrong if k < _WRONG_OF else 0
            for copy in wrong_captions(material.parses[caption], known, material.pools, rng, copies):
                rows.append((copy, others, group.image, -1.0, 0, place))
        rows += [(text, group.captions, group.image, rating, 1, -1) for text, rating in group.others]
    if not rows:
        raise InputError("no image is left for the weights of the features. Give more images.")
    captions, references, images, ratings, other, copies_of = zip(*rows, strict=True)
    corpus = Corpus.from_lists(list(captions), [list(own) for own in references], image_ids=list(images))
    return Kept(corpus, np.array(ratings), np.array(other), np.array(copies_of))


def ranked_kept(kept: Kept, features: FloatArray, seed: int) -> dict[str, Ranked]:
    """Pairs by rating among captions of other images, and right captions above their wrong copies.

    Ratings of the images' own captions are nearly all the highest, and say little.
    """
    found: dict[str, Ranked] = {}
    copies = np.flatnonzero(kept.copy_of >= 0)
    if len(copies):
        found[WRONG] = Ranked(features, kept.copy_of[copies], copies, np.ones(len(copies)))
    rows = np.flatnonzero((kept.ratings >= 0) & (kept.other == 1))
    if len(rows) > 1 and np.ptp(kept.ratings[rows]) > 0:
        found[OTHERS] = ranked_by_ratings(features[rows], kept.ratings[rows], seed)
    return found


def ranked_benchmark(judged: Judged, features: FloatArray, without: set[str], seed: int) -> Ranked | None:
    """Pairs of a benchmark, none of an image that shares two references with `without`."""
    usable = ~_shared(judged.corpus, without)
    if judged.pairs is not None:
        better, worse = judged.pairs
        kept = usable[better] & usable[worse]
        return Ranked(features, better[kept], worse[kept], np.ones(int(kept.sum()))) if kept.any() else None
    rows = np.flatnonzero(usable)
    if judged.ratings is None or len(rows) < 2:
        return None
    return ranked_by_ratings(features[rows], judged.ratings[rows], seed)


def make_model(
    sources: Sources,
    benchmarks: Mapping[str, Judged],
    *,
    how: Tuning,
    start: Encoder | None = None,
    strength: float = 1.0,
    tested: Mapping[str, Corpus] | None = None,
    limit: int = 0,
    report: Report | None = None,
    tell: Tell | None = None,
    journal: Journal = FORGETFUL,
    seen_before: frozenset[str] = frozenset(),
) -> Model:
    """Tune the encoder for `how.steps` steps from `start`, then choose the weights of the views.

    `strength` is the share of what was learned that is added to the published encoder.
    With a `limit` at most so many examples of each data set decide on the weights. What the journal
    holds of an interrupted run is not done again. `seen_before` are the images of the models behind `start`.
    """
    groups, plain = sources.graded or sources.plain, sources.plain if sources.graded else ()
    tuned, kept_groups = split_groups(groups)
    parses = parse_captions(sources)
    near = similar_images(plain) if how.steps else {}
    material = material_of(Sources(groups, plain, sources.pairs), tuned, parses, near)
    change, tokens = _tuned(material, how, start, report, journal)
    table = make_table([[parses[c].words for c in group.captions] for group in (*groups, *plain)])
    change = replace(change, strength=strength)
    model = _rounded(Model(change, tokens, table, {}), [" ".join(parse.words) for parse in parses.values()])
    if limit:
        kept_groups = kept_groups[: max(1, limit // _EXAMPLES_AN_IMAGE)]
        benchmarks = {name: judged.first(limit) for name, judged in benchmarks.items()}
    kept = kept_examples(kept_groups, material, seed=how.seed + 1)

    def features(name: str, corpus: Corpus) -> FloatArray:
        made = journal.once(
            f"features {name}", lambda: {"values": extract(Batch(corpus), model, TRUNCATE).features}
        )
        return made["values"]

    own = features("kept", kept.corpus)
    found = {name: features(f"of {name}", judged.corpus) for name, judged in benchmarks.items()}
    seen = frozenset(loose_id(group.image) for group in (*groups, *plain)) | seen_before
    heads = fit_heads(kept, benchmarks, found, own, tested or {}, tell=tell)
    return replace(model, heads=heads, images=seen)


def mean_encoder(models: Sequence[Model]) -> Encoder:
    """The mean of encoders that were tuned from one start; better than each (Wortsman et al. 2022)."""
    tokens = TokenWeights(
        np.mean([model.tokens.w for model in models], axis=0),
        float(np.mean([model.tokens.b for model in models])),
    )
    return Encoder(LowRank.mean([model.change for model in models]), tokens)


def run_digest(
    sources: Sources, names: Sequence[str], how: Tuning, start: Encoder | None, *facts: float
) -> str:
    """What tells one run from another."""
    begun = start.change.digest() if start is not None else ""
    content = repr((__version__, sources, sorted(names), how, begun, facts))
    return hashlib.sha256(content.encode()).hexdigest()


def _rounded(model: Model, texts: Sequence[str]) -> Model:
    """The model with whole-number products, on the scale that some of the captions show."""
    some = [texts[i] for i in _spread(len(texts), _RANGE_TEXTS).tolist()]
    return replace(model, ranges=encoder_of(model).find_ranges(some))


def _tuned(
    material: Material, how: Tuning, start: Encoder | None, report: Report | None, journal: Journal
) -> Encoder:
    if start is not None and not how.steps:
        return start
    from captious.learn.captious_metric.reader import Reader

    reader = Reader(how.seed, *(start or (None, None)))
    tune(reader, material, how, report, journal)
    return Encoder(reader.change(), reader.token_weights())


def fit_heads(
    kept: Kept,
    benchmarks: Mapping[str, Judged],
    features: Mapping[str, FloatArray],
    own: FloatArray,
    tested: Mapping[str, Corpus],
    seed: int = 0,
    tell: Tell | None = None,
) -> dict[str, Head]:
    """Weights from everything, and for each tested benchmark from everything but its images."""
    base = ranked_kept(kept, own, seed)
    scale, rated = _scale(kept, own, benchmarks, features)
    heads = {}
    for held_out in (NOTHING, *tested):
        without = _texts(tested[held_out]) if held_out in tested else set()
        sets = dict(base)
        for name, one in benchmarks.items():
            ranked = None if name == held_out else ranked_benchmark(one, features[name], without, seed)
            if ranked is not None:
                sets[name] = ranked
        if not sets:
            raise InputError("there are no judgments to learn from. Give --judgments FILE or --data FOLDER.")
        heads[held_out], chosen = fit_head(sets, scale, rated)
        if tell is not None:
            tell(held_out, chosen)
    return heads


def _scale(
    kept: Kept, own: FloatArray, benchmarks: Mapping[str, Judged], features: Mapping[str, FloatArray]
) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Spread of the features, and ratings of 0 to 1 that the output is brought to."""
    # Ratings of own captions are nearly all the highest: they would leave no room among good captions.
    rated = (kept.ratings >= 0) & (kept.other == 1)
    values, ratings = own[rated], kept.ratings[rated] / CXC_SCALE
    if len(ratings):
        spread = own[kept.ratings >= 0].std(axis=0) + 1e-6
    else:
        name = next((n for n, j in benchmarks.items() if j.ratings is not None), None)
        if name is None:
            raise InputError("there are no ratings to learn from. Give --judgments FILE or --data FOLDER.")
        found = benchmarks[name].ratings
        assert found is not None  # chosen so
        values, ratings = features[name], (found - found.min()) / max(float(np.ptp(found)), 1e-9)
        spread = values.std(axis=0) + 1e-6
    return spread, (values, ratings)


def _shared(corpus: Corpus, texts: set[str]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    counts = [sum(_fold(text) in texts for text in own) for own in corpus.references]
    return np.array(counts)[corpus.references_of] > 1


def _texts(corpus: Corpus) -> set[str]:
    return {_fold(text) for text in corpus.references.values}


def _fold(text: str) -> str:
    return " ".join(text.lower().strip(" .").split())
