"""Encoders of several architectures on PyTorch: small, random, in the true file layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from captious import Corpus
from captious.errors import InputError
from captious.metrics import Batch
from captious.metrics.bertscore import BertScore
from captious.models.encoders import sentence as encoders

WORDS = ["a", "dog", "runs", "on", "the", "beach", "two", "cats", "sleep", "red", "bus"]
TEXTS = ["a dog runs on the beach", "two cats", "a red bus", ""]


@pytest.fixture(scope="module", params=["distilbert", "t5"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path_factory.mktemp(request.param)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    known = {word: number for number, word in enumerate([*special, *WORDS])}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="[UNK]"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    marks = {"pad_token": "[PAD]", "unk_token": "[UNK]"}
    torch.manual_seed(3)
    if request.param == "distilbert":
        inner.post_processor = tokenizers.processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        marks |= {"cls_token": "[CLS]", "sep_token": "[SEP]"}
        config = transformers.DistilBertConfig(
            vocab_size=len(known), dim=16, n_layers=3, n_heads=2, hidden_dim=32
        )
        transformers.DistilBertModel(config).save_pretrained(path)
    else:  # an encoder and decoder, whose tokeniser adds nothing
        config = transformers.T5Config(
            vocab_size=len(known), d_model=16, d_kv=8, d_ff=32, num_layers=3, num_heads=2
        )
        transformers.T5Model(config).save_pretrained(path)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, model_max_length=64, **marks
    ).save_pretrained(path)
    return path


def test_states_are_those_of_a_padded_run(folder: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoder = encoders.load_encoder(str(folder))
    assert (encoder.backend, encoder.layers) == ("torch", 3)
    ids = encoder.encode(TEXTS, encoder.longest)
    model = AutoModel.from_pretrained(folder).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    padded = AutoTokenizer.from_pretrained(folder)(
        TEXTS, padding=True, return_tensors="pt", return_token_type_ids=False
    )
    for layer in (1, 3):
        found = encoders.token_states(encoder, ids, layer)
        with torch.no_grad():
            expected = model(**padded, output_hidden_states=True).hidden_states[layer].numpy()
        for text, row in enumerate(ids):
            first, last = found.offsets[text : text + 2]
            assert last - first == len(row)
            np.testing.assert_allclose(found.values[first:last], expected[text, : len(row)], atol=1e-5)


def test_metrics_run_on_it(folder: Path) -> None:
    corpus = Corpus.from_lists(TEXTS, [["a dog"], ["two cats"], ["", "the bus"], ["a dog"]])
    metric = BertScore(encoder=str(folder), idf=True)
    batch = Batch(corpus)
    knowledge = metric.merge([metric.collect(batch)])
    values = metric.score_examples(batch, knowledge)
    assert values[1] == pytest.approx(1.0, abs=1e-5)
    assert values[3] == 0.0
    assert f"enc:{folder.name}/" in metric.signature(corpus, knowledge)
    assert "|layer:3|" in metric.signature(corpus, knowledge)


def test_no_hub_is_asked_without_being_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A name that only a hub could know is one line, and no connection is opened."""
    import socket

    pytest.importorskip("torch")
    pytest.importorskip("transformers")

    def refuse(*given: object, **named: object) -> None:
        raise AssertionError("somebody asked the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.delenv("CAPTIOUS_DOWNLOAD", raising=False)
    with pytest.raises(InputError, match="or allow the download with CAPTIOUS_DOWNLOAD=1"):
        encoders.load_encoder("nobody/no-such-encoder", "torch")
