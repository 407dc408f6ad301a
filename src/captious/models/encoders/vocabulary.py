"""What an encoder's vocabulary can read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from captious.models import locate
from captious.models.encoders.sentence import load_encoder, read_config
from captious.text.languages import LATIN, UNSPACED, script_of

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
