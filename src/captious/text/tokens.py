"""Token tables: many tokenised texts as flat integer columns.

Every text is tokenised once, every distinct token gets one integer, and the metrics work on the
integers. A million captions of ten tokens take 40 MB this way instead of 700 MB of Python lists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, UnknownNameError
from captious.text.languages import ANY, SOME, SPACED, languages_of
from captious.text.segmenters import SEGMENTERS, versions
from captious.text.segmenters import tokenise_many as tokenise_segmented

IntArray = NDArray[np.int64]
STEMMED = "+stem"  # after a tokeniser's name
LOWER = "-lower"  # after a tokeniser that keeps case
CASED = ("13a", "intl", "zh", "char", *SEGMENTERS)
TOKENISERS = ("ptb", *CASED, *(name + LOWER for name in CASED), "rouge_score", "space")


@dataclass(frozen=True, eq=False)
class TokenTable:
    """Token ids of many texts: text `i` is `ids[offsets[i]:offsets[i + 1]]`.

    >>> table = token_table(["A dog.", "A cat and a dog."], "ptb")
    >>> table.words(1)
    ['a', 'cat', 'and', 'a', 'dog']
    >>> table.lengths.tolist()
    [2, 5]
    """

    ids: NDArray[np.int32]
    offsets: IntArray
    vocabulary: list[str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> IntArray:
        """How many tokens each text has."""
        return np.diff(self.offsets)

    def row(self, index: int) -> NDArray[np.int32]:
        """Token ids of one text."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def words(self, index: int) -> list[str]:
        """Tokens of one text as strings."""
        return [self.vocabulary[i] for i in self.row(index).tolist()]


def token_table(texts: Sequence[str], tokeniser: str = "ptb") -> TokenTable:
    """Tokenise `texts` with the named tokeniser into one table.

    `ptb` is the Penn Treebank tokenisation of coco-caption (lower case, punctuation removed);
    `13a`, `intl`, `zh` and `char` are sacreBLEU's, and `13a-lower` and so on the same in lower case;
    `zh-jieba`, `ja-mecab`, `ko-mecab` and `th-newmm` cut the languages of their names into words;
    `rouge_score` keeps ASCII letters and digits in lower case; `space` splits at white space and changes
    nothing else. `ptb+stem` reduces each token of `ptb` to its Porter2 stem, and so for any other.

    >>> token_table(["A dog, 2.5 m long."], "13a").words(0)
    ['A', 'dog', ',', '2.5', 'm', 'long', '.']
    >>> token_table(["Two dogs running."], "space+stem").words(0)
    ['Two', 'dog', 'running.']
    """
    if tokeniser.endswith(STEMMED):
        return _stemmed(token_table(texts, tokeniser.removesuffix(STEMMED)))
    if tokeniser == "ptb":
        from captious.text.ptb.columns import FEW_TEXTS, token_columns
        from captious.text.ptb.tokenise import tokenise_many

        return TokenTable(*token_columns(texts)) if len(texts) > FEW_TEXTS else table_of(tokenise_many(texts))
    require_tokeniser(tokeniser)
    if tokeniser.endswith(LOWER):
        return token_table([text.lower() for text in texts], tokeniser.removesuffix(LOWER))
    if tokeniser == "rouge_score":
        from captious.text.alphanumeric import tokenise_many as tokenise_alphanumeric

        return table_of(tokenise_alphanumeric(texts))
    if tokeniser in CASED:
        from captious.text.international import tokenise_many as tokenise_international

        tokenise = tokenise_segmented if tokeniser in SEGMENTERS else tokenise_international
        return table_of(tokenise(texts, tokeniser))
    return table_of(text.split() for text in texts)


def require_tokeniser(name: str) -> None:
    """Refuse a name that no tokeniser has, or one whose package is not installed."""
    plain = name.removesuffix(STEMMED)
    if plain not in TOKENISERS:
        raise UnknownNameError("tokeniser", name, TOKENISERS)
    if (segmenter := SEGMENTERS.get(plain.removesuffix(LOWER))) is not None:
        segmenter.require(plain.removesuffix(LOWER))


def tokeniser_label(name: str) -> str:
    """A tokeniser as signatures name it: with the versions of its packages, where it has any.

    >>> tokeniser_label("zh")
    'zh'
    """
    plain = name.removesuffix(STEMMED).removesuffix(LOWER)
    return f"{name}({versions(plain)})" if plain in SEGMENTERS else name


def languages_of_tokeniser(name: str) -> tuple[str, ...]:
    """The languages whose words a tokeniser finds, as metrics declare them.

    >>> languages_of_tokeniser("ptb"), languages_of_tokeniser("zh"), languages_of_tokeniser("ptb+stem")
    (('spaced',), ('spaced', 'zh'), ('en',))
    """
    plain = name.removesuffix(STEMMED).removesuffix(LOWER)
    if name.endswith(STEMMED) or plain == "rouge_score":
        return ("en",)
    if plain == "char":
        return (ANY,)
    own = "zh" if plain == "zh" else SEGMENTERS[plain].language if plain in SEGMENTERS else ""
    return (SPACED, *filter(None, [own]))


def takes_clauses(tokeniser: str) -> str:
    """What a tokeniser does to captions that are written without spaces, as messages say it."""
    return f"which is written without spaces: the tokeniser {tokeniser} takes a clause for one word"


def refuse_clauses(texts: Sequence[str], tokeniser: str, what: str = "captions") -> None:
    """Refuse texts of a language that is written without spaces, and whose words the tokeniser does not find.

    >>> refuse_clauses(["一只棕色的狗"], "ptb")
    Traceback (most recent call last):
    captious.errors.InputError: captions are Chinese, which is written without spaces: the tokeniser \
ptb takes a clause for one word. Use the tokeniser zh, zh-jieba or char.
    """
    require_tokeniser(tokeniser)
    claimed = languages_of_tokeniser(tokeniser)
    for one in languages_of(texts):
        if one.share >= SOME and not one.spaced and not {ANY, one.code} & set(claimed):
            *others, last = tokenisers_for(one.code)
            names = f"{', '.join(others)} or {last}" if others else last
            raise InputError(
                f"{what} are {one.language}, {takes_clauses(tokeniser)}. Use the tokeniser {names}."
            )


def tokenisers_for(code: str) -> list[str]:
    """The tokenisers for a language that is written without spaces, the usual one first.

    >>> tokenisers_for("zh"), tokenisers_for("ja"), tokenisers_for("km")
    (['zh', 'zh-jieba', 'char'], ['ja-mecab', 'char'], ['char'])
    """
    own = [name for name, one in SEGMENTERS.items() if one.language == code]
    return [*(["zh"] if code == "zh" else []), *own, "char"]


def table_of(rows: Iterable[list[str]]) -> TokenTable:
    """Build a table from token lists."""
    known: defaultdict[str, int] = defaultdict()
    known.default_factory = known.__len__  # an unseen token gets the next number
    ids: list[int] = []
    ends = [0]
    number = known.__getitem__
    for row in rows:
        ids.extend(map(number, row))
        ends.append(len(ids))
    return TokenTable(
        ids=np.array(ids, dtype=np.int32), offsets=np.array(ends, dtype=np.int64), vocabulary=list(known)
    )


def _stemmed(tokens: TokenTable) -> TokenTable:
    from captious.text.stem import stem

    stems = table_of([[stem(word) for word in tokens.vocabulary]])
    return TokenTable(stems.ids[tokens.ids], tokens.offsets, stems.vocabulary)
