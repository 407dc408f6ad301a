"""BertGrammar on a tiny classifier, against transformers' own model."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import captious
from captious.errors import InputError, MissingDependencyError

CLOSE = 1e-5


def values(captions: list[str], name: str) -> np.ndarray:
    return captious.score(captious.Corpus.from_lists(captions), [name])[name].values


@pytest.fixture(autouse=True)
def own_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("CAPTIOUS_DOWNLOAD", raising=False)


def test_every_item_equals_transformers_own_model(tiny_joint: ModuleType, tmp_path: Path) -> None:
    import torch

    model = tiny_joint.write_classifier(tmp_path / "bert", 6)
    captions = [*tiny_joint.CAPTIONS, "", "狗"]
    found = values(captions, f"bertgrammar[model={tmp_path / 'bert'},limit=20,any_language=yes]")
    for caption, value in zip(captions, found, strict=True):
        with torch.no_grad():
            logits = model(torch.tensor([tiny_joint.bert_ids(caption)])).logits[0].double()
        # The softmax by hand.
        assert value == pytest.approx(float(torch.exp(logits[1]) / torch.exp(logits).sum()), abs=CLOSE)
    other = values(captions, f"bertgrammar[model={tmp_path / 'bert'},limit=20,label=0,any_language=yes]")
    np.testing.assert_allclose(found + other, 1.0, atol=1e-9)


def test_the_published_file_stands_on_berts_own_folder(tiny_joint: ModuleType, tmp_path: Path) -> None:
    import torch

    model = tiny_joint.write_classifier(tmp_path / "bert", 6)
    expected = values(tiny_joint.CAPTIONS, f"bertgrammar[model={tmp_path / 'bert'},limit=20]")
    (tmp_path / "cache" / "weights").mkdir(parents=True)
    torch.save(model.state_dict(), tmp_path / "cache" / "weights" / "bert-based-uncased-GED.pth")
    with pytest.raises(MissingDependencyError, match="BERT-base-uncased are not installed"):
        values(tiny_joint.CAPTIONS, "bertgrammar[limit=20]")
    hub = tmp_path / "hub" / "models--google-bert--bert-base-uncased"
    (hub / "refs").mkdir(parents=True)
    (hub / "refs" / "main").write_text("ef" * 20)
    (hub / "snapshots").mkdir()
    (tmp_path / "bert").rename(hub / "snapshots" / ("ef" * 20))
    found = values(tiny_joint.CAPTIONS, "bertgrammar[limit=20]")
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_long_captions_are_counted_refused_or_read_in_windows(tiny_joint: ModuleType, tmp_path: Path) -> None:
    tiny_joint.write_classifier(tmp_path / "bert", 6)
    base = f"model={tmp_path / 'bert'},limit=6"
    corpus = captious.Corpus.from_lists(["a dog runs on the beach", "dog"])
    scores = captious.score(corpus, [f"bertgrammar[{base}]"])[f"bertgrammar[{base}]"]
    assert scores.details["tokens_beyond_limit"].tolist() == [2, 0]
    assert "|long:truncate|trunc:2|" in scores.signature
    with pytest.raises(InputError, match="2 tokens more than the 6"):
        values(["a dog runs on the beach"], f"bertgrammar[{base},long=error]")
    windows = values(["a dog runs on", "the beach"], f"bertgrammar[{base}]")
    chunked = values(["a dog runs on the beach"], f"bertgrammar[{base},long=chunk]")
    assert chunked[0] == pytest.approx((4 * windows[0] + 2 * windows[1]) / 6, abs=CLOSE)  # by tokens


def test_failures_are_one_line_each(tiny_joint: ModuleType, tmp_path: Path) -> None:
    import torch

    with pytest.raises(
        MissingDependencyError, match=r"BertGrammar/GED are not installed.*: gdown .*bert-based-uncased-GED"
    ):
        values(["a dog"], "bertgrammar")
    folder = tmp_path / "bert"
    model = tiny_joint.write_classifier(folder)
    name = f"bertgrammar[model={folder},limit=20]"
    (folder / "model.safetensors").unlink()
    torch.save(model.bert.state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r'lacks "classifier\.weight", so it is not a sentence classifier'):
        values(["a dog"], name)
    torch.save(model.state_dict() | {"lm_head.weight": torch.zeros(2)}, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r'unknown key "lm_head\.weight"'):
        values(["a dog"], name)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="label=5"):
        values(["a dog"], f"bertgrammar[model={folder},limit=20,label=5]")
    with pytest.raises(InputError, match=r"limit is 128; .* reads 3 to 20 tokens"):
        values(["a dog"], f"bertgrammar[model={folder}]")
    content = (folder / "pytorch_model.bin").read_bytes()
    (folder / "pytorch_model.bin").write_bytes(content[:2000])
    with pytest.raises(InputError, match=r"pytorch_model\.bin: is damaged"):
        values(["a dog"], name)
    (folder / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(InputError, match='is of type "gpt2"; bertgrammar needs a BERT model'):
        values(["a dog"], name)
