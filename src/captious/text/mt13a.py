"""The `13a` tokenisation of machine translation, as sacreBLEU applies it (Post 2018).

It is the rule set of NIST's mteval-v13a script: entities are decoded, symbols are separated, and full
stops, commas and hyphens are cut off depending on whether a digit is next to them. Case stays.
"""

from __future__ import annotations

import re

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
