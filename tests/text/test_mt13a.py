from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.text.international import tokenise

ODD = st.text(alphabet="aB3.,-' &;\"()<>/\\~é犬\n\t", max_size=24)


def sacrebleu_words(text: str) -> list[str]:
    tokeniser = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    return tokeniser(text.rstrip()).split()


@given(ODD)
def test_odd_text_is_cut_as_sacrebleu_cuts_it(text: str) -> None:
    assert tokenise(text) == sacrebleu_words(text)


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.long)])
def test_real_captions_are_cut_as_sacrebleu_cuts_them(data: Path, step: int) -> None:
    references = json.loads((data / "coco_karpathy" / "reference_captions.json").read_text(encoding="utf-8"))
    lines = (data / "flickr8k" / "Flickr8k.token.txt").read_text(encoding="utf-8").splitlines()
    texts = {text for own in references.values() for text in own}
    texts |= {line.partition("\t")[2] for line in lines}
    tokeniser = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    chosen = sorted(texts)[::step]
    different = [text for text in chosen if tokenise(text) != tokeniser(text.rstrip()).split()]
    assert different == []
    assert len(texts) > 60_000


def test_entities_are_undone_and_case_is_kept() -> None:
    assert tokenise("&quot;Salt &amp; Pepper&quot;") == ['"', "Salt", "&", "Pepper", '"']
    assert tokenise("A Dog") == ["A", "Dog"]
