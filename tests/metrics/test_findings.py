"""Every metric that gives findings: places are in captions, whatever these hold, in any batch."""

from __future__ import annotations

from dataclasses import replace

import pytest

import captious
from captious.corpus import Corpus
from captious.corpus.findings import Findings
from captious.engine import run_metrics
from captious.groups import missing_for
from captious.metrics import Metric, known_metrics, resolve

CAPTIONS = [
    "",
    " ",
    "A Dog's 2 red cats (and a bus).",
    "A Dog's 2 red cats (and a bus).",
    "👩\u200d🚀 rides a “MOTORCYCLE”… on cafe\u0301 ﬁre-trucks\r\nİn 1 1/2 Straßen",
    "the the teh dog dog. The image features a dining table; a hot  dog, two zebras & a giraffe!",
    "a " * 60 + "dog",
    "<b>Two dogs</b> &amp; a \u202bכלב\u202c on the fire-truck.\r\n\r\nThey bark.",
    "A horse stands near two buses. " * 80,
]
REFERENCES = [["A black dog sits on a mat.", "One man with a dog."]] * len(CAPTIONS)
FINDING = [
    name
    for name, one in known_metrics().items()
    if one.findings is not Metric.findings and one.__module__.startswith("captious.")
]


def corpus_of(rows: list[int]) -> Corpus:
    ids = [str(row) for row in rows]
    return Corpus.from_lists(
        [CAPTIONS[row] for row in rows],
        [REFERENCES[row] for row in rows],
        image_ids=ids,
        objects={one: ["dog", "gold:mat", "person"] for one in ids},
    )


@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
@pytest.mark.parametrize("name", FINDING)
def test_places_are_in_captions_and_do_not_depend_on_the_batch(name: str) -> None:
    if reason := missing_for(name):
        pytest.skip(reason)
    everything = list(range(len(CAPTIONS)))
    corpus, metric = corpus_of(everything), replace(resolve(name), any_language=True)
    (run,) = run_metrics(corpus, [metric], findings=True)
    assert run.found is not None
    Findings.from_places(corpus, name, run.found)  # refuses what is not in its caption
    assert str(run.found[2]) == str(run.found[3])
    assert not [place for places in run.found[:2] for place in places or () if place.start is not None]
    for row in [] if metric.corpus_wide else everything:
        (alone,) = run_metrics(corpus_of([row]), [metric], findings=True)
        assert alone.found is not None
        assert [place[:4] for place in alone.found[0] or ()] == [place[:4] for place in run.found[row] or ()]


def test_findings_survive_files(tmp_path) -> None:
    scores = captious.score(corpus_of([2, 4, 5]), ["chair", "spice", "chair_recall"], findings=True)
    for suffix in (".jsonl", ".csv", ".parquet"):
        scores.findings.write(tmp_path / f"found{suffix}")
        assert str(list(captious.read_findings(tmp_path / f"found{suffix}").rows())) == str(
            list(scores.findings.rows())
        )
