"""The campaign of the closed loop: every caption of the sample, by three simulated raters."""

from __future__ import annotations

from pathlib import Path

from captious.campaigns.exchange.export import export
from captious.campaigns.simulate.demo import finished_campaign
from captious.campaigns.store.database import Database
from captious.corpus.judged import read_judgments


def test_its_export_can_be_trained_on(tmp_path: Path) -> None:
    with Database.open(tmp_path / "loop.db") as db:
        export(db, finished_campaign(db), tmp_path / "export", formats=["jsonl"])
    judgments, corpus = read_judgments(tmp_path / "export" / "judgments.jsonl")
    assert corpus is not None
    assert len(corpus) == 96  # 24 images, four systems
    assert len(judgments) == 288  # three raters each
    assert corpus.reference_counts.min() == 5
    assert set(judgments.values.tolist()) <= {0, 0.25, 0.5, 0.75, 1}
