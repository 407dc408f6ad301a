"""Which column means what: the many names that files of this field give to the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterable

ALT_TEXTS = ("alt_text", "alt", "alternative_text", "alt_attribute")
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
        "image_file",
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
        "image_src",
        "image_source",
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
        *ALT_TEXTS,
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
    "context": ("context", "page_title", "page", "page_url", "surrounding_text", "nearby_text"),
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
_BLANKS = re.compile(r"[\s-]+")
NUMBERED_REFERENCE = re.compile(r"(?:reference|ref)[ _-]?\d+", re.IGNORECASE)
NUMBERED_RATING = re.compile(r"ratings?(?:[ _-]?\d+)?", re.IGNORECASE)


def roles_of(keys: Iterable[str]) -> dict[str, str]:
    """For each role that the keys hold, the key that plays it.

    >>> roles_of(["SYS", "seg_id", "hyp", "image"]), roles_of(["Image File", "Alt Text"])
    ({'image': 'seg_id', 'caption': 'hyp', 'system': 'SYS'}, {'image': 'Image File', 'caption': 'Alt Text'})
    """
    by_name: dict[str, str] = {}
    for key in keys:
        by_name.setdefault(folded(key), key)
    found = {}
    for role, names in ROLES.items():
        for name in names:
            if name in by_name:
                found[role] = by_name[name]
                break
    return found


def folded(key: str) -> str:
    """A column's name without what does not change its meaning.

    >>> folded("Alt Text"), folded(" image-ID")
    ('alt_text', 'image_id')
    """
    return _BLANKS.sub("_", key.strip().casefold())


def is_of_use(key: str) -> bool:
    """Whether a column is one that captious reads; others are dropped to save memory."""
    name = folded(key)
    return (
        any(name in names for names in ROLES.values())
        or key in THUMB_ASPECTS
        or NUMBERED_REFERENCE.fullmatch(name) is not None
        or NUMBERED_RATING.fullmatch(name) is not None
    )
