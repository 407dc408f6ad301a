"""A protocol's file in YAML that knows the line of each of its keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from captious.errors import InputError, MissingDependencyError, UnknownNameError, one_line

LONGEST_FILE = 100_000
DEEPEST = 10

At = tuple[str | int, ...]
# How a mistake at a place is told where nobody has written the file.
Told = Callable[[At, str], InputError]


class YamlFile:
    """A parsed file that knows the line of each of its keys."""

    def __init__(self, text: str, source: str, told: Told | None = None) -> None:
        try:
            import yaml
        except ImportError as error:
            raise MissingDependencyError("PyYAML is needed for protocol files", "protocols") from (error)
        self.source, self.told = source, told
        self.lines: dict[At, int] = {(): 1}
        if len(text) > LONGEST_FILE:
            raise InputError(f"{source}: {len(text)} characters are too many. Use {LONGEST_FILE} at most.")
        try:
            _refuse_bombs(yaml, text, source)
            self._walk(yaml.compose(text, Loader=yaml.SafeLoader), ())
            self.data: object = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError) as error:
            raise InputError(not_yaml(source, error)) from error

    def _walk(self, node: Any, path: At) -> None:
        kind = getattr(node, "id", "")
        if path and path not in self.lines:
            self.lines[path] = node.start_mark.line + 1
        if kind == "mapping":
            seen: set[str] = set()
            for key, value in node.value:
                name, line = str(key.value), key.start_mark.line + 1
                if name in seen:
                    raise InputError(f'{self.source}: line {line}: "{one_line(name)}" is given twice.')
                seen.add(name)
                self.lines[(*path, name)] = line
                self._walk(value, (*path, name))
        elif kind == "sequence":
            for at, value in enumerate(node.value):
                self._walk(value, (*path, at))

    def error(self, path: At, message: str) -> InputError:
        """An error at a place; at its nearest parent where the place itself has no line."""
        if self.told is not None:
            return self.told(path, message)
        while path not in self.lines:
            path = path[:-1]
        return InputError(f"{self.source}: line {self.lines[path]}: {message}")

    def mapping(self, path: At, raw: object, known: tuple[str, ...]) -> dict[str, object]:
        """A mapping with known keys only."""
        if not isinstance(raw, dict):
            raise self.error(path, f"expected keys such as {known[0]} and {known[1]}.")
        for key in raw:
            if key not in known:
                message = str(UnknownNameError("key", one_line(str(key)), known))
                raise self.error((*path, str(key)), message)
        return raw

    def sequence(self, path: At, own: Mapping[str, object], key: str) -> list[Any]:
        """A list, empty where the key is missing."""
        raw = own.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            raise self.error((*path, key), f'"{key}" must be a list, each entry after "- ".')
        return raw

    def text(self, path: At, own: Mapping[str, object], key: str, how: str, *, required: bool = True) -> str:
        """A text that is not blank."""
        raw = own.get(key)
        if raw is None and not required:
            return ""
        if raw is None:
            raise self.error(path, f'"{key}" is missing. {how}')
        if not isinstance(raw, str) or not raw.strip():
            raise self.error((*path, key), f'"{key}" must be a text; found {raw!r}. {how}'.strip())
        return " ".join(raw.split())

    def name(self, path: At, own: Mapping[str, object], key: str, how: str) -> str:
        """A name: a text, or a number as it is written."""
        raw = own.get(key)
        if isinstance(raw, int) and not isinstance(raw, bool):
            return str(raw)
        return self.text(path, own, key, how)

    def whole(
        self,
        path: At,
        own: Mapping[str, object],
        key: str,
        default: int,
        least: int | None = None,
        most: int | None = None,
    ) -> int:
        """A whole number, from `least` to `most`."""
        raw = own.get(key, default)
        if isinstance(raw, bool) or not isinstance(raw, int):
            raise self.error((*path, key), f'"{key}" must be a whole number; found {raw!r}.')
        if least is not None and raw < least:
            raise self.error((*path, key), f'"{key}" is {raw}. Give {least} or more.')
        if most is not None and raw > most:
            raise self.error((*path, key), f'"{key}" is over {most:,}. Give less.')
        return raw

    def number(self, path: At, own: Mapping[str, object], key: str) -> float | None:
        """A finite number, None where the key is missing."""
        raw = own.get(key)
        if raw is None:
            return None
        if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
            raise self.error((*path, key), f'"{key}" must be a number; found {raw!r}.')
        return float(raw)

    def flag(self, path: At, own: Mapping[str, object], key: str, default: bool) -> bool:
        """True or false."""
        raw = own.get(key, default)
        if not isinstance(raw, bool):
            raise self.error((*path, key), f'"{key}" must be true or false; found {raw!r}.')
        return raw


def _refuse_bombs(yaml: Any, text: str, source: str) -> None:
    """An alias can make a small file unfold without end, deep nesting can stall the parser."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise InputError(f"{source}: line {line}: aliases (*) are not supported.")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise InputError(f"{source}: line {line}: nested too deeply. Use fewer levels.")


def not_yaml(source: str, error: Exception) -> str:
    """What is wrong with the YAML of a file, and in which line."""
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{source}: {where}not valid YAML: {one_line(str(problem))}."
