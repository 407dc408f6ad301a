from __future__ import annotations

import json

import pytest

from captious.benchmarks.datasets.thumb import load_thumb
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.errors import InputError


def test_four_machines_or_five_systems(thumb, thumb_with_human) -> None:
    assert len(thumb.corpus) == 2000
    assert "Human" not in thumb.corpus.systems
    assert len(thumb_with_human.corpus) == 2500
    assert thumb.protocol.options == {"human": "without", "leaked": "keep"}
    assert thumb.notes == ()


def test_the_leak_is_told_and_can_be_taken_out(thumb_with_human, data) -> None:
    assert "39 Human captions" in thumb_with_human.notes[0]
    dropped = load_thumb(data, human="with", leaked="drop")
    counts = dropped.corpus.reference_counts[dropped.corpus.rows_of("Human")]
    assert (counts == 4).sum() == 461
    assert (counts < 4).sum() == 39
    for row in dropped.corpus.rows_of("Human").tolist():
        example = dropped.corpus.example(row)
        assert example.caption not in example.references


def test_the_missing_fifth_caption_takes_the_place_of_a_leak(data) -> None:
    replaced = load_thumb(data, human="with", leaked="replace")
    assert "38 replaced with the image's fifth caption, 1 removed" in replaced.notes[0]
    counts = replaced.corpus.reference_counts[replaced.corpus.rows_of("Human")]
    assert (counts == 4).sum() == 499
    for row in replaced.corpus.rows_of("Human").tolist():
        example = replaced.corpus.example(row)
        assert example.caption not in example.references
    # Kasai et al. 2022, Table 4, with Human: BLEU .14 .05 .14.
    scores = compute_scores(replaced, metrics_for("sacrebleu", replaced.protocol.documents))
    for aspect, printed in (("precision", 0.14), ("recall", 0.05), ("total", 0.14)):
        settings = MetaSettings(aspect=aspect, coefficients=("pearson",), resamples=0)
        found = evaluate(replaced, scores, settings).results["sacrebleu"]["pearson"].value
        assert round(found, 2) == printed


def test_the_first_release_has_one_leak_and_gives_the_printed_correlations(data) -> None:
    first = load_thumb(data, human="with", release="first")
    assert first.notes[0].startswith("1 Human captions are among their own references")
    assert first.protocol.options["release"] == "first"
    # Kasai et al. 2022, Table 4, with Human: CIDEr .20 .12 .23, with the digits of an independent audit.
    scores = compute_scores(first, metrics_for("cider", first.protocol.documents))
    for aspect, expected in (("precision", 0.197), ("recall", 0.115), ("total", 0.226)):
        settings = MetaSettings(aspect=aspect, coefficients=("pearson",), resamples=0)
        found = evaluate(first, scores, settings).results["cider"]["pearson"].value
        assert round(found, 3) == expected


def test_total_is_the_mean_of_precision_and_recall_plus_penalties(thumb_with_human) -> None:
    # Kasai et al. 2022, 2.2: total = (P + R) / 2 less penalties, which the file holds as negative.
    means = {a: thumb_with_human.judgments.means(a) for a in thumb_with_human.judgments.aspects}
    penalties = means["fluency"] + means["conciseness"] + means["inclusive_language"]
    expected = (means["precision"] + means["recall"]) / 2 + penalties
    assert means["total"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "published"),
    # Kasai et al. 2022, Table 4, without Human: precision, recall, total.
    [
        ("cider", [0.27, 0.18, 0.33]),
        ("rouge_l[variant=rouge_score]", [0.26, 0.17, 0.31]),
        ("sacrebleu", [0.21, 0.13, 0.25]),
    ],
)
def test_published_correlations(thumb, metric, published) -> None:
    scores = compute_scores(thumb, metrics_for([metric], thumb.protocol.documents))
    found = [
        evaluate(thumb, scores, MetaSettings(aspect=aspect, coefficients=("pearson",), resamples=0))
        for aspect in ("precision", "recall", "total")
    ]
    assert [round(one.results[metric]["pearson"].value, 2) for one in found] == published


def _write(tmp_path, row):
    (tmp_path / "thumb").mkdir()
    human = [] if row["SYS"] == "nobody" else [GOOD | {"SYS": "Human"}]
    lines = "".join(json.dumps(one) + "\n" for one in (*human, row))
    (tmp_path / "thumb" / "mscoco_THumB-1.0.jsonl").write_text(lines)
    refs = {"seg_id": "1", "refs": ["A dog."]}
    (tmp_path / "thumb" / "mscoco_references.jsonl").write_text(json.dumps(refs) + "\n")
    return tmp_path


GOOD = {
    "SYS": "M",
    "seg_id": "1",
    "hyp": "A dog runs.",
    "P": 5,
    "R": 4,
    "Fl": 0,
    "Inc": 0,
    "Con": 0,
    "human_score": 4.5,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"P": 7}, "precision is 7, not a number from 1 to 5"),
        ({"Fl": 0.5}, "fluency is 0.5, not a number from -5 to 0"),
        ({"R": None}, "recall is null"),
        ({"seg_id": "2"}, 'image "2" has no references'),
        ({"SYS": "nobody"}, 'no system is called "Human", so that none can be left out'),
    ],
)
def test_bad_judgments(tmp_path, change, said) -> None:
    with pytest.raises(InputError, match=said):
        load_thumb(_write(tmp_path, GOOD | change))
