"""Load candidates and references into a `Corpus`: strict, with one clear line where it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from captious.arguments import check_arguments
from captious.corpus.assemble import ReferenceSets, assemble, in_one_spelling, same_images
from captious.corpus.columns import factorise
from captious.corpus.given import Given, rows_of, sides_of, with_columns
from captious.corpus.ids import meet
from captious.corpus.images import find_images
from captious.corpus.objects import read_objects
from captious.corpus.readers import PathText, Rows, read_rows
from captious.corpus.readers.rows import refuse
from captious.corpus.systems import SystemCaptions, systems_of, with_names
from captious.corpus.types import Corpus, Ragged
from captious.corpus.validate import well_formed
from captious.errors import InputError, one_line

FEW = 5  # captions that may well be alike by chance
Duplicates = Literal["error", "first", "all"]


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
            said.append(f"{self.dropped:,} images that some systems do not describe were left out.")
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
    columns: Mapping[str, str] | None = None,
) -> Corpus:
    """Load the captions of one or several systems and their references.

    Both take one or several files, whose formats are detected from the content (see the formats page of
    the documentation), or data in memory: a data frame, a data set, a dict from image id to
    caption(s), rows as dicts, a dict of columns, or a dict of these or of files by system. If captions
    are a list, Series, array or generator (or a dict of these by system), references are a list in
    the same order. A system is named after its file or key, unless `names` is given or the file has
    a system column. `duplicates` sets what happens if a system has two captions for one image.
    `common=True` keeps the images that all systems describe. `columns` maps roles to the names of columns,
    where these do not tell: `{"image": "File", "caption": "Said", "context": "Page"}`.

    >>> import json, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "m2.json").write_text('[{"image_id": 7, "caption": "A dog."}]')
    >>> _ = (folder / "refs.json").write_text('{"7": ["A dog runs.", "The dog."]}')
    >>> corpus = load_corpus([folder / "m2.json"], folder / "refs.json")
    >>> corpus.systems, corpus.example(0).references
    (['m2'], ['A dog runs.', 'The dog.'])
    >>> load_corpus({"m2": {"7": "A dog."}}, {"7": ["A dog runs."]}).systems
    ['m2']
    >>> load_corpus({"m2": ["A dog."], "up-down": ["A hat."]}, [["A dog runs."]]).systems
    ['m2', 'up-down']
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
        columns=columns,
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
    columns: Mapping[str, str] | None = None,
) -> Loaded:
    """`load_corpus`, and notes on what was matched and what was left out."""
    if duplicates not in ("error", "first", "all"):
        raise InputError(f'duplicates: "{duplicates}" is unknown. Use error, first or all.')
    if isinstance(candidates, Corpus):
        return _as_it_is(candidates, references, images, objects)
    if columns:
        candidates = with_columns(candidates, columns)
    files, references = sides_of(candidates, references)
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
        suspicious=(*_suspicious(systems), *_same_as_references(systems, sets)),
    )
    return Loaded(corpus, notes)


def reference_sets(files: Sequence[Rows]) -> ReferenceSets:
    """References by image, in the order in which files and rows bring them."""
    return texts_by_image([_only_references(rows) for rows in files])


def _only_references(rows: Rows) -> Rows:
    """The references of a table that has the captions to score beside them, those of each image once."""
    if not {"caption", "references"} <= rows.columns.keys():
        return rows
    images = rows.columns.get("image", [None] * len(rows))
    first: dict[str, int] = {}
    for row, key in enumerate(zip(images, rows.columns["references"], strict=True)):
        first.setdefault(repr(key), row)
    own = rows.taken(list(first.values()))
    return replace(own, columns={name: own.columns[name] for name in own.columns if name != "caption"})


def texts_by_image(files: Sequence[Rows]) -> ReferenceSets:
    """The captions or references of each image, in the order in which files and rows bring them."""
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
        raise InputError(f"{files[0].source}: contains no captions. Check that it is the right file.")
    images, image_of = factorise(ids)
    if np.any(np.diff(image_of) < 0):
        texts = [texts[row] for row in np.argsort(image_of, kind="stable").tolist()]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(image_of))]).astype(np.int64)
    places = dict(zip(images, range(len(images)), strict=True))
    return ReferenceSets(places, Ragged(texts, offsets), file_names)


def _as_it_is(
    corpus: Corpus, references: Given | None, images: PathText | None, objects: PathText | None
) -> Loaded:
    """A corpus that is one already."""
    beside = {"references": references, "images": images, "objects": objects}
    for name, given in beside.items():
        if given is not None:
            raise InputError(f"candidates: is already a corpus. Give {name} when you make it.")
    images_of = len(corpus.image_ids)
    return Loaded(corpus, LoadNotes({}, images_of, images_of if len(corpus.references) else 0))


def load_references(references: Given) -> Ragged:
    """The references of each image, of one or several files."""
    return reference_sets(rows_of(references, "references")).sets


def read_captions(path: PathText) -> Iterator[tuple[str, str]]:
    """Image id and caption of every row of a file, candidates or references."""
    rows = read_rows(path)
    checked = well_formed(rows)
    refuse(rows.source, checked.problems)
    return zip(checked.ids, checked.captions, strict=True)


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
            yield f"{twin} and {system.name}: all captions are identical. Was one file given twice?"


def _same_as_references(systems: Sequence[SystemCaptions], sets: ReferenceSets | None) -> Iterator[str]:
    """Systems of which every caption is one of its references, as where one file is given as both."""
    if sets is None:
        return
    for system in systems:
        pairs = zip(system.ids, system.captions, strict=True)
        if len(system.captions) >= FEW and all(
            image in sets.ids and text in sets.sets[sets.ids[image]] for image, text in pairs
        ):
            yield f"{system.name}: every caption is also one of its references. Is it the right file?"


def _refuse_references_as_candidates(rows: Rows) -> None:
    if rows.format == "coco-annotations":
        raise InputError(
            f"{rows.source}: is a COCO annotation file, which contains references. "
            'Give candidates as [{"image_id": …, "caption": …}], and this file as references.'
        )
    if rows.grouped or ("caption" not in rows.columns and "references" in rows.columns):
        raise InputError(
            f"{rows.source}: contains several captions per image, as references do. "
            "Were candidates and references swapped? Candidates have one caption per image."
        )


def _refuse_without_captions(rows: Rows) -> None:
    if not rows.grouped and "caption" not in rows.columns and "references" in rows.columns:
        raise InputError(
            f"{rows.source}: has references but no captions to score.",
            python='Name the caption column: Corpus.from_pandas(…, columns={"caption": "…"}).',
            command='Name the caption column "caption".',
        )


def _refuse_lines_beside_ids(candidates: list[Rows], references: list[Rows]) -> None:
    """Line numbers are no image ids: plain text can only meet plain text."""
    plain = [rows for rows in (*candidates, *references) if rows.format == "lines"]
    if plain and len(plain) < len(candidates) + len(references):
        raise InputError(
            f"{plain[0].source}: is plain text without image ids, but the other files have ids. "
            "Give captions with ids, or plain text for both candidates and references."
        )
