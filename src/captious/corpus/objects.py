"""Objects in images: lists of labels, counts, COCO instances, and who saw them.

Where several sources name the objects of an image (people, detectors), each label carries its
source: `d80:dog`. A file gives them as `{id: {source: [labels]}}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from captious.corpus.ids import clean_id, meet
from captious.corpus.readers.open import PathText, Source, open_source
from captious.corpus.readers.parse import parse_json
from captious.corpus.types import Ragged
from captious.errors import InputError, one_line

EXPECTED = "Give {id: [labels]}, {id: {label: count}}, {id: {source: [labels]}} or COCO instances."
SOURCE_MARK = ":"
MOST_INSTANCES = 10_000  # of one label in one image; COCO's most crowded images have hundreds


def read_objects(path: PathText, image_ids: Sequence[str]) -> Ragged:
    """The object labels of each image, a label as often as there are instances of it.

    An image that the file does not name has no objects. Ids meet as those of captions do.
    """
    labels = labels_by_image(path)
    spelled = {known: image for image, known in meet(labels, image_ids).items()}
    found = [labels.get(image) or labels.get(spelled.get(image, ""), []) for image in image_ids]
    if not any(image in labels or image in spelled for image in image_ids):
        ours, theirs = one_line(image_ids[0], 40), one_line(next(iter(labels)), 40)
        raise InputError(
            f'{path}: no image id matches a caption (object id "{theirs}", image id "{ours}"). '
            "Use the same ids in both files."
        )
    return Ragged.from_lists(found)


def labels_by_image(path: PathText) -> dict[str, list[str]]:
    """Image id -> labels, from any of the formats."""
    source = open_source(path)
    if source.is_parquet or not source.data.lstrip().startswith(b"{"):
        raise InputError(f"{source.name}: is not a JSON object. {EXPECTED}")
    document = parse_json(source)
    if not document:
        raise InputError(f"{source.name}: the object is empty. {EXPECTED}")
    if "annotations" in document:
        return _from_instances(source, document)
    return {key: _labels(source, key, value) for key, value in document.items()}


def split_source(label: str) -> tuple[str, str]:
    """The source that a label carries, empty where it carries none, and the label itself.

    >>> split_source("d80:dining table"), split_source("dog")
    (('d80', 'dining table'), ('', 'dog'))
    """
    source, mark, own = label.partition(SOURCE_MARK)
    return (source, own) if mark else ("", label)


def _labels(source: Source, key: str, value: object) -> list[str]:
    where = f'{source.name}: key "{one_line(key, 40)}"'
    if isinstance(value, list) and all(isinstance(label, str) for label in value):
        return value
    if isinstance(value, dict):
        if value and all(isinstance(own, (list, dict)) for own in value.values()):
            return [
                f"{name}{SOURCE_MARK}{label}"
                for name, own in value.items()
                for label in _labels(source, f"{key}/{name}", own)
            ]
        if not all(type(count) is int and count >= 0 for count in value.values()):
            raise InputError(f"{where}: a count is not a whole number. {EXPECTED}")
        if any(count > MOST_INSTANCES for count in value.values()):
            raise InputError(
                f"{where}: a count is above {MOST_INSTANCES:,}, more than any image contains. Correct it."
            )
        return [label for label, count in value.items() for _ in range(count)]
    raise InputError(f"{where}: contains neither a list of labels nor counts. {EXPECTED}")


def _from_instances(source: Source, document: dict[str, Any]) -> dict[str, list[str]]:
    try:
        names = {category["id"]: category["name"] for category in document["categories"]}
        labels: dict[str, list[str]] = {str(image["id"]): [] for image in document.get("images", [])}
        for number, instance in enumerate(document["annotations"], 1):
            image = clean_id(instance["image_id"])
            if image is None or instance["category_id"] not in names:
                raise InputError(
                    f"{source.name}: annotation {number}: unknown category or image id. {EXPECTED}"
                )
            labels.setdefault(image, []).append(names[instance["category_id"]])
    except (KeyError, TypeError) as error:
        missing = f" ({error} is missing)" if isinstance(error, KeyError) else ""
        raise InputError(f"{source.name}: not COCO instances{missing}. {EXPECTED}") from None
    return labels
