"""WordPiece, the tokeniser of BERT (Devlin et al. 2019; Wu et al. 2016).

Text is cleaned, lower-cased and stripped of accents (where the model is uncased), cut at white
space and around punctuation and Chinese characters; each word is then cut from the left into the
longest pieces that the vocabulary holds. Captions use few distinct words, so that words are
remembered and most texts cost a few look-ups: many times as fast as the package tokenizers on one
thread (`benchmarks/models/wordpiece.py`), which is why it is ours. Unlike there, a caption that says
`[SEP]` gets no special token.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models import locate
from captious.models.encoders.sentence import load_encoder, read_config
from captious.text.languages import LATIN, UNSPACED, script_of
from captious.text.remembered import Remembered

_LONGEST_WORD = 100  # longer words are unknown, as in BERT's own tokeniser
_PLAIN = re.compile(r"[\x20-\x7e]*")
_ASCII_WORD = re.compile(r"[0-9A-Za-z]+|[^\s0-9A-Za-z]")
_KEPT_CONTROLS = "\t\n\r"
# Blocks of Chinese characters that are words of their own, as in BERT's own tokeniser.
_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A vocabulary and how text becomes its numbers.

    >>> tokeniser = WordPiece(["[UNK]", "[CLS]", "[SEP]", "surf", "##board", "a", "."])
    >>> tokeniser.ids("A surfboard.")
    [5, 3, 4, 6]
    >>> tokeniser.encode(["A surfboard."], longest=5)
    [[1, 5, 3, 4, 2]]
    """

    def __init__(self, vocabulary: Sequence[str], *, lower: bool = True) -> None:
        self._vocabulary = vocabulary
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        missing = {"[UNK]", "[CLS]", "[SEP]"} - set(self._numbers)
        if missing:
            raise InputError(f"the vocabulary has no {', '.join(sorted(missing))}.")
        self._lower = lower
        self.size = len(vocabulary) - (vocabulary[-1] == "")  # a file's last line may be empty
        self._unknown = self._numbers["[UNK]"]
        self.begin, self.end = self._numbers["[CLS]"], self._numbers["[SEP]"]
        self._remembered = Remembered[str, list[int]]()

    def encode(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Numbers of each text between `[CLS]` and `[SEP]`, at most `longest` of them."""
        return [[self.begin, *self.ids(text)[: longest - 2], self.end] for text in texts]

    def ids(self, text: str) -> list[int]:
        """Numbers of a text's pieces, without special tokens."""
        if not _PLAIN.fullmatch(text):
            text = self._cleaned(text)
        numbers: list[int] = []
        for word in text.split():
            known = self._remembered.get(word)
            if known is None:
                known = self._remembered[word] = self._ids_of_chunk(word)
            numbers += known
        return numbers

    def pieces(self, text: str) -> list[str]:
        """A text's pieces, as the vocabulary spells them.

        >>> WordPiece(["[UNK]", "[CLS]", "[SEP]", "surf", "##board"]).pieces("surfboard สุนัข")
        ['surf', '##board', '[UNK]']
        """
        return [self._vocabulary[number] for number in self.ids(text)]

    def _ids_of_chunk(self, chunk: str) -> list[int]:
        folded = self._folded(chunk) if self._lower else chunk
        return [number for word in _cut(folded) for number in self._pieces(word)]

    def _cleaned(self, text: str) -> str:
        shown = []
        for character in text:
            category = unicodedata.category(character)
            if character in _KEPT_CONTROLS or category == "Zs" or character in "\u2028\u2029":
                shown.append(" ")
            elif category not in ("Cc", "Cf", "Co", "Cs") and character != "\ufffd":
                shown.append(f" {character} " if _is_chinese(character) else character)
        return "".join(shown)

    def _folded(self, text: str) -> str:
        plain = unicodedata.normalize("NFD", text)
        # Letter by letter: a sigma that ends a word is no other sigma to BERT.
        return "".join(c.lower() for c in plain if unicodedata.category(c) != "Mn")

    def _pieces(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for stop in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:stop])
                if number is not None:
                    break
            else:
                return [self._unknown]
            numbers.append(number)
            start = stop
        return numbers


def read_wordpiece(folder: Path) -> WordPiece:
    """The tokeniser of a model folder: `vocab.txt` and, where there is one, its settings."""
    settings = folder / "tokenizer_config.json"
    try:
        lines = (folder / "vocab.txt").read_text("utf-8").split("\n")
        facts = json.loads(settings.read_text("utf-8")) if settings.is_file() else {}
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise InputError(f"{folder}: its tokeniser is damaged ({error}). Download it again.") from None
    vocabulary = [line.rstrip("\r") for line in lines]
    return WordPiece(vocabulary, lower=bool(facts.get("do_lower_case", True)))


def _cut(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_WORD.findall(text)
    words = [""]
    for character in text:
        if character.isspace():
            words.append("")
        elif _is_punctuation(character):
            words += [character, ""]
        else:
            words[-1] += character
    return [word for word in words if word]


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")


def _is_chinese(character: str) -> bool:
    point = ord(character)
    return any(first <= point <= last for first, last in _CHINESE)


# Sizes of the published vocabularies that were made of English: BERT uncased and cased (and MiniLM,
# DistilBERT), MPNet, RoBERTa and GPT-2.
_ENGLISH_SIZES = frozenset({30522, 28996, 30527, 50265, 50257})
_ENGLISH_NAMES = (
    "roberta-base",
    "roberta-large",
    "bert-base-uncased",
    "bert-large-uncased",
    "all-mpnet-base-v2",
)
_WHOLE_CHARACTERS = UNSPACED | {LATIN}  # where a piece of one character says little about the vocabulary
_UNKNOWN = frozenset({"[UNK]", "<unk>"})
_MARKS = "▁Ġ"  # of a word's begin


def is_english(name: str) -> bool:
    """Whether an encoder's vocabulary was made of English texts.

    >>> is_english(locate.MINILM), is_english("xlm-roberta-base")
    (True, False)
    """
    if name == locate.MINILM or name.rpartition("/")[2] in _ENGLISH_NAMES:
        return True
    folder = locate.local(name)
    if folder is None or not (folder / "config.json").is_file():
        return False
    return read_config(folder).get("vocab_size") in _ENGLISH_SIZES


def unread_shares(name: str, backend: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """The share of each text's word pieces that tell the encoder nothing; 0 for a text without pieces.

    Pieces outside the vocabulary are of that kind, and so are single letters of a script that is
    written in words: the vocabulary has no word of it. Latin words are never counted so.
    """
    shares = np.zeros(len(texts))
    asked = [place for place, text in enumerate(texts) if not text.isascii()]
    if not asked:
        return shares
    rows = load_encoder(name, backend).pieces([texts[place] for place in asked])
    for place, pieces in zip(asked, rows, strict=True):
        letters = script_of(texts[place]) not in _WHOLE_CHARACTERS
        row = [piece for piece in pieces if piece.strip(_MARKS)]  # a space alone is no piece of a word
        unread = sum(piece in _UNKNOWN or (letters and _is_letter(piece)) for piece in row)
        shares[place] = unread / len(row) if row else 0.0
    return shares


def _is_letter(piece: str) -> bool:
    bare = piece.removeprefix("##").lstrip(_MARKS)
    return len(bare) == 1 and not bare.isascii()
