from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from captious.text.languages import languages_of, script_of

CAPTIONS: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "languages" / "captions.json").read_text("utf-8")
)


def texts(code: str) -> list[str]:
    return [text for pair in CAPTIONS[code] for text in pair]


@pytest.mark.parametrize("code", CAPTIONS)
def test_the_language_of_a_corpus(code: str) -> None:
    (found,) = languages_of(texts(code))
    assert (found.code, found.texts, found.share) == (code, 24, 1.0)


@pytest.mark.parametrize("code", CAPTIONS)
def test_the_language_of_one_caption_is_told_from_english(code: str) -> None:
    found = [languages_of([text])[0].code for text in texts(code)]
    assert all((one == "en") == (code == "en") for one in found)
    assert found.count(code) >= 22  # near languages, as Galician and Spanish, may be confused


@pytest.mark.parametrize(("one", "other"), [("en", "de"), ("zh", "ja"), ("fr", "th"), ("ru", "ko")])
def test_a_mixture_has_both(one: str, other: str) -> None:
    mixed = texts(one) + texts(other)
    random.Random(1).shuffle(mixed)
    by_code = {found.code: found.share for found in languages_of(mixed)}
    assert by_code[one] > 0.2 and by_code[other] > 0.1


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("一只棕色的狗", "Chinese"),
        ("犬が走る", "Japanese"),
        ("スケートボード", "Japanese"),
        ("สุนัขวิ่งเล่น", "Thai"),
        ("собака бежит", "Cyrillic"),
        ("Ｆｕｌｌｗｉｄｔｈ", "Latin"),
        ("a dog in front of a sign that says 停", "Latin"),
        ("一只狗和一个 frisbee", "Chinese"),
        ("12 … !", ""),
        ("🐕 🏖", ""),
        ("", ""),
    ],
)
def test_the_script_of_most_letters(text: str, script: str) -> None:
    assert script_of(text) == script


def test_japanese_captions_without_kana_are_japanese_among_others() -> None:
    assert [one.code for one in languages_of(["犬が走る", "猫が眠る", "犬"])] == ["ja"]


def test_one_word_again_and_again_tells_no_language() -> None:
    assert [one.code for one in languages_of(["a " * 2500, "ba ba ba ba ba ba ba ba ba"])] == ["en"]


def test_nothing_is_said_of_what_has_no_words() -> None:
    assert languages_of(["", "🐕", "123", "?!"]) == []
    assert [one.code for one in languages_of(["pizza"])] == ["en"]  # too short to tell


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("一只棕色的狗在海滩上奔跑", False),
        ("一只 棕色 的 狗 在 海滩 上 奔跑", True),
        ("Zwei Hunde laufen hier", True),
    ],
)
def test_text_that_is_cut_into_words_has_spaces(text: str, spaced: bool) -> None:
    assert languages_of([text])[0].spaced is spaced


def test_english_captions_are_english(data: Path) -> None:
    path = data / "flickr8k" / "Flickr8k.token.txt"
    captions = [line.rstrip("\n").split("\t")[1] for line in path.read_text("utf-8").splitlines()[::20]]
    assert sum(languages_of([text])[0].code != "en" for text in captions) <= len(captions) // 1000
    assert [one.code for one in languages_of(captions)] == ["en"]


def test_the_detector_is_loaded_only_where_it_is_needed() -> None:
    asked = "from captious.text.languages import languages_of; languages_of([%r]); import sys; "
    for text, loaded in (("A dog and a cat in the sun.", False), ("Ein Hund läuft über die Wiese.", True)):
        code = (asked % text) + f"assert ('py3langid' in sys.modules) is {loaded}"
        subprocess.run([sys.executable, "-c", code], check=True)
