"""`captious campaign` as people type it: files in, a data set out, one line where it fails."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from captious.campaigns.setup import lifecycle
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store.database import Database
from captious.data import demo_files
from captious.protocols.simulation import SimulatedRater


@pytest.fixture(autouse=True)
def own_database(tmp_path, monkeypatch):
    monkeypatch.setenv("CAPTIOUS_DATABASE", str(tmp_path / "captious.db"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def created(run, files):
    """A THumB campaign of two systems on three images."""
    found = run(
        "campaign",
        "create",
        "thumb",
        "--candidates",
        files["good"],
        files["poor"],
        "--references",
        files["references"],
        "--raters",
        2,
        "--title",
        "Three images",
        "--open",
        "--no-images",
        "--format",
        "json",
    )
    assert found.code == 0, found.err
    return found


def _work(tmp_path, slug: str, until: int | None = None) -> None:
    with Database.open(tmp_path / "captious.db") as db:
        people = [SimulatedRater(n, {"good": 0.9, "poor": 0.2}, noise=0.2) for n in ("Ann", "Bo")]
        simulate(db, lifecycle.find(db, slug), people, seed=3, until=until)


@pytest.mark.parametrize(
    "name", ['=HYPERLINK("x")', "\N{FULLWIDTH EQUALS SIGN}1+1", "\u200b=1+1", "+49 1", "@me"]
)
def test_a_rater_whose_name_is_a_formula_is_text_in_csv(run, tmp_path, created, name):
    with (tmp_path / "names.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["name", "address"], [name, "a@example.org"]])
    assert run("campaign", "raters", "add", "three-images", "--file", tmp_path / "names.csv").code == 0
    for command in (("list",), ("link", "--base-url", "https://rate.example.org")):
        shown = run("campaign", "raters", command[0], "three-images", *command[1:], "--format", "csv")
        (row,) = csv.DictReader(io.StringIO(shown.out))
        assert row["name"] == f"'{name}", command
    listed = run("campaign", "raters", "list", "three-images", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(listed.out))
    assert row["last seen"] == "-"


def test_a_campaign_from_files_to_an_exported_data_set(run, created, files, tmp_path):
    assert created.json["items"] == 3
    assert created.json["cost"]["responses"] == 6  # two stages
    assert "note: created three-images (open)" in created.err
    _work(tmp_path, "three-images")
    status = run("campaign", "status", "three-images", "--format", "json").json
    assert (status["done"], status["target"], status["state"]) == (6, 6, "open")
    listed = run("campaign", "list", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(listed.out))
    assert (row["campaign"], row["done"]) == ("three-images", "6")
    report = run("campaign", "report", "three-images", "--out", "report.html", "--format", "json")
    titles = [table["title"] for table in report.json["results"]]
    assert titles == [
        "Mean scores by system",
        "Best and worst in both precision and recall",
        "Kappa between first and second stage",
    ]
    assert [row["system"] for row in report.json["results"][0]["rows"]] == ["good", "poor"]
    page = (tmp_path / "report.html").read_text()
    assert "Three images" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/", "")
    assert run("campaign", "close", "three-images").err == "note: three-images is closed\n"
    done = run("campaign", "export", "three-images", "--out", "data")
    assert done.code == 0, done.err
    # Other commands read what was exported.
    agreement = run(
        "judgments",
        "agreement",
        "data/judgments.jsonl",
        "--aspect",
        "precision",
        "--format",
        "json",
        "--resamples",
        0,
    )
    assert agreement.code == 0, agreement.err
    assert agreement.json["items"] == 6
    meta = run("meta", "data/final.jsonl", "--metrics", "rouge_l", "--format", "json", "--resamples", 0)
    assert meta.code == 0, meta.err
    assert meta.json["n"] == 6
    assert "rouge_l" in meta.json["results"]
    stats = run("data", "stats", "data/judgments.jsonl", "--format", "json")
    assert stats.code == 0, stats.err


def test_a_backup_restores_and_an_export_imports(run, created, tmp_path):
    _work(tmp_path, "three-images", until=4)
    assert run("campaign", "backup", "all.zip").code == 0
    restored = run("campaign", "restore", "all.zip", "--database", "new.db")
    assert restored.err == "note: restored 1 campaign, 4 responses and 0 images to new.db\n"
    again = run("campaign", "status", "three-images", "--database", "new.db", "--format", "json")
    assert again.json["done"] == 4
    run("campaign", "export", "three-images", "--out", "data.zip", "--formats", "jsonl")
    imported = run("campaign", "import", "data.zip", "--slug", "copy", "--title", "Copy")
    assert imported.err == "note: imported 4 responses (raters: 2) as copy (thumb, open)\n"
    twice = run("campaign", "import", "data.zip", "--slug", "copy")
    assert (twice.code, twice.err) == (
        2,
        'error: "copy" is the name of another campaign. Give another slug.\n',
    )


def test_a_dry_run_shows_items_and_costs_and_stores_nothing(run, files, tmp_path):
    found = run(
        "campaign",
        "create",
        "humanr",
        "--candidates",
        files["good"],
        "--references",
        files["references"],
        "--raters",
        3,
        "--pay",
        0.1,
        "--currency",
        "EUR",
        "--dry-run",
        "--no-images",
    )
    assert found.code == 0, found.err
    # 3 images, one system and the baseline, 3 raters each: 18 comparisons, 2 groups of ten.
    assert "total responses 20" in " ".join(found.out.split())
    assert "pay EUR" in found.out
    assert "2.00" in found.out
    assert not (tmp_path / "captious.db").exists()


def test_a_consent_text_from_a_file(run, files, tmp_path):
    text = tmp_path / "consent.txt"
    text.write_text("You may stop at any time.\n")
    given = ["campaign", "create", "thumb", "--candidates", files["good"], "--no-images", "--title", "C"]
    found = run(*given, "--references", files["references"], "--consent", text)
    assert found.code == 0, found.err
    with Database.open(str(tmp_path / "captious.db")) as db:
        assert lifecycle.find(db, "c").settings.consent == "You may stop at any time."
    text.write_text(" \n")
    assert "the text must have 1 to 20,000 characters" in run(*given, "--consent", text).err


def test_the_sample_with_its_photographs_and_own_protocol(run, tmp_path):
    sample = demo_files()
    (tmp_path / "mine.yaml").write_text(
        "name: helpful\nkind: likert\nquestions:\n  - aspect: helpful\n    ask: Does it help?\n"
    )
    found = run(
        "campaign",
        "create",
        "mine.yaml",
        "--candidates",
        sample.systems[0],
        "--references",
        sample.references,
        "--images",
        sample.images,
        "--title",
        "Helpful",
        "--format",
        "json",
    )
    assert found.code == 0, found.err
    assert (found.json["protocol"], found.json["images"]) == ("generic", 24)
    with Database.open(tmp_path / "captious.db") as db:
        from captious.campaigns.store import images

        assert images.digest_of(db, lifecycle.find(db, "helpful"), "1")


def test_raters_are_added_linked_removed_and_taken_back(run, created, tmp_path):
    added = run(
        "campaign", "raters", "add", "three-images", "Ada Ahmed <ada@example.org>", "Bo", "--format", "json"
    )
    assert added.json == {"raters": [{"rater": "r001", "name": "Ada Ahmed"}, {"rater": "r002", "name": "Bo"}]}
    links = run(
        "campaign",
        "raters",
        "link",
        "three-images",
        "--base-url",
        "https://rate.example/",
        "--format",
        "json",
    ).json["links"]
    assert [one["rater"] for one in links] == ["r001", "r002"]
    assert all(one["link"].startswith("https://rate.example/join/") for one in links)
    run("campaign", "raters", "remove", "three-images", "ada ahmed", "--reason", "asked to")
    table = run("campaign", "raters", "list", "three-images", "--format", "json").json["raters"]
    assert [(one["state"], one["reason"]) for one in table] == [("removed", "asked to"), ("active", "")]
    assert run("campaign", "raters", "reinstate", "three-images", "r001").code == 0
    asked = run("campaign", "raters", "erase", "three-images", "r001")
    assert (asked.code, "Give --yes" in asked.err) == (2, True)
    gone = run("campaign", "raters", "erase", "three-images", "r001", "--yes")
    assert "r001 is erased; their answers are now those of erased-1" in gone.err
    unknown = run("campaign", "raters", "remove", "three-images", "Zoe", "--reason", "x")
    assert (unknown.code, unknown.err) == (2, 'error: unknown rater "Zoe". Known: erased-1, r002.\n')


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["link", "three-images", "--days", "1e300"], "days: 1e+300 is not above 0"),
        (["link", "three-images", "--base-url", "not a url"], 'base URL "not a url"'),
        (["link", "three-images", "--base-url", "javascript:alert(1)"], "http://HOST"),
        (["link", "three-images", "--base-url", "https://"], "http://HOST"),
        (["link", "three-images", "--base-url", "http://host:port"], "http://HOST"),
        (["add", "three-images", "--file", "latin.txt"], "latin.txt: not UTF-8 text"),
    ],
)
def test_what_is_wrong_with_raters_is_one_line(run, created, tmp_path, typed, message):
    (tmp_path / "latin.txt").write_bytes("Zo\u00eb\n".encode("latin-1"))
    run("campaign", "raters", "add", "three-images", "Bo")
    found = run("campaign", "raters", *typed)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert message in found.err


def test_a_name_that_is_added_again_is_noted(run, created):
    assert run("campaign", "raters", "add", "three-images", "Bo").err == ""
    again = run("campaign", "raters", "add", "three-images", "Cleo", "bo")
    assert (again.code, again.err.count("\n")) == (0, 1)
    assert 'r003 has the same name as r001, "bo". If they are one person, remove one of them.' in again.err


def test_names_leave_only_where_the_settings_allow_it(run, created, tmp_path):
    run("campaign", "raters", "add", "three-images", "Ada Ahmed")
    asked = ("campaign", "export", "three-images", "--out", "data", "--identities")
    refused = run(*asked)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "Settings page" in refused.err
    assert not (tmp_path / "data").exists()
    with Database.open(tmp_path / "captious.db") as db:
        campaign = lifecycle.find(db, "three-images")
        allowed = replace(campaign.settings, identities_in_export=True)
        lifecycle.change_settings(db, campaign, allowed, actor="lea")
    assert run(*asked).code == 0
    assert "Ada Ahmed" in (tmp_path / "data" / "raters.jsonl").read_text()


def test_quality_is_told_and_decided(run, created, tmp_path):
    _work(tmp_path, "three-images")
    found = run("campaign", "quality", "three-images", "--format", "json").json
    assert [one["rater"] for one in found["raters"]] == ["r001", "r002"]
    wrong = run("campaign", "quality", "three-images", "--uphold", 9)
    assert (wrong.code, wrong.err) == (2, "error: flag 9: three-images has no flag with that number.\n")


def test_disagreements_are_listed_and_decided(run, created, tmp_path):
    _work(tmp_path, "three-images")
    found = run("campaign", "adjudicate", "list", "three-images", "--format", "json").json
    assert found["count"] == len(found["disagreements"]) > 0
    first = found["disagreements"][0]
    assert len(first["responses"]) == 2
    decision = tmp_path / "decision.json"
    decision.write_text(json.dumps(first["responses"][0]["answers"]))
    done = run("campaign", "adjudicate", "decide", "three-images", first["item"], decision)
    assert done.err == f"note: decided {first['item']}\n"
    decision.write_text('{"A.precision": 9}')
    wrong = run("campaign", "adjudicate", "decide", "three-images", first["item"], decision)
    assert wrong.code == 2
    assert "9 is not a whole number from 1 to 5" in wrong.err
    assert wrong.err.count("\n") == 1


def test_a_campaign_is_paused_resumed_and_extended(run, files, tmp_path):
    run(
        "campaign",
        "create",
        "tagging",
        "--candidates",
        files["good"],
        "--raters",
        1,
        "--title",
        "Tags",
        "--option",
        "two_rounds=false",
        "--open",
        "--no-images",
    )
    assert run("campaign", "pause", "tags").err == "note: tags is paused\n"
    assert run("campaign", "resume", "tags").err == "note: tags is open\n"
    more = run("campaign", "extend", "tags", "--target", 2)
    assert more.err == "note: tags now asks for 6 responses\n"
    wider = run("campaign", "extend", "tags", "--candidates", files["poor"])
    assert wider.code == 0, wider.err
    assert "asks for 9 responses" in wider.err
    assert run("campaign", "extend", "tags").code == 2


def test_accounts_take_their_password_from_the_environment(run, monkeypatch, tmp_path):
    without = run("campaign", "account", "create", "lea", "--role", "owner")
    assert (without.code, without.err.count("\n")) == (2, 1)
    monkeypatch.setenv("CAPTIOUS_PASSWORD", "correct horse battery")
    assert run("campaign", "account", "create", "lea", "--role", "owner").code == 0
    listed = run("campaign", "account", "list", "--format", "json")
    assert [(one["name"], one["role"]) for one in listed.json["accounts"]] == [("lea", "owner")]
    assert "password" not in listed.out
    assert run("campaign", "account", "create", "ben", "--role", "king").code == 2


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["status", "nothing"], "there is no such database"),
        (["create", "thum", "--candidates", "good.json"], 'unknown protocol "thum"'),
        (["create", "thumb", "--candidates", "good.json", "--raters", "3"], "THumB asks two"),
        (["create", "thumb", "--candidates", "good.json", "--option", "x"], "write name=value"),
        (
            ["create", "thumb", "--candidates", "good.json", "--option", "cleen=1"],
            'unknown option of thumb "cleen"',
        ),
        (["create", "thumb", "--candidates", "none.json"], "none.json"),
        (
            ["create", "thumb", "--candidates", "good.json", "--gold", "poor.json"],
            "Give {item: {question: answer}}",
        ),
        (["create", "thumb", "--candidates", "good.json", "--consent", "none.txt"], "none.txt"),
        (["import", "none.jsonl"], "there is no such file"),
        (["backup", "x.zip"], "there is no such database"),
        (["restore", "good.json"], "backup"),
        (["export", "x"], "Missing option"),
    ],
)
def test_what_is_wrong_is_one_line(run, files, typed, message):
    found = run("campaign", *typed)
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1
    assert "Traceback" not in found.err


@pytest.mark.parametrize("protocol", ["thumb", "humanr", "tagging", "audit"])
def test_raters_are_not_left_without_images_by_accident(run, files, tmp_path, protocol):
    typed = [
        "campaign",
        "create",
        protocol,
        "--candidates",
        files["good"],
        "--references",
        files["references"],
    ]
    found = run(*typed)
    assert found.code == 2
    assert "Give --images DIR, or --no-images" in found.err
    assert not (tmp_path / "captious.db").exists()
    assert run(*typed, "--no-images").code == 0


def test_a_folder_that_holds_none_of_the_images_is_refused(run, files, tmp_path):
    folder = tmp_path / "photographs"
    folder.mkdir()
    (folder / "holiday.jpg").write_bytes(b"")
    typed = ["campaign", "create", "thumb", "--candidates", files["good"], "--images", folder]
    found = run(*typed)
    assert found.code == 2
    assert "contains none of the 3 images" in found.err
    assert "Or give --references as a COCO file" in found.err
    assert 'for "1", captious looks for 1.jpg' in found.err
    assert found.err.count("\n") == 1
    assert not (tmp_path / "captious.db").exists()
    assert "give only one of them" in run(*typed, "--no-images").err


@pytest.mark.parametrize(
    ("protocol", "typed", "message"),
    [
        ("tagging", ["--raters", "9" * 20], "raters: 99999999999999999999 is out of range"),
        ("tagging", ["--seed", "9" * 22], "seed: 9999999999999999999999 is out of range"),
        ("tagging", ["--option", "interval=nan"], '"nan" is not a number'),
        ("tagging", ["--option", "raters=" + "9" * 5000], "is not a whole number"),
        ("huge.yaml", [], 'huge.yaml: line 3: "raters" is over 10,000'),
    ],
)
def test_a_number_beyond_reason_is_refused_before_a_database_is_made(
    run, files, tmp_path, protocol, typed, message
):
    (tmp_path / "huge.yaml").write_text(
        "name: x\nkind: likert\nraters: 100000000000000000000\nquestions: [{aspect: a, ask: b}]\n"
    )
    found = run("campaign", "create", protocol, "-c", files["good"], "--no-images", *typed)
    assert found.code == 2
    assert message in found.err
    assert found.err.count("\n") == 1
    assert not (tmp_path / "captious.db").exists()


@pytest.mark.parametrize("target", ["10001", "999999999999999", "9" * 30])
def test_a_target_beyond_reason_changes_nothing(run, files, target):
    run("campaign", "create", "tagging", "-c", files["good"], "--raters", 1, "--title", "Tags", "--no-images")
    found = run("campaign", "extend", "tags", "--target", target)
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert f"target: {target} is out of range. Give 1 to 10,000." in found.err
    # Three captions, in two rounds.
    assert run("campaign", "status", "tags", "--format", "json").json["target"] == 6


def test_a_rehearsal_goes_on_until_nothing_is_left_and_then_says_so(run, created):
    typed = ("campaign", "simulate", "three-images", "--raters", "careful=2", "--format", "json")
    assert run(*typed, "--until", 4).json["responses"] == 4
    rest = run(*typed)
    assert rest.json["responses"] == 2  # of three images in two stages
    assert "not for training a metric" in rest.err
    again = run("campaign", "simulate", "three-images", "--raters", "hasty=2")
    assert (again.code, again.out, again.err.count("\n")) == (2, "", 1)
    assert "three-images: all responses asked for are in, so nothing was added." in again.err
