from __future__ import annotations

from pathlib import Path

import pytest

from captious.metrics import known_metrics


def test_doctor_knows_every_metric_and_what_it_needs(run) -> None:
    found = run("doctor", "--format", "json").json["metrics"]
    assert {"bleu4", "rouge_l", "cider", "meteor"} <= set(found)
    for name, metric in found.items():
        assert metric["ready"] == (metric["missing"] == ""), name
        assert metric["summary"] and metric["citation"], name


def test_spice_and_its_tagger_are_ready_wherever_captious_is(run) -> None:
    found = run("doctor", "--format", "json").json
    assert found["metrics"]["spice"]["ready"]
    assert found["taggers"]["caption"] == ""
    assert found["taggers"]["spacy"] in ("", 'pip install "captious[parse]"')
    assert "tagger of captious data stats" in run("doctor", "--all").out
    assert " spice," in run("doctor").out.partition("Ready: ")[2]


def test_every_metrics_weights_are_listed_with_the_command_that_gets_them(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    found = run("doctor", "--format", "json").json["weights"]
    clip = found["ViT-B-32/openai"]
    assert {"clipscore", "refclipscore", "refonlyc"} <= set(clip["metrics"])
    assert (clip["present"], clip["licence"]) == (False, "MIT (OpenAI)")
    assert clip["command"] == "captious get weights ViT-B-32/openai"
    assert set(found["MCIP-ViT-L-14-336"]["metrics"]) == {"mcipscore", "mcipscore_ref"}
    assert found["PAC-S-ViT-B-32"]["command"].startswith("gdown --folder https://drive.google.com/")


def test_weights_that_cannot_be_fetched_are_one_line(run) -> None:
    failed = run("doctor", "--get", "PAC-S-ViT-B-32")
    assert failed.code == 2
    assert "needs its own download tool: gdown --folder" in failed.err
    assert run("doctor", "--get", "no such weights").err.count("\n") == 1


def test_the_longest_text_of_every_metric_is_listed_as_it_declares(run) -> None:
    told = run("doctor", "--format", "json").json["metrics"]
    shown = run("doctor", "--format", "markdown").out
    for name, metric in known_metrics().items():
        longest = metric.longest
        if longest is None:
            assert told[name]["longest"] is None
        else:
            beyond = list(longest.beyond)
            assert told[name]["longest"] == longest._asdict() | {"beyond": beyond}
        assert f"| {name} | {longest or 'any'} |" in shown
        assert told[name]["languages"] == list(metric().languages())
    assert "| meteor | 20,000 words | error | en |" in shown
