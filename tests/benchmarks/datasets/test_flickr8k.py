from __future__ import annotations

import numpy as np
import pytest

from captious.benchmarks.datasets.flickr8k import load_crowdflower, load_expert
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.errors import InputError

TOKENS = "".join(f"{image}.jpg#{k}\tCaption {k} of {image} .\n" for image in "abc" for k in range(5))


def _folder(tmp_path, **files):
    (tmp_path / "flickr8k").mkdir()
    for name, text in {"Flickr8k.token.txt": TOKENS, **files}.items():
        (tmp_path / "flickr8k" / name).write_text(text)
    return tmp_path


def test_own_captions_are_left_out_and_every_rating_is_a_row(expert) -> None:
    # Hodosh et al. 2013: 5,822 pairs; 158 are the image's own; 5,664 x 3 = 16,992.
    assert len(expert.corpus) == 5664
    examples, values = expert.rows("overall")
    assert len(values) == 16_992
    assert np.bincount(examples).tolist() == [3] * 5664
    assert set(values.tolist()) == {1.0, 2.0, 3.0, 4.0}
    assert set(expert.corpus.reference_counts.tolist()) == {5}


@pytest.mark.parametrize(
    ("metric", "published"),
    # Hessel et al. 2021, Flickr8k-Expert; the same values in the paper's own table.
    [("bleu1", 32.3), ("bleu4", 30.8), ("rouge_l", 32.3), ("cider", 43.9)],
)
def test_published_tau_c(expert, metric, published) -> None:
    scores = compute_scores(expert, metrics_for(metric, expert.protocol.documents))
    found = evaluate(expert, scores, MetaSettings(coefficients=("kendall_c",), resamples=0))
    assert found.n == 16_992
    assert round(100 * found.results[metric]["kendall_c"].value, 1) == published


def test_cider_needs_each_pair_as_a_document(expert) -> None:
    # With images as documents tau-c is 43.8: the choice is part of the protocol.
    asked = "cider[documents=images]"
    scores = compute_scores(expert, metrics_for(asked, expert.protocol.documents))
    found = evaluate(expert, scores, MetaSettings(coefficients=("kendall_c",), resamples=0))
    assert round(100 * found.results[asked]["kendall_c"].value, 1) == 43.8


def test_photographs_are_found_where_they_are(expert, data) -> None:
    found = [path for path in expert.corpus.image_paths or [] if path]
    assert len(found) == len(list((data / "flickr8k" / "images").glob("*.jpg")))


def test_candidates_are_no_references_in_crowdflower(data) -> None:
    found = load_crowdflower(data)
    corpus = found.corpus
    assert len(found.notes) == 1 and "head" in found.notes[0]
    assert "1056338697_4f7d7ce270.jpg|1056338697_4f7d7ce270.jpg#2" in found.ids
    for row in range(len(corpus)):
        assert corpus.captions[row] not in corpus.example(row).references
    assert found.rows("overall")[1].min() >= 0 and found.rows("overall")[1].max() <= 1


def test_a_whole_crowdflower_file_says_nothing_of_heads(tmp_path) -> None:
    rows = "a.jpg\tb.jpg#1\t0.5\t1\t1\na.jpg\ta.jpg#2\t1\t3\t0\n"
    found = load_crowdflower(_folder(tmp_path, **{"CrowdFlowerAnnotations.txt": rows}))
    assert found.notes == ()
    assert found.corpus.example(0).references == [f"Caption {k} of a ." for k in (0, 1, 3, 4)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a.jpg\tb.jpg#1\t1\t2\t5\n", "line 1: the rating 5 is outside 1 to 4"),
        ("a.jpg\tb.jpg#9\t1\t2\t2\n", 'caption "b.jpg#9" is not in the token file'),
        ("x.jpg\tb.jpg#1\t1\t2\t2\n", 'image "x.jpg" has no captions'),
    ],
)
def test_bad_expert_files(tmp_path, rows, said) -> None:
    with pytest.raises(InputError, match=said):
        load_expert(_folder(tmp_path, **{"ExpertAnnotations.txt": rows}))


def test_a_share_above_one_is_refused(tmp_path) -> None:
    folder = _folder(tmp_path, **{"CrowdFlowerAnnotations.txt": "a.jpg\tb.jpg#1\t3\t3\t0\n"})
    with pytest.raises(InputError, match="share of yes is 3, outside 0 to 1"):
        load_crowdflower(folder)
