"""Which column means what: the many names that files of this field give to the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterable

# In order of trust: a file with "image_id" and "id" means the first by image, the second by row.
ROLES: dict[str, tuple[str, ...]] = {
    "image": (
        "image_id",
        "imageid",
        "img_id",
        "imgid",
        "cocoid",
        "coco_id",
        "seg_id",
        "image",
        "img",
        "image_name",
        "file_name",
        "filename",
        "image_path",
        "id",
        "key",
        "item",
        "item_id",
        "url",
        "image_url",
        "img_url",
        "src",
        "index",
    ),
    "caption": (
        "caption",
        "candidate",
        "hyp",
        "hypothesis",
        "mt",
        "prediction",
        "predicted_caption",
        "generated_caption",
        "alt_text",
        "alt",
        "text",
        "sentence",
        "caption_wordpiece_detok",
    ),
    "references": (
        "references",
        "refs",
        "reference",
        "ref",
        "gts",
        "captions",
        "sentences",
        "answer",
        "answers",
    ),
    "system": ("system", "sys", "model", "method"),
    "rater": ("rater", "rater_id", "annotator", "worker", "worker_id"),
    "aspect": ("aspect",),
    "rating": ("rating", "human_score", "judgment", "value", "relevance", "target", "score"),
    "stage": ("stage",),
    "example": ("example", "example_id"),
    "time": ("time",),
    "image_path": ("image_path",),
    "objects": ("objects",),
    "encoder": ("encoder", "image_encoder", "system_encoder"),
}

# THumB 2.2: P and R are scales of 1 to 5, the others penalties (negative in the published file).
THUMB_ASPECTS = {
    "P": "precision",
    "R": "recall",
    "Fl": "fluency",
    "Con": "conciseness",
    "Inc": "inclusive_language",
    "human_score": "total",
}
NUMBERED_REFERENCE = re.compile(r"(?:reference|ref)[ _-]?\d+", re.IGNORECASE)
NUMBERED_RATING = re.compile(r"ratings?(?:[ _-]?\d+)?", re.IGNORECASE)


def roles_of(keys: Iterable[str]) -> dict[str, str]:
    """For each role that the keys hold, the key that plays it.

    >>> roles_of(["SYS", "seg_id", "hyp", "image"])
    {'image': 'seg_id', 'caption': 'hyp', 'system': 'SYS'}
    """
    folded: dict[str, str] = {}
    for key in keys:
        folded.setdefault(key.strip().casefold(), key)
    found = {}
    for role, names in ROLES.items():
        for name in names:
            if name in folded:
                found[role] = folded[name]
                break
    return found


def is_of_use(key: str) -> bool:
    """Whether a column is one that captious reads; others are dropped to save memory."""
    name = key.strip().casefold()
    return (
        any(name in names for names in ROLES.values())
        or key in THUMB_ASPECTS
        or NUMBERED_REFERENCE.fullmatch(name) is not None
        or NUMBERED_RATING.fullmatch(name) is not None
    )
