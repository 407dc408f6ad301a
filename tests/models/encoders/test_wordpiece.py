"""Our WordPiece against the one that the models were trained with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from captious.errors import InputError
from captious.models.encoders.wordpiece import WordPiece, read_wordpiece

NASTY = [
    "",
    "   ",
    "A man's surfboard, isn't it?!",
    "Ein Hund läuft – schnell! 🐕",
    "狗在沙滩上跑。",
    "e\u0301te\u0301 \u200b x\ufeff nai\u0308ve",
    "tabs\tand\nlines\r\nand\x0bmore\x1cend\x85next\u2028para",
    "a" * 101 + " " + "b" * 100,
    "$5 & 10% <b>bold</b> `code` ~x^y_z|",
    "İstanbul ΣΑΣ ß ﬁ Å Ⅷ ½",
    "caf\u00e9 na\u00efve \u3000 full\u00a0space",
    "\x00nul \ufffd replacement",
]


@pytest.fixture(scope="module")
def ours(minilm: Path) -> WordPiece:
    return read_wordpiece(minilm)


@pytest.fixture(scope="module")
def theirs(minilm: Path):  # type: ignore[no-untyped-def]
    tokenizers = pytest.importorskip("tokenizers")
    tokeniser = tokenizers.Tokenizer.from_file(str(minilm / "tokenizer.json"))
    tokeniser.no_padding()
    tokeniser.no_truncation()
    return tokeniser


def test_nasty_texts(ours: WordPiece, theirs) -> None:  # type: ignore[no-untyped-def]
    assert ours.encode(NASTY, longest=512) == [row.ids for row in theirs.encode_batch(NASTY)]


def test_real_captions(ours: WordPiece, theirs, data: Path) -> None:  # type: ignore[no-untyped-def]
    path = data / "coco_karpathy" / "reference_captions.json"
    references = json.loads(path.read_text(encoding="utf-8"))
    texts = [text for own in list(references.values())[:2000] for text in own]
    assert len(texts) > 9000
    assert ours.encode(texts, longest=512) == [row.ids for row in theirs.encode_batch(texts)]


# Blocks that are the same in every version of Unicode that either side may know.
LETTERS = st.characters(exclude_categories=["Cn", "Co", "Cs"], max_codepoint=0x4FF)
SIGNS = st.characters(min_codepoint=0x2010, max_codepoint=0x205E)


@given(st.text(LETTERS | SIGNS, max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text(ours: WordPiece, theirs, text: str) -> None:  # type: ignore[no-untyped-def]
    assert ours.encode([text], longest=512) == [theirs.encode(text).ids]


def test_long_texts_are_cut_before_the_end_token(ours: WordPiece) -> None:
    (row,) = ours.encode(["dog " * 50], longest=8)
    assert len(row) == 8
    assert (row[0], row[-1]) == (ours.begin, ours.end)


def test_a_caption_cannot_smuggle_in_a_special_token(ours: WordPiece) -> None:
    assert ours.end not in ours.ids("a dog [SEP] a cat")


def test_a_vocabulary_without_special_tokens_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("a\nb\n")
    with pytest.raises(InputError, match=r"has no \[CLS\], \[SEP\], \[UNK\]"):
        read_wordpiece(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_wordpiece(tmp_path / "absent")
