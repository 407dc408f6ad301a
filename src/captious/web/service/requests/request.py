"""What a request asks for: msgspec decodes and checks it, and the same types describe it in OpenAPI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from captious.corpus.ids import clean_id
from captious.errors import InputError, one_line
from captious.stats.resample import DEFAULT_SEED
from captious.web.service.settings import LIMITS

SYSTEM = "candidates"
LONGEST_NAME = 500

Text = Annotated[str, Meta(max_length=LIMITS.text_characters)]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Image = Name | int
References = Annotated[list[Text], Meta(max_length=LIMITS.references)]
Objects = Annotated[list[Text], Meta(max_length=LIMITS.objects)]
MetricName = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, examples=["sentsim[agg=mean]"])]


class Example(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A caption, with what it is scored against."""

    caption: Text
    image: Image | None = None
    system: Name = SYSTEM
    references: References | None = None
    objects: Objects | None = None


class Intervals(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Bootstrap intervals of the corpus values; none where `resamples` is 0."""

    resamples: Annotated[int, Meta(ge=0, le=LIMITS.resamples)] = 1_000
    level: Annotated[float, Meta(ge=0.5, le=0.9999)] = 0.95
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = DEFAULT_SEED


class ScoreBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /score`: captions to score, and the metrics.

    `references` and `objects` are by image, for all examples of it; `pictures` are files in base64;
    `encoders` are the image encoders of systems; `statistics` adds those of each example.
    """

    metrics: Annotated[list[MetricName], Meta(min_length=1, max_length=LIMITS.metrics)]
    examples: Annotated[list[Example], Meta(min_length=1, max_length=LIMITS.captions)]
    references: Annotated[dict[str, References], Meta(max_length=LIMITS.captions)] | None = None
    objects: Annotated[dict[str, Objects], Meta(max_length=LIMITS.captions)] | None = None
    pictures: Annotated[dict[str, bytes], Meta(max_length=LIMITS.pictures)] | None = None
    encoders: dict[str, Name] | None = None
    intervals: Intervals | None = None
    statistics: bool = False


T = TypeVar("T")
NO_INTERVALS = Intervals(resamples=0)
_decoder = msgspec.json.Decoder(ScoreBody)


class ScoreRequest(NamedTuple):
    """Captions to score, as columns; `pictures` are the image files by image id."""

    metrics: tuple[str, ...]
    captions: list[str]
    images: list[str]
    systems: list[str]
    references: list[list[str]] | None = None
    objects: dict[str, list[str]] | None = None
    pictures: Mapping[str, bytes] = {}
    encoders: Mapping[str, str] = {}
    intervals: Intervals = NO_INTERVALS
    statistics: bool = False
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> tuple[object, ...]:
        """Requests of one kind may be scored in one call."""
        parts = self.references is None, self.objects is None, not self.pictures
        return self.metrics, parts, self.statistics


def read_request(body: bytes, pictures: Mapping[str, bytes] | None = None) -> ScoreRequest:
    """The request in a JSON body; `pictures` are those that were uploaded beside it.

    >>> read_request(b'{"metrics": ["bleu4"], "examples": [{"caption": "A dog.", "references": ["Dog."]}]}')
    ScoreRequest(metrics=('bleu4',), captions=['A dog.'], images=['0'], systems=['candidates'], ...
    >>> read_request(b'{"metrics": ["bleu4"], "examples": [{"caption": 5}]}')
    Traceback (most recent call last):
    captious.errors.InputError: examples[0].caption: expected str, got int.
    """
    try:
        found = _decoder.decode(body)
    except msgspec.ValidationError as error:
        raise InputError(_said(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"the body is not valid JSON: {one_line(str(error), 120)}.") from None
    return _columns(found, pictures or {})


def schemas() -> dict[str, Any]:
    """The schema of a request and of its parts, for OpenAPI."""
    _, found = msgspec.json.schema_components([ScoreBody], ref_template="#/components/schemas/{name}")
    return found


def _said(message: str) -> str:
    """msgspec's message with the place first.

    >>> _said("Object missing required field `metrics`")
    'the body: object missing required field "metrics".'
    >>> _said("Object contains unknown field `n` - at `$.intervals`")
    'intervals: object contains unknown field "n". Known: resamples, level, seed.'
    """
    what, _, place = message.partition(" - at `$")
    where = place.rstrip("`").removeprefix(".") or "the body"
    what = what[:1].lower() + what[1:]
    if what.startswith("expected"):
        return f"{where}: {what.replace('`', '')}."
    line = f"{where}: {one_line(what, 120).replace('`', chr(34))}."
    if "unknown field" in what:
        kind = {"the body": ScoreBody, "intervals": Intervals}.get(where, Example)
        line += f" Known: {', '.join(kind.__struct_fields__)}."
    return line


def _columns(found: ScoreBody, uploaded: Mapping[str, bytes]) -> ScoreRequest:
    examples = found.examples
    images = _image_ids(examples)
    references = _references(found, images)
    return ScoreRequest(
        metrics=tuple(dict.fromkeys(name.strip() for name in found.metrics)),
        captions=[one.caption for one in examples],
        images=images,
        systems=[one.system for one in examples],
        references=references if any(references) else None,
        objects=_objects(found, images),
        pictures=_pictures(found, uploaded),
        encoders=found.encoders or {},
        intervals=found.intervals or NO_INTERVALS,
        statistics=found.statistics,
    )


def _image_ids(examples: Sequence[Example]) -> list[str]:
    """The images' ids; without any, each example is an image of its own."""
    given = [place for place, one in enumerate(examples) if one.image is not None]
    if not given:
        return [str(place) for place in range(len(examples))]
    if len(given) < len(examples):
        place = next(place for place, one in enumerate(examples) if one.image is None)
        raise InputError(f'examples[{place}].image: is missing. Give "image" in every example, or in none.')
    return [_image_id(one.image, f"examples[{place}].image") for place, one in enumerate(examples)]


def _image_id(value: object, where: str) -> str:
    image = clean_id(value)
    if image is None:
        raise InputError(f"{where}: is empty. An image id is a number, or a string of 1 to {LONGEST_NAME}.")
    return image


def _references(found: ScoreBody, images: Sequence[str]) -> list[list[str]]:
    """The references of each example: its own, else those of its image."""
    shared = _by_image(found.references, "references")
    return [
        one.references if one.references is not None else shared.get(image, []) if shared else []
        for one, image in zip(found.examples, images, strict=True)
    ]


def _objects(found: ScoreBody, images: Sequence[str]) -> dict[str, list[str]] | None:
    """Objects by image: those of the request, and those that stand beside a caption."""
    objects = _by_image(found.objects, "objects")
    for one, image in zip(found.examples, images, strict=True):
        if one.objects is not None and objects.setdefault(image, one.objects) != one.objects:
            raise InputError(f'objects of image "{one_line(image, 40)}": has two different lists. Give one.')
    return objects or None


def _by_image(given: Mapping[str, T] | None, where: str) -> dict[str, T]:
    return {_image_id(image, where): one for image, one in given.items()} if given else {}


def _pictures(found: ScoreBody, uploaded: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Image files by image id: those of the body, and those that were uploaded."""
    pictures = dict(uploaded) | _by_image(found.pictures, "pictures")
    if len(pictures) > LIMITS.pictures:
        raise InputError(f"pictures: has {len(pictures):,} images; at most {LIMITS.pictures:,} are allowed.")
    for image, content in pictures.items():
        if len(content) > LIMITS.picture_bytes:
            most = LIMITS.picture_bytes / 2**20
            raise InputError(
                f'picture of image "{one_line(image, 40)}": is larger than {most:g} MB. Make it smaller.'
            )
    return pictures
