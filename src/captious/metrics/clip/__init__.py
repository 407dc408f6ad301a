"""CLIPScore and its family: cosines of an image-text encoder, with references and without."""

from captious.metrics.clip.family import ClipFamily
from captious.metrics.clip.metrics import (
    ClipScore,
    McipScore,
    McipScoreRef,
    PacScore,
    RefClipScore,
    RefOnlyC,
    RefPacScore,
)

__all__ = [
    "ClipFamily",
    "ClipScore",
    "McipScore",
    "McipScoreRef",
    "PacScore",
    "RefClipScore",
    "RefOnlyC",
    "RefPacScore",
]
