"""What holds for any captions, whatever the metric: best of all, any order, no crash."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from captious import Corpus, score
from captious.errors import MissingDependencyError
from captious.metrics import Batch, Metric, known_metrics, resolve
from captious.metrics.document_frequency import DocumentFrequencies

TOLERANCE = 1e-9
LAST_BITS = 1e-7  # single precision, summed in the order of the batch
# Encoders cost seconds for each new text and have their own tests.
NAMES = [
    name
    for name, metric in known_metrics().items()
    if metric.needs == frozenset({"references"})
    and metric.__module__.startswith("captious.")
    and name not in {"sentsim", "bertscore"}
]
NGRAM_METRICS = ["bleu1", "bleu4", "sacrebleu", "rouge_l", "cider", "cider_original"]
VOCABULARY = "a the two man dog cat bus horse red small sits runs rides on near with and street"
WORDS = st.sampled_from(VOCABULARY.split(" "))
CAPTIONS = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)
REFERENCES = st.lists(CAPTIONS, min_size=1, max_size=3)
BRIEF = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=NAMES)
def metric(request: pytest.FixtureRequest) -> Metric:
    chosen = resolve(request.param)
    try:
        chosen.ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    return chosen


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("df") / "properties.df.npz"
    texts = ["a man rides a horse", "two dogs near the street", "a small cat sits on a red bus"]
    DocumentFrequencies.build([[text] for text in texts]).save(path)
    return path


def scored(metric: Metric, corpus: Corpus) -> np.ndarray:
    batch = Batch(corpus)
    return metric.example_scores(metric.statistics(batch, metric.merge([metric.collect(batch)])))


def with_table(metric: Metric, table: Path) -> Metric:
    return resolve(f"{metric.name}[df={table}]") if metric.name.startswith("cider") else metric


@BRIEF
@given(reference=CAPTIONS, other=CAPTIONS)
def test_no_caption_is_better_than_one_equal_to_the_reference(
    metric: Metric, table: Path, reference: str, other: str
) -> None:
    equal, different = scored(
        with_table(metric, table), Corpus.from_lists([reference, other], [[reference], [reference]])
    )
    sign = 1 if metric.higher_is_better else -1
    assert sign * equal >= sign * different - TOLERANCE


@BRIEF
@given(data=st.data(), images=st.lists(st.tuples(CAPTIONS, CAPTIONS, REFERENCES), min_size=2, max_size=5))
def test_the_order_of_images_systems_and_references_does_not_matter(
    metric: Metric, data: st.DataObject, images: list[tuple[str, str, list[str]]]
) -> None:
    rows = [
        (str(image), system, caption, references)
        for image, (one, two, references) in enumerate(images)
        for system, caption in (("one", one), ("two", two))
    ]
    order = data.draw(st.permutations(range(len(rows))))
    turned = [data.draw(st.permutations(references)) for _, _, references in images]
    values = scored(metric, corpus_of(rows))
    moved = [(*rows[i][:3], turned[int(rows[i][0])]) for i in order]
    near = LAST_BITS if metric.by_batch else TOLERANCE
    np.testing.assert_allclose(scored(metric, corpus_of(moved)), values[list(order)], rtol=0, atol=near)


def corpus_of(rows: list[tuple[str, str, str, list[str]]]) -> Corpus:
    images, systems, captions, references = zip(*rows, strict=True)
    return Corpus.from_lists(captions, references, image_ids=images, systems=systems)


ANY_PAIRS = st.lists(
    st.tuples(st.text(max_size=40), st.lists(st.text(max_size=40), min_size=1, max_size=3)),
    min_size=2,
    max_size=5,
)


@BRIEF
@given(ANY_PAIRS)
def test_any_texts_get_finite_scores(pairs: list[tuple[str, list[str]]]) -> None:
    captions, references = zip(*pairs, strict=True)
    names = [f"{name}[any_language=yes]" for name in NGRAM_METRICS]
    found = score(Corpus.from_lists(captions, references), metrics=names, resamples=3)
    for name in names:
        assert np.isfinite(found[name].values).all()
        assert np.isfinite(found[name].score)
