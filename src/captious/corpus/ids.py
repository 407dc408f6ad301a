"""Image ids: one spelling for numbers and texts, and how ids of two files meet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

IMAGE_SUFFIX = re.compile(r"\.(?:jpe?g|png|gif|bmp|webp|tiff?)$", re.IGNORECASE)
_COCO_NAME = re.compile(r"coco_[a-z]+\d{4}_(\d+)", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"(\d+)(?:\.0+)?")
EXACT = 2.0**53  # beyond it a float no longer tells one whole number from the next


def clean_id(value: object) -> str | None:
    """An id as text; `None` for what cannot be one.

    >>> clean_id(391895), clean_id(391895.0), clean_id(" 391895"), clean_id(float("nan"))
    ('391895', '391895', '391895', None)
    """
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return None


def clean_ids(values: Sequence[object]) -> list[str | None]:
    """`clean_id` of a whole column."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return list(map(str, values))
    if kinds == {str}:
        return [text.strip() or None for text in values]  # type: ignore[attr-defined]
    return [clean_id(value) for value in values]


def loose_id(image_id: str) -> str:
    """What is left of an id without folder, image suffix, COCO prefix and leading zeros.

    >>> loose_id("val2014/COCO_val2014_000000391895.jpg"), loose_id("000000391895")
    ('391895', '391895')
    >>> loose_id("Flickr8k_Dataset/909191414_1cf5d85821.jpg")
    '909191414_1cf5d85821'
    """
    name = IMAGE_SUFFIX.sub("", image_id.replace("\\", "/").rpartition("/")[2])
    match = _COCO_NAME.fullmatch(name) or _WHOLE_NUMBER.fullmatch(name)
    return match.group(1).lstrip("0") or "0" if match else name


def meet(ids: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """For ids that are not among the known ones, the known id that they mean.

    An exactly matching id is never changed. Of the others, those whose `loose_id` is
    that of exactly one known id are taken for it.

    >>> meet(["COCO_val2014_000000000974.jpg", "12"], ["974", "12"])
    {'COCO_val2014_000000000974.jpg': '974'}
    """
    owned = known if isinstance(known, Mapping) else dict.fromkeys(known)
    strangers = dict.fromkeys(image for image in ids if image not in owned)
    if not strangers:
        return {}
    loose: dict[str, str | None] = {}
    for own in owned:
        key = loose_id(own)
        loose[key] = None if key in loose else own
    found = ((stranger, loose.get(loose_id(stranger))) for stranger in strangers)
    return {stranger: own for stranger, own in found if own is not None}
