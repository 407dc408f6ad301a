"""ViLT on a tiny checkpoint in the hub's layout, against transformers' own model and processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.errors import InputError, MissingDependencyError
from captious.models.images import load_image
from captious.models.joint.vilt import Preparation

CLOSE = 1e-5


def values(corpus: captious.Corpus, name: str) -> np.ndarray:
    return captious.score(corpus, [name])[name].values


def oracle_logit(tiny_joint: Any, model: Any, folder: Path, path: Path, ids: list[int]) -> float:
    """transformers' processor and model, one pair at a time."""
    import torch
    from PIL import Image
    from transformers import ViltImageProcessorPil

    prepare = ViltImageProcessorPil.from_pretrained(str(folder))
    pixels = prepare(Image.open(path).convert("RGB"), return_tensors="pt")
    with torch.no_grad():
        found = model(
            input_ids=torch.tensor([ids]),
            pixel_values=pixels["pixel_values"],
            pixel_mask=pixels["pixel_mask"],
        )
    return float(found.logits[0, 0])


def test_every_item_equals_transformers_own_model(tiny_joint, scene) -> None:
    model = tiny_joint.write_vilt(scene.folder / "vilt", 5)
    found = values(scene.corpus, f"vilt[model={scene.folder / 'vilt'},limit=12]")
    for row, caption in enumerate(scene.corpus.captions):
        path = scene.images[scene.corpus.example(row).image_id]
        ids = tiny_joint.bert_ids(caption)
        assert found[row] == pytest.approx(
            oracle_logit(tiny_joint, model, scene.folder / "vilt", path, ids), abs=CLOSE
        )
    assert len(np.unique(found.round(6))) == len(found)


def test_the_head_is_a_line_on_the_pooled_state(tiny_joint, scene) -> None:
    """The formula: w . h + b, with h from transformers' body alone."""
    import torch

    model = tiny_joint.write_vilt(scene.folder / "vilt", 5)
    prepare = Preparation(64, 16, _half())
    found = values(scene.corpus, f"vilt[model={scene.folder / 'vilt'},limit=12]")
    for row in (0, 3, 5):
        example = scene.corpus.example(row)
        pixels = torch.from_numpy(prepare.pixels(load_image(example.image_path)))[None]
        with torch.no_grad():
            ids = torch.tensor([tiny_joint.bert_ids(example.caption)])
            pooled = model.vilt(input_ids=ids, pixel_values=pixels).pooler_output[0]
            expected = pooled @ model.rank_output.weight[0] + model.rank_output.bias[0]
        assert found[row] == pytest.approx(float(expected), abs=CLOSE)


def _half() -> Any:
    from captious.models.encoders.recipe import Recipe

    return Recipe(mean=(0.5,) * 3, deviation=(0.5,) * 3, crop=None)


@pytest.mark.parametrize(
    "size", [(640, 480), (480, 640), (333, 1000), (1000, 200), (64, 64), (30, 500), (385, 384)]
)
def test_pixels_equal_transformers_own_processor(tiny_joint, tmp_path: Path, size: tuple[int, int]) -> None:
    from PIL import Image
    from transformers import ViltImageProcessorPil

    make = np.random.default_rng(1)
    picture = Image.fromarray(make.integers(0, 256, (5, 6, 3), dtype=np.uint8)).resize(
        size, Image.Resampling.BICUBIC
    )
    prepare = ViltImageProcessorPil(size={"shortest_edge": 384}, size_divisor=32)
    expected = prepare(picture, return_tensors="np")["pixel_values"][0]
    found = Preparation(384, 32, _half()).pixels(np.asarray(picture))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_small_images_are_enlarged_where_the_released_program_is_followed(tiny_joint, scene) -> None:
    from PIL import Image

    model = tiny_joint.write_vilt(scene.folder / "vilt", 5)
    options = f"model={scene.folder / 'vilt'},limit=12"
    kept, enlarged = (values(scene.corpus, f"vilt[{options},small={how}]") for how in ("keep", "enlarge"))
    assert kept[5] == enlarged[5]  # 400 x 360 is not small
    assert kept[0] != enlarged[0]
    Image.open(scene.images["3"]).resize((500, 500)).save(scene.folder / "square.png")
    ids = tiny_joint.bert_ids(scene.corpus.captions[0])
    expected = oracle_logit(tiny_joint, model, scene.folder / "vilt", scene.folder / "square.png", ids)
    assert enlarged[0] == pytest.approx(expected, abs=CLOSE)


def test_the_model_reads_so_many_tokens(tiny_joint, scene) -> None:
    model = tiny_joint.write_vilt(scene.folder / "vilt", 5)
    name = f"vilt[model={scene.folder / 'vilt'},limit=7]"
    scores = captious.score(scene.corpus, [name])[name]
    assert scores.details["tokens_beyond_limit"].tolist() == [2, 4, 4, 0, 2, 0]
    ids = tiny_joint.bert_ids(scene.corpus.captions[0])
    cut = [*ids[:6], ids[-1]]  # the end of text stays
    path = scene.images["3"]
    expected = oracle_logit(tiny_joint, model, scene.folder / "vilt", path, cut)
    assert scores.values[0] == pytest.approx(expected, abs=CLOSE)
    with pytest.raises(InputError, match="2 tokens more than the 7"):
        values(scene.corpus, name.replace("]", ",long=error]"))
    with pytest.raises(InputError, match=r"limit is 40; .* reads 3 to 12 tokens"):
        values(scene.corpus, f"vilt[model={scene.folder / 'vilt'}]")


def test_broken_images_are_listed_and_the_others_scored(tiny_joint, scene) -> None:
    tiny_joint.write_vilt(scene.folder / "vilt", 5)
    scene.images["17"].write_bytes(b"no image")
    name = f"vilt[model={scene.folder / 'vilt'},limit=12]"
    scores = captious.score(scene.corpus, [name])[name]
    assert np.isnan(scores.values).tolist() == [False, False, True, True, True, False]
    assert "17.png" in scores.unscored["17"]
    blind = captious.Corpus.from_lists(["A dog"], image_ids=["3"])
    with pytest.raises(InputError, match=r"none of 1 image could be read\. .*no file was found"):
        values(blind, name)


def test_weights_of_the_hub_are_found_in_its_cache(tiny_joint, scene) -> None:
    folder = scene.folder / "hub" / "models--dandelin--vilt-b32-finetuned-coco"
    tiny_joint.write_vilt(folder / "snapshots" / ("cd" * 20), 5)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("cd" * 20)
    scores = captious.score(scene.corpus, ["vilt[limit=12]"])["vilt[limit=12]"]
    assert scores.signature.startswith("vilt|enc:ViLT-B-32/coco@cdcdcdcd|limit:12|small:keep|long:truncate|")


def test_failures_are_one_line_each(tiny_joint, scene) -> None:
    import torch

    with pytest.raises(MissingDependencyError, match=r"captious get weights ViLT-B-32/coco"):
        values(scene.corpus, "vilt")
    folder = scene.folder / "vilt"
    model = tiny_joint.write_vilt(folder)
    name = f"vilt[model={folder},limit=12]"
    state = {k: v for k, v in model.state_dict().items() if not k.startswith("rank_output")}
    (folder / "model.safetensors").unlink()
    torch.save(state, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r'pytorch_model\.bin: lacks "rank_output\.weight"'):
        values(scene.corpus, name)
    torch.save(model.state_dict() | {"classifier.weight": torch.zeros(1)}, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r'unknown key "classifier\.weight"'):
        values(scene.corpus, name)
    content = (folder / "pytorch_model.bin").read_bytes()
    (folder / "pytorch_model.bin").write_bytes(content[:900])
    with pytest.raises(InputError, match=r"pytorch_model\.bin: is damaged"):
        values(scene.corpus, name)
    (folder / "config.json").write_text('{"model_type": "clip"}')
    with pytest.raises(InputError, match='is of type "clip"; vilt needs a ViLT model'):
        values(scene.corpus, name)
    (folder / "pytorch_model.bin").unlink()
    with pytest.raises(InputError, match="contains no weights"):
        values(scene.corpus, name)
    with pytest.raises(InputError, match="unknown small of vilt"):
        captious.metrics.resolve("vilt[small=never]")


def test_a_second_run_needs_no_forward_pass(tiny_joint, scene, monkeypatch) -> None:
    import transformers

    tiny_joint.write_vilt(scene.folder / "vilt", 5)
    name = f"vilt[model={scene.folder / 'vilt'},limit=12]"
    first = values(scene.corpus, name)
    np.testing.assert_allclose(values(scene.corpus, name.replace("]", ",cache=no]")), first, atol=CLOSE)

    def never(*arguments: object, **named: object) -> None:
        raise AssertionError("the model ran again")

    monkeypatch.setattr(transformers.ViltForImageAndTextRetrieval, "forward", never)
    np.testing.assert_array_equal(values(scene.corpus, name), first)
