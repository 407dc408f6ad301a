"""Occlusion: what is lost without a word or a cell is what the model itself says."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from captious import Corpus
from captious.errors import InputError
from captious.explanation import OcclusionExplanation, explain

SIDE = 32


def test_losses_are_the_models_own(tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from transformers import CLIPTokenizer

    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    model = tiny.write_clip(tmp_path / "clip", seed=22)
    (path,) = tiny.write_photographs(tmp_path / "images", 1, seed=9)
    corpus = Corpus.from_lists(["a red cat"], image_ids=["x"], image_paths={"x": str(path)})
    (one,) = explain(corpus, f"clipscore[encoder={tmp_path / 'clip'},prompt=none]")
    assert isinstance(one, OcclusionExplanation)
    tokeniser = CLIPTokenizer.from_pretrained(str(tmp_path / "clip"))

    def cosine(text: str, pixels: torch.Tensor) -> float:
        with torch.inference_mode():
            words = model.get_text_features(**tokeniser([text], return_tensors="pt")).pooler_output
            image = model.get_image_features(pixel_values=pixels[None]).pooler_output
        return float(torch.nn.functional.cosine_similarity(words, image)[0])

    pixels = tiny.published_pixels(path)
    whole = 2.5 * cosine("a red cat", pixels)
    assert one.uncut == pytest.approx(whole, abs=1e-5)
    assert one.score == pytest.approx(max(whole, 0), abs=1e-5)
    expected = [whole - 2.5 * cosine(text, pixels) for text in ("red cat", "a cat", "a red")]
    assert [word.loss for word in one.words] == pytest.approx(expected, abs=1e-5)
    # 32 pixels in seven cells: the fourth of each side is from round(3 x 32 / 7) = 14 to 18.
    covered = pixels.clone()
    covered[:, 14:18, 14:18] = 0
    middle = next(cell for cell in one.cells if (cell.row, cell.column) == (3, 3))
    assert middle.loss == pytest.approx(whole - 2.5 * cosine("a red cat", covered), abs=1e-5)


def test_vectors_from_a_file_cannot_look_again(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "f.npz",
        image_ids=["x"],
        image_features=np.ones((1, 4)),
        texts=["a dog"],
        text_features=np.ones((1, 4)),
    )
    corpus = Corpus.from_lists(["a dog"], image_ids=["x"])
    with pytest.raises(InputError, match="contains vectors, but an explanation needs a model"):
        explain(corpus, f"clipscore[encoder={tmp_path / 'f.npz'}]")
