"""Read all that is to be checked, leniently: what is broken becomes a problem, not an end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from captious.corpus.given import Given
from captious.corpus.ids import meet
from captious.corpus.judged import read_judgments
from captious.corpus.readers import Problem, Rows
from captious.corpus.systems import duplicate_problems
from captious.corpus.validate import Captions, own_references, well_formed
from captious.errors import InputError


@dataclass(eq=False)
class Gathered:
    """Captions of any number of files as columns, with the way back to their places.

    `judged` captions come with ratings: an image may have several, and be rated more than once.
    """

    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    files: list[Rows] = field(default_factory=list)
    file_of: list[int] = field(default_factory=list)
    row_of: list[int] = field(default_factory=list)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    own_references: Gathered | None = None
    judged: bool = False

    def add(self, rows: Rows, captions: Captions, systems: Sequence[str]) -> None:
        """Append the captions of one file."""
        self.ids += captions.ids
        self.texts += captions.captions
        self.systems += systems
        self.file_of += [len(self.files)] * len(captions.ids)
        self.row_of += captions.rows
        self.files.append(rows)
        self.problems += [(rows.source, problem) for problem in captions.problems]

    def place(self, row: int) -> tuple[str, str]:
        """File and place of a caption."""
        rows = self.files[self.file_of[row]]
        return rows.source, rows.places[self.row_of[row]]


def gather_candidates(
    files: Sequence[Rows], names: Sequence[str] | None, references: Given | None
) -> Gathered:
    """All candidates; a file of judgments gives the captions that it judges."""
    if names is not None and len(names) != len(files):
        raise InputError(f"names: {len(names)} given for {len(files)} candidate files. Give one for each.")
    found = Gathered()
    for place, rows in enumerate(files):
        if rows.format in ("flickr8k-expert", "flickr8k-crowdflower"):
            _add_flickr8k(found, rows, references)
            continue
        captions = well_formed(rows)
        systems = _systems(rows, captions, names[place] if names else rows.stem)
        if _is_judged(rows):
            found.judged = True
        else:
            _add_duplicates(rows, captions, systems)
        found.add(rows, captions, systems)
        if "references" in rows.columns and "caption" in rows.columns:
            found.own_references = _own_references(found, rows, captions)
    return found


def _own_references(found: Gathered, rows: Rows, captions: Captions) -> Gathered:
    """References in the candidates' own rows, once per image."""
    own = found.own_references or Gathered()
    lists, problems = own_references(rows)
    found.problems += [(rows.source, problem) for problem in problems]
    known = set(own.ids)
    gathered = Captions([], [], [], [])
    kept: list[int] = []
    for image, row in zip(captions.ids, captions.rows, strict=True):
        if image not in known:
            known.add(image)
            gathered.ids.extend([image] * len(lists[row]))
            gathered.captions.extend(lists[row])
            kept.extend([row] * len(lists[row]))
    own.add(rows, replace(gathered, rows=kept), [""] * len(kept))
    return own


def gather_references(files: Sequence[Rows]) -> Gathered:
    """All references."""
    found = Gathered()
    for rows in files:
        captions = well_formed(rows)
        found.add(rows, captions, [""] * len(captions.ids))
    return found


def respell(candidates: Gathered, known: Sequence[str]) -> int:
    """Spell the candidates' ids as the references do, and say how many were met loosely."""
    spelled = meet(candidates.ids, known)
    if spelled:
        candidates.ids = [spelled.get(image, image) for image in candidates.ids]
    return len(spelled)


def _systems(rows: Rows, captions: Captions, default: str) -> list[str]:
    column = rows.columns.get("system")
    if column is not None:
        return [str(column[row]) for row in captions.rows]
    return [default] * len(captions.ids)


def _is_judged(rows: Rows) -> bool:
    """Ratings beside the captions; a plain "score" may as well be a system's confidence."""
    if rows.key("rating", "score") == "score" and "references" not in rows.columns:
        return any(name.startswith("rating") for name in rows.columns if name != "rating")
    return True


def _add_duplicates(rows: Rows, captions: Captions, systems: Sequence[str]) -> None:
    if len(set(captions.ids)) == len(captions.ids):
        return
    groups: dict[str, list[int]] = {}
    for place, system in enumerate(systems):
        groups.setdefault(system, []).append(place)
    for places in groups.values():
        captions.problems.extend(duplicate_problems(rows, captions, places)[1])


def _add_flickr8k(found: Gathered, rows: Rows, references: Given | None) -> None:
    if references is None:
        raise InputError(f"{rows.source}: refers to captions by id. Give Flickr8k.token.txt as references.")
    corpus = read_judgments(rows, references=references).corpus
    if corpus is None:
        raise InputError(f"{rows.source}: the references contain none of its captions.")
    images = [corpus.image_ids[i] for i in corpus.image_of.tolist()]
    captions = Captions(images, corpus.captions, range(len(images)), [])
    found.judged = True
    found.add(rows, captions, [rows.stem] * len(images))
