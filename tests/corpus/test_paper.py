from __future__ import annotations

import numpy as np
import pytest

import captious
from captious.corpus import Corpus
from captious.corpus.paper import BETTER, WORSE
from captious.errors import UnknownNameError
from captious.metrics import known_metrics
from captious.stats.multiple import holm
from captious.tables import Table

IMAGES = [str(number) for number in range(60)]
REFERENCES = {image: [f"a man rides horse number {image} over a field"] for image in IMAGES}
SYSTEMS = {
    "good": {image: f"a man rides horse number {image}" for image in IMAGES},
    "same": {image: f"a man rides horse number {image}" for image in IMAGES},
    "base": {image: f"a man and a horse {image}" for image in IMAGES},
    "poor": dict.fromkeys(IMAGES, "a cat on it"),
}
DRAWS = {"resamples": 200, "trials": 2000}


def errors(captions: list[str], references: list[list[str]]) -> list[int]:
    """Words that no reference has: lower is better."""
    return [
        sum(word not in own[0].split() for word in text.split())
        for text, own in zip(captions, references, strict=True)
    ]


errors.higher_is_better = False  # type: ignore[attr-defined]


def _cells(table: Table, column: int) -> dict:
    return {row[0]: row[column] for row in table.rows}


def test_marks_are_against_the_baseline_and_bold_is_what_is_not_separated() -> None:
    scores = captious.score(SYSTEMS, ["rouge_l", errors], references=REFERENCES)
    table = scores.paper("base", **DRAWS).table()
    assert list(table.columns) == ["system", "rouge_l", "errors"]
    for column in (1, 2):  # the higher ROUGE-L, the fewer errors
        found = _cells(table, column)
        assert {name: cell.mark for name, cell in found.items()} == {
            "good": BETTER,
            "same": BETTER,
            "base": "",
            "poor": WORSE,
        }
        assert [name for name, cell in found.items() if cell.best] == ["good", "same"]


def test_no_value_is_bold_where_nothing_is_separated() -> None:
    alike = {name: SYSTEMS["good"] | {"0": f"a {name}"} for name in ("a", "b")}
    latex = captious.score(alike, ["rouge_l"], references=REFERENCES).paper("a", **DRAWS).to_latex()
    assert r"\textbf" not in latex and r"\dagger}$" not in latex


def test_the_p_values_are_holms_over_the_other_systems() -> None:
    found = captious.compare(SYSTEMS, ["rouge_l"], references=REFERENCES, **DRAWS)
    raw = {
        ({pair.a, pair.b} - {"base"}).pop(): pair.p_randomisation
        for pair in found.metrics["rouge_l"].pairs
        if "base" in (pair.a, pair.b)
    }
    assert found.paper("base").p_values("rouge_l") == dict(zip(raw, holm(list(raw.values())), strict=True))


def test_a_standard_error_is_that_of_the_mean() -> None:
    """For a mean of scores it is s / sqrt(n); 60 images of three lengths."""
    corpus = Corpus.from_lists([" ".join(["dog"] * (1 + i % 3)) for i in range(60)])

    def words(captions: list[str]) -> list[int]:
        return [len(text.split()) for text in captions]

    scores = captious.score(corpus, [words], resamples=5000)
    expected = np.std([1, 2, 3]) / np.sqrt(60)
    assert scores["words"].systems["candidates"].error == pytest.approx(expected, rel=0.05)


def test_the_caption_tells_tests_and_draws() -> None:
    paper = captious.score(SYSTEMS, ["rouge_l"], references=REFERENCES).paper("base", spread="error", **DRAWS)
    assert "better (worse) than base, p <= 0.05 after Holm's correction over 3 systems" in paper.caption()
    assert "over 60 images (2,000 trials)" in paper.caption()
    assert "± standard error: bootstrap over images, 200 resamples" in paper.caption()
    assert r"$^{\dagger}$ {\scriptsize $\pm$ 0." in paper.to_latex()


def test_one_system_keeps_its_name_in_latex() -> None:
    latex = captious.score({"mine": SYSTEMS["good"]}, ["bleu4", "cider"], references=REFERENCES).to_latex()
    assert latex.count(r"\begin{tabular}") == 1
    assert "mine & " in latex
    assert "tok:ptb" not in latex.partition(r"\begin{tabular}")[2]  # signatures are comments


def test_a_comparison_is_two_tables_in_latex() -> None:
    metrics = ["bleu1", "bleu2", "bleu3", "bleu4", "rouge_l", "cider"]
    latex = captious.compare(SYSTEMS, metrics, references=REFERENCES, **DRAWS).to_latex()
    assert latex.count(r"\begin{tabular}") == 2
    assert r"CIDEr & good - poor & " in latex


def test_an_unknown_baseline_is_told() -> None:
    scores = captious.score(SYSTEMS, ["rouge_l"], references=REFERENCES)
    with pytest.raises(UnknownNameError, match='unknown system "bass"'):
        scores.paper("bass", **DRAWS)


def test_every_metric_has_its_bibtex() -> None:
    from captious.corpus.paper import papers

    lacking = [name for name, metric in known_metrics().items() if not papers(metric.citation)]
    assert not lacking


def test_each_paper_is_cited_once() -> None:
    scores = captious.score(SYSTEMS, ["bleu1", "bleu4", "cider", errors], references=REFERENCES)
    found = scores.to_bibtex()
    assert found.count("@inproceedings{papineni2002bleu,") == 1 and "vedantam2015cider" in found
    assert "% errors: declares no citation" in found and "cited" not in found
