"""Captions and references as people give them: files, tables, dicts, rows, lists side by side."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from captious.corpus.columns import is_list, is_missing, is_table, listed, require_texts
from captious.corpus.readers import PathText, Rows, read_rows
from captious.corpus.readers.every_column import read_every_column
from captious.corpus.readers.memory import Columns, are_rows, in_columns, is_path, read_memory
from captious.corpus.types import Corpus
from captious.errors import InputError, one_line

Given = Any  # a file, several, or captions in memory: `load_corpus` says what is understood
_FILE = re.compile(r"\S*[/\\]\S*|.*\.[A-Za-z]\w{0,9}")
LONGEST_PATH = 4096


class Sides(NamedTuple):
    """Rows of candidates, and references that do not stand in them already."""

    candidates: list[Rows]
    references: Given | None


def may_be_captions(given: Given) -> bool:
    """Whether something is of a kind that holds captions, or names where they are."""
    return is_path(given) or is_list(given) or _holds_captions(given) or isinstance(given, Corpus | Rows)


def sides_of(candidates: Given, references: Given | None, *, strict: bool = True) -> Sides:
    """Rows of candidates with the references that are given in the same order, if they are.

    A list of texts is a list of files where all look like files, else of captions. A table without
    image ids has one image a row. An entry that is no text is refused, unless not `strict`: then
    whoever reads the rows sees it.

    >>> rows = sides_of(["A dog."], [["A dog runs.", "The dog."]]).candidates[0]
    >>> rows.columns["image"], rows.columns["references"]
    ([0], [['A dog runs.', 'The dog.']])
    """
    candidates, references = listed(candidates), listed(references)
    refuse_caption(candidates, "candidates")
    if _are_captions(references):
        return Sides([_beside(candidates, _texts_of_each(references, strict), strict)], None)
    if _are_captions(candidates):
        if references is not None:
            raise InputError(
                "candidates are a list without image ids, but references are not a list. Give references as "
                "a list too, with one entry per caption, or candidates as a dict from image id to caption."
            )
        return Sides([_in_order(candidates, strict)], None)
    rows = rows_of(_unwrapped(candidates), "candidates")
    return Sides([_numbered(own) if references is None else own for own in rows], references)


def rows_of(given: Given, what: str) -> list[Rows]:
    """Rows of files or of what is in memory; a dict of dicts, tables or files is one for each system."""
    if isinstance(given, Rows):
        return [given]
    if is_path(given):
        return [read_rows(given)]
    given = listed(given)
    if isinstance(given, Mapping) and given and not (is_table(given) or in_columns(given)):
        if all(map(_holds_captions, given.values())):
            return [read_memory(own, str(name)) for name, own in given.items()]
        if all(map(_is_file, given.values())):
            return [replace(read_rows(own), stem=str(name)) for name, own in given.items()]
    if _holds_captions(given) or not isinstance(given, Sequence):
        return [read_memory(given, what)]
    parts = paths_of(given, what)
    _refuse_same_file_twice([part for part in parts if is_path(part)], what)
    return [rows for part in parts for rows in rows_of(part, what)]


def with_columns(given: Given, columns: Mapping[str, str]) -> list[Rows]:
    """Rows of tables, in files or in memory, whose columns are named by their roles."""
    given = listed(given)
    several = isinstance(given, Sequence) and not is_path(given) and all(map(is_path, given))
    found = []
    for part in given if several else [given]:
        if is_path(part):
            rows = read_every_column(part)
            cells = read_memory(Columns(rows.columns), rows.source, names=columns)
            found.append(replace(cells, source=rows.source, stem=rows.stem, places=rows.places))
        else:
            found.append(read_memory(part, "candidates", names=columns))
    return found


def paths_of(given: PathText | Sequence[PathText], what: str) -> list[PathText]:
    """One path or several, as a list."""
    found = [given] if isinstance(given, (str, PathLike)) else list(given)
    if not found:
        raise InputError(f"{what}: the list is empty. Give at least one file or caption.")
    return found


def _holds_captions(given: object) -> bool:
    return is_table(given) or are_rows(given) or isinstance(given, Mapping)


def _is_file(given: object) -> bool:
    """Whether something names a file that is there; a path of `pathlib` always names one."""
    if not isinstance(given, str):
        return isinstance(given, PathLike)
    return len(given) < LONGEST_PATH and "\0" not in given and os.path.isfile(given)  # noqa: PTH113 - one call


def refuse_caption(given: Given, what: str) -> None:
    """Refuse one caption in place of a list or a file."""
    if isinstance(given, str) and " " in given.strip() and not _looks_like_file(given):
        require_texts(given, what)


def _are_captions(given: object) -> bool:
    """Whether something is a list of texts, or of lists of texts, that are no names of files."""
    if not is_list(given) or isinstance(given, set | frozenset):
        return False
    found = list(given)  # type: ignore[call-overload]
    if any(isinstance(one, PathLike) or _holds_captions(one) for one in found):
        return False
    texts = [one for one in found if isinstance(one, str)]
    if any(is_missing(one) or is_list(listed(one)) for one in found):
        return True
    return not all(map(_looks_like_file, texts))


def _looks_like_file(text: str) -> bool:
    """Whether a text is the name of a file, or "-" for standard input, rather than a caption.

    >>> _looks_like_file("results/m2"), _looks_like_file("m2.json"), _looks_like_file("A dog runs.")
    (True, True, False)
    """
    return text == "-" or _FILE.fullmatch(text) is not None or _is_file(text)


def _texts_of_each(references: Sequence[Any], strict: bool) -> list[Any]:
    """A list of references for each caption; one text is one reference."""
    found = []
    for place, own in enumerate(references, 1):
        texts = [own] if isinstance(own, str) else listed(own)
        if strict:
            require_texts(texts, f"references of caption {place}")
        found.append(list(texts) if is_list(texts) else texts)
    return found


def _beside(candidates: Given, references: list[Any], strict: bool) -> Rows:
    """Candidates with the references that are given in their order."""
    if isinstance(candidates, Mapping) and not in_columns(candidates):
        return _by_system(candidates, references, strict)
    in_files = is_list(candidates) and any(isinstance(one, PathLike) for one in candidates)
    if is_path(candidates) or in_files:
        raise InputError(
            "candidates are in a file by image id, but references are a list. Give references as a file "
            "or as a dict from image id to references."
        )
    if isinstance(candidates, Rows | Mapping) or is_table(candidates) or are_rows(candidates):
        rows = rows_of(candidates, "candidates")[0]
        if "references" in rows.columns:
            raise InputError("references are given twice: in a column and in a list. Drop one of them.")
    else:
        rows = _in_order(candidates, strict)
    _require_as_many(len(references), len(rows))
    return _numbered(replace(rows, columns={**rows.columns, "references": list(references)}))


def _by_system(candidates: Mapping[Any, Any], references: list[Any], strict: bool) -> Rows:
    """The captions of several systems, a list of each, in the order of the references."""
    columns: dict[str, list[Any]] = {"image_id": [], "system": [], "caption": [], "references": []}
    for name, own in candidates.items():
        texts = listed(own)
        if not is_list(texts):
            raise InputError(
                "candidates are a dict by image id, but references are a list. Give references as a dict "
                "from image id too, or candidates as a list."
            )
        if strict:
            require_texts(texts, f'candidates of "{one_line(str(name), 40)}"')
        _require_as_many(len(references), len(texts), f' of "{one_line(str(name), 40)}"')
        columns["image_id"] += range(len(texts))
        columns["system"] += [str(name)] * len(texts)
        columns["caption"] += texts
        columns["references"] += references
    return read_memory(Columns(columns), "candidates")


def _in_order(captions: Sequence[str], strict: bool) -> Rows:
    """Captions of a list, each of an image of its own."""
    if is_list(captions) and any(is_list(listed(one)) for one in captions):
        raise InputError(
            "candidates: found a list of lists, as references are. Were candidates and references swapped? "
            "Candidates have one text for each image."
        )
    if strict or not is_list(captions):
        require_texts(captions, "candidates")
    columns = {"image_id": list(range(len(captions))), "caption": list(captions)}
    return read_memory(Columns(columns), "candidates")


def _unwrapped(candidates: Given) -> Given:
    """A dict from image id to a list of one caption, as pycocoevalcap takes it, without the lists."""
    if isinstance(candidates, Mapping) and not in_columns(candidates):
        lists = [listed(own) for own in candidates.values()]
        if all(is_list(own) and len(own) == 1 and isinstance(next(iter(own)), str) for own in lists):
            return {image: next(iter(own)) for image, own in zip(candidates, lists, strict=True)}
    return candidates


def _numbered(rows: Rows) -> Rows:
    """Rows with a number for each image where the table has no ids and is of one system."""
    if rows.format != "table" or {"image", "system"} & rows.columns.keys():
        return rows
    return replace(rows, columns={"image": list(range(len(rows))), **rows.columns})


def _require_as_many(references: int, captions: int, of: str = "") -> None:
    if references != captions:
        raise InputError(
            f"references has {references:,} entries for {captions:,} captions{of}; give one for each."
        )


def _refuse_same_file_twice(paths: Sequence[PathText], what: str) -> None:
    if what != "references":  # one file of candidates may be scored under two names
        return
    seen: set[Path] = set()
    for path in paths:
        if (place := Path(path).resolve()) in seen:
            raise InputError(f"{path}: is given twice as references. Give each file once.")
        seen.add(place)
