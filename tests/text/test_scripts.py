from __future__ import annotations

import pytest

from captious.text.scripts import main_script


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("一只棕色的狗", "Chinese"),
        ("สุนัขวิ่งเล่น", "Thai"),
        ("собака бежит", "Cyrillic"),
        ("كلب يجري", "Arabic"),
        ("Ein großer Hund läuft", "Latin"),
        ("12 … !", ""),
        ("", ""),
    ],
)
def test_the_script_of_most_letters(text: str, script: str) -> None:
    assert main_script([text, ""]) == script


def test_a_few_foreign_words_do_not_count() -> None:
    assert main_script(["a dog in front of a sign that says 停"]) == "Latin"
