from __future__ import annotations

from pathlib import Path

import pytest

import captious
from captious.corpus import Corpus, Finding, Findings
from captious.report import write_report
from captious.report.marked import MARKED, legend, marked_panels

DOG, CAT = "A red dog <b>runs</b>.", "A cat."
FOUND = Findings.from_rows(
    [
        Finding("1", "m", DOG, 2, 5, "attribute", "major", source="ann", note="it is brown"),
        Finding("1", "m", DOG, None, None, "", source="bob"),
    ]
)


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(
        [DOG, CAT], [["A brown dog runs."], ["A cat."]], image_ids=["1", "2"], systems=["m", "m"]
    )


def test_a_panel_shows_who_found_what(corpus: Corpus) -> None:
    first, second = marked_panels(corpus, [FOUND])[MARKED]
    assert '<mark class="attribute major" title="attribute, major: it is brown">red' in first
    assert "Nothing found by bob." in first
    assert "&lt;b&gt;runs" in first  # captions are text
    assert first.count("<figcaption>") == 1
    assert second == ""  # nobody looked
    assert marked_panels(corpus, []) == {}


def test_kinds_and_severity_are_explained() -> None:
    text = str(legend([FOUND]))
    assert text.index(">attribute") < text.index('class="attribute major"')
    assert legend([]) == ""


def test_marks_of_raters_and_metrics_are_on_the_page(corpus: Corpus, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    scores = captious.score(corpus, ["rulegrammar", "rouge_l"], findings=True)
    page = write_report(scores, tmp_path / "page.html", findings=FOUND, judgments=FOUND.to_judgments()).page
    text = page.read_text()
    assert 'data-panel="0" open><summary>What is wrong, and where</summary>' in text
    assert "1 finding by 3 sources" in text
    assert 'title="attribute, major: it is brown"' in text
    assert ".marked mark.attribute{" in text
    plain = write_report(captious.score(corpus, ["rouge_l"]), tmp_path / "plain.html").page.read_text()
    assert "<summary>What is wrong" not in plain
