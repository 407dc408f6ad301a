"""What raters mark: exported, read by what reads findings, and imported again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.exchange.export import export
from captious.campaigns.exchange.importing import import_file
from captious.campaigns.people import raters
from captious.campaigns.quality.adjudication import adjudicate, disagreements
from captious.campaigns.records import NewRater
from captious.campaigns.results import analysis
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus
from captious.corpus.finding_files import read_findings
from captious.corpus.findings import Finding, Findings
from captious.protocols.simulation import SimulatedRater

CAPTIONS = [
    "=Two 🐕‍🦺 dogs ru\u0301n on a red field.",
    'A cat\tsleeps, and "sings".',
    "Ein Hund, 的狗 und ein Ball.",
]
CORPUS = Corpus.from_lists(
    [text for text in CAPTIONS for _ in "mn"][:5],
    image_ids=["1", "1", "2", "2", "3"],
    systems=["m", "n", "m", "n", "m"],
)


def given(*marks: dict[str, Any], score: int = 50) -> dict[str, Any]:
    return {"score": score, "marks": list(marks)}


@pytest.fixture
def other(tmp_path: Path, clock: Any) -> Any:
    with Database.open(tmp_path / "other.db", files=tmp_path / "other", clock=clock) as found:
        yield found


def test_marks_survive_storage_decision_export_and_import(
    db: Database, other: Database, tmp_path: Path
) -> None:
    drafted = create.draft("spans", CORPUS, title="Marks")
    campaign = lifecycle.open_campaign(db, create.create(db, drafted, actor="lea"), actor="lea")
    people = raters.add(db, campaign, [NewRater("Ann"), NewRater("Bo")], actor="lea")
    dogs = {"words": "🐕‍🦺 dogs", "kind": "object", "severity": "major"}
    for rater, mark in zip(
        people, (dogs, {"words": "sleeps", "kind": "relation", "severity": "minor"}), strict=True
    ):
        while tasks := assignment.next_tasks(db, campaign, rater):
            for task in tasks:
                marks = [mark] if mark["words"] in task.item.captions[0].text else []
                receipt = responses.respond(
                    db, rater, task.token, given(*marks), key=f"{rater.id}-{task.token}"
                )
                assert not isinstance(receipt, list), receipt
    found = disagreements(db, campaign)
    assert len(found) == 2
    assert all("“" in one.why for one in found)
    first = next(one for one in found if "dogs" in one.item.captions[0].text)
    ball = {"note": "a ball", "kind": "object", "severity": "minor"}
    adjudicate(db, campaign, first.item.key, given(dogs, ball), actor="lea", key="decision")

    export(db, campaign, tmp_path / "out", actor="lea")
    for form in ("jsonl", "parquet"):
        read = read_findings(tmp_path / "out" / f"findings.{form}")
        marked = (one for one in read.rows() if one.kind)
        rows = sorted((one.image, one.system, one.source, one.text, one.kind) for one in marked)
        assert rows == [
            ("1", "m", "r001", "🐕‍🦺 dogs", "object"),
            ("1", "n", "r001", "🐕‍🦺 dogs", "object"),
            ("2", "m", "r002", "sleeps", "relation"),
            ("2", "n", "r002", "sleeps", "relation"),
        ]
        assert len(read.looked) == 10 and set(read.captions) == set(CAPTIONS), form
    final = read_findings(tmp_path / "out" / "final_findings.jsonl")
    assert [row.note for row in final.rows() if row.image == "1" and row.kind] == ["", "a ball"] * 2
    described = json.loads((tmp_path / "out" / "croissant.json").read_text())
    assert any("findings" in one["name"] for one in described["recordSet"])
    assert "`findings.jsonl`" in (tmp_path / "out" / "datasheet.md").read_text()
    assert "Findings are places of captions" in (tmp_path / "out" / "datasheet.md").read_text()

    again = import_file(other, tmp_path / "out", actor="lea")
    export(other, again, tmp_path / "again", actor="lea")
    for name in ("findings", "final_findings", "judgments", "final"):
        one, two = (tmp_path / folder / f"{name}.jsonl" for folder in ("out", "again"))
        assert one.read_text() == two.read_text()
    assert [t.rows for t in analysis.result_tables(other, again)] == [
        t.rows for t in analysis.result_tables(db, campaign)
    ]


def test_suggestions_are_exported_with_what_became_of_them(db: Database, tmp_path: Path) -> None:
    findings = Findings.from_rows(
        Finding("1", "m", CAPTIONS[0], start, end, "object", confidence=0.8, source="chair")
        for start, end in ((1, 4), (5, 8), (9, 13))
    )
    drafted = create.draft("spans", CORPUS, title="Helped", findings=findings)
    campaign = lifecycle.open_campaign(db, create.create(db, drafted, actor="lea"), actor="lea")
    people = [SimulatedRater(name, {"m": 0.6, "n": 0.6}, noise=0.1) for name in ("Ada", "Bo")]
    assert simulate(db, campaign, people, seed=1) == 6
    export(db, campaign, tmp_path / "out", actor="lea")
    with (tmp_path / "out" / "suggestions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12  # 3 suggestions, 2 systems that wrote the caption, 2 raters
    assert {row["suggested_by"] for row in rows} == {"chair"}
    assert {row["status"] for row in rows} <= {"confirmed", "changed", "removed", "untouched"}
    assert {row["text"] for row in rows} == {"Two", "🐕‍🦺", "dogs"}
    titles = [table.title for table in analysis.result_tables(db, campaign)]
    assert "What became of suggestions" in titles
