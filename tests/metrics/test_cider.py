from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import captious
from captious import Corpus
from captious.engine import run_metrics
from captious.errors import InputError
from captious.metrics import resolve
from captious.metrics.document_frequency import DocumentFrequencies

TWO_IMAGES = [["a b"], ["a c"]]


def test_published_value_of_the_m2_transformer(karpathy: Corpus) -> None:
    scores = captious.score(karpathy, ["cider"])["cider"]
    # Cornia et al. 2020, table 4.
    assert round(100 * scores.score, 1) == 131.2
    version = captious.__version__
    assert scores.signature == f"cider|refs:5|tok:ptb|df:corpus:5000|n:4|sigma:6.0|v:{version}"


def test_every_item_is_coco_captions(karpathy: Corpus, karpathy_items: dict[str, np.ndarray]) -> None:
    values = captious.score(karpathy, ["cider"])["cider"].values
    np.testing.assert_allclose(values, karpathy_items["cider"], rtol=0, atol=1e-12)


def test_thumb_table_2_and_every_item_as_stored(
    thumb: Corpus, thumb_figures: dict[str, dict[str, list[float]]]
) -> None:
    scores = captious.score(thumb, ["cider"])["cider"]
    # Kasai et al. 2022, table 2: each system against the four references of 500 images. Scored
    # together they still share one list of references an image, so frequencies are the same.
    published = {"VinVL-large": 141.8, "VinVL-base": 138.4, "Unified-VLP": 128.5, "Up-Down": 110.7}
    assert {s: round(100 * scores.systems[s].score, 1) for s in published} == published
    for system, figures in thumb_figures.items():
        rows = sorted(thumb.rows_of(system).tolist(), key=lambda row: thumb.example(row).image_id)
        np.testing.assert_allclose(scores.values[rows], figures["cider"], rtol=0, atol=1e-8)


def values(captions: list[str], references: list[list[str]], options: str = "") -> list[float]:
    name = f"cider[tokeniser=space{options}]"
    corpus = Corpus.from_lists(captions, references)
    return captious.score(corpus, [name])[name].values.tolist()


def original(captions: list[str], references: list[list[str]], options: str = "") -> list[float]:
    name = f"cider_original[tokeniser=space{options}]"
    corpus = Corpus.from_lists(captions, references)
    return captious.score(corpus, [name])[name].values.tolist()


def test_a_word_in_every_image_weighs_nothing() -> None:
    # "a" is in both images: log(2/2) = 0. "b" and "a b" match, orders 3 and 4 are empty: 10 * 2/4;
    # "a" alone has a vector of length 0 and scores 0.
    assert values(["a b", "a"], TWO_IMAGES) == pytest.approx([5.0, 0.0])


def test_counts_are_clipped_and_lengths_penalised() -> None:
    # "b b" against "b": min(2, 1) * 1 / (2 * 1) = 1/2 of order 1. One pair of words against none:
    # exp(-1 / (2 * 6^2)). Without either, the cosine of (2) and (1) is 1.
    references = [["b"], ["c"]]
    expected = 10 / 4 * 0.5 * math.exp(-1 / 72)
    assert values(["b b", "x"], references) == pytest.approx([expected, 0.0])
    assert original(["b b", "x"], references) == pytest.approx([1 / 4, 0.0])
    narrow = 10 / 4 * 0.5 * math.exp(-1 / 2)
    assert values(["b b", "x"], references, ",sigma=1")[0] == pytest.approx(narrow)


def test_captions_of_which_the_penalty_leaves_nothing_are_noted() -> None:
    # exp(-d^2 / (2 x 36)) is below .01 from d = 19 pairs of words, and above with 18.
    dogs, reference = "a dog " * 15, "a dog runs"
    corpus = Corpus.from_lists([dogs, "a cat"], [[reference, "two dogs"], ["a cat sleeps"]])
    (note,) = captious.score(corpus, ["cider"])["cider"].notes
    assert note.startswith("cider: 1 of 2 captions are more than 18 words longer or shorter than all their")
    near = Corpus.from_lists([dogs, "a cat"], [[reference, "two dogs " * 7], ["a cat sleeps"]])
    assert captious.score(near, ["cider"])["cider"].notes == ()


def test_n_is_the_longest_n_gram() -> None:
    assert values(["a b", "a"], TWO_IMAGES, ",n=2") == pytest.approx([10.0, 0.0])


def test_original_is_on_the_papers_scale_unless_asked() -> None:
    assert original(["a b", "a"], TWO_IMAGES) == pytest.approx([0.5, 0.0])
    assert original(["a b", "a"], TWO_IMAGES, ",scale=10") == pytest.approx([5.0, 0.0])


def test_original_reduces_words_to_stems_where_asked() -> None:
    references = [["dogs"], ["cats"]]
    assert original(["dog", "cat"], references) == pytest.approx([0.0, 0.0])
    assert original(["dog", "cat"], references, ",stem=yes") == pytest.approx([0.25, 0.25])


def test_one_image_without_a_table_is_refused() -> None:
    with pytest.raises(InputError, match=r"references cover 1 image.*df=FILE"):
        values(["a b"], [["a b"]])


def test_one_image_with_a_table(tmp_path: Path) -> None:
    path = tmp_path / "two.df.npz"
    DocumentFrequencies.build(TWO_IMAGES, tokeniser="space").save(path)
    name = f"cider[tokeniser=space,df={path}]"
    scores = captious.score(Corpus.from_lists(["a b"], [["a b"]]), [name])[name]
    assert scores.score == pytest.approx(5.0)
    assert "|df:file:" in scores.signature
    assert ":2|n:4" in scores.signature


def test_a_saved_table_gives_the_corpus_own_numbers(thumb: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "thumb.df.npz"
    DocumentFrequencies.build(thumb.references).save(path)
    name = f"cider[df={path}]"
    scores = captious.score(thumb, ["cider", name])
    np.testing.assert_allclose(scores[name].values, scores["cider"].values, rtol=0, atol=1e-12)


def test_documents_may_be_counted_by_example() -> None:
    # Image 1 is judged twice. By images: df(b) = 1 of N = 2. By examples: df(b) = 2 of N = 3.
    corpus = Corpus.from_lists(
        ["b", "x", "c"], [["b"], ["b"], ["c"]], image_ids=["1", "1", "2"], systems=["p", "q", "p"]
    )
    label = {}
    for documents in ("images", "examples"):
        name = f"cider[tokeniser=space,documents={documents}]"
        label[documents] = captious.score(corpus, [name])[name].signature.split("|")[3]
    assert label == {"images": "df:corpus:2", "examples": "df:corpus:3"}


def test_counting_by_example_is_coco_caption_with_an_id_for_each_pair(thumb: Corpus) -> None:
    # The pipelines that give every judged pair an id of its own, as for Flickr8k-Expert.
    rows = np.arange(0, len(thumb), 7)
    shared = thumb.select(rows)
    examples = [thumb.example(row) for row in rows.tolist()]
    apart = Corpus.from_lists([e.caption for e in examples], [e.references for e in examples])
    name = "cider[documents=examples]"
    by_example = captious.score(shared, [name])[name].values
    np.testing.assert_allclose(
        by_example, captious.score(apart, ["cider"])["cider"].values, rtol=0, atol=1e-12
    )


def test_flickr8k_expert_was_published_by_example(data: Path) -> None:
    # Hessel et al. 2021, table 1: tau-c .439 with the 16,992 ratings; by images it is .438.
    folder = data / "flickr8k"
    lines = (folder / "Flickr8k.token.txt").read_text(encoding="utf-8").splitlines()
    captions = dict(line.split("\t") for line in lines)
    references: dict[str, list[str]] = {}
    for key, caption in captions.items():
        references.setdefault(key.partition("#")[0], []).append(caption)
    lines = (folder / "ExpertAnnotations.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines]
    rows = [row for row in rows if row[1].partition("#")[0] != row[0]]
    corpus = Corpus.from_lists(
        [captions[row[1]] for row in rows],
        [references[row[0]] for row in rows],
        image_ids=[row[0] for row in rows],
        systems=[row[1] for row in rows],
    )
    ratings = np.array([row[2:] for row in rows], dtype=np.float64)
    taus = {}
    for documents in ("images", "examples"):
        metric = resolve(f"cider[documents={documents}]")
        scores = metric.example_scores(run_metrics(corpus, [metric])[0].statistics)
        tau = kendalltau(np.repeat(scores, 3), ratings.ravel(), variant="c").statistic
        taus[documents] = round(100 * tau, 1)
    assert ratings.size == 16_992
    assert taus == {"images": 43.8, "examples": 43.9}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (",n=5", "n is 5; it must be from 1 to 4"),
        (",sigma=0", "sigma is 0.0; it must be above 0"),
        (",documents=captions", 'documents of cider "captions"'),
        (",df=nowhere.npz", "nowhere.npz: cannot be read"),
    ],
)
def test_wrong_options_are_one_clear_line(options: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        values(["a b", "a"], TWO_IMAGES, options)


def test_a_table_of_other_tokens_or_of_shorter_n_grams_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.df.npz"
    DocumentFrequencies.build(TWO_IMAGES, n=1, tokeniser="space").save(path)
    with pytest.raises(InputError, match="n-grams up to 1; cider needs 4"):
        values(["a b"], [["a b"]], f",df={path}")
    with pytest.raises(InputError, match="tokens of the tokeniser space"):
        captious.score(Corpus.from_lists(["a b"], [["a b"]]), [f"cider[n=1,df={path}]"])
