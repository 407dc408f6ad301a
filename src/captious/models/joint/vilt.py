"""ViLT (Kim et al. 2021) with its retrieval head: one number for an image and a caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from captious.errors import InputError
from captious.models import locate, weights
from captious.models.encoders.base import ImageFile, ScoredPairs
from captious.models.encoders.checkpoint import load_into, read_state
from captious.models.encoders.long_texts import Windows, read_windows, same_length
from captious.models.encoders.recipe import RESAMPLING, Pixels, Recipe
from captious.models.encoders.vector_cache import file_key
from captious.models.encoders.vision_text import image_path, import_torch, read_json, weight_file
from captious.models.encoders.wordpiece import read_wordpiece
from captious.models.images import RGB, load_image

LIMIT = 40  # tokens, special ones included: ViLT has no more positions
SMALL, ENLARGED = 333, 500  # pixels: the released program of VCRScore enlarges small images to a square
_LONGER = 1333 / 800  # the longer side is at most this times the shorter one (Kim et al. 2021, 4.1)
_ROWS_A_BATCH = 16


class Preparation(NamedTuple):
    """How an image becomes ViLT's input: sides that are multiples of `step`, normalised colours."""

    side: int
    step: int
    recipe: Recipe

    @classmethod
    def of(cls, found: Mapping[str, Any], where: str) -> Preparation:
        """Read a `preprocessor_config.json`."""
        try:
            size = found["size"]
            side = int(size["shortest_edge"] if isinstance(size, Mapping) else size)
            recipe = Recipe(
                mean=tuple(map(float, found["image_mean"])),
                deviation=tuple(map(float, found["image_std"])),
                resample=RESAMPLING[int(found.get("resample", 3))],
                scale=float(found.get("rescale_factor", 1 / 255)),
                crop=None,
            )
            return cls(side, int(found.get("size_divisor", 32)), recipe)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: has no known {error}. Download the model again.") from None

    def target(self, width: int, height: int) -> tuple[int, int]:
        """Width and height of the input: the shorter side is `side` unless the longer is too long."""
        scale = self.side / min(width, height)
        most = int(_LONGER * self.side)
        wide, high = (float(self.side) if s == min(width, height) else scale * s for s in (width, height))
        if max(wide, high) > most:
            scale = most / max(wide, high)
            wide, high = wide * scale, high * scale
        sides = [int(value + 0.5) // self.step * self.step for value in (wide, high)]
        return max(sides[0], self.step), max(sides[1], self.step)

    def pixels(self, photograph: RGB, *, enlarge: bool = False) -> Pixels:
        """Channels x height x width; `enlarge` makes small images 500 x 500 first."""
        from PIL import Image

        picture = Image.fromarray(photograph)
        if enlarge and min(picture.size) < SMALL:
            picture = picture.resize((ENLARGED, ENLARGED))
        size = self.target(*picture.size)
        resized = picture.resize(size, Image.Resampling[self.recipe.resample.upper()])
        return self.recipe.normalise(np.asarray(resized, dtype=np.uint8))


class Vilt:
    """A loaded ViLT."""

    family = "vilt"

    def __init__(self, folder: Path, label: str, limit: int, enlarge: bool, device: str, dtype: str) -> None:
        torch = import_torch(device, dtype)
        if not folder.is_dir():
            raise InputError(f"{folder}: is a file. Give the complete folder of a ViLT model, as on the hub.")
        path = weight_file(folder)
        facts = read_json(folder / "config.json")
        if facts.get("model_type") != "vilt":
            kind = facts.get("model_type")
            raise InputError(f'{folder / "config.json"}: is of type "{kind}"; vilt needs a ViLT model.')
        settings = folder / "preprocessor_config.json"
        self._prepare = Preparation.of(read_json(settings), str(settings))
        self._tokeniser = read_wordpiece(folder)
        self._model = _filled(facts, path).to(device=device, dtype=getattr(torch, dtype)).eval()
        positions = int(self._model.config.max_position_embeddings)
        if not 3 <= limit <= positions:
            raise InputError(f"vilt: limit is {limit}; {label} reads 3 to {positions} tokens.")
        self.limit, self.label, self._enlarge = limit, label, enlarge
        self._device, self._dtype = device, dtype

    def facts(self) -> dict[str, str]:
        """Name and revision of the weights, the limit, what is done to small images, where it runs."""
        small = "enlarge" if self._enlarge else "keep"
        limit = str(self.limit)
        return {
            "enc": self.label,
            "limit": limit,
            "small": small,
            "device": self._device,
            "dtype": self._dtype,
        }

    def image_key(self, image: ImageFile) -> bytes:
        """The image's file by its content."""
        return file_key(image)

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        """Logits of the retrieval head for every image with each of its texts, flat, in order."""
        broken: dict[str, str] = {}
        scores, beyond = [np.empty(0)], [np.empty(0, dtype=np.int64)]
        for image, own in zip(images, texts, strict=True):
            cut = read_windows(self._encode, own, self.limit, long, self.label)
            beyond.append(cut.beyond)
            try:
                pixels = self._prepare.pixels(load_image(image_path(image)), enlarge=self._enlarge)
            except InputError as error:
                broken[image.id] = str(error)
                scores.append(np.full(len(own), np.nan))
            else:
                scores.append(cut.means(self._logits(pixels, cut)))
        return ScoredPairs(np.concatenate(scores), np.concatenate(beyond), broken)

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        return self._tokeniser.encode(texts, longest=1 << 30)

    def _logits(self, pixels: Pixels, cut: Windows) -> Any:
        import torch

        seen = torch.from_numpy(pixels)[None].to(self._device, getattr(torch, self._dtype))
        found = np.empty(len(cut.rows))
        # transformers shuffles an image's patches; a fixed seed gives the same number every time.
        with torch.inference_mode(), torch.random.fork_rng(devices=[]):
            for part in same_length(cut.rows, _ROWS_A_BATCH):
                torch.manual_seed(0)
                ids = torch.tensor([cut.rows[place] for place in part], device=self._device)
                given = {"input_ids": ids, "pixel_values": seen.expand(len(part), -1, -1, -1)}
                found[part] = self._model(**given).logits[:, 0].double().cpu().numpy()
        return found


def open_vilt(
    name: str, limit: int = LIMIT, enlarge: bool = False, device: str = "cpu", dtype: str = "float32"
) -> Vilt:
    """The ViLT of a path, a known name or a name on the hub; remembered in this process."""
    found = weights.find(name)
    shown = found.path.resolve().name if found.place == "path" else name
    mark = found.revision[:8]
    if not mark and found.path.is_dir():
        mark = locate.digest(weight_file(found.path))
    return _open(found.path, f"{shown}@{mark}", limit, enlarge, device, dtype, getpid())


@lru_cache(maxsize=2)
def _open(path: Path, label: str, limit: int, enlarge: bool, device: str, dtype: str, process: int) -> Vilt:
    return Vilt(path, label, limit, enlarge, device, dtype)


def _filled(facts: dict[str, Any], path: Path) -> Any:
    from transformers import ViltConfig, ViltForImageAndTextRetrieval
    from transformers.initialization import no_init_weights

    with no_init_weights():
        model = ViltForImageAndTextRetrieval(ViltConfig.from_dict(facts))
    state = {name: value.float() for name, value in read_state(path).items()}
    load_into(model, state, path, optional=("vilt.embeddings.text_embeddings.position_ids",))
    return model
