"""CLIP and SigLIP with their published weights, run by PyTorch through transformers' modules.

Three layouts are read: a folder of transformers (`config.json`), a folder of open_clip
(`open_clip_config.json`), and a single file with OpenAI's `state_dict` (also those of PAC-S and of
MCIP). Weights are read by `checkpoint`, never by a hub's own loader.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, MissingDependencyError
from captious.models.encoders import clip_layout
from captious.models.encoders.base import Features, ImageFile
from captious.models.encoders.checkpoint import StateDict, load_into, read_state
from captious.models.encoders.recipe import Pixels, Recipe
from captious.models.images import digest, load_image, read_file

CONFIG, OPEN_CLIP_CONFIG = "config.json", "open_clip_config.json"
# The first that is there is taken: safetensors before pickles.
WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin")
OPEN_CLIP_FILES = ("open_clip_model.safetensors", "open_clip_pytorch_model.bin")
DTYPES = ("float32", "float16", "bfloat16")
FAMILIES = ("clip", "siglip")
CLIP_SIDE, CLIP_LIMIT = 224, 77  # pixels and tokens of OpenAI's ViT-B/32
# Numbers that a checkpoint may hold or lack without another result.
_BESIDE = (
    "logit_scale",
    "logit_bias",
    "vision_model.embeddings.position_ids",
    "text_model.embeddings.position_ids",
)


class Layout(NamedTuple):
    """What files say of a model before any weight is read."""

    family: str
    weights: Path
    config: dict[str, Any] | None
    settings: dict[str, Any] | None
    recipe: Recipe
    limit: int
    pad: int | None = None


def layout_of(path: Path, side: int = CLIP_SIDE, limit: int = CLIP_LIMIT) -> Layout:
    """The layout of a folder or file; refuse what no image-text encoder is.

    A single file does not say how large its images are and how long its texts: `side` and `limit` do.
    """
    if path.is_file():
        return Layout("clip", path, None, None, Recipe(size=side, crop=side), limit)
    both = (path / OPEN_CLIP_CONFIG).is_file()
    # Some folders hold both layouts, and the weights of one.
    own = not both or any((path / name).is_file() for name in WEIGHT_FILES)
    if own and (path / CONFIG).is_file() and "model_type" in (config := read_json(path / CONFIG)):
        return _of_transformers(path, config, weight_file(path))
    if both:
        return _of_open_clip(path, weight_file(path, (*OPEN_CLIP_FILES, *WEIGHT_FILES)))
    raise InputError(
        f"{path}: contains neither {CONFIG} nor {OPEN_CLIP_CONFIG}. Give the complete folder of a model."
    )


def weight_file(folder: Path, names: tuple[str, ...] = WEIGHT_FILES) -> Path:
    """The file of weights in a model's folder."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder}: contains no weights ({', '.join(names[:2])}). Download the model again.")


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a model's folder."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError:
        raise InputError(f"{path}: is not complete JSON. Download the model again.") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: is not a JSON object. Download the model again.")
    return found


def _of_transformers(path: Path, config: dict[str, Any], weights: Path) -> Layout:
    family = str(config["model_type"])
    if family not in FAMILIES:
        raise InputError(f'{path / CONFIG}: is of type "{family}"; give a model of type clip or siglip.')
    recipe = Recipe.of(read_json(path / "preprocessor_config.json"), str(path / "preprocessor_config.json"))
    text = config.get("text_config") or {}
    limit = int(text.get("max_position_embeddings", CLIP_LIMIT if family == "clip" else 64))
    pad = int(text.get("pad_token_id", 1)) if family == "siglip" else None
    return Layout(family, weights, config, None, recipe, limit, pad)


def _of_open_clip(path: Path, weights: Path) -> Layout:
    facts = read_json(path / OPEN_CLIP_CONFIG)
    settings, shown = facts.get("model_cfg", {}), facts.get("preprocess_cfg", {})
    if "timm_model_name" in settings.get("vision_cfg", {}) or "hf_model_name" in settings.get("text_cfg", {}):
        raise InputError(
            f"{path / OPEN_CLIP_CONFIG}: its towers come from another library. Download this model from the "
            "hub in the layout of transformers."
        )
    size = int(settings.get("vision_cfg", {}).get("image_size", 224))
    recipe = Recipe(size=size, crop=size)
    if shown:
        mean, deviation = shown.get("mean", recipe.mean), shown.get("std", recipe.deviation)
        recipe = Recipe(size, size, tuple(mean), tuple(deviation), str(shown.get("interpolation", "bicubic")))
    limit = int(settings.get("text_cfg", {}).get("context_length", CLIP_LIMIT))
    return Layout("clip", weights, None, settings, recipe, limit)


class VisionText:
    """A loaded model: pixels and token rows to vectors, a batch at a time."""

    def __init__(self, layout: Layout, device: str, dtype: str, base: Path | None = None) -> None:
        torch = import_torch(device, dtype)
        state = read_state(layout.weights)
        if layout.config is None and clip_layout.is_visual_only(state):
            config, state = _over_base(state, layout.weights, base)
        elif layout.config is None:
            own = state
            state = clip_layout.to_transformers(state, layout.weights)
            config = clip_layout.config_of(own, layout.settings)
        else:
            config = _config(layout.config)
        self._model = _filled(config, state, layout.weights).to(device=device, dtype=getattr(torch, dtype))
        self._model.eval()
        self._device, self._dtype = device, getattr(torch, dtype)
        self._pad = layout.pad
        self.limit = int(config.text_config.max_position_embeddings)
        self.side = int(config.vision_config.image_size)

    def embed_pixels(self, pixels: Pixels) -> Features:
        """Vectors of prepared images."""
        import torch

        given = torch.from_numpy(pixels).to(device=self._device, dtype=self._dtype)
        with torch.inference_mode():
            found = self._model.get_image_features(pixel_values=given)
        return _unit(getattr(found, "pooler_output", found))

    def embed_rows(self, rows: NDArray[np.int64]) -> Features:
        """Vectors of token rows of one length, their special tokens included."""
        import torch

        if self._pad is not None:  # SigLIP was trained on rows that are padded to the limit
            filler = np.full((len(rows), self.limit - rows.shape[1]), self._pad, dtype=np.int64)
            rows = np.concatenate([rows, filler], axis=1)
        with torch.inference_mode():
            found = self._model.get_text_features(input_ids=torch.from_numpy(rows).to(self._device))
        return _unit(getattr(found, "pooler_output", found))


def import_torch(device: str, dtype: str) -> Any:
    """PyTorch, on a device that is there; several processes take a thread each."""
    from multiprocessing import parent_process

    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(f"image-text encoders need {error.name}", "models") from None
    if dtype not in DTYPES:
        raise InputError(f'dtype "{dtype}" is not known. Give {", ".join(DTYPES)}.')
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there.get(device.partition(":")[0], False):
        here = ", ".join(name for name, present in there.items() if present)
        raise InputError(f'device "{device}" is not on this machine. Give one of: {here}.')
    if parent_process() is not None:
        torch.set_num_threads(1)
    return torch


def _config(config: dict[str, Any]) -> Any:
    from transformers import CLIPConfig, SiglipConfig

    return (CLIPConfig if config["model_type"] == "clip" else SiglipConfig).from_dict(config)


def _filled(config: Any, state: StateDict, where: Path) -> Any:
    """A model with these weights; what a model makes at random is not made."""
    from transformers import CLIPModel, SiglipModel
    from transformers.initialization import no_init_weights

    kind = CLIPModel if config.model_type == "clip" else SiglipModel
    with no_init_weights():
        model = kind(config)
    load_into(model, {name: value.float() for name, value in state.items()}, where, optional=_BESIDE)
    return model


def _over_base(visual: StateDict, where: Path, base: Path | None) -> tuple[Any, StateDict]:
    """An image encoder alone, in OpenAI's names, beside the text encoder that it came from."""
    if base is None:
        raise InputError(
            f"{where}: contains only an image encoder. Download the CLIP model that it was tuned from, too."
        )
    own = layout_of(base)
    if own.config is None:
        raise InputError(f"{base}: is not in the layout of transformers, which {where.name} needs.")
    images = clip_layout.renamed({f"visual.{name}": value for name, value in visual.items()}, where)
    return _config(own.config), read_state(own.weights) | images


def _unit(found: Any) -> Features:
    values = found.float().cpu().numpy().astype(np.float64)
    norms = np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values / norms, dtype=np.float32)


# A stream of photographs: each decoded once, a few at a time, the broken ones set aside.
# Threads decode ahead of the model (Pillow works outside Python's lock); never more than two batches
# of prepared pixels are held, however many images there are.


_THREADS = 2


class PixelBatch(NamedTuple):
    """Pixels of some images, and the places of those in the list that was asked for."""

    places: NDArray[np.int64]
    pixels: Pixels


def content_keys(images: Sequence[ImageFile], broken: dict[str, str]) -> list[bytes | None]:
    """A name for each image by its content; None, and a reason in `broken`, where it has none."""
    keys: list[bytes | None] = []
    for image in images:
        try:
            keys.append(digest(read_file(image_path(image))))
        except InputError as error:
            broken[image.id] = str(error)
            keys.append(None)
    return keys


def pixel_batches(
    images: Sequence[ImageFile], recipe: Recipe, size: int, broken: dict[str, str]
) -> Iterator[PixelBatch]:
    """Prepared pixels in batches of at most `size`; unreadable images go to `broken` with the reason."""

    def prepare(image: ImageFile) -> Pixels:
        return recipe.pixels(load_image(image_path(image)))

    waiting: deque[tuple[int, Future[Pixels]]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        ahead = iter(enumerate(images))
        ready: list[tuple[int, Pixels]] = []
        while True:
            for place, image in ahead:
                waiting.append((place, pool.submit(prepare, image)))
                if len(waiting) >= size:
                    break
            if not waiting:
                break
            place, future = waiting.popleft()
            try:
                ready.append((place, future.result()))
            except InputError as error:
                broken[images[place].id] = str(error)
            if len(ready) == size:
                yield _batch(ready)
                ready = []
        if ready:
            yield _batch(ready)


def _batch(ready: list[tuple[int, Pixels]]) -> PixelBatch:
    places, pixels = zip(*ready, strict=True)
    return PixelBatch(np.array(places, dtype=np.int64), np.stack(pixels))


def image_path(image: ImageFile) -> str:
    """The file of an image; `InputError` where none was found."""
    if image.path is None:
        raise InputError(f'image "{image.id}": no file was found for it. Check the folder.')
    return image.path
