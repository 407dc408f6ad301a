"""What a request asks for, read by hand: checking one caption costs microseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson

from captious.errors import InputError, one_line
from captious.web.service.limits import LIMITS, Limits
from captious.web.service.requests.parts import (
    LONGEST_NAME,
    NO_ENCODERS,
    NO_INTERVALS,
    NO_PICTURES,
    Intervals,
    encoders_of,
    given_names,
    image_id,
    intervals_of,
    json_object,
    metric_names,
    pictures_of,
    refuse_too_long,
    texts_by_image,
    texts_of,
    truth_of,
    what_is,
)

SYSTEM = "candidates"
KEYS = frozenset(
    {"metrics", "examples", "references", "objects", "pictures", "encoders", "intervals", "statistics"}
)
EXAMPLE_KEYS = frozenset({"caption", "image", "system", "references", "objects"})


class ScoreRequest(NamedTuple):
    """Captions to score, as columns; `pictures` are the image files by image id."""

    metrics: tuple[str, ...]
    captions: list[str]
    images: list[str]
    systems: list[str]
    references: list[list[str]] | None = None
    objects: dict[str, list[str]] | None = None
    pictures: Mapping[str, bytes] = NO_PICTURES
    encoders: Mapping[str, str] = NO_ENCODERS
    intervals: Intervals = NO_INTERVALS
    statistics: bool = False
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> tuple[object, ...]:
        """Requests of one kind may be scored in one call."""
        parts = self.references is None, self.objects is None, not self.pictures
        return self.metrics, parts, self.statistics


def read_request(
    body: bytes, limits: Limits = LIMITS, pictures: Mapping[str, bytes] | None = None
) -> ScoreRequest:
    """The request in a JSON body; `pictures` are those that were uploaded beside it.

    >>> read_request(b'{"metrics": ["bleu4"], "examples": [{"caption": "A dog.", "references": ["Dog."]}]}')
    ScoreRequest(metrics=('bleu4',), captions=['A dog.'], images=['0'], systems=['candidates'], ...
    """
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InputError(f"the body is not valid JSON: {one_line(str(error), 120)}.") from None
    return checked(document, limits, pictures=pictures)


def checked(
    document: object,
    limits: Limits = LIMITS,
    *,
    pictures: Mapping[str, bytes] | None = None,
    metrics: Sequence[str] = (),
) -> ScoreRequest:
    """A parsed body as a request; `metrics` are those of a job, where the body names none."""
    found = json_object(document, "the body", KEYS)
    examples = found.get("examples")
    if not isinstance(examples, list) or not examples:
        raise InputError('examples: must be a list with at least one {"caption": …}.')
    if len(examples) > limits.captions:
        raise InputError(
            f"examples: has {len(examples):,} captions; at most {limits.captions:,} are allowed in one "
            "request. Send fewer."
        )
    shared = texts_by_image(found.get("references"), "references", limits.references, limits)
    objects = texts_by_image(found.get("objects"), "objects", limits.objects, limits)
    columns = _Columns(limits, shared, objects)
    for place, example in enumerate(examples):
        columns.add(place, example)
    images = columns.image_ids()
    return ScoreRequest(
        metrics=metric_names(found.get("metrics"), limits) or given_names(metrics),
        captions=columns.captions,
        images=images,
        systems=columns.systems,
        references=columns.references if any(columns.references) else None,
        objects=columns.objects_of(images),
        pictures=pictures_of(found.get("pictures"), pictures, limits),
        encoders=encoders_of(found.get("encoders")),
        intervals=intervals_of(found.get("intervals"), limits),
        statistics=truth_of(found.get("statistics"), "statistics"),
    )


class _Columns:
    """The examples' parts, gathered one example at a time."""

    def __init__(
        self, limits: Limits, shared: dict[str, list[str]], objects: dict[str, list[str]] | None
    ) -> None:
        self.limits, self.shared, self.objects = limits, shared, objects
        self.captions: list[str] = []
        self.systems: list[str] = []
        self.references: list[list[str]] = []
        self.images: list[str | None] = []
        self.own_objects: list[list[str] | None] = []

    def add(self, place: int, example: object) -> None:
        """Check and keep one example."""
        if not isinstance(example, dict) or not EXAMPLE_KEYS.issuperset(example):
            json_object(example, f"examples[{place}]", EXAMPLE_KEYS)
            return
        caption = example.get("caption")
        if not isinstance(caption, str):
            raise InputError(
                f'examples[{place}].caption: {what_is(caption)}. Each example needs a "caption", a string.'
            )
        if len(caption) > self.limits.text_characters:
            refuse_too_long(f"examples[{place}].caption", caption, self.limits)
        image = None
        if example.get("image") is not None:
            image = image_id(example["image"], f"examples[{place}].image")
        system = example.get("system", SYSTEM)
        if not isinstance(system, str) or not 0 < len(system) <= LONGEST_NAME:
            raise InputError(
                f"examples[{place}].system: {what_is(system)}. Give a name of 1 to {LONGEST_NAME} characters."
            )
        self.captions.append(caption)
        self.images.append(image)
        self.systems.append(system)
        own = example.get("references")
        if own is None:
            self.references.append(self.shared.get(image, []) if image is not None else [])
        else:
            self.references.append(
                texts_of(own, f"examples[{place}].references", self.limits.references, self.limits)
            )
        labels = example.get("objects")
        if labels is not None:
            labels = texts_of(labels, f"examples[{place}].objects", self.limits.objects, self.limits)
        self.own_objects.append(labels)

    def image_ids(self) -> list[str]:
        """The images' ids; without any, each example is an image of its own."""
        given = [image for image in self.images if image is not None]
        if not given:
            return [str(place) for place in range(len(self.captions))]
        if len(given) < len(self.images):
            raise InputError(
                f'examples[{self.images.index(None)}].image: is missing. Give "image" in every '
                "example, or in none."
            )
        return given

    def objects_of(self, images: Sequence[str]) -> dict[str, list[str]] | None:
        """Objects by image: those of the request, and those that stand beside a caption."""
        if not self.objects and len(images) == 1:
            (labels,) = self.own_objects
            return None if labels is None else {images[0]: labels}
        found = dict(self.objects) if self.objects else {}
        any_given = self.objects is not None and len(self.objects) > 0
        for image, labels in zip(images, self.own_objects, strict=True):
            if labels is None:
                continue
            any_given = True
            if found.setdefault(image, labels) != labels:
                raise InputError(
                    f'objects of image "{one_line(image, 40)}": has two different lists. Give one.'
                )
        return found if any_given else None
