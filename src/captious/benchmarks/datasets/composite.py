"""Composite: candidates for Flickr8k, Flickr30k and COCO images (Aditya et al. 2018)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from captious.benchmarks.data_files.locate import wanted
from captious.benchmarks.datasets.same_text import fold, without
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
    """Rows `{"subset", "image", "candidate", "relevance"[, "thoroughness"], "references"}`.

    Some candidates are captions by people, drawn from the image's references. `human="without"`
    leaves them out, as Madhyastha et al. 2019 (4.3) do.
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
    people = [row for row in rows if _by_people(row)]
    if human == "without":
        rows = [row for row in rows if not _by_people(row)]
        if not rows:
            raise InputError(f"{path}: every candidate is one of its image's references. Use human=with.")
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
    protocol = COMPOSITE.with_options(subset=subset, human=human)
    if human == "without":
        protocol = replace(protocol, left_out=f"{len(people):,} candidates written by people")
    return rated_examples(protocol, corpus, ratings, ids, notes)


def _by_people(row: dict[str, Any]) -> bool:
    """Whether the candidate is one of the image's own references."""
    return fold(row["candidate"]) in {fold(text) for text in row["references"]}


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
