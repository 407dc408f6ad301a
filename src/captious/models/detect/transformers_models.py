"""DETR (Carion et al. 2020) and every other object-detection checkpoint of transformers.

Images go through the checkpoint's own processor in its Pillow form, so torchvision is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from captious.errors import InputError, MissingDependencyError, one_line
from captious.models.detect.detector import (
    FLOOR,
    PAPER_THRESHOLDS,
    Detections,
    Prepared,
    fingerprint,
    need,
    ordered,
)
from captious.models.images import RGB
from captious.models.weights.find import VARIABLE, allowed

EXTRA = "models"
WHAT = "a transformers detector"
WEIGHTS = ("*.safetensors", "*.bin")
NO_OBJECT = "N/A"  # how DETR's checkpoints call the numbers that COCO left out


class TransformersDetector:
    """A checkpoint in a folder, in the hub's cache on this machine, or on the hub."""

    threshold = PAPER_THRESHOLDS["detr"]

    def __init__(self, model: str | Path) -> None:
        self.model = str(model)
        self.name = self.model.rstrip("/").rpartition("/")[2].partition("@")[0]

    @cached_property
    def folder(self) -> Path:
        """Where the checkpoint's files are; fetched first where only its name is known."""
        path = Path(self.model)
        return path if path.is_dir() else fetch(self.model)

    @cached_property
    def fingerprint(self) -> str:
        """Names the weights and settings."""
        weights = [path for kind in WEIGHTS for path in sorted(self.folder.glob(kind))]
        settings = [self.folder / "config.json", self.folder / "preprocessor_config.json"]
        present = [path for path in (*settings, *weights) if path.is_file()]
        return fingerprint(present, "transformers")

    def load(self) -> None:
        """Read the weights."""
        _ = self._model, self._processor

    def prepare(self, image: RGB) -> Prepared:
        """What the checkpoint's own processor does; one image, and so no padding."""
        inputs = self._processor(images=[image], return_tensors="pt")
        return Prepared(dict(inputs), image.shape[1], image.shape[0])

    def infer(self, images: Sequence[Prepared]) -> list[Detections]:
        """Images of one size run together: padding would let neighbours change the boxes."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, image in enumerate(images):
            groups.setdefault(tuple(image.tensor["pixel_values"].shape), []).append(i)
        found: dict[int, Detections] = {}
        for members in groups.values():
            found.update(zip(members, self._together([images[i] for i in members]), strict=True))
        return [found[i] for i in range(len(images))]

    def _together(self, images: Sequence[Prepared]) -> list[Detections]:
        torch, device = self._torch, self._model.device
        inputs = {
            name: torch.cat([image.tensor[name] for image in images]).to(device) for name in images[0].tensor
        }
        with torch.inference_mode():
            outputs = self._model(**inputs)
        sizes = [(image.height, image.width) for image in images]
        results = self._processor.post_process_object_detection(
            outputs, threshold=FLOOR, target_sizes=torch.tensor(sizes, device=device)
        )
        return [self._detections(*pair) for pair in zip(results, images, strict=True)]

    def _detections(self, result: dict[str, Any], image: Prepared) -> Detections:
        names = self._model.config.id2label
        numbers = result["labels"].tolist()
        real = [i for i, number in enumerate(numbers) if names.get(number, NO_OBJECT) != NO_OBJECT]
        boxes = result["boxes"].float().cpu().numpy().reshape(-1, 4)[real]
        scores = result["scores"].float().cpu().numpy()[real]
        labels = [names[numbers[i]] for i in real]
        return ordered(labels, np.asarray(boxes), np.asarray(scores), image.width, image.height)

    @cached_property
    def _torch(self) -> Any:
        return need("torch", WHAT, EXTRA)

    @cached_property
    def _processor(self) -> Any:
        transformers = need("transformers", WHAT, EXTRA)
        return self._loaded(transformers.AutoImageProcessor, backend="pil")

    @cached_property
    def _model(self) -> Any:
        device = "cuda" if self._torch.cuda.is_available() else "cpu"
        transformers = need("transformers", WHAT, EXTRA)
        model = self._loaded(transformers.AutoModelForObjectDetection)
        return model.eval().to(device)

    def _loaded(self, kind: Any, **options: Any) -> Any:
        try:
            return kind.from_pretrained(str(self.folder), local_files_only=True, **options)
        except (OSError, ValueError, ImportError, KeyError) as error:
            reason = one_line(" ".join(str(error).split()), 160).rstrip(".")
            raise InputError(
                f"{self.folder}: not an object-detection checkpoint for transformers ({reason}). "
                "Give a folder with config.json, preprocessor_config.json and the weights."
            ) from error


def fetch(model: str) -> Path:
    """The folder of a checkpoint on the hub, from the cache of this machine where it is there."""
    if find_spec("torch") is None:  # said before anything is fetched
        raise MissingDependencyError(f"{WHAT} needs torch", EXTRA)
    hub = need("huggingface_hub", WHAT, EXTRA)
    name, _, revision = model.partition("@")
    wanted = {"repo_id": name, "revision": revision or None, "allow_patterns": ["*.json", *WEIGHTS]}
    try:
        return Path(hub.snapshot_download(**wanted, local_files_only=True))
    except (OSError, ValueError):
        pass  # not on this machine yet
    if not allowed():
        raise InputError(
            f'"{one_line(model)}" is neither a folder nor a downloaded checkpoint, and nothing is '
            f"fetched unasked. Give its folder, or allow the download: {VARIABLE}=1."
        )
    try:
        return Path(hub.snapshot_download(**wanted))
    except (OSError, ValueError) as error:
        raise InputError(
            f'"{one_line(model)}" is neither a folder nor a checkpoint that can be fetched here '
            f"({type(error).__name__}). Download it on a machine with network access, and give its folder."
        ) from error
