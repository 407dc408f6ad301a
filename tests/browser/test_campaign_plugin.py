"""A protocol that another package brings: wizard, two raters, agreement, results, export, meta."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")]

SYSTEMS = ("heron", "magpie", "dodo")
# Ann ranks heron, magpie, dodo; Bo swaps the last two.
PLACES = {"Ann": ("1", "2", "3"), "Bo": ("1", "3", "2")}


def rank(hand, sample, name: str) -> int:
    """Rank every image that is handed out; says how many."""
    place = dict(zip(SYSTEMS, PLACES[name], strict=True))
    for done in range(20):
        shown = hand.captions()
        if not shown:
            return done
        hand.answer({f"{key}.place": place[sample.source(text)[1]] for key, text in shown.items()})
        hand.submit()
    raise AssertionError("there is no end")


def test_three_captions_are_ranked_from_wizard_to_meta(
    plugins: Path, studio, office, cut_sample, start, tmp_path: Path
) -> None:
    sample = cut_sample(3, *SYSTEMS)
    desk = office(studio.owner())
    desk.hand.follow("New campaign")
    offered = desk.hand.page.locator("main").inner_text()
    assert "captious-broken is left out: RuntimeError" in offered
    assert "Ranking: three captions, best first" in offered
    desk.create("ranking", "Ranked", sample, raters="2")
    links = desk.invite("Ann", "Bo")
    for name, way, link in zip(PLACES, ("mouse", "plain"), links, strict=True):
        hand = start(studio.visitor(way), link)
        hand.answer({"A.place": "1", "B.place": "1", "C.place": "2"})
        hand.submit() if way == "plain" else hand.page.locator("[data-submit]").click()
        hand.page.get_by_text("Give each place once.").first.wait_for()
        assert rank(hand, sample, name) == 3
    # Of nine questions both raters answer three alike: 1/3.
    agreement = desk.tab("Agreement")
    assert "place" in agreement
    assert "0.333" in agreement
    results = desk.tab("Results")
    assert "Mean merit" in results
    assert "3.000" in results  # heron is first for both
    assert results.count("1.500") == 2  # (2 + 1) / 2
    folder = desk.export(tmp_path)
    rows = [json.loads(line) for line in (folder / "final.jsonl").read_text().splitlines()]
    assert len(rows) == 3 * 2 * 3
    assert {(row["system"], row["rating"]) for row in rows if row["rater"] == "r001"} == {
        ("heron", 3.0),
        ("magpie", 2.0),
        ("dodo", 1.0),
    }
    asked = ["--metrics", "caption_words,rouge_l", "--format", "json"]
    measured = subprocess.run(
        [sys.executable, "-m", "captious", "meta", str(folder / "final.jsonl"), *asked],
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(plugins), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert measured.returncode == 0, measured.stderr
    found = json.loads(measured.stdout)
    assert found["n"] == 9
    assert set(found["results"]) == {"caption_words", "rouge_l"}
