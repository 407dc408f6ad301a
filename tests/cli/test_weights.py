from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def empty_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))


def test_the_list_and_the_doctor_say_the_same(run) -> None:
    found = run("get", "weights", "--format", "json").json
    assert found == run("doctor", "--format", "json").json["weights"]
    assert all(one["licence"] and one["size"] for one in found.values())
    assert found["ViT-B-32/openai"]["command"] == "captious get weights ViT-B-32/openai"


def test_what_cannot_be_fetched_says_so(run) -> None:
    failed = run("get", "weights", "PAC-S-ViT-B-32")
    assert failed.code == 2
    assert "needs its own download tool: gdown --folder" in failed.err
    assert run("get", "weights", "VSE++/coco-resnet152").err.startswith(
        "error: VSE++/coco-resnet152: cannot be downloaded by captious. Get it with: runs.tar"
    )


def test_a_metric_without_weights_is_told_and_nothing_is_fetched(run) -> None:
    done = run("get", "weights", "cider")
    assert (done.code, done.err) == (0, "note: cider: needs no weights\n")


def test_verify_with_nothing_here_says_so(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("captious.cli.weights.statuses", dict)
    done = run("get", "weights", "--verify")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("note: no weights are on this machine. captious get weights")
    assert run("get", "weights", "--verify", "--format", "json").json == []


def test_verify_says_no_for_what_is_missing(run) -> None:
    failed = run("get", "weights", "--verify", "clipscore", "--format", "json")
    assert failed.code == 1
    assert [(one["weights"], one["state"]) for one in failed.json] == [("ViT-B-32/openai", "missing")]


@pytest.mark.parametrize("option", [["--verify"], []])
def test_a_name_that_nobody_knows_is_no_missing_file(run, option: list[str]) -> None:
    failed = run("get", "weights", *option, "nope")
    assert (failed.code, failed.out) == (2, "")
    assert failed.err == (
        'error: "nope" is not a file, a metric, known weights, or a hub name such as '
        "openai/clip-vit-base-patch32. `captious get weights` lists all known weights.\n"
    )
    assert run("get", "weights", *option, "clipscor").err.endswith('Did you mean "clipscore"?\n')
    assert run("get", "weights", *option, "cider").err == "note: cider: needs no weights\n"


def test_weights_in_a_folder_of_your_own_have_a_checksum_to_compare(run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.safetensors").write_bytes(b"abc")
    done = run("get", "weights", "--verify", tmp_path / "mine", "--format", "json")
    assert done.code == 0
    # SHA-256 of "abc": FIPS 180-2, appendix B.1.
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert [(one["state"], one["sha256"]) for one in done.json] == [("no checksum", digest)]
