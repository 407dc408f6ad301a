"""Image-text metrics from the command line: images alone, broken images, long captions, cautions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

CAPTIONS = {"0": "a dog", "1": "a cat on a mat", "2": "dog and cat", "3": "an old dog"}


class Given(NamedTuple):
    candidates: Path
    images: Path
    encoder: Path


@pytest.fixture
def given(tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Given:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("CAPTIOUS_DOWNLOAD", raising=False)
    tiny.write_clip(tmp_path / "clip", seed=22)
    tiny.write_photographs(tmp_path / "images", len(CAPTIONS), seed=9)
    (tmp_path / "alt.json").write_text(json.dumps(CAPTIONS))
    return Given(tmp_path / "alt.json", tmp_path / "images", tmp_path / "clip")


def metric(given: Given, name: str = "clipscore", **options: str) -> str:
    chosen = {"encoder": str(given.encoder), "prompt": "none"} | options
    return f"{name}[{','.join(f'{key}={value}' for key, value in chosen.items())}]"


def test_score_with_images_alone(run, given: Given, tmp_path: Path) -> None:
    name = metric(given)
    items = tmp_path / "items.csv"
    done = run(
        "score", "--candidates", given.candidates, "--images", given.images, "--metrics", name,
        "--items", items, "--format", "json",
    )  # fmt: skip
    assert done.code == 0
    entry = done.json["systems"]["alt"][name]
    assert entry["n"] == 4
    assert "|enc:clip@" in entry["signature"]
    rows = list(csv.DictReader(items.open(encoding="utf-8")))
    assert entry["score"] == pytest.approx(sum(float(row[name]) for row in rows) / 4, abs=1e-9)
    assert [row[f"{name}.tokens_beyond_limit"] for row in rows] == ["0.0", "0.0", "0.0", "0.0"]


def test_broken_images_are_listed_and_the_others_are_scored(run, given: Given) -> None:
    (given.images / "2.png").write_bytes(b"no image at all")
    done = run("score", "-c", given.candidates, "--images", given.images, "-m", metric(given))
    assert done.code == 0
    assert "clipscore: 1 of 4 images could not be read and has no score. The first:" in done.out
    assert f"not scored: {given.images / '2.png'}: is not an image that Pillow can read" in done.err
    entry = run(
        "score", "-c", given.candidates, "--images", given.images, "-m", metric(given), "-f", "json"
    ).json["systems"]["alt"][metric(given)]
    assert entry["n"] == 3
    assert list(entry["unscored"]) == ["2"]
    (given.images / "2.png").unlink()
    missing = run("score", "-c", given.candidates, "--images", given.images, "-m", metric(given))
    assert missing.code == 0
    assert 'image "2": no file was found for it. Check the folder.' in missing.err


def test_long_captions_are_cut_with_a_note_or_refused(run, given: Given) -> None:
    content = CAPTIONS | {"3": "dog " * 20}
    given.candidates.write_text(json.dumps(content))
    common = ("score", "-c", given.candidates, "--images", given.images, "-m", metric(given))
    cut = run(*common)
    assert cut.code == 0
    assert "clipscore: 1 text had more tokens than the model reads; 6 tokens were cut off." in cut.out
    assert "|long:truncate|trunc:6|" in cut.out
    refused = run(*common, "--long", "error")
    assert refused.code == 2
    assert "has 6 tokens more than the 16 that clip@" in refused.err
    assert "choose --long truncate or chunk" in refused.err
    assert "|long:chunk:16/0|chunked:6|" in run(*common, "--long", "chunk").out
    assert run(*common, "--long", "cut").code == 2


def test_a_system_with_the_same_encoder_is_cautioned(run, given: Given, tmp_path: Path) -> None:
    common = ("score", "-c", given.candidates, "--images", given.images, "-m", metric(given))
    told = run(*common, "--system-encoder", "alt=CLIP ViT-B/32")
    assert "caution: alt uses CLIP ViT-B/32, and clipscore is computed with CLIP too" in told.out
    assert "caution" not in run(*common, "--system-encoder", "alt=ResNet-101").out
    assert run(*common, "--system-encoder", "alt").code == 2
    assert 'unknown system "other"' in run(*common, "--system-encoder", "other=CLIP").err
    rows = [{"image_id": k, "caption": v, "encoder": "OpenCLIP ViT-H/14"} for k, v in CAPTIONS.items()]
    declared = tmp_path / "declared.jsonl"
    declared.write_text("\n".join(map(json.dumps, rows)))
    own = run("score", "-c", declared, "--images", given.images, "-m", metric(given))
    assert "caution: declared uses OpenCLIP ViT-H/14" in own.out


def test_without_weights_nothing_is_fetched_and_the_way_is_told(run, given: Given) -> None:
    said = (
        "the weights ViT-B-32/openai are not installed. Get them with: captious get weights ViT-B-32/openai"
    )
    done = run("score", "-c", given.candidates, "--images", given.images, "-m", "clipscore")
    assert done.code == 2
    assert done.err.splitlines()[-1].endswith(said)
    usual = run("score", "-c", given.candidates, "--images", given.images)  # no metric, no references
    assert usual.code == 0
    assert f"note: clipscore is left out: {said}" in usual.err
    assert "rulegrammar" in usual.out


def test_the_report_needs_no_references_and_shows_the_caution(run, given: Given, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    out = tmp_path / "report.html"
    done = run(
        "report", "-c", given.candidates, "--images", given.images, "-m", metric(given), "--out", out,
        "--system-encoder", "alt=CLIP", "--resamples", 20,
    )  # fmt: skip
    assert done.code == 0, done.err
    text = out.read_text("utf-8")
    assert "caution: alt uses CLIP, and clipscore is computed with CLIP too" in text
    assert "references each" not in text


def test_check_needs_no_references(run, given: Given) -> None:
    done = run("data", "check", "-c", given.candidates, "--images", given.images, "--format", "json")
    assert done.code in (0, 1)
    assert done.json["images"] == 4


@pytest.mark.parametrize("form", ["table", "json", "svg", "html"])
def test_explain_shows_words_and_regions(run, given: Given, form: str) -> None:
    done = run(
        "explain",
        "-c",
        given.candidates,
        "--images",
        given.images,
        "-m",
        metric(given),
        "--id",
        "1",
        "-f",
        form,
    )
    assert done.code == 0, done.err
    if form == "json":
        (one,) = done.json
        assert one["method"] == "occlusion"
        assert [word["name"] for word in one["words"]] == ["a", "cat", "on", "a", "mat"]
        assert len(one["cells"]) == 49
    elif form == "table":
        assert "occlusion: a word is left out" in done.out
        assert "regions that carry most" in done.out
    else:
        assert 'href="data:image/jpeg;base64,' in done.out
        assert "Drop in the score without each word: " in done.out


def test_compare_and_report_finish_beside_a_broken_image(run, given: Given, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    other = tmp_path / "other.json"
    other.write_text(json.dumps(dict.fromkeys(CAPTIONS, "a cat")))
    (given.images / "2.png").write_bytes(b"no image at all")
    both = ("-c", given.candidates, other, "--images", given.images, "-m", metric(given))
    compared = run("compare", *both, "--resamples", 50, "--trials", 50, "--format", "json")
    assert compared.code == 0, compared.err
    (pair,) = compared.json[metric(given)]["pairs"]
    assert pair["wins"] + pair["ties"] + pair["losses"] == 3
    reported = run("report", *both, "--resamples", 20, "--out", tmp_path / "report.html")
    assert reported.code == 0, reported.err
    assert "could not be read and has no score" in (tmp_path / "report.html").read_text("utf-8")


def test_meta_leaves_out_an_image_that_cannot_be_read_and_names_it(run, given: Given, tmp_path: Path) -> None:
    judged = tmp_path / "judged.csv"
    lines = [f"{image},{caption},{int(image) + 1}" for image, caption in CAPTIONS.items()]
    judged.write_text("\n".join(["image,caption,rating", *lines]))
    common = ("meta", judged, "--images", given.images, "-m", metric(given), "--resamples", "0")
    assert run(*common, "-f", "json").json["results"][metric(given)]["pearson"]["n"] == 4
    (given.images / "2.png").write_bytes(b"no image at all")
    done = run(*common, "-f", "json")
    assert done.code == 0
    assert done.json["results"][metric(given)]["pearson"]["n"] == 3
    assert 'could not read ("2") are left out; 3 examples of 3 images remain.' in done.err
    assert 'could not read ("2")' in done.json["protocol"]["left_out"]
