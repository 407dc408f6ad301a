"""sacreBLEU's tokenisers for other languages, against sacreBLEU."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.errors import UnknownNameError
from captious.text.tokens import token_table

CLASSES = {
    "char": "TokenizerChar",
    "zh": "TokenizerZh",
    "intl": "TokenizerV14International",
    "13a": "Tokenizer13a",
}
REAL = [
    "一只棕色的狗在草地上奔跑。",
    "两个人(一男一女)骑着3辆自行车,速度为12.5公里/小时!",
    "“街上”有一辆红色的bus — 第5站.",
    "犬が公園で走っている。",
    "Ein «großer» Hund, 3,5 m lang – für 5 €!?",
    "Une femme d'âge mûr tient l’enfant… 1.000,5 fois",
    "كلب بني يجري في الحديقة، اليوم؟",
    "कुत्ता पार्क में दौड़ रहा है।",
    "A dog's 2-year-old friend; e.g. $5.00 (US).",
    "",
    "   ",
    "5.",
]
ODD = st.text(alphabet="aB3.,-' &;()/«»、。!?€+—“犬走ガé٣\u20ac\U00020000\uff01\u3000 ", max_size=20)


def by_sacrebleu(text: str, name: str) -> list[str]:
    module = pytest.importorskip(f"sacrebleu.tokenizers.tokenizer_{name}")
    cut = getattr(module, CLASSES[name])()
    return cut(text.rstrip()).split()


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("text", REAL)
def test_captions_of_many_languages(name: str, text: str) -> None:
    assert token_table([text], name).words(0) == by_sacrebleu(text, name)


@pytest.mark.parametrize("name", CLASSES)
@given(text=ODD)
@settings(max_examples=150)
def test_odd_text(name: str, text: str) -> None:
    assert token_table([text], name).words(0) == by_sacrebleu(text, name)


def test_lower_case_and_names() -> None:
    assert token_table(["Ein HUND."], "intl-lower").words(0) == ["ein", "hund", "."]
    with pytest.raises(UnknownNameError, match="ja-juman"):
        token_table(["犬"], "ja-juman")


def test_the_oracle_is_the_one_we_think() -> None:
    assert import_module("sacrebleu").__version__ >= "2"
