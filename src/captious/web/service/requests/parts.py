"""The parts of a request, each checked by hand: what is wrong is said in one line, with its place."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from captious.corpus.ids import clean_id
from captious.errors import InputError, as_written, one_line
from captious.stats.resample import DEFAULT_SEED
from captious.web.service.limits import Limits

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


def json_object(value: object, where: str, keys: frozenset[str]) -> dict[str, Any]:
    """A JSON object with these keys and no others."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: {what_is(value)}. It must be a JSON object.")
    for key in value:
        if key not in keys:
            raise InputError(f'{where}: unknown key "{one_line(key, 40)}". Known: {", ".join(sorted(keys))}.')
    return value


def texts_of(value: object, where: str, most: int, limits: Limits) -> list[str]:
    """A list of at most `most` texts, none too long."""
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
        raise InputError(f"{where}: {what_is(value)}. It must be a list of strings.")
    if len(value) > most:
        raise InputError(f"{where}: has {len(value):,} texts; at most {most:,} are allowed.")
    for place, text in enumerate(value):
        if not isinstance(text, str):
            raise InputError(f"{where}[{place}]: {what_is(text)}. It must be a string.")
        if len(text) > limits.text_characters:
            refuse_too_long(f"{where}[{place}]", text, limits)
    return value


def texts_by_image(value: object, where: str, most: int, limits: Limits) -> dict[str, list[str]]:
    """Lists of texts by image id; empty where nothing is given."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{where}: {what_is(value)}. It must be an object: {{image: [texts]}}.")
    if len(value) > limits.captions:
        raise InputError(f"{where}: has {len(value):,} images; at most {limits.captions:,} are allowed.")
    return {
        image_id(image, where): texts_of(texts, f'{where}["{one_line(image, 40)}"]', most, limits)
        for image, texts in value.items()
    }


def image_id(value: object, where: str) -> str:
    """An image id as text."""
    image = clean_id(value)
    if image is None or len(image) > LONGEST_NAME:
        raise InputError(
            f"{where}: {what_is(value)}. An image id is a number, or a string of 1 to {LONGEST_NAME} "
            "characters."
        )
    return image


def metric_names(value: object, limits: Limits) -> tuple[str, ...]:
    """Names of metrics, each once; none where nothing is given."""
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


def given_names(metrics: Sequence[str]) -> tuple[str, ...]:
    """A job's metrics, for a line that names none; refused where the job names none either."""
    if not metrics:
        raise InputError('metrics: is missing. Give at least one, for example "metrics": ["bleu4"].')
    return tuple(metrics)


def pictures_of(value: object, uploaded: Mapping[str, bytes] | None, limits: Limits) -> Mapping[str, bytes]:
    """Image files by image id: those of the body, decoded, and those that were uploaded."""
    if value is None and not uploaded:
        return NO_PICTURES
    found = dict(uploaded or {})
    if value is not None:
        if not isinstance(value, dict):
            raise InputError(f"pictures: {what_is(value)}. It must be an object: {{image: file in base64}}.")
        for image, text in value.items():
            where = f'pictures["{one_line(image, 40)}"]'
            if not isinstance(text, str):
                raise InputError(f"{where}: {what_is(text)}. It must be the file in base64.")
            try:
                found[image_id(image, where)] = base64.b64decode(text, validate=True)
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


def encoders_of(value: object) -> Mapping[str, str]:
    """Systems' image encoders."""
    if value is None:
        return NO_ENCODERS
    if not isinstance(value, dict) or not all(
        isinstance(name, str) and len(name) <= LONGEST_NAME for name in value.values()
    ):
        raise InputError('encoders: must be {system: encoder}, for example {"clipcap": "CLIP"}.')
    return value


def intervals_of(value: object, limits: Limits) -> Intervals:
    """Which bootstrap intervals are asked for."""
    if value is None:
        return NO_INTERVALS
    found = json_object(value, "intervals", INTERVAL_KEYS)
    resamples, level, seed = (
        found.get("resamples", 1_000),
        found.get("level", 0.95),
        found.get("seed", DEFAULT_SEED),
    )
    if not _whole(resamples) or not 0 <= resamples <= limits.resamples:
        raise InputError(
            f"intervals.resamples: {what_is(resamples)}. It must be a whole number from 0 to "
            f"{limits.resamples:,}."
        )
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0.5 <= level <= 0.9999:
        raise InputError(f"intervals.level: {what_is(level)}. It must be a number from 0.5 to 0.9999.")
    if not _whole(seed) or not 0 <= seed <= LARGEST_SEED:
        raise InputError(
            f"intervals.seed: {what_is(seed)}. It must be a whole number from 0 to {LARGEST_SEED:,}."
        )
    return Intervals(resamples, float(level), seed)


def truth_of(value: object, where: str) -> bool:
    """A truth value; false where nothing is given."""
    if value is not None and not isinstance(value, bool):
        raise InputError(f"{where}: {what_is(value)}. It must be true or false.")
    return bool(value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def what_is(value: object) -> str:
    """What stands where something else should."""
    if value is None:
        return "is missing"
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number"
    return f"is {as_written(value, 40)}" if not isinstance(value, str) else f'is "{one_line(value, 40)}"'


def refuse_too_long(where: str, text: str, limits: Limits) -> NoReturn:
    """Refuse a text of too many characters."""
    raise InputError(
        f"{where}: has {len(text):,} characters; at most {limits.text_characters:,} are allowed."
    )
