"""A multilingual encoder of the published layout (XLM-R with a Unigram tokeniser), tiny and untrained."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus, score
from captious.errors import InputError

CAPTIONS: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "languages" / "captions.json").read_text("utf-8")
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    from tokenizers import SentencePieceUnigramTokenizer

    tokeniser = SentencePieceUnigramTokenizer()
    texts = [text for code in ("th", "en") for pair in CAPTIONS[code] for text in pair]
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokeniser.train_from_iterator(texts, vocab_size=400, special_tokens=special, unk_token="<unk>")
    path = tmp_path / "own-xlmr"
    path.mkdir()
    tokeniser.save(str(path / "tokenizer.json"))
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(path / "tokenizer.json"),
        bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>",
        unk_token="<unk>", pad_token="<pad>", mask_token="<mask>", model_max_length=512,
    )  # fmt: skip
    fast.save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(fast), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=514,
    )  # fmt: skip
    transformers.XLMRobertaModel(config).save_pretrained(path)
    return path


def test_its_own_languages_are_scored_and_others_refused(folder: Path) -> None:
    name = f"sentsim[encoder={folder}]"
    captions = [own for own, _ in CAPTIONS["th"]]
    same = score(Corpus.from_lists(captions, [[text] for text in captions]), [name])[name]
    np.testing.assert_allclose(same.values, 1.0, atol=1e-5)
    other = score(Corpus.from_lists(captions, [[text] for text in captions[::-1]]), [name])[name]
    assert (other.values < 1 - 1e-6).all()
    assert "|enc:own-xlmr/" in same.signature and "captions:" not in same.signature
    russian = [own for own, _ in CAPTIONS["ru"]]
    with pytest.raises(InputError, match=r"its encoder reads hardly a word of \d+% of the captions"):
        score(Corpus.from_lists(russian, [[text] for text in russian]), [name])
