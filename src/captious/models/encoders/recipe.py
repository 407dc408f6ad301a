"""How a photograph becomes a model's input: resize, crop, scale, normalise.

The numbers are those of the published pipelines. OpenAI's CLIP and open_clip: bicubic resize of the
shorter side, centre crop, division by 255, mean and deviation of each channel, in 32-bit floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models.images import RGB

Pixels = NDArray[np.float32]
CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)  # OpenAI's CLIP, clip/clip.py
CLIP_DEVIATION = (0.26862954, 0.26130258, 0.27577711)
RESAMPLING = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"}  # Pillow's


@dataclass(frozen=True)
class Recipe:
    """Resize to `size` (the shorter side, or height and width), crop the centre, normalise.

    `centre` says which pixel a crop begins at where an odd number is left over: `round` is
    torchvision's rule, which OpenAI and open_clip use; `floor` is that of transformers. The two
    differ by one pixel where 3, 7, 11, … pixels are left over.

    >>> Recipe().label
    '224-crop224-bicubic'
    """

    size: int | tuple[int, int] = 224
    crop: int | None = 224
    mean: tuple[float, ...] = CLIP_MEAN
    deviation: tuple[float, ...] = CLIP_DEVIATION
    resample: str = "bicubic"
    scale: float = 1 / 255
    centre: str = "round"

    @classmethod
    def of(cls, config: Mapping[str, Any], where: str, centre: str = "round") -> Recipe:
        """The recipe that a `preprocessor_config.json` of transformers states."""
        try:
            size = _size(config["size"])
            crop = _side(config["crop_size"]) if config.get("do_center_crop", False) else None
            return cls(
                size=size,
                crop=crop,
                mean=tuple(map(float, config["image_mean"])),
                deviation=tuple(map(float, config["image_std"])),
                resample=RESAMPLING[int(config.get("resample", 3))],
                scale=float(config.get("rescale_factor", 1 / 255)),
                centre=centre,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: has no known {error}. Download the model again.") from None

    @property
    def label(self) -> str:
        """What cached vectors remember of it."""
        size = self.size if isinstance(self.size, int) else f"{self.size[0]}x{self.size[1]}"
        crop = f"-crop{self.crop}" if self.crop else ""
        floor = "-floor" if self.centre == "floor" else ""
        usual = self.mean == CLIP_MEAN and self.deviation == CLIP_DEVIATION
        normal = "" if usual else f"-{self.mean}-{self.deviation}"
        return f"{size}{crop}-{self.resample}{floor}{normal}"

    def pixels(self, photograph: RGB) -> Pixels:
        """Channels x height x width, as the model expects it."""
        return self.normalise(self.resized(photograph))

    def resized(self, photograph: RGB) -> RGB:
        """The photograph resized and cropped, still in 8-bit colours."""
        from PIL import Image

        picture = Image.fromarray(photograph)
        width, height = self._target(picture.width, picture.height)
        if (width, height) != picture.size:
            picture = picture.resize((width, height), Image.Resampling[self.resample.upper()])
        if self.crop is None:
            return np.asarray(picture, dtype=np.uint8)
        left, top = (self._first(side) for side in (width - self.crop, height - self.crop))
        return np.asarray(picture.crop((left, top, left + self.crop, top + self.crop)), dtype=np.uint8)

    def normalise(self, resized: RGB) -> Pixels:
        """Colours as 32-bit floats, scaled and normalised, channels first."""
        mean, deviation = (np.array(facts, dtype=np.float32) for facts in (self.mean, self.deviation))
        values: Pixels = resized.astype(np.float32)
        values = values / np.float32(255) if self.scale == 1 / 255 else values * np.float32(self.scale)
        normal = np.divide(np.subtract(values, mean), deviation)
        return np.ascontiguousarray(normal.transpose(2, 0, 1), dtype=np.float32)

    def _target(self, width: int, height: int) -> tuple[int, int]:
        if not isinstance(self.size, int):
            return self.size[1], self.size[0]
        if width <= height:
            return self.size, int(self.size * height / width)
        return int(self.size * width / height), self.size

    def _first(self, left_over: int) -> int:
        return left_over // 2 if self.centre == "floor" else round(left_over / 2)


def _size(value: Any) -> int | tuple[int, int]:
    if isinstance(value, Mapping) and "height" in value:
        return int(value["height"]), int(value["width"])
    return _side(value)


def _side(value: Any) -> int:
    if isinstance(value, Mapping):
        return int(value["shortest_edge"] if "shortest_edge" in value else value["height"])
    return int(value)
