"""Which script texts are written in, as far as tokenisers and tables care."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from unicodedata import name

LATIN = "Latin"
# Scripts whose words stand without spaces between them.
UNSPACED = frozenset({"Chinese", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"})
_NAMES = {"Cjk": "Chinese"}
_LOOKED_AT = 2000


def main_script(texts: Iterable[str]) -> str:
    """The script of most letters of the first 2,000 texts; empty where there is no letter.

    Chinese characters count as Chinese, in Japanese too.

    >>> main_script(["一只狗", "a dog"]), main_script(["Ein Hund"]), main_script(["собака"])
    ('Latin', 'Latin', 'Cyrillic')
    """
    letters = Counter(letter for text in islice(texts, _LOOKED_AT) for letter in text if letter.isalpha())
    scripts: Counter[str] = Counter()
    for letter, count in letters.items():
        first = name(letter, "").partition(" ")[0].capitalize()
        scripts[_NAMES.get(first, first)] += count
    return max(scripts, key=scripts.__getitem__) if scripts else ""
