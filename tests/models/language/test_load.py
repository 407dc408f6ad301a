"""Causal language models: a small random GPT-2 against its own arithmetic, and real weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import captious
from captious.errors import InputError, MissingDependencyError
from captious.models.language.load import load_language_model, ready
from captious.models.locate import SMOLLM2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of the true architecture and file layout, with random weights."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path_factory.mktemp("gpt2")
    words = ["<|endoftext|>", *["a", "dog", "runs", "on", "the", "beach", "two", "cats"]]
    known = {word: number for number, word in enumerate(words)}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="<|endoftext|>"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, bos_token="<|endoftext|>", eos_token="<|endoftext|>"
    ).save_pretrained(path)
    torch.manual_seed(5)
    config = transformers.GPT2Config(
        vocab_size=len(words), n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    return path


def test_a_probability_is_the_product_of_its_tokens(folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    logs, tokens = load_language_model(str(folder)).likelihoods(["a dog runs", "", "two cats"])
    assert tokens.tolist() == [3, 1, 2]
    # <|endoftext|> a dog runs = 0 1 2 3: p(1 | 0) p(2 | 0 1) p(3 | 0 1 2), one step at a time.
    expected = 0.0
    for stop in (1, 2, 3):
        with torch.no_grad():
            following = model(torch.tensor([[0, 1, 2][:stop]])).logits[0, -1]
        expected += float(torch.log_softmax(following, dim=-1)[stop])
    assert logs[0] == pytest.approx(expected, abs=1e-5)
    assert logs[1] < 0  # an empty text is its end


def test_a_long_text_is_read_in_windows_or_cut_and_told(folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    words = ["a", "dog", "runs", "on", "the", "beach", "two", "cats"]
    text = " ".join(words[place * place % 8] for place in range(72))
    ids = [words.index(word) + 1 for word in text.split()]
    model = AutoModelForCausalLM.from_pretrained(folder).eval()

    def logs_of(before: list[int], new: list[int]) -> float:
        with torch.no_grad():
            given = torch.tensor([[0, *before, *new][:-1]])
            logs = torch.log_softmax(model(given).logits[0], dim=-1)
        return sum(float(logs[len(before) + at, number]) for at, number in enumerate(new))

    # 32 positions: the first window has 32 tokens, the others 16 of context and 16 new ones, or the rest.
    cuts = [(0, 0, 32), (16, 32, 48), (32, 48, 64), (48, 64, 72)]
    expected = sum(logs_of(ids[context:start], ids[start:stop]) for context, start, stop in cuts)
    names = {way: f"lm[model={folder},long={way}]" for way in ("chunk", "truncate")}
    score = {way: captious.score([text, "a dog"], [name])[name] for way, name in names.items()}
    assert score["chunk"].values[0] == pytest.approx(expected / 72, abs=1e-5)
    assert score["truncate"].values[0] == pytest.approx(logs_of([], ids[:32]) / 32, abs=1e-5)
    assert "|long:chunk:32/16|chunked:40|" in score["chunk"].signature
    assert "|long:truncate|trunc:40|" in score["truncate"].signature
    assert score["chunk"].notes[0].endswith("40 tokens were read in windows.")
    with pytest.raises(InputError, match="has 40 tokens more than the 32 that"):
        captious.score([text], [f"lm[model={folder},long=error]"])
    short = captious.score(["a dog"], [f"lm[model={folder}]"])[f"lm[model={folder}]"]
    assert "long" not in short.signature


def test_company_does_not_matter(folder: Path) -> None:
    model = load_language_model(str(folder))
    texts = ["a dog", "two cats on the beach", "the dog", "a"]
    alone = [model.likelihoods([text]).logs[0] for text in texts]
    np.testing.assert_allclose(model.likelihoods(texts).logs, alone, atol=1e-5)


@pytest.mark.long
def test_real_captions_beat_their_scrambled_words(data: Path) -> None:
    try:
        ready(SMOLLM2)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    path = data / "coco_karpathy" / "m2_transformer.json"
    texts = list(json.loads(path.read_text(encoding="utf-8")).values())[:20]
    rng = np.random.default_rng(2)
    scrambled = [" ".join(rng.permutation(text.split())) for text in texts]
    model = load_language_model(SMOLLM2)
    assert (model.likelihoods(texts).logs > model.likelihoods(scrambled).logs).mean() >= 0.95


def test_what_is_no_model_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    file.write_bytes(b"x")
    with pytest.raises(InputError, match=r"Give a .gguf or .npz file"):
        load_language_model(str(file))
    with pytest.raises((InputError, MissingDependencyError)):
        load_language_model(str(tmp_path))
