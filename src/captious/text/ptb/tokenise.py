"""PTB tokens of captions, equal to those of coco-caption, without Java.

coco-caption (Chen et al. 2015) hands every caption to the Stanford PTBTokenizer (CoreNLP 3.4.1)
with `-preserveLines -lowerCase` and drops the tokens of its own punctuation list. The functions
here give the same tokens. The grammar was inferred from what that program prints, over the
benchmark captions and some hundred thousand strings made to trip it.

Three deliberate differences, all where the reference lets captions run into each other:

- a caption is one caption: line breaks of every kind (carriage return, form feed, U+2028, ...)
  are blanks; the reference would print two lines and shift every caption after them;
- a caption is read as if nothing followed it; the reference looks into the next line to decide
  whether `plan B.` ends in an initial or in a full stop (`as_one_file` does so too), and closes
  there a quotation mark that an HTML tag left open;
- no token holds white space: `1 1/2`, a telephone number or a tag, which the reference keeps
  together with no-break spaces, falls apart as it does in the metrics, which split at white space.

As in coco-caption, `-lrb-` and the other brackets stay when tokens are in lower case: its list of
punctuation names them in capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from captious.text.ptb import patterns as ptb_patterns
from captious.text.ptb.chars import SOFT_HYPHEN
from captious.text.ptb.lexer import Lexed, lex, lex_places
from captious.text.remembered import Remembered

# Chen et al. 2015, the list of coco-caption's tokeniser.
PUNCTUATION: frozenset[str] = (
    frozenset(["''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-"])
    | frozenset(".?!,:-;")
    | {"--", "..."}
)

_TRIMMED = " \t\n\r\x0b\x0c"
# Whatever lets a token reach across a blank: tags, blanks other than the space, `1 1/2`,
# `(555) 555-1234` and `. . .`.
_REACHES_ACROSS = re.compile(r"<|[^\S ]|[\d)] \d|\. \.")
# A piece that can be the second half of such a token, or that holds a tag or another blank.
_MAY_CONTINUE = re.compile(r"[\d.]|.*[<\s]", re.DOTALL)
_PLAIN_END = re.compile(r"[A-Za-z]{2,}\.")
_OPEN_ABBREVIATIONS = frozenset(
    ptb_patterns.ENDING_ABBREVIATIONS
    + ptb_patterns.CAPITAL_ABBREVIATIONS
    + ptb_patterns.NUMBERING_ABBREVIATIONS
    + tuple(start + end for start in ("pt", "ppt") for end in ("y", "e", "ys", "es"))
)
_NOT_PLAIN = _OPEN_ABBREVIATIONS.union(
    ptb_patterns.TITLE_ABBREVIATIONS, ("mfg", "mtg"), ("cannot", "gonna", "wanna", "gotta", "lemme", "gimme")
)
_PIECE_LIMIT = 64
_PART = re.compile(r"\S+")


class _NeedsContextError(Exception):
    """A piece of text whose tokens may depend on its neighbours."""


def _depends_on_next_piece(piece: str) -> bool:
    """Whether what follows the blank after `piece` can change its tokens.

    Only abbreviations and initials look beyond a blank, and they end in a letter and a full stop.
    """
    if not piece.endswith(".") or not piece[-2:-1].isalpha():
        return False
    return not _PLAIN_END.fullmatch(piece) or piece[:-1].lower() in _OPEN_ABBREVIATIONS


def _is_plain_word(word: str) -> bool:
    """Whether no neighbour changes the tokens of this word, which is one token."""
    return len(word) > 1 and word.isascii() and word.isalpha() and word.lower() not in _NOT_PLAIN


def _compound_tokens(piece: str) -> list[str]:
    """Tokens of words joined by hyphens and of possessives; none where the lexer must decide.

    Nothing beside such a piece changes its tokens: `flat-screen,` is `flat-screen` and `,`.
    """
    word = piece[:-1] if piece.endswith((".", ",")) else piece
    stem = word.removesuffix("'s")
    parts = stem.split("-")
    if not all(len(part) > 1 and part.isascii() and part.isalpha() for part in parts):
        return []
    if len(parts) == 1 and not _is_plain_word(stem):
        return []
    return [token for token in (stem, word[len(stem) :], piece[len(word) :]) if token]


def _lowered(token: str) -> str:
    """`token` in lower case as Java has it: no sigma is final before a hyphen."""
    if "Σ" in token:
        return token.replace("-", SOFT_HYPHEN).lower().replace(SOFT_HYPHEN, "-")
    return token.lower()


class _Options(NamedTuple):
    """What becomes of the lexer's tokens."""

    keep_punctuation: bool
    lower_case: bool

    def applied(self, tokens: Iterable[str]) -> list[str]:
        """Lower the case, drop punctuation and split at white space, as the options say."""
        if self.lower_case:
            tokens = map(_lowered, tokens)
        if not self.keep_punctuation:
            tokens = (token for token in tokens if token not in PUNCTUATION)
        return [part for token in tokens for part in token.split()]

    def placed(self, lexed: Iterable[Lexed], text: str) -> list[Lexed]:
        """The same for tokens with their places; each part of a token that is split has its own."""
        found = []
        for token, start, end in lexed:
            words = self.applied([token])
            parts = [(start + m.start(), start + m.end()) for m in _PART.finditer(text[start:end])]
            same = len(parts) == len(words) > 1
            places = parts if same else [(start, end)] * len(words)
            found += [Lexed(word, *place) for word, place in zip(words, places, strict=True)]
        return found

    def plain(self, word: str, mark: str) -> tuple[str, ...]:
        """The same, much faster, for a plain word and the mark after it, if any."""
        token = word.lower() if self.lower_case else word
        return (token, mark) if mark and self.keep_punctuation else (token,)


class _Pieces(Remembered[str, tuple[str, ...]]):
    """Tokens of pieces of text between blanks, found once each.

    A `strict` table refuses every piece that its left neighbour might claim, so that no look at
    the whole text is needed.
    """

    def __init__(self, options: _Options, strict: bool) -> None:
        super().__init__()
        self._options = options
        self._strict = strict

    def __missing__(self, piece: str) -> tuple[str, ...]:
        word = piece[:-1] if piece.endswith((".", ",")) else piece
        if _is_plain_word(word):
            tokens = self._options.plain(word, piece[len(word) :])
        else:
            tokens = tuple(self._options.applied(_compound_tokens(piece) or self._lexed(piece)))
        if len(piece) <= _PIECE_LIMIT:
            self[piece] = tokens
        return tokens

    def _lexed(self, piece: str) -> list[str]:
        if self._strict and _MAY_CONTINUE.match(piece):
            raise _NeedsContextError
        if _depends_on_next_piece(piece):
            raise _NeedsContextError
        return lex(piece)


class Tokeniser:
    """Tokens of whole texts, from their pieces where that is safe, else from the lexer."""

    def __init__(self, options: _Options) -> None:
        self._options = options
        self._strict = _Pieces(options, strict=True)
        self._loose = _Pieces(options, strict=False)

    def tokens(self, text: str) -> list[str]:
        """Tokens of one text."""
        try:
            return list(chain.from_iterable(map(self._strict.__getitem__, text.split(" "))))
        except _NeedsContextError:
            return self._careful_tokens(text.strip(_TRIMMED))

    def piece_tokens(self, piece: str) -> tuple[str, ...] | None:
        """Tokens of the text between two blanks; nothing if its neighbours matter."""
        try:
            return self._strict[piece]
        except _NeedsContextError:
            return None

    def tokens_before(self, text: str, following: str) -> list[str]:
        """Tokens of a text that the line `following` comes after."""
        trimmed = text.strip(_TRIMMED)
        if trimmed.endswith("."):
            last = trimmed.rsplit(None, 1)[-1]
            if _depends_on_next_piece(last):
                return self._options.applied(lex(text, following))
        return self.tokens(text)

    def _careful_tokens(self, text: str) -> list[str]:
        if _REACHES_ACROSS.search(text) is None:
            try:
                return list(chain.from_iterable(map(self._loose.__getitem__, text.split())))
            except _NeedsContextError:
                pass
        return self._options.applied(lex(text))


@cache
def tokeniser_with(keep_punctuation: bool = False, lower_case: bool = True) -> Tokeniser:
    """The tokeniser of these options, with all that it remembers."""
    return Tokeniser(_Options(keep_punctuation, lower_case))


def tokenise(text: str, *, keep_punctuation: bool = False, lower_case: bool = True) -> list[str]:
    """Tokens of one caption as coco-caption sees them (Chen et al. 2015).

    >>> tokenise("A man's dog can't catch the Frisbee (yet).")
    ['a', 'man', "'s", 'dog', 'ca', "n't", 'catch', 'the', 'frisbee', '-lrb-', 'yet', '-rrb-']
    >>> tokenise("It's 5 p.m. in Washington, D.C.", keep_punctuation=True, lower_case=False)
    ['It', "'s", '5', 'p.m.', 'in', 'Washington', ',', 'D.C.']
    """
    return tokeniser_with(keep_punctuation, lower_case).tokens(text)


def token_places(text: str) -> list[Lexed]:
    """The words of `tokenise`, each with its place in the caption as it is, in code points.

    >>> caption = "😀 A Café (1 1/2)"
    >>> [(word, caption[start:end]) for word, start, end in token_places(caption)][1:]
    [('café', 'Café'), ('-lrb-', '('), ('1', '1'), ('1/2', '1/2'), ('-rrb-', ')')]
    """
    kept = text.strip(_TRIMMED)
    before = text.index(kept) if kept else 0
    found = tokeniser_with()._options.placed(lex_places(kept), kept)
    return [Lexed(word, before + start, before + end) for word, start, end in found]


def tokenise_many(
    texts: Sequence[str],
    *,
    keep_punctuation: bool = False,
    lower_case: bool = True,
    as_one_file: bool = False,
) -> list[list[str]]:
    """Tokens of many captions, each as `tokenise` gives them.

    With `as_one_file` a caption is read as the line before the next one, as coco-caption does:
    there the next caption decides whether a final initial keeps its full stop.

    >>> tokenise_many(["The letter S.", "A dog!"])
    [['the', 'letter', 's.'], ['a', 'dog']]
    >>> tokenise_many(["The letter S.", "A dog!"], as_one_file=True)
    [['the', 'letter', 's'], ['a', 'dog']]
    """
    tokeniser = tokeniser_with(keep_punctuation, lower_case)
    if as_one_file:
        return list(map(tokeniser.tokens_before, texts, _next_lines(texts)))
    return list(map(tokeniser.tokens, texts))


def _next_lines(texts: Sequence[str]) -> list[str]:
    """For each text the next one that is not blank, or nothing."""
    lines: list[str] = []
    following = ""
    for text in reversed(texts):
        lines.append(following)
        if text.strip(_TRIMMED):
            following = text
    return lines[::-1]
