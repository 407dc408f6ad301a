"""Judgments from files: the round trip of an export, THumB's release, and anyone's judgments."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from captious.benchmarks.studies.study import Printed, find_study
from captious.campaigns.exchange.export import export, export_zip
from captious.campaigns.exchange.importing import import_file
from captious.campaigns.people import raters
from captious.campaigns.quality import control as quality
from captious.campaigns.quality.adjudication import adjudicate, disagreements
from captious.campaigns.records import Settings
from captious.campaigns.results import analysis
from captious.campaigns.setup import lifecycle
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.errors import InputError
from captious.protocols.simulation import SimulatedRater

OPINION = {"m1": 0.9, "m2": 0.3}


@pytest.fixture
def other(tmp_path, clock):
    """Another, empty database."""
    with Database.open(tmp_path / "other.db", clock=clock) as found:
        yield found


@pytest.mark.parametrize(
    ("protocol", "options"),
    [
        ("thumb", {}),
        ("humanr", {}),
        ("tagging", {"raters": 2, "interval": 0.0}),
        ("audit", {"target": 2}),
        ("generic", {}),
    ],
)
def test_an_export_comes_back_as_the_same_campaign(db, other, make_campaign, tmp_path, protocol, options):
    campaign, _ = make_campaign(protocol, images=4, people=0, **options)
    people = [SimulatedRater(f"p{n}", OPINION, noise=0.3) for n in range(3)]
    simulate(db, campaign, people, seed=4, until=20)
    for one in disagreements(db, campaign, limit=1):
        given = {
            name: answer
            for name, answer in one.responses[-1].answers.items()
            if one.item.form.field(name) is not None
        }
        adjudicate(db, campaign, one.item.key, given, actor="lea", key="d")
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    back = import_file(other, tmp_path / "out", actor="ben")
    assert analysis.counting(other, back) == analysis.counting(db, campaign)
    # What a rater held at the time is nobody's response yet.
    before, after = analysis.overview(db, campaign), analysis.overview(other, back)
    assert after.mean_seconds == pytest.approx(before.mean_seconds)
    assert after == replace(before, held=0, mean_seconds=after.mean_seconds)
    assert (back.slug, back.title, back.options, back.seed, back.state) == (
        campaign.slug,
        campaign.title,
        campaign.options,
        campaign.seed,
        campaign.state,
    )
    assert [one.time for one in responses.stored(other, back)] == [
        one.time for one in responses.stored(db, campaign)
    ]


def test_corrections_removals_and_zip_files_survive(db, other, make_campaign, tmp_path, answers):
    from captious.campaigns.work.assignment import next_tasks, previous_task

    campaign, (one, two) = make_campaign(
        "tagging", images=2, raters=2, two_rounds=False, settings=Settings(identities_in_export=True)
    )
    for rater in (one, two):
        (task,) = next_tasks(db, campaign, rater)
        responses.respond(db, rater, task.token, answers(task.item), key="a", seconds=3)
        again = previous_task(db, rater)
        assert again is not None
        responses.respond(db, rater, again.token, {"verdict": "minor"}, key="b", seconds=3)
    raters.remove(db, two, reason="test", actor="lea")
    path = export_zip(db, campaign, tmp_path / "out.zip", formats=["csv"], identities=True)
    back = import_file(other, path, actor="ben", slug="again", title="Again")
    stored = list(responses.stored(other, back))
    assert [(r.kind, r.standing, r.rater) for r in stored] == [
        ("answer", False, "r001"),
        ("correction", True, "r001"),
        ("answer", False, "r002"),
        ("correction", False, "r002"),
    ]
    assert stored[1].replaces == stored[0].id
    people = raters.listed(other, back)
    assert [(p.name, p.state, p.reason, p.answered) for p in people] == [
        ("Person 0", "active", "", 1),
        ("Person 1", "removed", "test", 1),
    ]
    assert analysis.overview(other, back).done == 1
    raters.reinstate(other, people[1], actor="ben")  # counters follow, as if given here
    assert analysis.overview(other, back).done == 2


def test_parquet_alone_is_enough(db, other, make_campaign, tmp_path):
    campaign, _ = make_campaign("tagging", images=2, people=0, raters=1, two_rounds=False)
    simulate(db, campaign, [SimulatedRater("p", OPINION)], seed=1)
    export(db, campaign, tmp_path / "out", formats=["parquet"])
    back = import_file(other, tmp_path / "out" / "responses.parquet", actor="ben")
    assert analysis.counting(other, back) == analysis.counting(db, campaign)


@pytest.fixture(scope="module")
def release(data: Path, tmp_path_factory: pytest.TempPathFactory):
    """THumB's released judgments as a campaign."""
    folder = tmp_path_factory.mktemp("thumb")
    with Database.open(folder / "thumb.db") as found:
        campaign = import_file(
            found,
            data / "thumb/mscoco_THumB-1.0.jsonl",
            title="THumB 1.0",
            references=[data / "thumb/mscoco_references.jsonl"],
            actor="lea",
        )
        yield found, campaign


def _table(name: str) -> list[Printed]:
    return [one for table in find_study("thumb").tables if table.title == name for one in table.printed]


def _meets(got: float, one: Printed) -> bool:
    """Equal to the printed number, unless the release is known not to give it: then not equal."""
    equal = abs(got - one.value) <= one.half_digit + 1e-9
    return equal != bool(one.label)


def test_the_release_shows_table_2(release):
    table = {t.title: t for t in analysis.result_tables(*release)}["Mean scores by system"]
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    for one in _table("Table 2, human"):
        assert _meets(rows[one.row][one.column], one), (one.row, one.column)
    for one in _table("Table 2, 90% interval of total"):
        own = rows[one.row]
        reach = {"below": own["total"] - own["low"], "above": own["high"] - own["total"]}
        # Half a unit of the last digit, and what the ends of 1,000 resamples wander by.
        assert reach[one.column] == pytest.approx(one.value, abs=one.half_digit + 0.003)
    assert len(rows) == 5


def test_the_release_shows_table_3(release):
    tables = {table.title: table for table in analysis.result_tables(*release)}
    rows = {row[0]: row for row in tables["Best and worst in both precision and recall"].rows}
    found = _table("Table 3")
    for one in found:
        place = {"best": 1, "worst": 2}[one.row]
        assert _meets(rows[one.column][place], one), (one.row, one.column)
    assert len(found) == 10


def test_the_release_is_exported_as_it_was(release, data, tmp_path):
    db, campaign = release
    export(db, campaign, tmp_path / "out", formats=["jsonl"])

    def key(row):
        return row["seg_id"], row["SYS"]

    def read(path):
        return sorted((json.loads(line) for line in path.read_text().splitlines()), key=key)

    before = read(data / "thumb/mscoco_THumB-1.0.jsonl")
    after = read(tmp_path / "out" / "thumb.jsonl")
    assert len(before) == len(after) == 2500
    # The place of an image in COCO and its file's name are not part of the judgments.
    for one, two in zip(before, after, strict=True):
        assert list(one) == list(two)
        for name in ("SYS", "seg_id", "hyp"):
            assert one[name] == two[name]
        for name in ("P", "R", "Fl", "Inc", "Con", "human_score"):
            assert json.dumps(one[name]) == json.dumps(two[name])


def test_own_judgments_become_the_protocol_that_they_fit(other, tmp_path):
    rows = [
        {
            "image": image,
            "caption": f"Dog {image}.",
            "system": "m",
            "rater": rater,
            "aspect": "helpful",
            "rating": rating,
        }
        for image, rating in (("a", 4), ("b", 2))
        for rater in ("x", "y")
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    likert = import_file(other, path, actor="ben")
    assert (likert.protocol, likert.slug, likert.state) == ("generic", "mine", "closed")
    (means, agreement) = analysis.result_tables(other, likert)
    assert means.rows[0][:3] == ("helpful", "m", 3.0)
    assert agreement.rows[0][:3] == ("helpful", "alpha, ordinal", 1.0)
    path.write_text(
        "\n".join(json.dumps(row | {"aspect": "verdict", "rating": row["rating"] / 4}) for row in rows)
    )
    tagging = import_file(other, path, actor="ben", title="Verdicts")
    assert tagging.protocol == "tagging"
    assert analysis.result_tables(other, tagging)[0].rows[0][:3] == ("m", 75.0, 75.0)


def test_rubric_judgments_of_two_raters_keep_both(other, tmp_path):
    rows = [
        {
            "image": "a",
            "caption": "Dog.",
            "system": "m",
            "rater": rater,
            "stage": stage,
            "aspect": aspect,
            "rating": rating,
        }
        for rater, stage, recall in (("x", "first", 3), ("y", "second", 5))
        for aspect, rating in (("precision", 5), ("recall", recall), ("fluency", -0.1))
    ]
    path = tmp_path / "rubric.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    campaign = import_file(other, path, actor="ben")
    assert (campaign.protocol, campaign.options["two_stages"]) == ("thumb", True)
    means, _, kappa = analysis.result_tables(other, campaign)
    # The second stage stands: (5 + 5) / 2 - 0.1
    assert dict(zip(means.columns, means.rows[0], strict=True))["total"] == pytest.approx(4.9)
    assert {row[0]: row[4] for row in kappa.rows}["recall"] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"image": "a", "caption": "D.", "rating": 0.3}', "not points of a Likert scale"),
        ('{"image": "a", "rating": 3}', "holds no captions"),
    ],
)
def test_what_cannot_be_imported_is_told_in_one_line(other, tmp_path, content, message):
    path = tmp_path / "bad.jsonl"
    path.write_text(content + "\n")
    with pytest.raises(InputError, match=message):
        import_file(other, path, actor="ben")
    assert lifecycle.listed(other) == []


def test_a_broken_export_stores_nothing(db, other, make_campaign, tmp_path):
    campaign, _ = make_campaign("tagging", images=2, people=0, raters=1, two_rounds=False)
    simulate(db, campaign, [SimulatedRater("p", OPINION)], seed=1)
    export(db, campaign, tmp_path / "out", formats=["jsonl"])
    file = tmp_path / "out" / "responses.jsonl"
    whole = file.read_text()
    first = json.loads(whole.splitlines()[0])
    for wrong, message in (
        ({"item": "nowhere"}, 'unknown item "nowhere"'),
        ({"rater": "r9"}, 'unknown rater "r9"'),
        ({"kind": "guess"}, "is missing or wrong"),
        ({"answers": "[]"}, "is missing or wrong"),
        ({"replaces": 77}, "it replaces 77"),
        ({"key": "\x00"}, "cannot be stored"),
    ):
        file.write_text(json.dumps(first | wrong) + "\n")
        with pytest.raises(InputError, match=message):
            import_file(other, tmp_path / "out", actor="ben")
    file.write_text(whole + whole)
    with pytest.raises(InputError, match="is there twice"):
        import_file(other, tmp_path / "out", actor="ben")
    (tmp_path / "out" / "items.jsonl").unlink()
    with pytest.raises(InputError, match="is missing"):
        import_file(other, tmp_path / "out", actor="ben")
    assert lifecycle.listed(other) == []
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK no")
    with pytest.raises(InputError, match="is not a zip file"):
        import_file(other, broken, actor="ben")


def test_a_zip_that_unpacks_to_far_more_than_it_is_stores_nothing(other, tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("campaign.json", "{}")
        with archive.open("items.jsonl", "w") as out:
            for _ in range(80):
                out.write(b" " * (1 << 20))
    with pytest.raises(InputError, match="more than 100 times its size"):
        import_file(other, path, actor="ben")
    assert lifecycle.listed(other) == []


def test_a_parquet_table_of_repeated_cells_is_measured_before_it_is_read(db, other, make_campaign, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    campaign, _ = make_campaign("tagging", images=2, people=0, raters=1, two_rounds=False)
    simulate(db, campaign, [SimulatedRater("p", OPINION)], seed=1)
    export(db, campaign, tmp_path / "out", formats=["parquet"])
    file = tmp_path / "out" / "responses.parquet"
    table = arrow.table({"answers": arrow.array(["x" * 100_000] * 30_000)})
    parquet.write_table(table, file)
    assert file.stat().st_size < 1_000_000
    with pytest.raises(InputError, match="MB"):
        import_file(other, tmp_path / "out", actor="ben")
    assert lifecycle.listed(other) == []


def test_quality_rules_run_on_what_was_imported(release):
    db, campaign = release
    assert quality.run_quality(db, campaign) == []
