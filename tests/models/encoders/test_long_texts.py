"""Windows of long texts: none of a text's tokens is lost, and windows end where sentences do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from captious.errors import InputError
from captious.models.encoders.long_texts import MOST_IN_WINDOWS, Ids, read_windows
from captious.models.encoders.wordpiece import WordPiece

PIECES = ["[UNK]", "[CLS]", "[SEP]", "a", "dog", "runs", "surf", "##board", ".", "狗", "跑", "。", "*"]
TOKENISER = WordPiece(PIECES)
TEXTS = {
    "sentences": "A dog runs. A dog surfboard runs. " * 20,
    "one sentence": "a dog runs " * 50,
    "one word": "surf" + "board" * 19 + " ." * 30,
    "lines": "* surfboard\n* dog\n" * 20,
    "chinese": "狗跑。" * 40,
    "no end": "狗跑" * 60,
    "empty": "",
}


def encode(texts: Sequence[str]) -> Ids:
    return TOKENISER.encode(texts, 1 << 20)


@pytest.mark.parametrize("overlap", [0, 4])
@pytest.mark.parametrize("kind", TEXTS)
def test_every_token_is_in_one_window_and_once_more_at_most_as_context(kind: str, overlap: int) -> None:
    texts = ["a dog", TEXTS[kind]]
    cut = read_windows(encode, texts, 16, "chunk", "tiny", overlap=overlap)
    whole = encode(texts)[1]
    rows = [place for place, owner in enumerate(cut.owner.tolist()) if owner == 1]
    inner: list[int] = []
    for place in rows:
        row, context = cut.rows[place], int(cut.context[place])
        assert len(row) <= 16
        assert (row[0], row[-1]) == (1, 2)
        assert row[1 : 1 + context] == inner[len(inner) - context :]
        assert len(row) - 2 - context == cut.fresh[place]
        inner += row[1 + context : -1]
    assert inner == whole[1:-1]
    assert cut.shares[rows].sum() == pytest.approx(1.0)
    assert cut.beyond.tolist() == [0, max(0, len(whole) - 16)]


def test_windows_end_with_sentences_or_lines_where_they_can() -> None:
    for kind, last in (("sentences", 8), ("chinese", 11), ("lines", 4)):
        cut = read_windows(encode, [TEXTS[kind]], 16, "chunk", "tiny")
        assert len(cut.rows) > 2
        ends = [row[-2] for row in cut.rows]
        assert set(ends[:-1]) <= {last, 7}  # a line ends in "dog" or in "##board"


def test_too_many_tokens_for_windows_are_refused_in_one_line() -> None:
    text = "a dog " * MOST_IN_WINDOWS
    with pytest.raises(InputError, match=r"has 65,538 tokens; at most 32,768 are read in windows"):
        read_windows(encode, [text], 16, "chunk", "tiny")
    assert len(read_windows(encode, [text], 16, "truncate", "tiny").rows) == 1
