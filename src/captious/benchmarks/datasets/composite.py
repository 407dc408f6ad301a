"""Composite: candidates for Flickr8k, Flickr30k and COCO images (Aditya et al. 2018)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from captious.benchmarks.data_files import wanted
from captious.benchmarks.datasets.same_text import without
from captious.benchmarks.protocol import Protocol, RatedExamples, rated_examples
from captious.corpus import Corpus
from captious.corpus.readers import open_source
from captious.errors import InputError, UnknownNameError, as_written

SCALE = (1, 5)
ASPECTS = ("relevance", "thoroughness")

COMPOSITE = Protocol(
    name="composite",
    coefficients=("kendall_c", "kendall_b", "pearson", "spearman"),
    ratings="mean",
    aspect="relevance",
    references="the image's own, without every caption that is a candidate for it",
    documents="examples",
    source="Aditya et al. 2018; tau-c as Hessel et al. 2021, Spearman as Madhyastha et al. 2019",
)


def load_composite(folder: Path, subset: str = "all", human: str = "with") -> RatedExamples:
    """Rows `{"subset", "image", "candidate", "relevance"[, "thoroughness"], "references"[, "human"]}`.

    `"human": true` marks the candidates that people wrote. Without that field the first candidate of
    each image is theirs, which is the order of Composite. `human="without"` leaves them out, as
    Madhyastha et al. 2019 (4.3) do.
    """
    import orjson

    path = wanted(folder, "composite/composite.jsonl", "formats/composite.head.jsonl")
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(open_source(path).data.splitlines(), 1):
        if line.strip():
            try:
                rows.append(_checked(orjson.loads(line), path, number))
            except orjson.JSONDecodeError:
                raise InputError(f"{path}: line {number}: not valid JSON. Correct the line.") from None
    subsets = sorted({str(row["subset"]) for row in rows})
    if subset != "all":
        if subset not in subsets:
            raise UnknownNameError("subset", subset, ["all", *subsets])
        rows = [row for row in rows if row["subset"] == subset]
    left_out = "nothing"
    if human == "without":
        people, how = _by_people(rows, path)
        if not any(people) or all(people):
            raise InputError(
                f"{path}: {sum(people):,} of {len(rows):,} candidates are by people, {how}. Some must be, "
                'and not all: correct the field "human" of the rows, or use --human with.'
            )
        left_out = f"{sum(people):,} candidates written by people, {how}"
        rows = [row for row, own in zip(rows, people, strict=True) if not own]
    candidates: dict[str, list[str]] = {}
    for row in rows:
        candidates.setdefault(row["image"], []).append(row["candidate"])
    corpus = Corpus.from_lists(
        [row["candidate"] for row in rows],
        [without(row["references"], candidates[row["image"]]) for row in rows],
        image_ids=[row["image"] for row in rows],
    )
    ratings = {
        aspect: [[float(row[aspect])] for row in rows]
        for aspect in ASPECTS
        if all(aspect in row for row in rows)
    }
    notes: tuple[str, ...] = ()
    if ".head." in path.name:
        notes = (f"{path.name} contains only the first rows of one subset: {len(rows)} captions.",)
    ids = [str(i) for i in range(len(rows))]
    protocol = replace(COMPOSITE.with_options(subset=subset, human=human), left_out=left_out)
    return rated_examples(protocol, corpus, ratings, ids, notes)


def _by_people(rows: list[dict[str, Any]], path: Path) -> tuple[list[bool], str]:
    """Whether each candidate is by a person, and what says so: a field, or its place in the file."""
    marked = [row.get("human") for row in rows]
    if any(mark is not None for mark in marked):
        wrong = next(
            (row for row, mark in zip(rows, marked, strict=True) if not isinstance(mark, bool)), None
        )
        if wrong is not None:
            raise InputError(
                f'{path}: image "{wrong["image"]}": "human" is {as_written(wrong.get("human"), 30)}. '
                "Where one row has it, each needs true or false."
            )
        return [bool(mark) for mark in marked], 'by the field "human"'
    seen: set[tuple[str, str]] = set()
    first = []
    for row in rows:
        key = (str(row["subset"]), str(row["image"]))
        first.append(key not in seen)
        seen.add(key)
    return first, "the first of each image"


def _checked(row: object, path: Path, number: int) -> dict[str, Any]:
    keys = ("subset", "image", "candidate", "relevance", "references")
    if not isinstance(row, dict):
        raise InputError(f"{path}: line {number}: not a JSON object. Each line needs {', '.join(keys)}.")
    missing = [key for key in keys if key not in row]
    if missing:
        raise InputError(
            f'{path}: line {number}: "{missing[0]}" is missing. Each line needs {", ".join(keys)}.'
        )
    low, high = SCALE
    value = row["relevance"]
    if not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(
            f"{path}: line {number}: relevance is {as_written(value, 30)}, not a number from {low} to {high}."
        )
    return row
