"""The distribution of a game's ratings as a chart: in the report and in the export."""

from __future__ import annotations

import re
import zipfile
from xml.etree import ElementTree

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup.create import create, draft
from captious.campaigns.setup.lifecycle import open_campaign
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus

pytest.importorskip("vl_convert", reason="charts need captious[report]")
TAG = "{http://www.w3.org/2000/svg}"
QUICK = "rules: {trial_pairs: 0, wait_seconds: 0}"
# Four pairs: 25 % have the rating 2, 75 % the rating 4.
GIVEN = {"1": 2, "2": 4, "3": 4, "4": 4}


@pytest.fixture
def played(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_DATABASE", str(tmp_path / "captious.db"))
    corpus = Corpus.from_lists(["A.", "B.", "C.", "D."], image_ids=list(GIVEN))
    with Database.open(tmp_path / "captious.db") as db:
        made = create(db, draft("game", corpus, title="Game", protocol_file=QUICK), actor="lea")
        campaign = open_campaign(db, made, actor="lea")
        (rater,) = raters.add(db, campaign, [NewRater("Ann")], actor="lea")
        for _ in GIVEN:
            (task,) = assignment.next_tasks(db, campaign, rater)
            given = {"rating": GIVEN[task.item.image]}
            responses.respond(db, rater, task.token, given, key=task.item.image)
        create(db, draft("tagging", corpus, title="Tags"), actor="lea")


def texts_of(drawn: str) -> list[str]:
    return ["".join(one.itertext()) for one in ElementTree.fromstring(drawn).iter(f"{TAG}text")]


def test_the_export_holds_the_chart_with_the_whole_scale(run, played, tmp_path) -> None:
    found = run("campaign", "export", "game", "--out", tmp_path / "out", "--formats", "jsonl")
    assert found.code == 0, found.err
    drawn = (tmp_path / "out" / "distribution-of-ratings.svg").read_text()
    texts = texts_of(drawn)
    # Nobody gave 1, 3 or 5, and the axis has them all the same.
    assert [one for one in texts if one in "12345"] == ["1", "2", "3", "4", "5"]
    assert {"rating", "% of pairs"} <= set(texts)
    assert "distribution-of-ratings.svg" in (tmp_path / "out" / "README.md").read_text()
    run("campaign", "export", "game", "--out", tmp_path / "out.zip", "--formats", "jsonl")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert archive.read("game/distribution-of-ratings.svg").decode() == drawn


def test_a_protocol_without_a_chart_exports_none(run, played, tmp_path) -> None:
    run("campaign", "export", "tags", "--out", tmp_path / "out", "--formats", "jsonl")
    assert (tmp_path / "out" / "campaign.json").exists()
    assert not list((tmp_path / "out").glob("*.svg"))


def test_the_report_shows_the_chart_beside_its_table(run, played, tmp_path) -> None:
    page = tmp_path / "report.html"
    found = run("campaign", "report", "game", "--out", page)
    assert found.code == 0, found.err
    text = page.read_text()
    # For wide and for narrow screens.
    for title in ("Distribution of ratings", "Scores by system"):
        assert len(re.findall(f'<svg [^>]*aria-label="{title}\\. ', text)) == 2
    # A colour that the page does not know is drawn as black on dark, or not at all.
    assert all(f"{name}:" in text for name in re.findall(r"var\((--[\w-]+)\)", text[text.index("<svg") :]))
    assert "2: 25.000, 3: 0.000, 4: 75.000" in text
    assert text.index("<caption>Distribution of ratings") < text.index("<svg")
    assert "https://" not in text.replace("http://www.w3.org", "")
