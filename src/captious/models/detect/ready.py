"""Which detectors can run here, and the command that gets what is missing."""

from __future__ import annotations

from importlib.util import find_spec

from captious.models.locate import CARRIERS, SSD, get_command

DETECT = 'pip install "captious[detect]"'
MODELS = 'pip install "captious[models]"'
# Detector -> modules that it needs, each with the command that installs it.
NEEDS: dict[str, dict[str, str]] = {
    "ssd": {"PIL": DETECT, "cv2": DETECT, CARRIERS[SSD].module: get_command(SSD)},
    "frozen graph": {"PIL": DETECT, "cv2": DETECT},
    "yolo (.onnx)": {"PIL": DETECT, "cv2": DETECT, "onnxruntime": DETECT},
    "detr, transformers": {"PIL": DETECT, "torch": MODELS, "transformers": MODELS},
}


def missing_for_detectors() -> dict[str, str]:
    """For each kind of detector the commands that make it run; empty where it can run.

    >>> sorted(missing_for_detectors())
    ['detr, transformers', 'frozen graph', 'ssd', 'yolo (.onnx)']
    """
    return {
        kind: " && ".join(
            dict.fromkeys(command for module, command in needs.items() if find_spec(module) is None)
        )
        for kind, needs in NEEDS.items()
    }
