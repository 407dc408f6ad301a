"""Load candidates and references into a `Corpus`: strict, with one clear line where it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from captious.arguments import check_arguments
from captious.corpus.assemble import ReferenceSets, assemble, in_one_spelling, same_images
from captious.corpus.columns import factorise
from captious.corpus.ids import meet
from captious.corpus.images import find_images
from captious.corpus.objects import read_objects
from captious.corpus.readers import PathText, Rows, read_rows
from captious.corpus.readers.memory import are_rows, is_path, is_table, read_memory
from captious.corpus.readers.rows import refuse
from captious.corpus.systems import SystemCaptions, systems_of, with_names
from captious.corpus.types import Corpus, Ragged
from captious.corpus.validate import well_formed
from captious.errors import InputError, one_line

FEW = 5  # captions that may well be alike by chance
Duplicates = Literal["error", "first", "all"]
Given = Any  # a file, several, or captions in memory: `load_corpus` says what is understood


@dataclass(frozen=True)
class LoadNotes:
    """What a reader of the scores should know about how the files met.

    `with_references` counts the images in the reference files, `scored` those that also have a
    candidate; `met_loosely` ids met by file-name pattern only; `dropped` images left out because
    not all systems describe them; `suspicious` says what looks like a slip.
    """

    formats: dict[str, str]
    scored: int
    with_references: int
    met_loosely: int = 0
    dropped: int = 0
    suspicious: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines())

    def lines(self) -> list[str]:
        """The notes as sentences, for printing."""
        said = []
        if self.with_references > self.scored:
            said.append(
                f"{self.scored:,} of {self.with_references:,} images that have references have candidates."
            )
        if self.met_loosely:
            said.append(f"{self.met_loosely:,} image ids were matched by file name or number.")
        if self.dropped:
            said.append(f"{self.dropped:,} images that not all systems describe were left out.")
        return [*said, *self.suspicious]


class Loaded(NamedTuple):
    """A corpus and what there is to say about how it was loaded."""

    corpus: Corpus
    notes: LoadNotes


def load_corpus(
    candidates: Given,
    references: Given | None = None,
    *,
    names: Sequence[str] | None = None,
    images: PathText | None = None,
    objects: PathText | None = None,
    duplicates: Duplicates = "error",
    common: bool = False,
) -> Corpus:
    """Load the captions of one or several systems and their references.

    Each is a file or several, whose formats are detected from the content (see the formats page of
    the documentation), or what is in memory: a data frame, a data set, a dict from image id to
    caption(s), rows as dicts; a dict of such by system. A system is named after its file or key
    unless `names` says otherwise or the file has a system column. `duplicates` says what to do with
    a second caption of a system for one image; `common=True` keeps the images that all systems
    describe.

    >>> import json, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "m2.json").write_text('[{"image_id": 7, "caption": "A dog."}]')
    >>> _ = (folder / "refs.json").write_text('{"7": ["A dog runs.", "The dog."]}')
    >>> corpus = load_corpus([folder / "m2.json"], folder / "refs.json")
    >>> corpus.systems, corpus.example(0).references
    (['m2'], ['A dog runs.', 'The dog.'])
    >>> load_corpus({"m2": {"7": "A dog."}}, {"7": ["A dog runs."]}).systems
    ['m2']
    """
    check_arguments(load_corpus, locals())
    return load_with_notes(
        candidates,
        references,
        names=names,
        images=images,
        objects=objects,
        duplicates=duplicates,
        common=common,
    ).corpus


def load_with_notes(
    candidates: Given,
    references: Given | None = None,
    *,
    names: Sequence[str] | None = None,
    images: PathText | None = None,
    objects: PathText | None = None,
    duplicates: Duplicates = "error",
    common: bool = False,
) -> Loaded:
    """`load_corpus`, and notes on what was matched and what was left out."""
    if duplicates not in ("error", "first", "all"):
        raise InputError(f'duplicates: "{duplicates}" is unknown. Say error, first or all.')
    files = rows_of(candidates, "candidates")
    for rows in files:
        if references is not None:
            _refuse_references_as_candidates(rows)
        _refuse_without_captions(rows)
    systems = with_names(files, [systems_of(rows, duplicates) for rows in files], names)
    formats = {rows.source: rows.format for rows in files}
    sets = None
    if references is not None:
        reference_files = rows_of(references, "references")
        formats |= {rows.source: rows.format for rows in reference_files}
        _refuse_lines_beside_ids(files, reference_files)
        sets = reference_sets(reference_files)
    systems, loosely = in_one_spelling(systems, sets)
    systems, dropped = same_images(systems, common=common)
    corpus = assemble(systems, sets)
    if images is not None:
        found = find_images(images, corpus.image_ids, sets.file_names if sets else {})
        corpus = replace(corpus, image_paths=found)
    if objects is not None:
        corpus = replace(corpus, objects=read_objects(objects, corpus.image_ids))
    notes = LoadNotes(
        formats=formats,
        scored=len(corpus.image_ids),
        with_references=len(sets.ids) if sets else 0,
        met_loosely=loosely,
        dropped=dropped,
        suspicious=tuple(_suspicious(systems)),
    )
    return Loaded(corpus, notes)


def rows_of(given: Given, what: str) -> list[Rows]:
    """Rows of files or of what is in memory; a dict of dicts or tables is one for each system."""
    if isinstance(given, Rows):
        return [given]
    if is_path(given):
        return [read_rows(given)]
    if isinstance(given, Mapping) and given and all(map(_holds_captions, given.values())):
        return [read_memory(own, str(name)) for name, own in given.items()]
    if _holds_captions(given):
        return [read_memory(given, what)]
    if not isinstance(given, Sequence):
        return [read_memory(given, what)]
    parts = paths_of(given, what)
    _refuse_same_file_twice([part for part in parts if is_path(part)], what)
    return [rows for part in parts for rows in rows_of(part, what)]


def _holds_captions(given: object) -> bool:
    return is_table(given) or are_rows(given) or isinstance(given, Mapping)


def paths_of(given: PathText | Sequence[PathText], what: str) -> list[PathText]:
    """One path or several, as a list."""
    found = [given] if isinstance(given, (str, PathLike)) else list(given)
    if not found:
        raise InputError(f"{what}: no file was given. Name at least one.")
    return found


def reference_sets(files: Sequence[Rows]) -> ReferenceSets:
    """References by image, in the order in which files and rows bring them."""
    ids: list[str] = []
    texts: list[str] = []
    file_names: dict[str, str] = {}
    for rows in files:
        checked = well_formed(rows)
        refuse(rows.source, checked.problems)
        spelled = meet(checked.ids, ids) if ids else {}
        ids.extend([spelled.get(image, image) for image in checked.ids] if spelled else checked.ids)
        texts.extend(checked.captions)
        file_names |= rows.file_names
    if not ids:
        raise InputError(f"{files[0].source}: holds no captions. Check that it is the right file.")
    images, image_of = factorise(ids)
    if np.any(np.diff(image_of) < 0):
        texts = [texts[row] for row in np.argsort(image_of, kind="stable").tolist()]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(image_of))]).astype(np.int64)
    places = dict(zip(images, range(len(images)), strict=True))
    return ReferenceSets(places, Ragged(texts, offsets), file_names)


def load_references(references: Given) -> Ragged:
    """The references of each image, of one or several files."""
    return reference_sets(rows_of(references, "references")).sets


def read_captions(path: PathText) -> Iterator[tuple[str, str]]:
    """Image id and caption of every row of a file, candidates or references."""
    rows = read_rows(path)
    checked = well_formed(rows)
    refuse(rows.source, checked.problems)
    return zip(checked.ids, checked.captions, strict=True)


def _refuse_same_file_twice(paths: Sequence[PathText], what: str) -> None:
    if what != "references":  # one file of candidates may be scored under two names
        return
    seen: set[Path] = set()
    for path in paths:
        if (place := Path(path).resolve()) in seen:
            raise InputError(f"{path}: is given twice as references. Give each file once.")
        seen.add(place)


def _suspicious(systems: Sequence[SystemCaptions]) -> Iterator[str]:
    """What is allowed but seldom meant: empty captions, one caption for all, one file twice."""
    seen: dict[tuple[str, ...], str] = {}
    for system in systems:
        captions = system.captions
        empty = sum(not caption.strip() for caption in captions)
        if empty == len(captions):
            yield f"{system.name}: all {len(captions):,} captions are empty. Is it the right file?"
        elif empty:
            yield f"{system.name}: {empty:,} of {len(captions):,} captions are empty and count in the mean."
        elif len(captions) >= FEW:
            caption, times = Counter(captions).most_common(1)[0]
            if times > len(captions) / 2:
                shown = one_line(caption, 40)
                yield f'{system.name}: {times:,} of {len(captions):,} captions are the same ("{shown}").'
        twin = seen.setdefault(tuple(captions), system.name)
        if twin != system.name and len(captions) >= FEW:
            yield f"{twin} and {system.name}: every caption is the same. Was one file given twice?"


def _refuse_references_as_candidates(rows: Rows) -> None:
    if rows.format == "coco-annotations":
        raise InputError(
            f"{rows.source}: is a COCO annotation file, which holds references. "
            'Give candidates as [{"image_id": …, "caption": …}], and this file as references.'
        )
    if rows.grouped or ("caption" not in rows.columns and "references" in rows.columns):
        raise InputError(
            f"{rows.source}: holds several captions for an image, as references do. "
            "Were candidates and references swapped? Candidates have one for each image."
        )


def _refuse_without_captions(rows: Rows) -> None:
    if not rows.grouped and "caption" not in rows.columns and "references" in rows.columns:
        raise InputError(
            f"{rows.source}: has references and no captions to score.",
            python='Say which column holds them: Corpus.from_pandas(…, columns={"caption": "…"}).',
            command='Call the column of captions "caption".',
        )


def _refuse_lines_beside_ids(candidates: list[Rows], references: list[Rows]) -> None:
    """Line numbers are no image ids: plain text can only meet plain text."""
    plain = [rows for rows in (*candidates, *references) if rows.format == "lines"]
    if plain and len(plain) < len(candidates) + len(references):
        raise InputError(
            f"{plain[0].source}: is plain text without image ids, and the other files have ids. "
            "Give captions with ids, or plain text for candidates and references alike."
        )
