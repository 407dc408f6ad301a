"""Judgments from files as a campaign: THumB's release, an export of ours, or any judgments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from captious.campaigns.exchange.import_export import export_folder, read_export, unzipped
from captious.campaigns.exchange.import_store import Imported, ImportedRater, ImportedResponse, store
from captious.campaigns.exchange.import_thumb import About, judged_rows, thumb_campaign
from captious.campaigns.exchange.references import references_in
from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.corpus import Corpus, Judgments
from captious.corpus.judged import JudgedCaptions, read_judgments
from captious.corpus.load import load_corpus
from captious.corpus.readers import read_rows
from captious.errors import InputError
from captious.protocols import Item, protocol
from captious.protocols.generic_file import WIDEST_SCALE, parse_protocol
from captious.protocols.tagging import ASPECT, VALUES
from captious.protocols.thumb import ASPECTS

Paths = Sequence[Path]


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


def import_thumb_release(
    db: Database,
    path: Path,
    *,
    title: str,
    actor: str,
    slug: str | None = None,
    images: Path | None = None,
    references: Path | None = None,
) -> Campaign:
    """THumB's released judgments as a closed campaign, whose report shows the paper's tables."""
    columns = read_rows(path).columns
    if not {"P", "R"} <= columns.keys():
        raise InputError(f'{path}: holds no "P" and "R". Give THumB\'s released file.')
    return import_file(
        db,
        path,
        actor=actor,
        title=title,
        slug=slug,
        images=images,
        references=[references] if references is not None else (),
    )


def import_judgments(
    db: Database, path: Path, *, actor: str, title: str | None = None, candidates: Paths = ()
) -> Campaign:
    """Any file of judgments as a campaign; see `import_file`."""
    return import_file(db, path, actor=actor, title=title, candidates=candidates)


def judged_campaign(
    found: JudgedCaptions, about: About, now: float, candidates: Paths, path: Path
) -> Imported:
    """The campaign that judgments would have come from."""
    judgments = found.judgments
    corpus = load_corpus(list(candidates)) if candidates else found.corpus
    if corpus is None:
        raise InputError(f"{path}: holds no captions. Give their files with --candidates.")
    if not len(judgments):
        raise InputError(f"{path}: holds no judgments.")
    known = references_in(corpus)
    if {"precision", "recall"} <= set(judgments.aspects) <= {*ASPECTS, "total"}:
        rows = judged_rows(judgments, corpus)
        return thumb_campaign(rows, about, now=now, references=known)
    if judgments.aspects == [ASPECT] and set(judgments.values.tolist()) <= set(VALUES.values()):
        words = {value: verdict for verdict, value in VALUES.items()}
        rules = protocol("tagging", raters=1, two_rounds=False)
        options = {"raters": 1, "two_rounds": False}
        items = rules.items(_judged_only(corpus, judgments), seed=about.seed)
        draft = about.draft("tagging", items, options=options)
        answers: dict[str, Callable[[float], Any]] = {"verdict": lambda value: words[value]}
    else:
        text = likert_file(judgments, about.title, path)
        rules = parse_protocol(text)
        items = rules.items(_judged_only(corpus, judgments), seed=about.seed)
        draft = about.draft("generic", items, protocol_file=text)
        answers = dict.fromkeys(judgments.aspects, float)
    people, responses = _responses(judgments, items, answers, now, path)
    return Imported(draft=draft, raters=people, responses=responses, references=known)


def likert_file(judgments: Judgments, name: str, path: Path) -> str:
    """A Likert protocol with the aspects of some judgments, as its YAML text."""
    import json

    values = judgments.values
    if not np.array_equal(values, np.round(values)):
        raise InputError(
            f"{path}: values such as {values[values != np.round(values)][0]:g} are no points of a "
            "Likert scale. Import the raw responses instead: the whole export."
        )
    questions = []
    for aspect in judgments.aspects:
        own = values[judgments.rows(aspect)]
        low, high = int(own.min()), max(int(own.max()), int(own.min()) + 1)
        if high - low >= WIDEST_SCALE:
            raise InputError(f"{path}: {aspect} goes from {low} to {high}: too wide for a scale.")
        questions.append({"aspect": aspect, "ask": f"{aspect}?", "low": low, "high": high})
    # JSON is YAML.
    return json.dumps({"name": name, "kind": "likert", "questions": questions}) + "\n"


def _judged_only(corpus: Corpus, judgments: Judgments) -> Corpus:
    places = judgments.places_in(corpus)
    missing = next((key for key, at in zip(judgments.keys, places, strict=True) if at < 0), None)
    if missing is not None:
        raise InputError(f'image "{missing[0]}": {missing[1]} has no caption for it.')
    return corpus.select(np.unique(places))


def _responses(
    judgments: Judgments, items: list[Item], answers: dict[str, Any], now: float, path: Path
) -> tuple[list[ImportedRater], list[ImportedResponse]]:
    """One response for each item and rater, from the first system that wrote the caption."""
    item_of = {
        (item.image, system): (item, item.sources["A"][0]) for item in items for system in item.sources["A"]
    }
    given: dict[tuple[str, int], dict[str, Any]] = {}
    times: dict[tuple[str, int], float] = {}
    for row in range(len(judgments)):
        image, system = judgments.keys[int(judgments.example_of[row])]
        item, first = item_of[image, system]
        if system != first:
            continue  # the same caption, judged once for all who wrote it
        key = (item.key, int(judgments.rater_of[row]))
        aspect = judgments.aspects[int(judgments.aspect_of[row])]
        own = given.setdefault(key, {})
        if aspect in own:
            raise InputError(
                f'{path}: image "{image}": {system} is judged twice on {aspect} by one rater. '
                "Import the raw responses instead, or keep one stage."
            )
        own[aspect] = answers[aspect](float(judgments.values[row]))
        time = float(judgments.times[row])
        times[key] = now if np.isnan(time) else time
    people = [ImportedRater(f"r{at:03d}", name or "unnamed") for at, name in enumerate(judgments.raters, 1)]
    responses = [
        ImportedResponse(number, f"import-{number}", item, people[rater].pseudonym, own, times[item, rater])
        for number, ((item, rater), own) in enumerate(given.items(), 1)
    ]
    return people, responses
