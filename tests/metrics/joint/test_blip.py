"""BLIP's matching head on a tiny checkpoint in the hub's layout, against transformers' own model."""

from __future__ import annotations

import numpy as np
import pytest

import captious
from captious.errors import InputError


def test_every_item_equals_transformers_own_model(tiny_joint, scene) -> None:
    import torch
    from PIL import Image
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil

    model = tiny_joint.write_blip(scene.folder / "blip", 5)
    name = f"blip_itm[model={scene.folder / 'blip'}]"
    found = captious.score(scene.corpus, [name])[name]
    prepare = BlipImageProcessorPil.from_pretrained(str(scene.folder / "blip"))
    for row, caption in enumerate(scene.corpus.captions):
        picture = Image.open(scene.images[scene.corpus.example(row).image_id]).convert("RGB")
        pixels = prepare(picture, return_tensors="pt")["pixel_values"]
        with torch.no_grad():
            ids = torch.tensor([tiny_joint.bert_ids(caption)])
            logits = model(input_ids=ids, pixel_values=pixels).itm_score[0]
        # softmax of two: 1 / (1 + exp(no - yes))
        expected = 1 / (1 + float(torch.exp(logits[0] - logits[1])))
        assert found.values[row] == pytest.approx(expected, abs=1e-5)
    assert len(np.unique(found.values.round(6))) >= 5
    assert "|enc:blip@" in found.signature


def test_another_model_is_refused_by_its_kind(tiny_joint, scene) -> None:
    tiny_joint.write_vilt(scene.folder / "vilt", 5)
    with pytest.raises(InputError, match='is of type "vilt"; blip_itm needs a BLIP model'):
        captious.score(scene.corpus, [f"blip_itm[model={scene.folder / 'vilt'}]"])
