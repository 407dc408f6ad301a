"""The report's tables on THumB 1.0 against the paper's own (Kasai et al. 2022, Table 2)."""

from __future__ import annotations

import pytest

from captious import scoring
from captious.corpus.judged import read_judgments
from captious.report.rankings import rankings
from captious.report.study import make_study
from captious.report.tables import judged_means, system_table

PUBLISHED = {  # precision, recall, total
    "Human": ("4.82", "4.35", "4.56"),
    "VinVL-large": ("4.54", "3.97", "4.25"),
    "VinVL-base": ("4.47", "3.95", "4.21"),
    "Unified-VLP": ("4.35", "3.77", "4.06"),
    "Up-Down": ("4.29", "3.50", "3.88"),
}
PUBLISHED_CIDER = {"VinVL-large": "141.8", "VinVL-base": "138.4", "Unified-VLP": "128.5", "Up-Down": "110.7"}


@pytest.fixture(scope="module")
def study(data):
    folder = data / "thumb"
    judged = read_judgments(folder / "mscoco_THumB-1.0.jsonl", references=folder / "mscoco_references.jsonl")
    assert judged.corpus is not None
    return make_study(scoring.score(judged.corpus, ["cider"]), judged.judgments, level=0.90)


def test_means_are_the_published_ones(study) -> None:
    table = system_table(study, judged_means(study))
    columns = [table.columns.index(f"judged {a}") for a in ("precision", "recall", "total")]
    found = {row[0]: tuple(row[k].text for k in columns) for row in table.rows}
    assert found == PUBLISHED
    cider = table.columns.index("CIDEr")
    scores = {row[0]: row[cider].text for row in table.rows}
    assert {system: scores[system] for system in PUBLISHED_CIDER} == PUBLISHED_CIDER


def test_90_per_cent_intervals_of_the_total_are_as_wide_as_published(study) -> None:
    found = judged_means(study)["total"]
    # Table 2 prints them as +-0.04 for VinVL-large and Unified-VLP, +-0.05 for Up-Down.
    for system, half in (("VinVL-large", 0.04), ("Unified-VLP", 0.04), ("Up-Down", 0.05)):
        assert (found[system].high - found[system].low) / 2 == pytest.approx(half, abs=0.006)


def test_cider_puts_people_behind_machines(study) -> None:
    found = rankings(study)
    human = found.systems.index("Human")
    assert found.ranks[found.judges.index("judged total"), human] == 1
    assert found.ranks[found.judges.index("CIDEr"), human] >= 4  # fourth or fifth of five: not told apart
