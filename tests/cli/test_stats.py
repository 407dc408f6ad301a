from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from captious.corpus.parts_of_speech import missing_for_taggers


@pytest.fixture
def captions(tmp_path):
    paths = []
    for name, noun in (("short", "dog"), ("long", "big brown dog on the grass")):
        path = tmp_path / f"{name}.json"
        lists = {str(i): [f"A {noun} number {i}.", f"The {noun} {i}."] for i in range(4)}
        path.write_text(json.dumps(lists))
        paths.append(path)
    return paths


def test_files_stand_side_by_side(run, captions) -> None:
    found = run("data", "stats", *captions, "--draws", 2, "--format", "json")
    assert found.code == 0
    short, long = (found.json["files"][name] for name in ("short.json", "long.json"))
    assert short["images"] == long["images"] == 4
    # "A dog number 1." and "The dog 1.": 4 and 3 tokens, the full stop is none.
    assert short["length"]["mean"] == 3.5
    assert long["length"]["mean"] == 8.5
    assert short["sample"] == {"images": 4, "captions": 2, "draws": 2, "seed": 12345}
    assert long["unique"]["2-grams"]["mean"] > short["unique"]["2-grams"]["mean"]


def test_other_languages_are_cut_into_words_and_not_tagged_as_english(run, tmp_path) -> None:
    chinese, german = tmp_path / "zh.json", tmp_path / "de.json"
    chinese.write_text(json.dumps({"1": ["一只棕色的狗在草地上跑。"], "2": ["两个人骑着自行车。"]}))
    german.write_text(json.dumps({"1": ["Zwei Hunde laufen über die Wiese."], "2": ["Ein Mann fährt Rad."]}))
    refused = run("data", "stats", chinese)
    assert refused.code == 2
    assert "zh.json: captions are Chinese, which is written without spaces" in refused.err
    assert "Use the tokeniser zh, zh-jieba or char." in refused.err
    counted = run("data", "stats", chinese, "--tokeniser", "zh")
    assert "tokens: zh" in counted.out and "parts of speech" not in counted.out
    found = run("data", "stats", german, "--format", "json")
    assert (
        "de.json: no parts of speech: captions are German, and the tagger caption reads English" in found.err
    )
    assert "parts_of_speech" not in found.json["files"]["de.json"]


def test_the_table_tells_the_sample(run, captions) -> None:
    found = run("data", "stats", *captions, "--images", 3, "--captions", 1)
    assert "samples of 3 images with 1 caption each" in found.out
    assert "mean length" in found.out


def test_csv_is_one_long_table(run, captions) -> None:
    lines = run("data", "stats", captions[0], "--format", "csv").out.splitlines()
    assert lines[0] == "file,statistic,value"
    assert "short.json,captions,8" in lines


def test_too_many_images(run, captions) -> None:
    found = run("data", "stats", captions[0], "--images", 9)
    assert found.code == 2 and "only 4 images have 2 captions; 9 were asked for" in found.err


def test_a_file_that_is_none(run, tmp_path) -> None:
    found = run("data", "stats", tmp_path / "none.json")
    assert found.code == 2 and "there is no such file" in found.err


def test_parts_of_speech_by_the_caption_parser_without_spacy(run, captions) -> None:
    found = run("data", "stats", *captions, "--format", "json")
    short, long = (found.json["files"][name] for name in ("short.json", "long.json"))
    assert short["tagger"].startswith("caption:captions-")
    # Of the 28 words of "A dog number 1." and "The dog 1.", four times each, 8 are "a" and "the".
    assert short["parts_of_speech"]["DET"] == pytest.approx(8 / 28)
    assert long["parts_of_speech"]["ADJ"] > 0
    assert sum(long["parts_of_speech"].values()) == pytest.approx(1)


def test_the_table_names_the_tagger(run, captions) -> None:
    out = run("data", "stats", *captions).out
    assert "parts of speech in the first sample" in out
    assert "tagger: caption:captions-" in out


def test_no_tagger(run, captions) -> None:
    found = run("data", "stats", captions[0], "--tagger", "none", "--format", "json")
    assert "parts_of_speech" not in found.json["files"]["short.json"]
    assert "parts of speech" not in run("data", "stats", captions[0], "--tagger", "none").out


def test_spacy_where_it_is_installed(run, captions) -> None:
    found = run("data", "stats", captions[0], "--tagger", "spacy", "--format", "json")
    if missing_for_taggers()["spacy"]:
        assert found.code == 2 and "captious[parse]" in found.err
    else:
        assert found.json["files"]["short.json"]["tagger"].startswith("spacy:en_core_web_sm")


def test_a_tagger_that_is_not_installed(run, captions) -> None:
    found = run("data", "stats", captions[0], "--tagger", "no_such_model")
    assert found.code == 2 and found.err.count("\n") == 1
    assert ("no tagger" if find_spec("spacy") else "captious[parse]") in found.err
