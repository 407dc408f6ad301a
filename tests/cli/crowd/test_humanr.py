"""`captious crowd humanr`: from files to a paid and reported study, with simulated workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle
from captious.campaigns.simulate.demo import demo_quality
from captious.campaigns.store.database import Database
from captious.data import demo_files

pytest.importorskip("sqlalchemy", reason="campaigns need captious[web]")


def truth(system: str) -> float:
    """The preference that careful workers have: the point of the scale nearest to the difference."""
    own = [value for key, value in demo_quality().items() if isinstance(key, tuple) and key[1] == system]
    assert len(own) == 24
    # Human captions are as good as 0.9; a difference of 1 is the whole way from 5 to 9.
    return sum(round(5 + 4 * (one - 0.9)) - 5 for one in own) / 4 / len(own)


def test_the_estimate_alone_stores_nothing(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("crowd", "humanr", "--sample", "--provider", "simulated", "--format", "json")
    # 24 images, four systems and the baseline: 120 comparisons, 14 checks, 14 places of ten.
    assert (found.code, found.json["places"], found.json["total"]) == (0, 14, 420)
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_on_the_sample_with_workers_of_every_kind(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    workers = "good=20,lazy=4,left=3,slow=2,leaving=3"
    asked = (
        "crowd",
        "humanr",
        "--sample",
        "--provider",
        "simulated",
        "--workers",
        workers,
        "--top-up",
        "--confirm",
    )
    found = run(*asked, "--out", "report.html", "--format", "json")
    assert found.code == 0, found.err
    seen = found.json
    assert seen["answers"] == {"done": 120, "target": 120}
    for path in demo_files().systems:
        score = seen["scores"][path.stem]
        assert score["low"] <= truth(path.stem) <= score["high"], path.stem
        assert score["mean"] == pytest.approx(truth(path.stem), abs=0.12)
    assert seen["scores"]["human-human"]["low"] <= 0 <= seen["scores"]["human-human"]["high"]
    with Database.open("captious.db") as db:
        states = {one.name: one.state for one in raters.listed(db, lifecycle.find(db, "humanr"))}
    kinds = {name.split("-")[0] for name in states}
    assert kinds == {"good", "lazy", "left", "slow", "leaving"}
    assert {state for name, state in states.items() if name.startswith("lazy")} == {"removed"}
    assert {state for name, state in states.items() if name.startswith("good")} == {"active"}
    assert not seen["wage"]["below"]
    assert "HUMANr" in Path("report.html").read_text(encoding="utf-8")
    # Run again, it takes up what is there: nobody is asked, and nobody is paid, a second time.
    again = run(*asked, "--format", "json")
    assert again.code == 0 and again.json["spent"] == seen["spent"]
    assert again.json["places"] == seen["places"]


def test_a_budget_below_the_cost_leaves_nothing_behind(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("crowd", "humanr", "--sample", "--provider", "simulated", "--confirm", "--format", "json")
    refused = run(*asked, "--budget", "0.01")
    assert (refused.code, "costs $4.20, but the budget is $0.01" in refused.err) == (2, True), refused.err
    with Database.open("captious.db") as db:
        assert lifecycle.listed(db) == []
    found = run(*asked, "--budget", "9", "--workers", "good=1")
    assert found.code == 0, found.err


def test_without_credentials_nothing_is_begun(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("PROLIFIC_TOKEN", "PROLIFIC_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    refused = run("crowd", "humanr", "--sample", "--provider", "prolific", "--confirm")
    assert (refused.code, "PROLIFIC_TOKEN is not set" in refused.err) == (2, True), refused.err
    with Database.open("captious.db") as db:
        assert lifecycle.listed(db) == []


def test_the_quality_that_is_given_goes_before_the_samples(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("crowd", "humanr", "--sample", "--provider", "simulated", "--workers", "good=14", "--confirm")
    found = run(*asked, "--quality", "heron=0,dodo=0.9", "--format", "json")
    assert found.code == 0, found.err
    # Human captions are as good as 0.9: round(5 + 4 * (0 - 0.9)) = 1 is -1 on the scale, and 5 is 0.
    scores = found.json["scores"]
    assert scores["heron"]["mean"] == pytest.approx(-1, abs=0.15)
    assert scores["dodo"]["mean"] == pytest.approx(0, abs=0.15)


def test_files_are_needed_and_bad_workers_refused(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cases = [
        (["humanr"], "--references (the human captions)"),
        (["crowd", "humanr", "--sample", "-n", "500"], "there are only 24"),
        (
            ["crowd", "humanr", "--sample", "--provider", "simulated", "--workers", "angry=3"],
            "good, lazy, left",
        ),
        (["crowd", "humanr", "--sample", "--provider", "simulated", "--quality", "heron"], "name=number"),
        (
            ["crowd", "humanr", "--sample", "--provider", "simulated", "--quality", "zzz=0.3"],
            'unknown system of --quality "zzz". Known: cuckoo, dodo, heron, magpie.',
        ),
        (["crowd", "humanr", "--sample", "--provider", "simulated", "--quality", "dodo=nan"], "from 0 to 1"),
        (["crowd", "humanr", "--sample", "--base-url", "rate.example"], "Give http://HOST"),
    ]
    for arguments, says in cases:
        found = run(*arguments)
        assert (found.code, says in found.err, "Traceback" in found.err) == (2, True, False), found.err
