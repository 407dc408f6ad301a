"""Exports: what is in them, what is not, and that other commands read them."""

from __future__ import annotations

import csv
import json
import zipfile
from dataclasses import replace

import pytest

from captious.campaigns.exchange.export import Citation, export, export_zip
from captious.campaigns.exchange.export_rows import judgment_rows
from captious.campaigns.exchange.references import keep_references
from captious.campaigns.people import raters
from captious.campaigns.quality.adjudication import adjudicate, disagreements
from captious.campaigns.records import Receipt
from captious.campaigns.results import analysis
from captious.campaigns.setup import lifecycle
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store import log
from captious.corpus.judged import read_judgments
from captious.errors import InputError, UnknownNameError
from captious.protocols.base import counted_rows
from captious.protocols.simulation import SimulatedRater

OPINION = {"m1": 0.9, "m2": 0.3}
REFERENCES = {f"i{k}": [f"Dog {k} runs.", f"The dog at {k}."] for k in range(9)}


@pytest.fixture
def filled(db, make_campaign):
    """A campaign with responses of two raters, references kept."""

    def make(protocol: str, images: int = 4, **options):
        campaign, _ = make_campaign(protocol, images=images, people=0, **options)
        people = [SimulatedRater(f"Person {n}", OPINION, noise=0.2) for n in "AB"]
        simulate(db, campaign, people, seed=4)
        known = {image: own for image, own in REFERENCES.items() if int(image[1:]) < images}
        with db.write() as connection:
            keep_references(connection, campaign, known, now=db.now())
        return campaign

    return make


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_file_is_there_and_says_the_same(db, filled, tmp_path):
    campaign = filled("tagging", raters=2, two_rounds=False)
    files = export(db, campaign, tmp_path / "out", actor="lea")
    assert sorted(path.name for path in files) == sorted(
        [
            *(
                f"{name}.{end}"
                for name in ("responses", "judgments", "final", "raters")
                for end in ("jsonl", "csv", "parquet")
            ),
            "items.jsonl",
            "forms.jsonl",
            "campaign.json",
            "croissant.json",
            "datasheet.md",
            "README.md",
        ]
    )
    from pyarrow import parquet

    for name in ("responses", "judgments", "final"):
        lines = _lines(tmp_path / "out" / f"{name}.jsonl")
        with (tmp_path / "out" / f"{name}.csv").open(newline="") as file:
            table = list(csv.DictReader(file))
        columns = parquet.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist()
        assert len(lines) == len(table) == len(columns) == 16
        assert [row["rater"] for row in table] == [row["rater"] for row in lines]
        assert [row["time"] for row in columns] == [row["time"] for row in lines]
    (entry,) = [one for one in log.entries(db, campaign) if one.action == "export"]
    assert (entry.actor, entry.detail["identities"]) == ("lea", False)


def test_no_identity_leaves_unless_asked_for(db, filled, tmp_path):
    campaign = filled("tagging", raters=2, two_rounds=False)
    item = analysis.counting(db, campaign)[0][0].key
    adjudicate(db, campaign, item, {"verdict": "minor"}, actor="secret-account", key="d")
    raters.remove(db, raters.listed(db, campaign)[1], reason="Person B slept", actor="lea")
    export(db, campaign, tmp_path / "out")
    for path in (tmp_path / "out").iterdir():
        content = path.read_bytes()
        assert b"Person" not in content, path.name
        assert b"secret-account" not in content, path.name
    with pytest.raises(InputError, match="the settings of dogs keep names out of exports"):
        export(db, campaign, tmp_path / "all", identities=True)
    with pytest.raises(InputError, match="the settings of dogs keep names out of exports"):
        export_zip(db, campaign, tmp_path / "all.zip", identities=True)
    assert not (tmp_path / "all").exists()
    assert not (tmp_path / "all.zip").exists()
    allowed = replace(campaign.settings, identities_in_export=True)
    campaign = lifecycle.change_settings(db, campaign, allowed, actor="lea")
    export(db, campaign, tmp_path / "all", identities=True)
    people = _lines(tmp_path / "all" / "raters.jsonl")
    assert [one["name"] for one in people] == ["Person A", "Person B"]
    assert people[1]["reason"] == "Person B slept"
    assert any(r["actor"] == "secret-account" for r in _lines(tmp_path / "all" / "responses.jsonl"))


def test_what_does_not_count_is_in_the_log_and_in_no_judgment(db, filled, tmp_path):
    campaign = filled("tagging", raters=2, two_rounds=False)
    raters.remove(db, raters.listed(db, campaign)[1], reason="test", actor="lea")
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    rows = _lines(tmp_path / "out" / "responses.jsonl")
    assert [row["standing"] for row in rows if row["rater"] == "r002"] == [False] * 8
    assert {row["rater"] for row in _lines(tmp_path / "out" / "judgments.jsonl")} == {"r001"}


def test_judgments_are_those_of_the_protocol(db, filled, tmp_path):
    for protocol, options in (
        ("tagging", {"raters": 2, "two_rounds": False}),
        ("thumb", {}),
        ("generic", {}),
    ):
        campaign = filled(protocol, images=3, title=f"Of {protocol}", **options)
        items, found = analysis.counting(db, campaign)
        own = campaign.rules().judgments(items, found).to_pandas()
        export(db, campaign, tmp_path / protocol, formats=["jsonl"])
        read = read_judgments(tmp_path / protocol / "judgments.jsonl").judgments.to_pandas()
        order = ["image", "system", "rater", "aspect", "stage", "value"]
        assert own.sort_values(order)[order].values.tolist() == (
            read.sort_values(order)[order].values.tolist()
        )


def test_under_thumb_the_scores_after_the_last_stage_stand(db, filled, tmp_path):
    campaign = filled("thumb", images=3)
    items, found = analysis.counting(db, campaign)
    item = items[0]
    given = next(dict(one.answers) for one in found if one.item == item.key)
    decided = {"precision": 2, "recall": 3, "errors": ["wrong"], "corrected": "A dog."}
    answers = given | {
        f"{caption.key}.{name}": value for caption in item.captions for name, value in decided.items()
    }
    sent = adjudicate(db, campaign, item.key, answers, actor="lea", key="d")
    assert isinstance(sent, Receipt), sent
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    rows = _lines(tmp_path / "out" / "final.jsonl")
    keys = [(row["image"], row["system"], row["aspect"]) for row in rows]
    assert len(keys) == len(set(keys)) == 3 * 2 * 6  # images, systems, five aspects and the total
    assert all(row["references"] == REFERENCES[row["image"]] for row in rows)
    own = {(r["aspect"], r["rating"], r["rater"]) for r in rows if r["image"] == item.image}
    assert {one for one in own if one[0] in ("precision", "recall")} == {
        ("precision", 2.0, "adjudicator"),
        ("recall", 3.0, "adjudicator"),
    }
    released = {(row["seg_id"], row["SYS"]): row for row in _lines(tmp_path / "out" / "thumb.jsonl")}
    for row in rows:
        if row["aspect"] == "total":
            own_line = released[row["image"], row["system"]]
            assert (row["rating"], row["caption"]) == (own_line["human_score"], own_line["hyp"])
    said = _lines(tmp_path / "out" / "judgments.jsonl")
    assert {(row["rater"], row["stage"]) for row in said if row["rater"] == "adjudicator"} == set()
    assert {row["stage"] for row in said} == {"first", "second"}


def test_a_decision_stands_in_place_of_what_raters_said(db, filled, tmp_path):
    campaign = filled("tagging", raters=2, two_rounds=False)
    item = analysis.counting(db, campaign)[0][0]
    adjudicate(db, campaign, item.key, {"verdict": "minor"}, actor="lea", key="d")
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    said = _lines(tmp_path / "out" / "judgments.jsonl")
    final = _lines(tmp_path / "out" / "final.jsonl")
    (system,) = item.sources[item.captions[0].key]
    (decided,) = [row for row in final if (row["image"], row["system"]) == (item.image, system)]
    assert (decided["rater"], decided["stage"]) == ("adjudicator", "adjudication")
    assert {row["rater"] for row in said} == {"r001", "r002"}
    assert [row for row in said if (row["image"], row["system"]) != (item.image, system)] == [
        row for row in final if row is not decided
    ]
    assert (len(said), len(final)) == (16, 15)


def test_an_audit_names_each_human_caption_apart(db, filled, tmp_path):
    campaign = filled("audit", images=2, target=2)
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    judged, corpus = read_judgments(tmp_path / "out" / "judgments.jsonl")
    assert corpus is not None
    assert {system for _, system in judged.keys} == {"m1", "m2", "human"}
    assert {own.partition("|")[2] for own in judged.ids} == {
        "m1",
        "m2",
        "human (beside m1)",
        "human (beside m2)",
    }


def test_thumb_writes_the_format_of_the_release(db, filled, tmp_path):
    campaign = filled("thumb", images=3)
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    rows = _lines(tmp_path / "out" / "thumb.jsonl")
    assert list(rows[0]) == [
        "SYS",
        "seg_id",
        "set_id",
        "hyp",
        "image",
        "P",
        "R",
        "Fl",
        "Inc",
        "Con",
        "human_score",
    ]
    assert [(row["SYS"], row["seg_id"]) for row in rows] == [
        (system, f"i{image}") for image in range(3) for system in ("m1", "m2")
    ]
    for row in rows:
        total = (row["P"] + row["R"]) / 2 + row["Fl"] + row["Inc"] + row["Con"]
        assert row["human_score"] == pytest.approx(total)
    references = _lines(tmp_path / "out" / "thumb_references.jsonl")
    assert references[2] == {"seg_id": "i2", "set_id": 2, "refs": REFERENCES["i2"]}
    assert '"Inc": -0.0' in (tmp_path / "out" / "thumb.jsonl").read_text()


def test_a_zip_holds_the_same_files(db, filled, tmp_path):
    campaign = filled("tagging", raters=1, two_rounds=False)
    path = export_zip(db, campaign, tmp_path / "dogs.zip", formats=["csv"])
    with zipfile.ZipFile(path) as archive:
        assert "dogs/judgments.csv" in archive.namelist()
        assert "dogs/croissant.json" in archive.namelist()
    temporary = export_zip(db, campaign, formats=["csv"])
    assert temporary.suffix == ".zip"
    temporary.unlink()


def test_the_datasheet_tells_what_is_known_and_marks_what_is_not(db, filled, tmp_path):
    campaign = filled("tagging", raters=2, two_rounds=False)
    asked = disagreements(db, campaign)
    if asked:
        adjudicate(db, campaign, asked[0].item.key, {"verdict": "minor"}, actor="lea", key="d")
    told = Citation("Lea 2026.", "https://spdx.org/licenses/CC-BY-4.0")
    export(db, campaign, tmp_path / "out", formats=["csv"], citation=told)
    text = (tmp_path / "out" / "datasheet.md").read_text()
    for heading in (
        "Motivation",
        "Composition",
        "Collection process",
        "Preprocessing, cleaning and labelling",
        "Uses",
        "Distribution",
        "Maintenance",
    ):
        assert f"\n## {heading}\n" in text
    assert "16 responses that count" in text
    assert "8 different captions" in text
    assert "Sources of captions: m1, m2." in text
    assert "2 raters, 0 of them marked as native speakers" in text
    assert "Some responses are simulated" in text
    assert "TO BE FILLED IN BY THE OWNER" in text
    assert "alpha, interval" in text
    described = json.loads((tmp_path / "out" / "croissant.json").read_text())
    assert (described["citeAs"], described["license"]) == told


def test_rows_that_hold_no_references_are_left_without(db, filled):
    campaign = filled("tagging", raters=1, two_rounds=False)
    items, found = analysis.counting(db, campaign)
    row = next(judgment_rows(counted_rows(campaign.rules(), items, found), {}))
    assert "references" not in row


def test_wrong_requests_are_one_line(db, filled, tmp_path):
    campaign = filled("tagging", raters=1, two_rounds=False)
    with pytest.raises(UnknownNameError, match='unknown format "xlsx"'):
        export(db, campaign, tmp_path / "out", formats=["xlsx"])
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        export(db, campaign, tmp_path / "file")


@pytest.mark.parametrize("name", ["README.md", "campaign.json", "judgments.csv"])
def test_files_that_are_not_of_an_export_are_not_overwritten(db, filled, tmp_path, name):
    campaign = filled("tagging", raters=1, two_rounds=False)
    (tmp_path / "notes.txt").write_text("mine")
    export(db, campaign, tmp_path)
    export(db, campaign, tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / name).write_text("mine")
    with pytest.raises(InputError, match=f"already has a {name} that is not from an export"):
        export(db, campaign, other)
    assert [(path.name, path.read_text()) for path in other.iterdir()] == [(name, "mine")]
