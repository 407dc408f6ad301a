"""Candidates by system: which file or column names it, and no image twice."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from captious.corpus.readers.names import ALT_TEXTS, folded
from captious.corpus.readers.rows import Problem, Rows, refuse
from captious.corpus.validate import Captions, own_references, well_formed
from captious.errors import InputError, one_line


@dataclass(frozen=True, eq=False)
class SystemCaptions:
    """One system's captions, in the order of its file."""

    name: str
    source: str
    ids: list[str]
    captions: list[str]
    format: str
    references: list[list[str]] | None = None
    image_paths: dict[str, str] = field(default_factory=dict)
    objects: dict[str, list[str]] = field(default_factory=dict)
    encoder: str = ""
    contexts: list[str] | None = None

    def respelled(self, spelling: dict[str, str]) -> SystemCaptions:
        """The same captions with some ids spelled another way."""
        return replace(
            self,
            ids=[spelling.get(image, image) for image in self.ids],
            image_paths={spelling.get(i, i): path for i, path in self.image_paths.items()},
            objects={spelling.get(i, i): labels for i, labels in self.objects.items()},
        )

    def only(self, images: AbstractSet[str]) -> SystemCaptions:
        """The captions of some images."""
        keep = [row for row, image in enumerate(self.ids) if image in images]
        return self.rows(keep)

    def rows(self, keep: Sequence[int]) -> SystemCaptions:
        """The captions at some rows."""
        own = self.references
        return replace(
            self,
            ids=[self.ids[row] for row in keep],
            captions=[self.captions[row] for row in keep],
            references=[own[row] for row in keep] if own is not None else None,
            contexts=[self.contexts[row] for row in keep] if self.contexts is not None else None,
        )


def systems_of(rows: Rows, duplicates: str = "error") -> list[SystemCaptions]:
    """The systems of one file of candidates: one, or as many as its system column names."""
    checked = well_formed(rows)
    refuse(rows.source, checked.problems)
    if not checked.ids:
        raise InputError(f"{rows.source}: contains no captions. Check that it is the right file.")
    names = system_names(rows, checked)
    groups: dict[str, list[int]] = {}
    if names is None:
        groups[rows.stem] = list(range(len(checked.ids)))
    else:
        for place, name in enumerate(names):
            groups.setdefault(name, []).append(place)
    references = None
    if "references" in rows.columns and "caption" in rows.columns:
        references, problems = own_references(rows)
        refuse(rows.source, problems)
    everything = SystemCaptions(
        rows.stem,
        rows.source,
        checked.ids,
        checked.captions,
        rows.format,
        references,
        contexts=_contexts(rows, checked),
    )
    if duplicates == "error" and in_places(rows):
        duplicates = "all"
    systems = []
    for name, places in groups.items():
        system = everything if len(groups) == 1 else everything.rows(places)
        if duplicates != "all":
            first = _first_places(rows, checked, places, refuse_second=duplicates == "error")
            if len(first) < len(places):
                system = everything.rows(first)
        paths, objects = row_columns(rows, checked, places)
        encoder = _encoder(rows, checked, places)
        systems.append(replace(system, name=name, image_paths=paths, objects=objects, encoder=encoder))
    return systems


def in_places(rows: Rows) -> bool:
    """Whether an image may have several captions: a text for each place where it stands.

    So are alternative texts of a website, and captions with a context.
    """
    return "context" in rows.columns or folded(rows.key("caption", "")) in ALT_TEXTS


def _contexts(rows: Rows, checked: Captions) -> list[str] | None:
    column = rows.columns.get("context")
    if column is None:
        return None
    return [cell if isinstance(cell := column[row], str) else "" for row in checked.rows]


def with_names(
    files: Sequence[Rows], found: list[list[SystemCaptions]], names: Sequence[str] | None
) -> list[SystemCaptions]:
    """All systems under names that distinguish them."""
    if names is not None:
        if len(names) != len(files):
            raise InputError(
                f"names: {len(names)} given for {len(files)} candidate files. Give one for each."
            )
        for rows, systems in zip(files, found, strict=True):
            if len(systems) > 1:
                raise InputError(
                    f"{rows.source}: names its {len(systems)} systems itself. "
                    "Leave the names out for this file."
                )
        found = [
            [replace(one, name=name) for one in systems] for systems, name in zip(found, names, strict=True)
        ]
    everyone = [system for systems in found for system in systems]
    known: dict[str, str] = {}
    for system in everyone:
        if system.name in known:
            raise InputError(
                f'{system.source}: the system name "{one_line(system.name, 40)}" is taken by '
                f"{known[system.name]}.",
                python="Give each a different name with names=.",
                command="Give each file a different name with --name.",
            )
        known[system.name] = system.source
    return everyone


def system_names(rows: Rows, checked: Captions) -> list[str] | None:
    """The system of each well-formed row; None where the file names none."""
    column = rows.columns.get("system")
    if column is None:
        return None
    names = []
    for row in checked.rows:
        name = column[row]
        if not isinstance(name, (str, int)) or isinstance(name, bool) or name == "":
            raise InputError(
                f'{rows.source}: {rows.places[row]}: "{rows.key("system", "system")}" is missing '
                "or not text. Name the system in every row, or in none."
            )
        names.append(str(name))
    return names


def duplicate_problems(
    rows: Rows, checked: Captions, places: Sequence[int]
) -> tuple[list[int], list[Problem]]:
    """Of some rows of one system, the first for each image, and the others as problems."""
    first: dict[str, int] = {}
    problems = []
    ids = checked.ids
    for place in places:
        earlier = first.setdefault(ids[place], place)
        if earlier != place:
            here, there = (rows.places[checked.rows[p]] for p in (place, earlier))
            what = f'image id "{one_line(ids[place], 40)}" has a second caption'
            if here != there:
                what += f" (the first is at {there})"
            mend = 'Keep one for each image, or load them with --duplicates "first" or "all".'
            problems.append(Problem("duplicate-id", here, what, mend, ids[place]))
    return list(first.values()), problems


def _first_places(
    rows: Rows, checked: Captions, places: Sequence[int], *, refuse_second: bool
) -> Sequence[int]:
    if len(places) == len(checked.ids) and len(set(checked.ids)) == len(places):
        return places
    first, problems = duplicate_problems(rows, checked, places)
    if refuse_second:
        refuse(rows.source, problems)
    return first


def _encoder(rows: Rows, checked: Captions, places: Sequence[int]) -> str:
    """The image encoder that a system's rows declare; the first that is named."""
    column = rows.columns.get("encoder", [])
    named = (column[checked.rows[place]] for place in (places if column else ()))
    return next((name for name in named if isinstance(name, str) and name), "")


def row_columns(
    rows: Rows, checked: Captions, places: Sequence[int]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Image paths and objects that the rows at `places` carry, by image."""
    paths: dict[str, str] = {}
    objects: dict[str, list[str]] = {}
    path_column, object_column = rows.columns.get("image_path"), rows.columns.get("objects")
    for place in places if path_column or object_column else ():
        row, image = checked.rows[place], checked.ids[place]
        path = path_column[row] if path_column else None
        labels = object_column[row] if object_column else None
        if isinstance(path, str) and path:
            paths[image] = path
        if isinstance(labels, list):
            objects[image] = [label for label in labels if isinstance(label, str)]
    return paths, objects
