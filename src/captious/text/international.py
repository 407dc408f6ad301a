"""Tokenisation for languages other than English, as sacreBLEU applies it (Post 2018).

`char` makes every character a token; `zh` does so for Chinese characters and treats the rest as
`13a` does; `intl` is mteval-v14's: punctuation of all scripts is separated unless between digits,
and so do symbols. Case stays.

`13a` is the rule set of NIST's mteval-v13a script: entities are decoded, symbols are separated, and full
stops, commas and hyphens are cut off depending on whether a digit is next to them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from unicodedata import category

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# Printable ASCII that is neither letter nor digit, without ' , - and the full stop.
_SYMBOL = re.compile(r"([ !\"#$%&()*+/:;<=>?@\[\\\]^_`{|}~])")
_MARK_AFTER_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_MARK_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_HYPHEN_AFTER_DIGIT = re.compile(r"([0-9])(-)")


def tokenise(text: str) -> list[str]:
    """Tokens of one text.

    >>> tokenise("A cat, 3.5 feet long (a 10-pounder).")
    ['A', 'cat', ',', '3.5', 'feet', 'long', '(', 'a', '10', '-', 'pounder', ')', '.']
    """
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return separate(f" {text} ")


def separate(text: str) -> list[str]:
    """Tokens by the rules on symbols, full stops, commas and hyphens alone.

    >>> separate("3,5 m, 5.")  # a mark at the very end has nothing after it
    ['3,5', 'm', ',', '5.']
    """
    text = _SYMBOL.sub(r" \1 ", text)
    text = _MARK_AFTER_NO_DIGIT.sub(r"\1 \2 ", text)
    text = _MARK_BEFORE_NO_DIGIT.sub(r" \1 \2", text)
    text = _HYPHEN_AFTER_DIGIT.sub(r"\1 \2 ", text)
    return text.split()


# What sacreBLEU takes for a Chinese character, seen from its output. U+2001 to U+2A6D hold the
# punctuation and symbols of all scripts: its table means an extension of Han there, and its program
# reads another number.
_CHINESE = re.compile(
    "(["
    "\u2001-\u2a6d\u2e80-\u2eff\u2f00-\u2fdf\u2ff0-\u2fff\u3000-\u303f\u3100-\u312f\u31a0-\u31bf"
    "\u31c0-\u31ef\u3200-\u33ff\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9"
    "\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef"
    "])"
)


def characters(text: str) -> list[str]:
    """Every character that is not white space.

    >>> characters("一只狗 ok")
    ['一', '只', '狗', 'o', 'k']
    """
    return [character for character in text if not character.isspace()]


def chinese(text: str) -> list[str]:
    """Chinese characters one by one, the rest by the rules of `13a`.

    >>> chinese("一只dog, 5只。")
    ['一', '只', 'dog', ',', '5', '只', '。']
    """
    return separate(_CHINESE.sub(r" \1 ", text.strip()))


def international(text: str) -> list[str]:
    """Words, punctuation and symbols of any script.

    >>> international("«Ein Hund», 3,5 m – 5 €")
    ['«', 'Ein', 'Hund', '»', ',', '3,5', 'm', '–', '5', '€']
    >>> international("5. ") == international("5.") == ["5."]
    True
    """
    after, before, symbol = _rules()
    text = after.sub(r"\1 \2 ", text.rstrip())  # a blank at the end is no word's end to sacreBLEU
    text = before.sub(r" \1 \2", text)
    return symbol.sub(r" \1 ", text).split()


def tokenise_many(texts: Sequence[str], rule: str) -> list[list[str]]:
    """Tokens of each text by `13a`, `intl`, `zh` or `char`."""
    rules = {"13a": tokenise, "intl": international, "zh": chinese, "char": characters}
    return list(map(rules[rule], texts))


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Punctuation after what is no number, punctuation before it, symbols."""
    number, punctuation, symbol = map(_class, "NPS")
    return (
        re.compile(f"([^{number}])([{punctuation}])"),
        re.compile(f"([{punctuation}])([^{number}])"),
        re.compile(f"([{symbol}])"),
    )


def _class(general: str) -> str:
    """The characters of a general category of Unicode, as the inside of a character class."""
    found = []
    codes = (code for code in range(sys.maxunicode + 1) if category(chr(code))[0] == general)
    for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0]):
        own = [code for _, code in run]
        found.append(f"{re.escape(chr(own[0]))}-{re.escape(chr(own[-1]))}")
    return "".join(found)
