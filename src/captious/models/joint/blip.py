"""BLIP (Li et al. 2022) with its matching head: how probable it is that image and caption belong together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models import weights
from captious.models.encoders.base import ImageFile, ScoredPairs
from captious.models.encoders.checkpoint import load_into, read_state
from captious.models.encoders.long_texts import Windows, read_windows, same_length
from captious.models.encoders.opening import label_of
from captious.models.encoders.recipe import Pixels, Recipe
from captious.models.encoders.vector_cache import file_key
from captious.models.encoders.vision_text import Layout, import_torch, pixel_batches, read_json, weight_file
from captious.models.encoders.wordpiece import read_wordpiece

_IMAGES_A_BATCH = 8
_ROWS_A_BATCH = 16
# Numbers that a checkpoint may hold or lack without another result.
_BESIDE = ("text_encoder.embeddings.position_ids", "vision_model.embeddings.position_ids")


class Blip:
    """A loaded BLIP for image-text matching."""

    family = "blip"

    def __init__(self, folder: Path, label: str, device: str, dtype: str) -> None:
        torch = import_torch(device, dtype)
        facts = read_json(folder / "config.json")
        if facts.get("model_type") != "blip":
            kind = facts.get("model_type")
            raise InputError(f'{folder / "config.json"}: is of type "{kind}"; blip_itm needs a BLIP model.')
        settings = folder / "preprocessor_config.json"
        self._recipe = Recipe.of(read_json(settings), str(settings))
        self._tokeniser = read_wordpiece(folder)
        self._model = (
            _filled(facts, weight_file(folder)).to(device=device, dtype=getattr(torch, dtype)).eval()
        )
        self.limit = int(self._model.config.text_config.max_position_embeddings)
        self.label, self._device, self._dtype = label, device, dtype

    def facts(self) -> dict[str, str]:
        """Name and revision of the weights, and where it runs."""
        return {"enc": self.label, "device": self._device, "dtype": self._dtype}

    def image_key(self, image: ImageFile) -> bytes:
        """The image's file by its content."""
        return file_key(image)

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        """Probability of a match for every image with each of its texts, flat, in order."""
        cuts = [read_windows(self._encode, own, self.limit, long, self.label) for own in texts]
        scores = [np.full(len(own), np.nan) for own in texts]
        broken: dict[str, str] = {}
        for batch in pixel_batches(images, self._recipe, _IMAGES_A_BATCH, broken):
            states = self._seen(batch.pixels)
            for place, state in zip(batch.places.tolist(), states, strict=True):
                scores[place] = cuts[place].means(self._matches(state, cuts[place]))
        beyond = [cut.beyond for cut in cuts]
        return ScoredPairs(
            np.concatenate(scores) if scores else np.empty(0),
            np.concatenate(beyond) if beyond else np.empty(0, dtype=np.int64),
            broken,
        )

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        return self._tokeniser.encode(texts, longest=1 << 30)

    def _seen(self, pixels: Pixels) -> Any:
        """What the image encoder says of every patch."""
        import torch

        given = torch.from_numpy(pixels).to(self._device, getattr(torch, self._dtype))
        with torch.inference_mode():
            return self._model.vision_model(pixel_values=given).last_hidden_state

    def _matches(self, state: Any, cut: Windows) -> NDArray[np.float64]:
        import torch

        found = np.empty(len(cut.rows))
        with torch.inference_mode():
            for part in same_length(cut.rows, _ROWS_A_BATCH):
                ids = torch.tensor([cut.rows[place] for place in part], device=self._device)
                seen = state[None].expand(len(part), -1, -1)
                read = self._model.text_encoder(
                    input_ids=ids,
                    attention_mask=torch.ones_like(ids),
                    encoder_hidden_states=seen,
                    encoder_attention_mask=torch.ones(seen.shape[:2], dtype=torch.long, device=self._device),
                ).last_hidden_state
                shares = torch.softmax(self._model.itm_head(read[:, 0]).double(), dim=1)
                found[part] = shares[:, 1].cpu().numpy()
        return found


def open_blip(name: str, device: str = "cpu", dtype: str = "float32") -> Blip:
    """The BLIP of a path, a known name or a name on the hub; remembered in this process."""
    found = weights.find(name)
    if not found.path.is_dir():
        raise InputError(f"{found.path}: is a file. Give the complete folder of a BLIP model, as on the hub.")
    layout = Layout("blip", weight_file(found.path), None, None, Recipe(), 0)
    return _open(found.path, label_of(name, found, layout), device, dtype, getpid())


@lru_cache(maxsize=2)
def _open(path: Path, label: str, device: str, dtype: str, process: int) -> Blip:
    return Blip(path, label, device, dtype)


def _filled(facts: dict[str, Any], path: Path) -> Any:
    from transformers import BlipConfig, BlipForImageTextRetrieval
    from transformers.initialization import no_init_weights

    with no_init_weights():
        model = BlipForImageTextRetrieval(BlipConfig.from_dict(facts))
    state = {name: value.float() for name, value in read_state(path).items()}
    load_into(model, state, path, optional=_BESIDE)
    return model
