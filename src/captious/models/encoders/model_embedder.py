"""An `Embedder` that runs a model, and remembers what it computed.

Images are known by the content of their files, texts by their token numbers; vectors are kept on
disk for each model, revision, recipe, device and type of number. What is remembered is neither
decoded nor run again, and where all is remembered torch is not even imported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models.encoders.base import EmbeddedImages, EmbeddedTexts, Features, ImageFile
from captious.models.encoders.long_texts import Ids, read_windows, window_label
from captious.models.encoders.tokeniser import Tokeniser
from captious.models.encoders.vector_cache import cache_path, read_rows, write_rows
from captious.models.encoders.vision_text import Layout, VisionText, content_keys, pixel_batches

IMAGES_A_BLOCK = 512  # whose keys and vectors are asked of the cache at once
IMAGES_A_BATCH = 32
_TOKENS_A_BATCH = 2048
_ROOM = "features"


class ModelEmbedder:
    """CLIP or SigLIP by its files; the model is loaded when the first vector must be computed.

    `recipe` makes a photograph the model's input; `limit` is the most tokens of a text.
    """

    def __init__(
        self,
        label: str,
        layout: Layout,
        tokeniser: Tokeniser,
        *,
        device: str = "cpu",
        dtype: str = "float32",
        cache: bool = True,
        base: Path | None = None,
        loaded: VisionText | None = None,
    ) -> None:
        self.label, self.family = label, layout.family
        self.recipe, self.limit = layout.recipe, layout.limit
        self._layout, self._tokeniser, self._base = layout, tokeniser, base
        self._device, self._dtype = device, dtype
        self._loaded = loaded
        facts = f"{label} {layout.recipe.label} {device} {dtype}"
        self._cache = cache_path(facts, _ROOM) if cache else None

    @property
    def windows(self) -> str:
        """The label of the windows that it reads a long text in."""
        return window_label(self.limit)

    def facts(self) -> dict[str, str]:
        """Name and revision of the weights, device and type of number."""
        return {"enc": self.label, "device": self._device, "dtype": self._dtype}

    @property
    def model(self) -> VisionText:
        """The loaded model."""
        if self._loaded is None:
            self._loaded = load_checked(self._layout, self._device, self._dtype, self._base)
        return self._loaded

    def images(self, images: Sequence[ImageFile]) -> EmbeddedImages:
        """Vectors of images; broken ones are listed with the reason."""
        broken: dict[str, str] = {}
        parts = [
            self._image_block(images[start : start + IMAGES_A_BLOCK], broken)
            for start in range(0, len(images), IMAGES_A_BLOCK)
        ]
        return EmbeddedImages(_stacked(parts), broken)

    def texts(self, texts: Sequence[str], long: str, prompt: str = "") -> EmbeddedTexts:
        """Vectors of texts, the mean of its windows where a long one is read in several."""
        whole = [f"{prompt} {text}" if prompt else text for text in texts]
        encode, ends = self._tokeniser.encode, self._tokeniser.ends
        cut = read_windows(encode, whole, self.limit, long, self.label, ends=ends, shown=texts)
        rows = self._rows(cut.rows)
        if len(cut.rows) == len(texts):
            return EmbeddedTexts(rows, cut.beyond)
        sums = np.zeros((len(texts), rows.shape[1]), dtype=np.float64)
        np.add.at(sums, cut.owner, rows * cut.shares[:, None])
        return EmbeddedTexts(sums.astype(np.float32), cut.beyond)

    def pixels(self, pixels: NDArray[np.float32]) -> Features:
        """Vectors of prepared pixels, not remembered; for explanations."""
        return self.model.embed_pixels(pixels)

    def _image_block(self, images: Sequence[ImageFile], broken: dict[str, str]) -> Features:
        keys = content_keys(images, broken)
        readable = {key: place for place, key in reversed(list(enumerate(keys))) if key is not None}

        def make(wanted: list[bytes]) -> Iterator[tuple[list[bytes], Features]]:
            chosen = [images[readable[key]] for key in wanted]
            for batch in pixel_batches(chosen, self.recipe, IMAGES_A_BATCH, broken):
                names = [wanted[place] for place in batch.places.tolist()]
                yield names, self.model.embed_pixels(batch.pixels)

        found = self._remembered(list(readable), make)
        for image, key in zip(images, keys, strict=True):
            if key is not None and key not in found:  # equal content is equally broken
                broken.setdefault(image.id, broken.get(images[readable[key]].id, "cannot be decoded."))
        return _in_order(keys, found)

    def _rows(self, rows: Ids) -> Features:
        keys = [hashlib.sha256(np.array(row, dtype=np.int32).tobytes()).digest()[:16] for row in rows]
        distinct = dict(zip(keys, rows, strict=True))

        def make(wanted: list[bytes]) -> Iterator[tuple[list[bytes], Features]]:
            by_length: dict[int, list[bytes]] = {}
            for key in wanted:
                by_length.setdefault(len(distinct[key]), []).append(key)
            for length, own in sorted(by_length.items(), reverse=True):
                size = max(1, _TOKENS_A_BATCH // max(length, 1))
                for start in range(0, len(own), size):
                    part = own[start : start + size]
                    batch = np.array([distinct[key] for key in part], dtype=np.int64)
                    yield part, self.model.embed_rows(batch)

        return _in_order(list(keys), self._remembered(list(distinct), make))

    def _remembered(
        self, keys: list[bytes], make: Callable[[list[bytes]], Iterator[tuple[list[bytes], Features]]]
    ) -> dict[bytes, Features]:
        """Vectors by key: those on disk, and those that `make` computes, which go there."""
        found = read_rows(self._cache, keys) if self._cache is not None else {}
        missing = [key for key in keys if key not in found]
        made: dict[bytes, Features] = {}
        for names, vectors in make(missing) if missing else ():
            made |= dict(zip(names, vectors, strict=True))
        if made and self._cache is not None:
            write_rows(self._cache, list(made), np.stack(list(made.values())), np.ones(len(made), dtype=bool))
        return found | made


def load_checked(layout: Layout, device: str, dtype: str, base: Path | None) -> VisionText:
    """The model of a layout, refused where its weights are for other images than were expected."""
    model = VisionText(layout, device, dtype, base)
    side = layout.recipe.crop
    if side is not None and side != model.side:
        raise InputError(
            f"{layout.weights}: is for images of {model.side} x {model.side} pixels, but {side} x {side} "
            "were expected. These weights belong to another model."
        )
    if layout.limit != model.limit:
        raise InputError(
            f"{layout.weights}: is for texts of {model.limit} tokens, but {layout.limit} were expected. "
            "These weights belong to another model."
        )
    return model


def _stacked(parts: Sequence[Features]) -> Features:
    """Rows of all parts; a part without any vector is a column of NaN and takes the others' width."""
    width = max((part.shape[1] for part in parts), default=1)
    wide = [
        part if part.shape[1] == width else np.full((len(part), width), np.nan, np.float32) for part in parts
    ]
    return np.concatenate(wide) if wide else np.empty((0, 1), dtype=np.float32)


def _in_order(keys: Sequence[bytes | None], found: dict[bytes, Features]) -> Features:
    width = len(next(iter(found.values()))) if found else 1
    rows = np.full((len(keys), width), np.nan, dtype=np.float32)
    for place, key in enumerate(keys):
        if key is not None and key in found:
            rows[place] = found[key]
    return rows
