"""What an adjudicator decided is data under the systems' own names, in a stage of its own."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from captious.campaigns.exchange.export import export
from captious.campaigns.people import raters
from captious.campaigns.quality import adjudication
from captious.campaigns.records import NewRater, Receipt
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.campaigns.work.assignment import next_tasks
from captious.corpus import Corpus
from captious.protocols.audit import QUESTIONS

IMAGES = ("1", "2", "3", "4")
FAULTLESS = {one.name: "no" if one.error == "yes" else "yes" for one in QUESTIONS}


@pytest.mark.parametrize(
    ("protocol", "options"),
    [("humanr", {"target": 2, "group_size": 2, "baseline": False}), ("audit", {"target": 2})],
)
def test_a_decision_keeps_the_names_of_systems(tmp_path: Path, protocol, options) -> None:
    corpus = Corpus.from_lists(
        [f"Dog {image} runs." for image in IMAGES],
        [[f"A dog {image} is running fast."] for image in IMAGES],
        image_ids=list(IMAGES),
        systems=["heron"] * len(IMAGES),
    )
    with Database.open(tmp_path / "captious.db") as db:
        drafted = create.draft(protocol, corpus, title="Dogs", options=options)
        campaign = create.create(db, drafted, actor="test")
        campaign = lifecycle.open_campaign(db, campaign, actor="test")
        people = raters.add(db, campaign, [NewRater("Ann"), NewRater("Bo")], actor="test")
        for points, error, rater in (("8", "no", people[0]), ("2", "yes", people[1])):
            while tasks := next_tasks(db, campaign, rater):
                item = tasks[0].item
                given: dict[str, object] = {"preference": points}
                if item.check:  # the caption of the image itself
                    given = {"preference": "9" if item.check == "left" else "1"}
                elif protocol == "audit":
                    given = {
                        field.name: FAULTLESS[field.name.partition(".")[2]] for field in item.form.fields
                    } | {"A.misclassified": error}
                sent = responses.respond(db, rater, tasks[0].token, given, key=tasks[0].token, seconds=9.0)
                assert isinstance(sent, Receipt)
        one = adjudication.disagreements(db, campaign)[0]
        answers = dict(one.responses[0].answers)
        adjudication.adjudicate(db, campaign, one.item.key, answers, actor="lea", key="k")
        export(db, campaign, tmp_path / "out", formats=["jsonl"])
    lines = (tmp_path / "out" / "final.jsonl").read_bytes().splitlines()
    rows = [orjson.loads(line) for line in lines]
    systems = {"heron"} if protocol == "humanr" else {"heron", "human"}
    assert {row["system"] for row in rows} == systems
    decided = [row for row in rows if row["rater"] == "adjudicator"]
    assert {(row["stage"], row["image"]) for row in decided} == {("adjudication", one.item.image)}
    assert {row["stage"] for row in rows if row["rater"] != "adjudicator"} == {"first"}
    assert b"adjudicator" not in (tmp_path / "out" / "judgments.jsonl").read_bytes()
