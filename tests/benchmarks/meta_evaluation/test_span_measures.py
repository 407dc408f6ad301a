import json
from pathlib import Path

import numpy as np
import pytest

import captious
from captious import benchmarks
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.corpus import Corpus, Finding, Findings
from captious.errors import CaptiousWarning, InputError, UnknownNameError

DOG, CAT, BUS = "A red dog on a mat.", "A cat sits.", "A bus."


def gold() -> Findings:
    return Findings.from_rows(
        [
            Finding("1", "m", DOG, 2, 9, "object", "major", source="ann"),
            Finding("1", "m", DOG, 15, 18, "object", "minor", source="bob"),
            Finding("2", "m", CAT, 2, 5, "object", "minor", source="ann"),
            Finding("2", "m", CAT, None, None, "", source="bob"),
            Finding("3", "m", BUS, None, None, "", source="ann"),
        ]
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Gold findings, and those of two metrics: one marks "dog" and "cat", the other every word."""
    gold().write(tmp_path / "gold.jsonl")
    found = [Finding("1", "m", DOG, 6, 9, "object", confidence=0.9, source="good")]
    found.append(Finding("2", "m", CAT, 2, 5, "object", confidence=0.8, source="good"))
    found.append(Finding("3", "m", BUS, None, None, "", source="good"))
    for image, text in (("1", DOG), ("2", CAT), ("3", BUS)):
        found.append(Finding(image, "m", text, 0, len(text), "object", confidence=0.5, source="every"))
    Findings.from_rows(found).write(tmp_path / "found.csv")
    return tmp_path / "gold.jsonl", tmp_path / "found.csv"


def test_measures_by_hand(files: tuple[Path, Path]) -> None:
    found = benchmarks.meta(str(files[0]), scores=files[1], settings=MetaSettings(resamples=20, compare=True))
    (result,) = found.results
    assert (result.n, result.protocol["task"], result.protocol["aspect"]) == (3, "spans", "spans")
    good, every = result.results["good"], result.results["every"]
    # Each rater's spans are gold: "dog" touches Ann's, not Bob's; "cat" touches Ann's, not Bob's: 2 of 4.
    assert good["precision"][:1] + good["precision"][3:4] == (0.5, 4)
    # Ann's two spans are found, Bob's "mat" is not.
    assert good["recall"].value == pytest.approx(2 / 3)
    assert good["f1"].value == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))
    # IoU in words by caption and rater: dog-ann 1/2, dog-bob 0, cat-ann 1, cat-bob 0, bus-ann 0.
    assert good["f1_iou"].value == pytest.approx((0.5 + 1) / 5)
    assert every["precision"].value == pytest.approx(3 / 5)
    assert every["recall"].value == 1
    assert {pair.coefficient for pair in result.differences} == set(good)
    assert result.protocol["precision"].startswith("share of the metric's findings that touch")


def test_average_precision_and_shares_against_other_programs(files: tuple[Path, Path]) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    from scipy.stats import spearmanr

    found = benchmarks.meta(str(files[0]), scores=files[1], settings=MetaSettings(resamples=0))["good"]
    labels, scores = [], []
    for text, spans, mark, sure in (
        (DOG, [(2, 9)], (6, 9), 0.9),
        (DOG, [(15, 18)], (6, 9), 0.9),
        (CAT, [(2, 5)], (2, 5), 0.8),
        (CAT, [], (2, 5), 0.8),
        (BUS, [], (0, 0), 0.0),
    ):
        labels += [any(a <= place < b for a, b in spans) for place in range(len(text))]
        scores += [sure if mark[0] <= place < mark[1] else 0.0 for place in range(len(text))]
    assert found["average_precision"].value == pytest.approx(sklearn.average_precision_score(labels, scores))
    human = [(7 + 3) / 2 / 19, 3 / 2 / 11, 0]
    assert found["spearman"].value == pytest.approx(spearmanr(human, [3 / 19, 3 / 11, 0]).statistic)


def test_scores_against_the_ratings_that_follow(files: tuple[Path, Path]) -> None:
    """`--aspect mqm` correlates scores with severity-weighted judgments, as with any ratings."""
    rows = [json.loads(line) for line in files[0].read_text().splitlines()]
    references = {"1": ["A red dog."], "2": ["A cat."], "3": ["A bus."]}
    files[0].write_text("\n".join(json.dumps(row | {"references": references[row["image"]]}) for row in rows))
    settings = MetaSettings(resamples=0, coefficients=("pearson",))
    found = benchmarks.meta(str(files[0]), ["rouge_l"], aspects="mqm", settings=settings)
    # ROUGE-L of the three captions against the means of -5 and -1, -1 and 0, and 0.
    corpus = Corpus.from_lists([DOG, CAT, BUS], [references[key] for key in "123"])
    own = captious.score(corpus, ["rouge_l"])["rouge_l"].values
    expected = np.corrcoef(own, [-3, -0.5, 0])[0, 1]
    assert found["rouge_l"]["pearson"].value == pytest.approx(expected)


def test_files_that_do_not_fit(files: tuple[Path, Path], tmp_path: Path) -> None:
    few = Findings.from_rows([Finding("1", "m", DOG, 6, 9, "object", source="few")])
    few.write(tmp_path / "few.jsonl")
    with pytest.warns(CaptiousWarning, match="no row by few for 2 of 3 captions"):
        found = benchmarks.meta(
            str(files[0]), scores=tmp_path / "few.jsonl", settings=MetaSettings(resamples=0)
        )
    assert found["few"]["precision"].value == 0.5
    with pytest.raises(UnknownNameError, match="good"):
        benchmarks.meta(str(files[0]), ["god"], scores=files[1])
    Findings.from_rows([Finding("9", "m", "A hat.", 2, 5, "object", source="x")]).write(tmp_path / "x.jsonl")
    with pytest.raises(InputError, match=r'the file has "A hat\." of image "9"'):
        benchmarks.meta(str(files[0]), scores=tmp_path / "x.jsonl")
    with pytest.raises(InputError, match="no findings are given by lm"):
        benchmarks.meta(str(files[0]), ["lm"])
    with pytest.raises(InputError, match="need a file of ratings"):
        benchmarks.meta(str(files[0]), ["rulegrammar"], by="kind")
    with pytest.raises(InputError, match="not available for findings"):
        benchmarks.meta(str(files[0]), scores=files[1], settings=MetaSettings(level="system"))
