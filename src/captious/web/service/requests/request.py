"""What a request asks for, read by hand: checking one caption costs microseconds."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

import orjson

from captious.corpus.ids import clean_id
from captious.errors import InputError, as_written, one_line
from captious.stats.resample import DEFAULT_SEED
from captious.web.service.limits import LIMITS, Limits

SYSTEM = "candidates"
KEYS = frozenset(
    {"metrics", "examples", "references", "objects", "pictures", "encoders", "intervals", "statistics"}
)
EXAMPLE_KEYS = frozenset({"caption", "image", "system", "references", "objects"})
INTERVAL_KEYS = frozenset({"resamples", "level", "seed"})
LONGEST_NAME = 500
LONGEST_METRIC = 500
LARGEST_SEED = 2**63 - 1


class Intervals(NamedTuple):
    """Bootstrap intervals of the corpus values; none where `resamples` is 0."""

    resamples: int = 0
    level: float = 0.95
    seed: int = DEFAULT_SEED


NO_PICTURES: dict[str, bytes] = {}
NO_ENCODERS: dict[str, str] = {}
NO_INTERVALS = Intervals()


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
    found = _object(document, "the body", KEYS)
    examples = found.get("examples")
    if not isinstance(examples, list) or not examples:
        raise InputError('examples: must be a list with at least one {"caption": …}.')
    if len(examples) > limits.captions:
        raise InputError(
            f"examples: has {len(examples):,} captions; at most {limits.captions:,} are allowed in one "
            "request. Send fewer, or send a job."
        )
    shared = _texts_by_image(found.get("references"), "references", limits.references, limits)
    objects = _texts_by_image(found.get("objects"), "objects", limits.objects, limits)
    columns = _Columns(limits, shared, objects)
    for place, example in enumerate(examples):
        columns.add(place, example)
    images = columns.image_ids()
    return ScoreRequest(
        metrics=_metrics(found.get("metrics"), limits) or _given(metrics),
        captions=columns.captions,
        images=images,
        systems=columns.systems,
        references=columns.references if any(columns.references) else None,
        objects=columns.objects_of(images),
        pictures=_pictures(found.get("pictures"), pictures, limits),
        encoders=_encoders(found.get("encoders")),
        intervals=_intervals(found.get("intervals"), limits),
        statistics=_truth(found.get("statistics"), "statistics"),
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
            _object(example, f"examples[{place}]", EXAMPLE_KEYS)
            return
        caption = example.get("caption")
        if not isinstance(caption, str):
            raise InputError(
                f'examples[{place}].caption: {_is(caption)}. Each example needs a "caption", a string.'
            )
        if len(caption) > self.limits.text_characters:
            _too_long(f"examples[{place}].caption", caption, self.limits)
        image = None
        if example.get("image") is not None:
            image = _image_id(example["image"], f"examples[{place}].image")
        system = example.get("system", SYSTEM)
        if not isinstance(system, str) or not 0 < len(system) <= LONGEST_NAME:
            raise InputError(
                f"examples[{place}].system: {_is(system)}. Give a name of 1 to {LONGEST_NAME} characters."
            )
        self.captions.append(caption)
        self.images.append(image)
        self.systems.append(system)
        own = example.get("references")
        if own is None:
            self.references.append(self.shared.get(image, []) if image is not None else [])
        else:
            self.references.append(
                _texts(own, f"examples[{place}].references", self.limits.references, self.limits)
            )
        labels = example.get("objects")
        if labels is not None:
            labels = _texts(labels, f"examples[{place}].objects", self.limits.objects, self.limits)
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


def _object(value: object, where: str, keys: frozenset[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: {_is(value)}. It must be a JSON object.")
    for key in value:
        if key not in keys:
            raise InputError(f'{where}: unknown key "{one_line(key, 40)}". Known: {", ".join(sorted(keys))}.')
    return value


def _texts(value: object, where: str, most: int, limits: Limits) -> list[str]:
    if type(value) is list and len(value) <= most:
        longest = limits.text_characters
        for text in value:
            if type(text) is not str or len(text) > longest:
                break
        else:
            return value
    return _checked_texts(value, where, most, limits)


def _checked_texts(value: object, where: str, most: int, limits: Limits) -> list[str]:
    """What is wrong with a list of texts, in one line."""
    if not isinstance(value, list):
        raise InputError(f"{where}: {_is(value)}. It must be a list of strings.")
    if len(value) > most:
        raise InputError(f"{where}: has {len(value):,} texts; at most {most:,} are allowed.")
    for place, text in enumerate(value):
        if not isinstance(text, str):
            raise InputError(f"{where}[{place}]: {_is(text)}. It must be a string.")
        if len(text) > limits.text_characters:
            _too_long(f"{where}[{place}]", text, limits)
    return value


def _texts_by_image(value: object, where: str, most: int, limits: Limits) -> dict[str, list[str]]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{where}: {_is(value)}. It must be an object: {{image: [texts]}}.")
    if len(value) > limits.captions:
        raise InputError(f"{where}: has {len(value):,} images; at most {limits.captions:,} are allowed.")
    return {
        _image_id(image, where): _texts(texts, f'{where}["{one_line(image, 40)}"]', most, limits)
        for image, texts in value.items()
    }


def _image_id(value: object, where: str) -> str:
    image = clean_id(value)
    if image is None or len(image) > LONGEST_NAME:
        raise InputError(
            f"{where}: {_is(value)}. An image id is a number, or a string of 1 to {LONGEST_NAME} characters."
        )
    return image


def _metrics(value: object, limits: Limits) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(map(_is_text, value)):
        raise InputError('metrics: must be a list of names, for example ["cider", "sentsim[agg=mean]"].')
    if not 0 < len(value) <= limits.metrics:
        raise InputError(f"metrics: has {len(value)} names; give 1 to {limits.metrics}.")
    return _names(tuple(value))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


@lru_cache(maxsize=256)
def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    """Names of metrics, each once; most requests ask for the same."""
    long = next((name for name in given if len(name) > LONGEST_METRIC), None)
    if long is not None:
        raise InputError(f'metrics: "{one_line(long, 40)}" is not a metric name.')
    return tuple(dict.fromkeys(name.strip() for name in given))


def _given(metrics: Sequence[str]) -> tuple[str, ...]:
    if not metrics:
        raise InputError('metrics: is missing. Give at least one, for example "metrics": ["bleu4"].')
    return tuple(metrics)


def _pictures(value: object, uploaded: Mapping[str, bytes] | None, limits: Limits) -> Mapping[str, bytes]:
    if value is None and not uploaded:
        return NO_PICTURES
    found = dict(uploaded or {})
    if value is not None:
        if not isinstance(value, dict):
            raise InputError(f"pictures: {_is(value)}. It must be an object: {{image: file in base64}}.")
        for image, text in value.items():
            where = f'pictures["{one_line(image, 40)}"]'
            if not isinstance(text, str):
                raise InputError(f"{where}: {_is(text)}. It must be the file in base64.")
            try:
                found[_image_id(image, where)] = base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                raise InputError(f"{where}: is not valid base64.") from None
    if len(found) > limits.pictures:
        raise InputError(f"pictures: has {len(found):,} images; at most {limits.pictures:,} are allowed.")
    for image, content in found.items():
        if len(content) > limits.picture_bytes:
            most = limits.picture_bytes / 2**20
            raise InputError(
                f'picture of image "{one_line(image, 40)}": is larger than {most:g} MB. Make it smaller.'
            )
    return found


def _encoders(value: object) -> Mapping[str, str]:
    if value is None:
        return NO_ENCODERS
    if not isinstance(value, dict) or not all(
        isinstance(name, str) and len(name) <= LONGEST_NAME for name in value.values()
    ):
        raise InputError('encoders: must be {system: encoder}, for example {"clipcap": "CLIP"}.')
    return value


def _intervals(value: object, limits: Limits) -> Intervals:
    if value is None:
        return NO_INTERVALS
    found = _object(value, "intervals", INTERVAL_KEYS)
    resamples, level, seed = (
        found.get("resamples", 1_000),
        found.get("level", 0.95),
        found.get("seed", DEFAULT_SEED),
    )
    if not _whole(resamples) or not 0 <= resamples <= limits.resamples:
        raise InputError(
            f"intervals.resamples: {_is(resamples)}. It must be a whole number from 0 to "
            f"{limits.resamples:,}."
        )
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0.5 <= level <= 0.9999:
        raise InputError(f"intervals.level: {_is(level)}. It must be a number from 0.5 to 0.9999.")
    if not _whole(seed) or not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"intervals.seed: {_is(seed)}. It must be a whole number from 0 to {LARGEST_SEED}.")
    return Intervals(resamples, float(level), seed)


def _truth(value: object, where: str) -> bool:
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{where}: {_is(value)}. It must be true or false.")
    return bool(value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is(value: object) -> str:
    """What stands where something else should."""
    if value is None:
        return "is missing"
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number"
    return f"is {as_written(value, 40)}" if not isinstance(value, str) else f'is "{one_line(value, 40)}"'


def _too_long(where: str, text: str, limits: Limits) -> NoReturn:
    raise InputError(
        f"{where}: has {len(text):,} characters; at most {limits.text_characters:,} are allowed."
    )
