"""Judgments from files as a campaign: THumB's release, an export of ours, or any judgments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from captious.campaigns.exchange.import_export import export_folder, image_paths, read_export, unzipped
from captious.campaigns.exchange.import_store import Imported, ImportedRater, ImportedResponse, store
from captious.campaigns.exchange.references import references_in
from captious.campaigns.records import Campaign, Draft
from captious.campaigns.setup.create import DEFAULT_SEED, checked_slug, checked_title, slug_of
from captious.campaigns.store.database import Database
from captious.corpus import Corpus
from captious.corpus.judged import JudgedCaptions, read_judgments
from captious.corpus.load import load_corpus
from captious.errors import InputError
from captious.protocols import known_protocols
from captious.protocols.base import Adopted

Paths = Sequence[Path]


class About(NamedTuple):
    """What an imported campaign is called, and where its images lie."""

    title: str
    slug: str | None = None
    images: Path | None = None
    seed: int = DEFAULT_SEED

    def draft(self, protocol: str, adopted: Adopted, corpus: Corpus) -> Draft:
        """A draft of what was adopted, under that name."""
        items = adopted.items
        return Draft(
            title=checked_title(self.title),
            slug=checked_slug(self.slug or slug_of(self.title)),
            protocol=protocol,
            options=adopted.options,
            protocol_file=adopted.file,
            seed=self.seed,
            items=items,
            images=image_paths(self.images, dict.fromkeys(item.image for item in items)),
            references=references_in(corpus),
        )


def import_file(
    db: Database,
    path: Path,
    *,
    actor: str,
    title: str | None = None,
    slug: str | None = None,
    images: Path | None = None,
    references: Paths = (),
    candidates: Paths = (),
) -> Campaign:
    """Import whatever the file is, told by its content.

    An export of ours (its folder, zip file or one of its tables) becomes the same campaign again.
    A file with THumB's scores becomes a THumB campaign; other judgments become the protocol that
    their aspects fit: THumB, tagging, or a Likert scale.
    """
    if path.suffix == ".zip":
        with unzipped(path) as folder:
            given = read_export(folder, title=title, slug=slug, images=images)
            return store(db, given, actor=actor)
    exported = export_folder(path)
    if exported is not None:
        given = read_export(exported, title=title, slug=slug, images=images)
        return store(db, given, actor=actor)
    if path.is_dir():
        raise InputError(f"{path}: is a folder without campaign.json. Give an export or a file.")
    named = About(title or path.name.partition(".")[0], slug, images)
    found = read_judgments(path, references=list(references) or None)
    return store(db, judged_campaign(found, named, db.now(), candidates, path), actor=actor)


def judged_campaign(
    found: JudgedCaptions, about: About, now: float, candidates: Paths, path: Path
) -> Imported:
    """The campaign that judgments would have come from: of the first protocol that they fit."""
    judgments = found.judgments
    corpus = load_corpus(list(candidates)) if candidates else found.corpus
    if corpus is None:
        raise InputError(f"{path}: holds no captions. Give their files with --candidates.")
    if not len(judgments):
        raise InputError(f"{path}: holds no judgments.")
    for name, kind in known_protocols().items():
        try:
            adopted = kind.adopt(judgments, corpus, name=about.title, seed=about.seed)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if adopted is not None:
            return _imported(adopted, about.draft(name, adopted, corpus), now)
    raise InputError(f"{path}: no protocol takes judgments of {', '.join(judgments.aspects)}.")


def _imported(adopted: Adopted, draft: Draft, now: float) -> Imported:
    people = [ImportedRater(f"r{at:03d}", rater) for at, rater in enumerate(adopted.raters, 1)]
    pseudonyms = {one.name: one.pseudonym for one in people}
    responses = [
        ImportedResponse(
            number,
            f"import-{number}",
            one.item,
            pseudonyms[one.rater],
            one.answers,
            now if math.isnan(one.time) else one.time,
        )
        for number, one in enumerate(adopted.responses, 1)
    ]
    return Imported(draft=draft, raters=people, responses=responses)
