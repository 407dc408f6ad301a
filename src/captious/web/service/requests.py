"""What a request asks for, and which metrics the service offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from captious.corpus.ids import clean_id
from captious.errors import InputError, UnknownNameError, one_line
from captious.groups import GROUPS, Chosen, expand, members
from captious.metrics import Metric, resolve
from captious.metrics.document_frequency import CORPUS
from captious.metrics.registry import name_and_options, option_values
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
    `encoders` are the image encoders of systems; `statistics` adds those of each example, and `findings` what
    metrics find wrong in it.
    """

    metrics: Annotated[list[MetricName], Meta(min_length=1, max_length=LIMITS.metrics)]
    examples: Annotated[list[Example], Meta(min_length=1, max_length=LIMITS.captions)]
    references: Annotated[dict[str, References], Meta(max_length=LIMITS.captions)] | None = None
    objects: Annotated[dict[str, Objects], Meta(max_length=LIMITS.captions)] | None = None
    pictures: Annotated[dict[str, bytes], Meta(max_length=LIMITS.pictures)] | None = None
    encoders: dict[str, Name] | None = None
    intervals: Intervals | None = None
    statistics: bool = False
    findings: bool = False


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
    findings: bool = False

    @property
    def words(self) -> int:
        """What there is to read: the words of captions and references, once for each metric."""
        texts = [*self.captions, *(text for own in self.references or () for text in own)]
        # Scripts without spaces have about two characters a word.
        return len(self.metrics) * sum(max(text.count(" ") + 1, len(text.encode()) // 6) for text in texts)

    @property
    def kind(self) -> tuple[object, ...]:
        """Requests of one kind may be scored in one call."""
        parts = self.references is None, self.objects is None, not self.pictures
        return self.metrics, parts, self.statistics, self.findings


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
        findings=found.findings,
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


# Which metrics the service offers, and which of their options a request may set.
# The operator names metrics with any option. A request may set numbers, truth values and the choices of
# a few words; never an option that names a file, a model, an address or a device of the server. Saved
# document frequencies are offered by name: `cider[df=coco]` is the table `df/coco.npz` of the folder.


# Text options whose values are words of a list that the metric itself checks.
WORDS = frozenset(
    {"agg", "part", "reference_length", "documents", "tokeniser", "held_out", "objects", "prompt", "long"}
    | {"report", "matchers", "variant", "kinds", "dialect", "smooth", "effective_order", "labels", "stop"}
    | {"norm", "oov", "counts", "references", "union", "other", "rule", "small"}
)
# Numbers and truth values that change what the server does, not what is computed.
OPERATORS = frozenset({"cache", "send", "workers", "retries", "wait", "timeout", "price_in", "price_out"})
MOST_KEPT = 512


class Offer:
    """The metrics of a service.

    >>> offer = Offer("classic,cider_original[sigma=4]")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown option of cider_original "sigma". Known: ...
    >>> sorted(Offer("bleu4,cider").metrics)
    ['bleu4', 'cider']
    """

    def __init__(self, specifications: str, tables: Path | None = None) -> None:
        self.specifications, self.tables = specifications, tables
        self.metrics: dict[str, Metric] = {}
        self._known: dict[str, Metric] = {}
        for one in expand(specifications).metrics:
            metric = resolve(one)
            if metric.name in self.metrics and self.metrics[metric.name] != metric:
                raise InputError(f"{metric.name}: is given twice with different options. Give it once.")
            self.metrics[metric.name] = metric
        if not self.metrics:
            raise InputError("no metrics are given. Give some, for example classic or cider,spice,sentsim.")

    def ready(self) -> None:
        """Refuse, before the service starts, metrics that cannot run here."""
        for metric in self.metrics.values():
            metric.ready()

    def table_names(self) -> list[str]:
        """Document frequencies that `df=` may name."""
        if self.tables is None or not self.tables.is_dir():
            return []
        return sorted(path.stem for path in self.tables.glob("*.npz"))

    def settled(self, request: ScoreRequest) -> ScoreRequest:
        """The request with groups by their members; refused where it asks for what is not offered.

        Of a group those metrics remain that are offered and that the request has enough for, as
        `captious score` does it; a note names the others.
        """
        found: dict[str, None] = {}
        left_out: dict[str, str] = {}
        for name in request.metrics:
            if name not in GROUPS:
                self.metric(name)
                found[name] = None
                continue
            for member in members(name):
                offered = self.metrics.get(member)
                why = "not offered here." if offered is None else _missing(request, offered)
                if why:
                    left_out[member] = why
                else:
                    found[member] = None
        notes = tuple(Chosen([], left_out).reasons()) if left_out else ()
        if not found:
            raise InputError(f"metrics: none can be computed. {' '.join(notes)} {self._those()}")
        if tuple(found) == request.metrics:
            return request
        return request._replace(metrics=tuple(found), notes=notes)

    def named(self, names: Sequence[str]) -> dict[str, Metric]:
        """Metrics by the names that were asked for, without groups."""
        return {name: self.metric(name) for name in names}

    def metric(self, specification: str) -> Metric:
        """The metric of a name with options, checked once and then remembered."""
        known = self._known.get(specification)
        if known is None:
            known = self._made(specification)
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[specification] = known
        return known

    def _made(self, specification: str) -> Metric:
        name, options = name_and_options(specification)
        offered = self.metrics.get(name)
        if offered is None:
            raise InputError(f'metrics: "{one_line(name, 40)}" is not offered here. {self._those()}')
        values = option_values(type(offered), options)
        for option, value in values.items():
            values[option] = self._allowed(offered, option, value)
        return replace(offered, **values) if values else offered

    def _allowed(self, metric: Metric, option: str, value: Any) -> Any:
        if option == "df":
            return self._table(metric, value)
        default = next(own.default for own in fields(metric) if own.name == option)
        free = option in WORDS if isinstance(default, str) else option not in OPERATORS
        ours = type(metric).__module__.startswith("captious.")
        if not free or (isinstance(default, str) and not ours):
            raise InputError(
                f'{metric.name}: the option "{option}" can be set only on the server. Leave it out.'
            )
        return value

    def _table(self, metric: Metric, name: str) -> str:
        if name == CORPUS:
            return name
        names = self.table_names()
        if self.tables is None or name not in names:
            if not names:
                raise InputError(
                    f"{metric.name}: this service has no tables of document frequencies. Leave out df."
                )
            raise UnknownNameError("table of document frequencies", name, [CORPUS, *names])
        return str(self.tables / f"{name}.npz")

    def _those(self) -> str:
        return f"Offered: {', '.join(sorted(self.metrics))}."


def _missing(request: ScoreRequest, metric: Metric) -> str:
    """What a request lacks for a metric; empty where it has enough."""
    given = {
        "references": request.references is not None,
        "objects": request.objects is not None,
        "image": bool(request.pictures),
    }
    for need in sorted(metric.needs):
        if not given[need]:
            return f"no {'images' if need == 'image' else need} were given."
    if "references" in metric.needs and len(set(request.images)) < metric.fewest_images:
        return f"at least {metric.fewest_images} images are needed."
    return ""
