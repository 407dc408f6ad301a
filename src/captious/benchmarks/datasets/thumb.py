"""THumB 1.0: five systems on 500 COCO images, judged by rubric (Kasai et al. 2022)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from captious.benchmarks.data_files import wanted
from captious.benchmarks.datasets.same_text import fold, without
from captious.benchmarks.protocol import Protocol, RatedExamples, rated_examples
from captious.corpus import Corpus
from captious.corpus.readers import read_rows
from captious.corpus.readers.names import THUMB_ASPECTS
from captious.errors import InputError, as_written

Human = Literal["with", "without"]
Leaked = Literal["keep", "drop", "replace"]
Release = Literal["first", "later"]

HUMAN = "Human"
# THumB 2.2: precision and recall are scales of 1 to 5; penalties are negative in the file.
SCALE = {"precision": (1, 5), "recall": (1, 5), "total": (-10, 5)}

# The authors' commits 95195a2 (November 2021) and 35e97e1, "fix Human alignment" (January 2022), which
# moves 51 Human captions to the images that they describe. Table 2 and 4 of the paper are of the first.
FILES: dict[Release, str] = {
    "first": "thumb/first_release/mscoco_THumB-1.0.jsonl",
    "later": "thumb/mscoco_THumB-1.0.jsonl",
}

THUMB = Protocol(
    name="thumb",
    coefficients=("pearson", "spearman", "kendall_b", "kendall_c"),
    ratings="mean",
    aspect="total",
    references="the four COCO captions of the release",
    documents="images",
    confidence=0.90,
    source="Kasai et al. 2022, Table 4: instance-level Pearson, 90% intervals",
)


def load_thumb(
    folder: Path, human: Human = "without", leaked: Leaked = "keep", release: Release = "later"
) -> RatedExamples:
    """2,000 judged captions of four machines, or 2,500 with the human ones.

    `release` is the version of the judgments: the `later` of January 2022, or the `first`, which the
    paper's values were computed on. In the later one 39 images have the Human caption among their
    references, in the first 1. `leaked="drop"` removes those references, and `"replace"` replaces them
    with COCO's fifth caption of the image, if `coco_karpathy/reference_captions.json` has one that the
    release left out.
    """
    path = wanted(folder, FILES[release])
    columns = read_rows(path).columns
    references = _references(wanted(folder, "thumb/mscoco_references.jsonl"))
    systems, images, captions = (
        [str(value) for value in columns[role]] for role in ("system", "image", "caption")
    )
    unknown = next((image for image in images if image not in references), None)
    if unknown is not None:
        raise InputError(f'{path}: image "{unknown}" has no references.')
    if human == "without" and HUMAN not in systems:
        raise InputError(
            f'{path}: no system is called "{HUMAN}", so that none can be left out. Correct "SYS".'
        )
    own = {i: c for s, i, c in zip(systems, images, captions, strict=True) if s == HUMAN}
    leaks = [image for image, caption in own.items() if _leaked(caption, references[image])]
    replaced = 0
    if leaked != "keep":
        fifth = _left_out(folder, references, leaks) if leaked == "replace" else {}
        replaced = len(fifth)
        references |= {
            image: [*without(references[image], [own[image]]), *fifth.get(image, [])] for image in leaks
        }
    kept = [row for row, system in enumerate(systems) if human == "with" or system != HUMAN]
    corpus = Corpus.from_lists(
        [captions[row] for row in kept],
        [references[images[row]] for row in kept],
        image_ids=[images[row] for row in kept],
        systems=[systems[row] for row in kept],
    )
    ratings = {
        aspect: [[_number(path, columns, key, row)] for row in kept] for key, aspect in _keys(columns).items()
    }
    protocol = THUMB.with_options(human=human, leaked=leaked)
    if release == "first":
        protocol = protocol.with_options(release=release)
    notes: tuple[str, ...] = ()
    if leaks and human == "with":
        what = {
            "keep": "kept; --leaked drop removes them, --leaked replace uses the fifth caption instead",
            "drop": "removed",
            "replace": f"{replaced} replaced with the image's fifth caption, {len(leaks) - replaced} removed",
        }[leaked]
        notes = (f"{len(leaks)} Human captions are among their own references ({what}).",)
    return rated_examples(protocol, corpus, ratings, [images[row] for row in kept], notes)


def _left_out(folder: Path, references: dict[str, list[str]], images: list[str]) -> dict[str, list[str]]:
    """Of each image the one caption of COCO that the release has neither as reference nor as Human."""
    path = wanted(folder, "coco_karpathy/reference_captions.json")
    all_five = read_rows(path).columns
    own: dict[str, list[str]] = {image: [] for image in images}
    for image, caption in zip(all_five["image"], all_five["caption"], strict=True):
        if str(image) in own:
            own[str(image)].append(str(caption))
    found = {}
    for image, captions in own.items():
        known = {fold(text) for text in references[image]}
        missing = [text for text in captions if fold(text) not in known]
        if len(missing) == 1:
            found[image] = missing
    return found


def _keys(columns: dict[str, list[object]]) -> dict[str, str]:
    # The reader files THumB's total under its role, "rating".
    names = {key: aspect for key, aspect in THUMB_ASPECTS.items() if key in columns}
    return names | ({"rating": "total"} if "rating" in columns else {})


def _references(path: Path) -> dict[str, list[str]]:
    rows = read_rows(path)
    found: dict[str, list[str]] = {}
    texts = rows.columns.get("references")
    if texts is None:
        raise InputError(f'{path}: its rows have no "refs". Each row needs "seg_id" and "refs".')
    for image, own in zip(rows.columns["image"], texts, strict=True):
        found[str(image)] = [str(text) for text in own]  # type: ignore[attr-defined]
    return found


def _leaked(caption: str, references: list[str]) -> bool:
    return fold(caption) in {fold(reference) for reference in references}


def _number(path: Path, columns: dict[str, list[object]], key: str, row: int) -> float:
    value = columns[key][row]
    aspect = THUMB_ASPECTS.get(key, "total")
    low, high = SCALE.get(aspect, (-5, 0))
    if not isinstance(value, (int, float)) or not low <= value <= high:
        raise InputError(
            f"{path}: row {row + 1}: {aspect} is {as_written(value, 30)}, not a number "
            f"from {low} to {high}. Correct the file."
        )
    return float(value)
