from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.joint.regions import Regions
from captious.models.joint.vilbert.model import Pair, Vilbert


def opened(folder: Path, task: int | None = None, limit: int = 37) -> Vilbert:
    return Vilbert(folder, "tiny", task, limit, "cpu", "float32")


def as_regions(found: dict[str, Any]) -> Regions:
    return Regions(found["features"], found["bbox"], found["image_width"], found["image_height"])


@pytest.mark.parametrize("task", [None, 7])
def test_every_output_equals_a_straight_line_vilbert(
    tiny_joint: ModuleType, tmp_path: Path, task: int | None
) -> None:
    import torch

    oracle = tiny_joint.write_vilbert(tmp_path / "model", 3, tasks=task is not None)
    images = [tiny_joint.regions(1, 4), tiny_joint.regions(2, 6)]
    texts = [tiny_joint.bert_ids(text) for text in tiny_joint.CAPTIONS]
    pairs = [Pair(ids, image) for image in range(2) for ids in texts]
    found = dict(opened(tmp_path / "model", task).read(pairs, [as_regions(one) for one in images]))
    assert len(found) == len(pairs)
    for place, pair in enumerate(pairs):
        with torch.no_grad():
            expected = oracle(pair.ids, *tiny_joint.region_input(images[pair.image]), task)
        for name in ("words", "met", "text", "image"):
            np.testing.assert_allclose(getattr(found[place], name), expected[name].numpy(), atol=1e-5)
        aligned = torch.softmax(expected["alignment"].double(), 0)[0]
        assert found[place].aligned == pytest.approx(float(aligned), abs=1e-5)


def test_early_checkpoints_and_parallel_ones_have_other_names(tiny_joint: ModuleType, tmp_path: Path) -> None:
    import torch

    tiny_joint.write_vilbert(tmp_path / "today")
    state = torch.load(tmp_path / "today" / "pytorch_model.bin")
    tiny_joint.write_vilbert(tmp_path / "old")
    old = {}
    for name, value in state.items():
        if "LayerNorm" in name:
            name = name.replace(".weight", ".gamma").replace(".bias", ".beta")  # noqa: PLW2901
        old[f"module.{name}"] = value
    torch.save(old, tmp_path / "old" / "pytorch_model.bin")
    pair, image = [Pair([2, 5, 8, 3], 0)], [as_regions(tiny_joint.regions(1, 3))]
    ours, theirs = (dict(opened(tmp_path / n).read(pair, image))[0].aligned for n in ("today", "old"))
    assert ours == theirs


def change(folder: Path, **changes: Any) -> None:
    import torch

    state = torch.load(folder / "pytorch_model.bin")
    for name, value in changes.items():
        if value is None:
            del state[name]
        else:
            state[name] = value
    torch.save(state, folder / "pytorch_model.bin")


def test_wrong_weights_are_told_by_name(tiny_joint: ModuleType, tmp_path: Path) -> None:
    import torch

    folder = tmp_path / "model"
    tiny_joint.write_vilbert(folder)
    change(folder, **{"bert.encoder.c_layer.1.biattention.query2.bias": None})
    with pytest.raises(InputError, match=r'lacks "bert\.encoder\.c_layer\.1\.biattention\.query2\.bias"'):
        opened(folder)
    tiny_joint.write_vilbert(folder)
    change(folder, **{"bert.encoder.layer.9.output.dense.bias": torch.zeros(2)})
    with pytest.raises(InputError, match=r'unknown key "bert\.encoder\.layer\.9'):
        opened(folder)
    tiny_joint.write_vilbert(folder)
    change(folder, **{"bert.t_pooler.dense.bias": torch.zeros(5)})
    with pytest.raises(InputError, match=r"has the shape \(5,\); the model expects \(12,\)"):
        opened(folder)


def test_damaged_and_missing_files(tiny_joint: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    tiny_joint.write_vilbert(folder)
    whole = (folder / "pytorch_model.bin").read_bytes()
    (folder / "pytorch_model.bin").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"pytorch_model\.bin: is damaged"):
        opened(folder)
    (folder / "pytorch_model.bin").unlink()
    with pytest.raises(InputError, match=r"contains no pytorch_model\.bin"):
        opened(folder)
    (folder / "pytorch_model.bin").write_bytes(whole)
    (folder / "vocab.txt").unlink()
    with pytest.raises(InputError, match=r"vocab\.txt: cannot be read"):
        opened(folder)
    (folder / "config.json").unlink()
    with pytest.raises(InputError, match=r"config\.json: cannot be read"):
        opened(folder)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"hidden_size": None}, "has no 'hidden_size'"),
        ({"hidden_size": "wide"}, "is not the configuration"),
        ({"v_biattention_id": [0, 9]}, "co-attention layers do not exist"),
        ({"num_attention_heads": 5}, "not a multiple of its attention heads"),
        ({"hidden_act": "swish"}, "only gelu is supported"),
        ({"pooling_method": "max"}, "fusion_method is"),
        ({"dynamic_attention": True}, "dynamic"),
    ],
)
def test_wrong_configurations(
    tiny_joint: ModuleType, tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    folder = tmp_path / "model"
    tiny_joint.write_vilbert(folder)
    config = tiny_joint.VILBERT | changes
    (folder / "config.json").write_text(json.dumps({k: v for k, v in config.items() if v is not None}))
    with pytest.raises(InputError, match=reason):
        opened(folder)


def test_task_tokens_must_fit_the_model(tiny_joint: ModuleType, tmp_path: Path) -> None:
    tiny_joint.write_vilbert(tmp_path / "plain")
    tiny_joint.write_vilbert(tmp_path / "multi", tasks=True)
    with pytest.raises(InputError, match="has no task tokens"):
        opened(tmp_path / "plain", 7)
    with pytest.raises(InputError, match=r"is a multi-task model\. Give the task token"):
        opened(tmp_path / "multi")
    with pytest.raises(InputError, match="0 to 19"):
        opened(tmp_path / "multi", 20)


def test_features_of_another_detector_are_refused(tiny_joint: ModuleType, tmp_path: Path) -> None:
    tiny_joint.write_vilbert(tmp_path / "model")
    narrow = Regions(np.ones((2, 4), np.float32), np.ones((2, 4), np.float32), 10, 10)
    with pytest.raises(InputError, match="have 4 numbers per box, but tiny needs 10"):
        list(opened(tmp_path / "model").read([Pair([2, 3], 0)], [narrow]))


def test_a_larger_vocabulary_is_refused(tiny_joint: ModuleType, tmp_path: Path) -> None:
    tiny_joint.write_vilbert(tmp_path / "model")
    with (tmp_path / "model" / "vocab.txt").open("a") as file:
        file.write("extra\n")
    with pytest.raises(InputError, match="has 30 pieces, but the model has 29"):
        opened(tmp_path / "model")
