"""The tokenisation of the `rouge_score` package: runs of ASCII letters and digits, lower case.

Every other character separates words, as in Lin's original ROUGE script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[a-z0-9]+")


def tokenise_many(texts: Sequence[str]) -> list[list[str]]:
    """Tokens of each text.

    >>> tokenise_many(["It's 3 o'clock!"])
    [['it', 's', '3', 'o', 'clock']]
    """
    return [_WORD.findall(text.lower()) for text in texts]
