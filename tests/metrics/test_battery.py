"""One battery for every metric that needs references alone; a new metric joins by registering."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from captious import Corpus
from captious.errors import InputError, MissingDependencyError
from captious.metrics import Batch, Metric, known_metrics, resolve
from captious.metrics.document_frequency import DocumentFrequencies

REFERENCES = {
    "beach": ["A brown dog runs along the sandy beach.", "The dog is running by the sea."],
    "kitchen": ["A woman cuts vegetables in a small kitchen.", "Somebody is cooking dinner."],
    "bus": ["A red double-decker bus stops at the corner.", "A bus on a street in London."],
    "surf": ["A man riding a wave on top of a surfboard.", "The surfer rides a big wave."],
    "cats": ["Two cats sleep next to each other on a sofa.", "A pair of cats on a couch."],
    "pizza": ["A slice of pizza on a white paper plate.", "Someone's lunch: one slice of pizza."],
}
SYSTEMS = {
    "good": [
        "A dog runs on the beach.",
        "A woman is cutting vegetables.",
        "A red bus stops on the street.",
        "A man rides a wave on a surfboard.",
        "Two cats sleep on a couch.",
        "A slice of pizza on a plate.",
    ],
    "poor": [
        "A cat on a bed.",
        "A kitchen with a sink.",
        "A bus.",
        "A man standing on a beach with a board.",
        "cats cats cats",
        "A plate of food.",
    ],
}
UNICODE = ["狗在沙滩上跑。", "Ein Hund läuft – schnell! 🐕", "كلب يجري", "e\u0301te\u0301 \u200b x\ufeff"]
TOLERANCE = 1e-9
REFERENCE_METRICS = [
    name
    for name, metric in known_metrics().items()
    if metric.needs == frozenset({"references"}) and metric.__module__.startswith("captious.")
]


@pytest.fixture(params=REFERENCE_METRICS)
def metric(request: pytest.FixtureRequest) -> Metric:
    chosen = resolve(request.param)
    try:
        chosen.ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    return chosen


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("df") / "battery.df.npz"
    DocumentFrequencies.build(REFERENCES).save(path)
    return path


def takes_table(metric: Metric) -> bool:
    return "df" in {field.name for field in fields(metric)}  # type: ignore[arg-type]


def with_table(metric: Metric, table: Path) -> Metric:
    """The metric with what it needs to score any corpus, however small."""
    return replace(metric, df=str(table)) if takes_table(metric) else metric  # type: ignore[type-var]


def whole() -> Corpus:
    images = list(REFERENCES)
    return Corpus.from_lists(
        [caption for captions in SYSTEMS.values() for caption in captions],
        [REFERENCES[image] for _ in SYSTEMS for image in images],
        image_ids=images * len(SYSTEMS),
        systems=[system for system in SYSTEMS for _ in images],
    )


def scored(metric: Metric, corpus: Corpus) -> np.ndarray:
    batch = Batch(corpus)
    knowledge = metric.merge([metric.collect(batch)])
    metric.check(corpus, knowledge)
    return metric.example_scores(metric.statistics(batch, knowledge))


def score_pairs(metric: Metric, pairs: list[tuple[str, list[str]]]) -> np.ndarray:
    return scored(metric, Corpus.from_lists([c for c, _ in pairs], [r for _, r in pairs]))


def assert_sane(metric: Metric, values: np.ndarray) -> None:
    low, high = metric.bounds
    assert np.isfinite(values).all()
    assert (values >= low - TOLERANCE).all()
    assert (values <= high + TOLERANCE).all()


def test_scores_lie_within_the_declared_bounds(metric: Metric) -> None:
    values = scored(metric, whole())
    assert_sane(metric, values)
    assert len(np.unique(values.round(6))) > 2


def test_the_better_system_wins(metric: Metric) -> None:
    corpus = whole()
    batch = Batch(corpus)
    statistics = metric.statistics(batch, metric.merge([metric.collect(batch)]))
    good, poor = (
        float(metric.corpus_score(statistics[corpus.rows_of(system)].sum(axis=0)))
        for system in ("good", "poor")
    )
    assert good > poor if metric.higher_is_better else good < poor


def test_an_empty_caption_is_worth_nothing(metric: Metric, table: Path) -> None:
    values = score_pairs(with_table(metric, table), [("", REFERENCES["bus"]), (" .\n", REFERENCES["bus"])])
    assert_sane(metric, values)
    assert values[0] == pytest.approx(metric.bounds[0], abs=1e-6)


def test_an_empty_reference_breaks_nothing(metric: Metric, table: Path) -> None:
    pairs = [("A bus.", [""]), ("A bus.", ["", "A bus."]), ("", [""])]
    assert_sane(metric, score_pairs(with_table(metric, table), pairs))


def test_one_item(metric: Metric, table: Path) -> None:
    pairs = [("A red bus stops at the corner.", REFERENCES["bus"])]
    if takes_table(metric):
        with pytest.raises(InputError, match="Score more images, or give document frequencies"):
            score_pairs(metric, pairs)
    values = score_pairs(with_table(metric, table), pairs)
    assert_sane(metric, values)
    assert values[0] > metric.bounds[0]


def test_unicode(metric: Metric, table: Path) -> None:
    pairs = [(text, [text, "A dog runs."]) for text in UNICODE]
    assert_sane(metric, score_pairs(with_table(metric, table), pairs))


def test_duplicates_score_alike(metric: Metric) -> None:
    images = list(REFERENCES)
    corpus = whole()
    doubled = Corpus.from_lists(
        corpus.captions * 2,
        [REFERENCES[image] for image in images] * 4,
        image_ids=images * 4,
        systems=["a"] * len(corpus) + ["b"] * len(corpus),
    )
    values = scored(metric, doubled)
    np.testing.assert_array_equal(values[: len(corpus)], values[len(corpus) :])
    np.testing.assert_allclose(values[: len(corpus)], scored(metric, corpus), atol=TOLERANCE)


@pytest.mark.parametrize("seed", [1, 2])
def test_order_does_not_matter(metric: Metric, seed: int) -> None:
    corpus = whole()
    order = np.random.default_rng(seed).permutation(len(corpus))
    examples = [corpus.example(row) for row in order.tolist()]
    shuffled = Corpus.from_lists(
        [e.caption for e in examples],
        [e.references[::-1] for e in examples],
        image_ids=[e.image_id for e in examples],
        systems=[e.system for e in examples],
    )
    expected = scored(metric, corpus)[order]
    np.testing.assert_allclose(scored(metric, shuffled), expected, rtol=0, atol=TOLERANCE)


def test_a_caption_equal_to_its_reference_is_best(metric: Metric, table: Path) -> None:
    reference = REFERENCES["surf"][0]
    words = reference.split()
    others = [" ".join(words[:-2]), " ".join(words[::-1]), f"{reference} {reference}", "A dog on a beach."]
    ready = with_table(metric, table)
    best, *rest = score_pairs(ready, [(text, [reference]) for text in [reference, *others]])
    sign = 1 if metric.higher_is_better else -1
    assert all(sign * best >= sign * value - TOLERANCE for value in rest)
    assert sign * best > sign * rest[-1]


def test_each_caption_as_a_corpus_of_its_own(metric: Metric) -> None:
    """`single_scores` of sums of rows, so that there are thousands of different ones, to the last bit."""
    batch = Batch(whole())
    rows = metric.statistics(batch, metric.merge([metric.collect(batch)]))
    parts = np.random.default_rng(4).integers(0, 4, (1_000, len(rows)))
    table = parts @ rows
    assert metric.single_scores(table) == [float(metric.corpus_score(row)) for row in table]


@pytest.mark.parametrize("parts", [2, 3])
def test_batches_together_know_what_one_batch_knows(metric: Metric, parts: int) -> None:
    corpus = whole()
    expected = scored(metric, corpus)
    rows = [np.flatnonzero(corpus.image_of % parts == part) for part in range(parts)]
    batches = [Batch(corpus.select(part).compact()) for part in rows]
    knowledge = metric.merge([metric.collect(batch) for batch in batches])
    for part, batch in zip(rows, batches, strict=True):
        found = metric.example_scores(metric.statistics(batch, knowledge))
        np.testing.assert_allclose(found, expected[part], rtol=0, atol=TOLERANCE)


def test_signature_tells_name_version_and_facts(metric: Metric) -> None:
    corpus = whole()
    knowledge = metric.merge([metric.collect(Batch(corpus))])
    name, *facts, version = metric.signature(corpus, knowledge).split("|")
    assert name == metric.name
    assert version.startswith("v:")
    assert "refs:2" in facts
    assert metric.summary
    assert metric.citation
    assert math.isfinite(metric.bounds[0])


@given(texts=st.lists(st.text(max_size=30), min_size=2, max_size=6))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_breaks_it(metric: Metric, table: Path, texts: list[str]) -> None:
    first, *references = texts
    pairs = [(first, references), (references[-1], [first])]
    assert_sane(metric, score_pairs(with_table(metric, table), pairs))
