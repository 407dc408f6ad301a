"""From marks in captions to a model: findings, agreement, metrics against them, training, planning."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from captious.corpus import Finding, Findings
from captious.corpus.load import load_corpus
from captious.data import demo_files

SAMPLE = demo_files()


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two raters would mark in the sample: words that none of an image's references has, or two."""
    corpus = load_corpus(SAMPLE.systems, [SAMPLE.references])
    rows = []
    for row in range(len(corpus)):
        one = corpus.example(row)
        known = set(re.findall(r"\w+", " ".join(one.references).lower()))
        words = [w for w in re.finditer(r"\w{3,}", one.caption) if w[0].lower() not in known]
        for source, own in (("ann", words), ("bob", words[:2])):
            made = [
                Finding(one.image_id, one.system, one.caption, *w.span(), "object", "major", source=source)
                for w in own
            ]
            rows += made or [Finding(one.image_id, one.system, one.caption, None, None, "", source=source)]
    path = tmp_path_factory.mktemp("marks") / "findings.jsonl"
    found = Findings.from_rows(rows)
    found.write(path)
    return path


def test_raters_agree_and_the_places_are_compared_with_metrics(run, marks: Path, tmp_path: Path) -> None:
    agreed = run("judgments", "agreement", marks, "--resamples", 20, "--format", "json")
    assert agreed.code == 0
    # Bob marks nothing that Ann does not: precision 1, so that F1 is above his recall, and below 1.
    assert 0.5 < agreed.json["coefficients"]["character_f1"]["value"] < 1
    assert agreed.json["scores"]["coefficients"]["alpha_interval"]["value"] > 0.3
    score = [
        "score",
        "--candidates",
        *SAMPLE.systems,
        "--references",
        SAMPLE.references,
        "--objects",
        SAMPLE.objects,
    ]
    scored = run(*score, "--metrics", "chair", "--findings", tmp_path / "found.jsonl", "--resamples", 0)
    assert scored.code == 0
    found = run("meta", marks, "--scores", tmp_path / "found.jsonl", "--resamples", 20, "--format", "json")
    assert found.code == 0
    # What CHAIR finds is in no reference, and so are the words that are marked; Bob marks only two.
    assert found.json["results"]["chair"]["precision"]["value"] > 0.7
    assert found.json["n"] == 96


def test_a_metric_is_trained_on_the_scores_that_follow(run, marks: Path, tmp_path: Path) -> None:
    trained = run(
        "train", "mine", "--judgments", marks, "--references", SAMPLE.references,
        "--features", "rouge_l,bleu1", "--model", "ridge", "--out", tmp_path / "mine",
    )  # fmt: skip
    assert trained.code == 0, trained.err
    assert "ratings of mqm" in trained.err
    card = json.loads((tmp_path / "mine" / "card.json").read_text())
    assert card
    corpus = load_corpus(SAMPLE.systems, [SAMPLE.references])
    rows = [json.loads(line) for line in marks.read_text().splitlines()]
    references = {corpus.example(row).image_id: corpus.example(row).references for row in range(len(corpus))}
    own = tmp_path / "marked.jsonl"
    own.write_text("\n".join(json.dumps(row | {"references": references[row["image"]]}) for row in rows))
    found = run(
        "meta", own, "--metrics", f"{tmp_path / 'mine'},bleu1", "--aspect", "mqm", "--unseen",
        "--coefficient", "spearman", "--resamples", 0, "--format", "json",
    )  # fmt: skip
    assert found.code == 0, found.err
    # The more words no reference has, the lower both.
    assert found.json["results"]["bleu1"]["spearman"]["value"] > 0.5
    planned = run("judgments", "plan", marks, "--half-width", 1, "--simulations", 20)
    assert planned.code == 0


def test_a_report_shows_the_marks(run, marks: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    written = run(
        "report", "--judgments", marks, "--references", SAMPLE.references, "--objects", SAMPLE.objects,
        "--metrics", "chair,rouge_l", "--explain", "none", "--resamples", 20, "--out", tmp_path / "page.html",
    )  # fmt: skip
    assert written.code == 0, written.err
    text = (tmp_path / "page.html").read_text()
    assert "<figcaption>chair</figcaption>" in text
    assert "<figcaption>ann</figcaption>" in text
    assert "judgments by 2 raters" in text
