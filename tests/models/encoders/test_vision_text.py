"""CLIP and SigLIP from the published layouts: the same vectors as the model itself gives."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.encoders.base import ImageFile
from captious.models.encoders.opening import open_embedder

TEXTS = ["a dog on a mat", "A CAT's toy, 23!", "cat"]
CLOSE = 1e-5


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))


def unit(found: Any) -> Any:
    values = found.pooler_output.detach().numpy().astype(np.float64)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def oracle_images(tiny: ModuleType, model: Any, paths: list[Path]) -> Any:
    import torch

    with torch.inference_mode():
        return unit(
            model.get_image_features(pixel_values=torch.stack(list(map(tiny.published_pixels, paths))))
        )


def oracle_texts(folder: Path, model: Any, texts: list[str]) -> Any:
    """Texts by transformers' own tokeniser, padded as in its own pipeline."""
    import torch
    from transformers import CLIPTokenizer

    tokeniser = CLIPTokenizer.from_pretrained(str(folder))
    with torch.inference_mode():
        rows = tokeniser(texts, return_tensors="pt", padding=True, truncation=True, max_length=16)
        return unit(model.get_text_features(**rows))


def write_layout(tiny: ModuleType, folder: Path, kind: str) -> tuple[Any, Path]:
    import torch
    from safetensors.torch import save_file

    model = tiny.write_clip(folder, seed=5, pickled=kind == "pickle")
    if kind in ("folder", "pickle"):
        return model, folder
    state = tiny.openai_state(model)
    if kind == "openai":
        torch.save(state, folder / "weights.pt")
        return model, folder / "weights.pt"
    if kind == "training run":  # PAC-S keeps the weights of its training run this way
        run = {"state_dict": {f"module.{name}": value for name, value in state.items()}, "epoch": 3}
        torch.save(run, folder / "weights.pth")
        return model, folder / "weights.pth"
    other = folder.parent / "open_clip"
    other.mkdir()
    for name in ("vocab.json", "merges.txt"):
        (other / name).write_bytes((folder / name).read_bytes())
    save_file(state, other / "open_clip_model.safetensors")
    settings = {
        "model_cfg": {
            "embed_dim": 24,
            "quick_gelu": True,
            "vision_cfg": {"image_size": tiny.SIDE, "layers": 2, "width": 128, "patch_size": tiny.PATCH},
            "text_cfg": {"context_length": tiny.LIMIT, "width": 64, "heads": 1, "layers": 2},
        },
        "preprocess_cfg": {"mean": tiny.MEAN, "std": tiny.DEVIATION, "interpolation": "bicubic"},
    }
    (other / "open_clip_config.json").write_text(json.dumps(settings), "utf-8")
    return model, other


@pytest.mark.parametrize("kind", ["folder", "pickle", "openai", "training run", "open_clip"])
def test_every_layout_gives_the_vectors_of_the_model(tiny: ModuleType, tmp_path: Path, kind: str) -> None:
    model, where = write_layout(tiny, tmp_path / "hub", kind)
    paths = tiny.write_photographs(tmp_path / "images", 5)
    embedder = open_embedder(str(where))
    images = embedder.images([ImageFile(path.stem, str(path)) for path in paths])
    assert images.broken == {}
    assert np.abs(images.features - oracle_images(tiny, model, paths)).max() < CLOSE
    texts = embedder.texts(TEXTS, "truncate")
    assert np.abs(texts.features - oracle_texts(tmp_path / "hub", model, TEXTS)).max() < CLOSE
    assert texts.beyond.tolist() == [0, 0, 0]


def test_open_clip_weights_use_exact_gelu_unless_they_say_otherwise(tiny: ModuleType, tmp_path: Path) -> None:
    model, where = write_layout(tiny, tmp_path / "hub", "open_clip")
    settings = json.loads((where / "open_clip_config.json").read_text("utf-8"))
    del settings["model_cfg"]["quick_gelu"]
    (where / "open_clip_config.json").write_text(json.dumps(settings), "utf-8")
    exact = open_embedder(str(where), cache=False).texts(TEXTS, "truncate").features
    from torch.nn import GELU

    for tower in (model.text_model, model.vision_model):
        for layer in tower.encoder.layers:
            layer.mlp.activation_fn = GELU()
    assert np.abs(exact - oracle_texts(tmp_path / "hub", model, TEXTS)).max() < CLOSE


def test_an_image_encoder_alone_stands_beside_the_text_encoder_it_came_from(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MCIP tunes the image encoder and leaves the text encoder as it was."""
    import torch

    from captious.models import weights

    base = tiny.write_clip(tmp_path / "base", seed=1)
    tuned = tiny.clip_model(base.config.text_config.vocab_size, seed=2)
    state = tiny.openai_state(tuned)
    visual = {k.removeprefix("visual."): v for k, v in state.items() if k.startswith("visual.")}
    (tmp_path / "cache" / "weights").mkdir(parents=True)
    torch.save(visual, tmp_path / "cache" / "weights" / "tuned.pth")
    entry = weights.Known(
        "tuned",
        "1 MB",
        "none",
        file="tuned.pth",
        base=str(tmp_path / "base"),
        side=tiny.SIDE,
        limit=tiny.LIMIT,
    )
    monkeypatch.setitem(weights.KNOWN, "tuned", entry)
    paths = tiny.write_photographs(tmp_path / "images", 3)
    embedder = open_embedder("tuned", cache=False)
    images = embedder.images([ImageFile(path.stem, str(path)) for path in paths]).features
    assert np.abs(images - oracle_images(tiny, tuned, paths)).max() < CLOSE
    texts = embedder.texts(["a dog", "cat"], "truncate").features
    assert np.abs(texts - oracle_texts(tmp_path / "base", base, ["a dog", "cat"])).max() < CLOSE


def test_a_folder_of_both_layouts_takes_the_weights_that_are_there(tiny: ModuleType, tmp_path: Path) -> None:
    model, where = write_layout(tiny, tmp_path / "hub", "open_clip")
    expected = oracle_texts(tmp_path / "hub", model, TEXTS)
    (where / "config.json").write_bytes((tmp_path / "hub" / "config.json").read_bytes())
    got = open_embedder(str(where), cache=False).texts(TEXTS, "truncate").features
    assert np.abs(got - expected).max() < CLOSE


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_smaller_numbers_give_nearly_the_same_and_are_named(
    tiny: ModuleType, tmp_path: Path, dtype: str
) -> None:
    tiny.write_clip(tmp_path / "hub")
    paths = tiny.write_photographs(tmp_path / "images", 2)
    images = [ImageFile(path.stem, str(path)) for path in paths]
    whole, half = (open_embedder(str(tmp_path / "hub"), dtype=kind) for kind in ("float32", dtype))
    near = (whole.images(images).features * half.images(images).features).sum(axis=1)
    assert near.min() > 0.99
    assert not np.array_equal(whole.images(images).features, half.images(images).features)
    assert half.facts()["dtype"] == dtype


def test_what_is_remembered_is_not_computed_again(tiny: ModuleType, tmp_path: Path) -> None:
    tiny.write_clip(tmp_path / "hub")
    paths = tiny.write_photographs(tmp_path / "images", 3)
    images = [ImageFile(path.stem, str(path)) for path in paths]
    first = open_embedder(str(tmp_path / "hub"))
    before = first.images(images).features, first.texts(TEXTS, "truncate").features
    from captious.models.encoders import opening

    opening._open.cache_clear()
    second = open_embedder(str(tmp_path / "hub"))
    after = second.images(images).features, second.texts(TEXTS, "truncate").features
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert second._loaded is None  # type: ignore[attr-defined]  # no weight was read
    paths[0].write_bytes(paths[1].read_bytes())  # another content under the same name is another image
    assert np.array_equal(second.images(images).features[0], before[0][1])


def test_long_texts_are_cut_and_counted_or_read_in_windows_or_refused(
    tiny: ModuleType, tmp_path: Path
) -> None:
    model = tiny.write_clip(tmp_path / "hub")
    embedder = open_embedder(str(tmp_path / "hub"))
    # 16 tokens with two special ones leave room for 14: "dog" is one token of the tiny vocabulary.
    long = " ".join(["dog"] * 14 + ["cat"] * 3)
    cut = embedder.texts([long, "dog"], "truncate")
    assert cut.beyond.tolist() == [3, 0]
    whole = oracle_texts(tmp_path / "hub", model, [" ".join(["dog"] * 14), "cat cat cat"])
    assert np.abs(cut.features[0] - whole[0]).max() < CLOSE
    chunked = embedder.texts([long], "chunk")
    assert chunked.beyond.tolist() == [3]
    expected = (14 * whole[0] + 3 * whole[1]) / 17  # by the windows' tokens
    assert np.abs(chunked.features[0] - expected).max() < CLOSE
    with pytest.raises(InputError, match=r'the caption "dog dog .* has 3 tokens more than the 16'):
        embedder.texts([long], "error")


def test_siglip_is_read_with_its_own_padding_and_squares(tiny: ModuleType, tmp_path: Path) -> None:
    import torch
    from PIL import Image

    model = tiny.write_siglip(tmp_path / "hub")
    paths = tiny.write_photographs(tmp_path / "images", 3)
    embedder = open_embedder(str(tmp_path / "hub"))
    images = embedder.images([ImageFile(path.stem, str(path)) for path in paths]).features
    squares = []
    for path in paths:  # SigLIP resizes to a square and maps colours to -1 .. 1
        picture = Image.open(path).resize((tiny.SIDE, tiny.SIDE), Image.Resampling.BICUBIC)
        squares.append(torch.from_numpy(np.asarray(picture, np.float32).transpose(2, 0, 1) / 127.5 - 1))
    with torch.inference_mode():
        assert (
            np.abs(images - unit(model.get_image_features(pixel_values=torch.stack(squares)))).max() < CLOSE
        )
        # "dog" is 2, "cat" 3, the end and the padding are 1.
        rows = torch.tensor([[2, 3] + [1] * 10, [3] + [1] * 11])
        expected = unit(model.get_text_features(input_ids=rows))
    assert np.abs(embedder.texts(["dog cat", "cat"], "truncate").features - expected).max() < CLOSE


def test_what_is_no_image_text_model_is_refused_by_name(tiny: ModuleType, tmp_path: Path) -> None:
    import torch

    folder = tmp_path / "hub"
    model = tiny.write_clip(folder)
    state = tiny.openai_state(model)
    cases: dict[str, tuple[dict[str, Any], str]] = {
        "unknown.pt": (state | {"visual.extra": torch.zeros(2)}, 'unknown key "visual.extra"'),
        "lacks.pt": (
            {k: v for k, v in state.items() if k != "ln_final.bias"},
            'lacks "text_model.final_layer_norm.bias"',
        ),
        "other.pt": ({"encoder.weight": torch.zeros(2, 2)}, 'unknown key "encoder.weight"'),
        "resnet.pt": (state | {"visual.layer1.0.conv1.weight": torch.zeros(2)}, "ResNet CLIP"),
    }
    for name, (content, expected) in cases.items():
        torch.save(content, folder / name)
        with pytest.raises(InputError, match=expected) as caught:
            open_embedder(str(folder / name))
        assert str(folder / name) in str(caught.value)
        assert "\n" not in str(caught.value)
    (folder / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InputError, match='is of type "bert"'):
        open_embedder(str(folder))
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match=r"contains neither config.json"):
        open_embedder(str(folder))


def test_weights_for_other_images_than_expected_are_refused(
    tiny: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from captious.models import weights

    folder = tmp_path / "cache" / "weights"
    folder.mkdir(parents=True)
    torch.save(tiny.openai_state(tiny.write_clip(folder)), folder / "small.pth")
    entry = weights.Known("small", "1 MB", "none", file="small.pth", side=336)
    monkeypatch.setitem(weights.KNOWN, "small", entry)
    paths = tiny.write_photographs(tmp_path / "images", 1)
    with pytest.raises(InputError, match=r"small.pth: is for images of 32 x 32 pixels, but 336 x 336"):
        open_embedder("small").images([ImageFile("0", str(paths[0]))])


def test_a_device_that_is_not_here_is_refused(tiny: ModuleType, tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    tiny.write_clip(tmp_path / "hub")
    with pytest.raises(InputError, match=r'device "cuda" is not on this machine. Give one of: cpu'):
        open_embedder(str(tmp_path / "hub"), device="cuda").texts(["a dog"], "truncate")
    with pytest.raises(InputError, match='dtype "float12" is not known'):
        open_embedder(str(tmp_path / "hub"), dtype="float12")
