"""Arguments of public functions: what is not of the kind that its annotation names is refused in one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple

from captious.errors import InputError, one_line


class Kind(NamedTuple):
    """What a value should be, in words, and whether one is."""

    words: str
    fits: Callable[[Any], bool]


def check_arguments(function: Any, given: Mapping[str, Any]) -> None:
    """Refuse values of `given` that the annotations of `function` (or fields of a class) do not allow.

    Call it first with `locals()`. An annotation that is not in plain kinds, such as `Any`, allows all.

    >>> def half(of: float, name: str | None = None) -> float:
    ...     check_arguments(half, locals())
    ...     return of / 2
    >>> half(None)
    Traceback (most recent call last):
    captious.errors.InputError: of must be a number; found None.
    >>> half(3, name=[7])
    Traceback (most recent call last):
    captious.errors.InputError: name must be text or None; found a list of int.
    """
    code = getattr(function, "__code__", None)
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else function.__annotations__
    for name, annotation in function.__annotations__.items():
        if name in own:
            kinds = _kinds(str(annotation))
            if not any(kind.fits(given[name]) for kind in kinds):
                wanted = " or ".join(dict.fromkeys(kind.words for kind in kinds))
                raise InputError(f"{name} must be {wanted}; found {found_kind(given[name])}.")


def found_kind(value: object) -> str:
    """What a value is, in words, for a message that refuses it."""
    if value is None or isinstance(value, str | bytes | Real):
        return one_line(repr(value), 40)
    name = type(value).__name__
    held = sorted({type(own).__name__ for own in value}) if isinstance(value, list | tuple | set) else []
    of = f" of {', '.join(held[:3])}" if held else ""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}{of}"


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value == value  # noqa: PLR0124 - no NaN


def _is_list(value: object) -> bool:
    other = isinstance(value, str | bytes | Mapping) or hasattr(value, "columns")  # a text, a dict, a table
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and not other


def _is_called(*names: str) -> Callable[[Any], bool]:
    """Whether a value is of a class of one of these names, which need not be imported for it."""
    return lambda value: any(own.__name__ in names for own in type(value).__mro__)


TEXT = Kind("text", lambda value: isinstance(value, str))
PATH = Kind("a path", lambda value: isinstance(value, str | PathLike))
FUNCTION = Kind("a function", callable)
CORPUS = "a corpus, as captious.load_corpus(captions, references) makes one"
KINDS = {
    "None": Kind("None", lambda value: value is None),
    "bool": Kind("True or False", lambda value: isinstance(value, bool) or type(value).__name__ == "bool_"),
    "int": Kind("a whole number", lambda value: _is_number(value) and isinstance(value, Integral)),
    "float": Kind("a number", _is_number),
    "str": TEXT,
    # Choices among words: the function names them.
    **dict.fromkeys(("Duplicates", "EngineName", "IntervalBy", "Leaked"), TEXT),
    **dict.fromkeys(("Path", "PathText", "PathLike[str]", "os.PathLike[str]"), PATH),
    **dict.fromkeys(("Progress", "Report"), FUNCTION),
    "FloatArray": Kind("an array", _is_list),
    "Corpus": Kind(CORPUS, _is_called("Corpus")),
    "ShardedCorpus": Kind("shards, as captious.open_shards opens them", _is_called("ShardedCorpus")),
    "MetaSettings": Kind("a captious.MetaSettings", _is_called("MetaSettings")),
    "Metric": Kind("a metric", _is_called("Metric")),
    "Asked": Kind(  # by its name, or a function that becomes one
        "a metric", lambda value: isinstance(value, str) or callable(value) or _is_called("Metric")(value)
    ),
}
ANYTHING = Kind("anything", lambda _: True)
PLURALS = {"text": "texts", "a path": "paths", "a whole number": "whole numbers", "a number": "numbers"}


@lru_cache(maxsize=512)
def _kinds(annotation: str) -> tuple[Kind, ...]:
    """The kinds that an annotation allows.

    >>> [kind.words for kind in _kinds("str | Sequence[str | Metric] | None")]
    ['text', 'a list of texts or metrics', 'None']
    """
    return tuple(map(_kind, _split(annotation, "|")))


def _kind(annotation: str) -> Kind:
    if annotation in KINDS:
        return KINDS[annotation]
    generic = re.fullmatch(r"(Sequence|Mapping|tuple|frozenset)\[(.+)\]", annotation)
    if generic is None:
        return ANYTHING
    parts = [_kinds(part) for part in _split(generic[2].removesuffix(", ..."), ",")]
    plural = " or ".join(PLURALS.get(kind.words, kind.words.removeprefix("a ") + "s") for kind in parts[0])
    if generic[1] == "Sequence" or generic[2].endswith(", ..."):
        return Kind(f"a list of {plural}", lambda value: _is_list(value) and _all(value, parts[0]))
    if generic[1] == "frozenset":
        return Kind(
            f"a set of {plural}", lambda value: isinstance(value, set | frozenset) and _all(value, parts[0])
        )
    if generic[1] == "Mapping":
        return Kind(
            "a dict",
            lambda value: (
                isinstance(value, Mapping) and _all(value, parts[0]) and _all(value.values(), parts[-1])
            ),
        )
    return Kind(
        f"{len(parts)} {plural}",
        lambda value: (
            _is_list(value)
            and len(value) == len(parts)
            and all(_all([own], kinds) for own, kinds in zip(value, parts, strict=True))
        ),
    )


def _all(values: Any, kinds: tuple[Kind, ...]) -> bool:
    return kinds == (ANYTHING,) or all(any(kind.fits(value) for kind in kinds) for value in values)


def _split(text: str, sign: str) -> list[str]:
    """Parts between signs that stand in no bracket."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == sign and not depth:
            parts.append(text[begin:place].strip())
            begin = place + 1
    return [*parts, text[begin:].strip()]
