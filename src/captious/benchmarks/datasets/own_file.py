"""Anybody's judgments: a file of rows with image, caption, references and rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from captious.benchmarks.protocol import SPANS, Protocol, RatedExamples, marked_examples
from captious.benchmarks.selection.parts import Chosen, chosen_rows, condition
from captious.corpus import Judgments
from captious.corpus.finding_formats import holds_findings
from captious.corpus.ids import clean_id
from captious.corpus.judged import read_judgments, read_marked
from captious.corpus.readers import read_rows
from captious.corpus.readers.memory import is_path
from captious.corpus.splits import find_split
from captious.errors import InputError, one_line

OWN_FILE = Protocol(name="", ratings="mean", source="a file of judgments")
OWN_FINDINGS = Protocol(
    name="", task="spans", aspect=SPANS, ratings="mean", source="a file of findings, each rater's as good"
)


def load_own_file(path: Any, where: Sequence[str] = (), by: str = "") -> RatedExamples:
    """Rows `{"image", "caption", "references", "rating"[, "system", "rater", "aspect", …]}`.

    They are in a file, or in memory as a data frame or a list of dicts.

    Rows with the same image and system are ratings of one example and are averaged; so are rows with
    the same image and caption if there is no system, with a note if no rater is named either. `where`
    is a list of conditions `COLUMN=VALUE`; `by` names a column whose value each example gets.
    """
    name = Path(path).name if is_path(path) else "judgments"
    if is_path(path) and holds_findings(path):
        if where or by:
            raise InputError(f"{path}: --where and --by need a file of ratings; this one contains findings.")
        return marked_examples(replace(OWN_FINDINGS, name=name), *read_marked(path))
    if not is_path(path) and (where or by):
        raise InputError("judgments: where and by need a file. Filter a table in memory yourself.")
    conditions = [condition(text) for text in where]
    chosen = chosen_rows(path, conditions, by) if conditions or by else None
    judgments, corpus = read_judgments(path, only=chosen.rows if chosen else None)
    if corpus is None:
        raise InputError(
            f'{path if is_path(path) else name}: contains no captions. Each row needs "image", "caption", '
            '"rating" and, for most metrics, "references".'
        )
    places = judgments.places_in(corpus)
    rated = np.unique(places)
    if len(rated) < len(corpus):
        corpus = corpus.select(rated)
        places = np.searchsorted(rated, places)
    aspects = judgments.aspects
    aspect = next((name for name in ("overall", "total") if name in aspects), aspects[0])
    protocol = replace(OWN_FILE, name=name, aspect=aspect)
    if conditions:
        protocol = protocol.with_options(where=" and ".join(f"{c.column}={c.value}" for c in conditions))
    ordered = judgments.in_order(places, len(corpus))
    ids = [corpus.image_ids[image] for image in corpus.image_of.tolist()]
    split = find_split(Path(path)) if is_path(path) else None
    found = RatedExamples(protocol, corpus, ordered, ids, _said_of_doubles(ordered), split=split)
    return replace(found, by=_values_of(path, found, chosen, by)) if chosen and by else found


def _said_of_doubles(judgments: Judgments) -> tuple[str, ...]:
    """A note where an example has several ratings and nothing says by whom."""
    if judgments.raters != [""]:
        return ()
    told = np.stack([judgments.example_of, judgments.aspect_of, judgments.stage_of], axis=1)
    doubles = len(told) - len(np.unique(told, axis=0))
    if not doubles:
        return ()
    return (
        f"{doubles:,} of {len(told):,} ratings repeat an image and caption, and no rater is named; the "
        "ratings of each caption are averaged.",
    )


def _values_of(path: Path, data: RatedExamples, chosen: Chosen, column: str) -> list[str]:
    """The value of each example: that of the rows with its image, caption and system."""
    rows = read_rows(path).taken(chosen.rows)
    roles = [rows.columns[role] for role in ("image", "caption", "system") if role in rows.columns]
    known: dict[tuple[str | None, ...], str] = {}
    for value, *cells in zip(chosen.by, *roles, strict=True):
        key = tuple(map(clean_id, cells))
        if known.setdefault(key, value) != value:
            raise InputError(
                f'{path}: --by {column}: a caption of image "{one_line(str(key[0]), 40)}" has the values '
                f'"{one_line(known[key], 30)}" and "{one_line(value, 30)}". Choose a column that is the same '
                "in all rows of a caption."
            )
    corpus = data.corpus
    examples = (corpus.example(row) for row in range(len(corpus)))
    found = [(one.image_id, one.caption, one.system)[: len(roles)] for one in examples]
    return [known[tuple(map(clean_id, key))] for key in found]
