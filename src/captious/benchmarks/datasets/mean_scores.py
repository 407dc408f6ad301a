"""Benchmarks that publish one mean human score a caption: Nebula and CapEval1k."""

from __future__ import annotations

from pathlib import Path

from captious.benchmarks.data_files import wanted
from captious.benchmarks.protocol import Protocol, RatedExamples, rated_examples
from captious.corpus import Corpus
from captious.corpus.ids import loose_id
from captious.corpus.load import reference_sets
from captious.corpus.readers import Rows, read_rows
from captious.errors import InputError, as_written

NEBULA = Protocol(
    name="nebula",
    coefficients=("kendall_c", "kendall_b", "pearson", "spearman"),
    references="the row's own",
    documents="examples",
    source="Matsuda et al. 2024 (DENEB), Nebula test split",
)
CAPEVAL1K = Protocol(
    name="capeval1k",
    coefficients=("kendall_c", "pearson", "kendall_b", "spearman"),
    references="the five COCO captions of the image, from the Karpathy test split",
    documents="images",
    source="Lee et al. 2021 (UMIC)",
)


def load_nebula(folder: Path) -> RatedExamples:
    """3,298 captions with a mean human score of 0 to 1."""
    path = wanted(folder, "nebula/nebula_test.json")
    rows = read_rows(path)
    _require(rows, "image", "caption", "references", "rating")
    scores = [[share(rows, row)] for row in range(len(rows))]
    corpus = Corpus.from_lists(
        _texts(rows, "caption"),
        [[str(text) for text in own] for own in rows.columns["references"]],  # type: ignore[attr-defined]
        image_ids=_texts(rows, "image"),
    )
    return rated_examples(NEBULA, corpus, {"overall": scores}, [str(i) for i in range(len(rows))])


def load_capeval1k(folder: Path) -> RatedExamples:
    """1,000 captions of 250 COCO images with a mean human score of 0 to 1."""
    path = wanted(folder, "capeval1k/capeval1k.jsonl")
    known = reference_sets([read_rows(wanted(folder, "coco_karpathy/reference_captions.json"))])
    rows = read_rows(path)
    _require(rows, "image", "caption", "rating")
    places = {loose_id(image): place for image, place in known.ids.items()}
    images = [loose_id(image) for image in _texts(rows, "image")]
    unknown = next((image for image in images if image not in places), None)
    if unknown is not None:
        raise InputError(f'{path}: image "{unknown}" is not in the Karpathy test references.')
    corpus = Corpus.from_lists(
        _texts(rows, "caption"), [known.sets[places[image]] for image in images], image_ids=images
    )
    scores = [[share(rows, row)] for row in range(len(rows))]
    own = rows.columns.get("id") or list(range(len(rows)))
    return rated_examples(CAPEVAL1K, corpus, {"overall": scores}, [str(value) for value in own])


def share(rows: Rows, row: int) -> float:
    """A mean human score of 0 to 1."""
    value = rows.columns["rating"][row]
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InputError(
            f"{rows.source}: {rows.places[row]}: the human score is {as_written(value, 30)}, not a "
            "number from "
            "0 to 1. Correct the file."
        )
    return float(value)


def _require(rows: Rows, *roles: str) -> None:
    missing = [role for role in roles if role not in rows.columns]
    if missing:
        raise InputError(f"{rows.source}: its rows have no {missing[0]}. Copy the file again.")


def _texts(rows: Rows, role: str) -> list[str]:
    return [str(value) for value in rows.columns[role]]
