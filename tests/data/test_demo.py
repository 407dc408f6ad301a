"""The demo sample is whole: every file opens, every id resolves, every photograph has a licence."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from captious.data import demo_files, demo_path

FILES = demo_files()
ASPECTS = ("precision", "recall", "fluency", "conciseness", "inclusive_language")
PENALTIES = ASPECTS[2:]
RATERS = ("r1", "r2")
MOST_BYTES = 60_000
MOST_BYTES_IN_ALL = 900_000
LONGEST_SIDE = 400
SHAREABLE = {"CC0-1.0", "CC-BY-2.0", "CC-BY-4.0", "Public domain", "No known copyright restrictions"}


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def references() -> dict[int, list[str]]:
    told: dict[int, list[str]] = {image["id"]: [] for image in load(FILES.references)["images"]}
    for annotation in load(FILES.references)["annotations"]:
        told[annotation["image_id"]].append(annotation["caption"])
    return told


def judgments() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILES.judgments.read_text(encoding="utf-8").splitlines()]


def captions(system: Path) -> dict[int, str]:
    return {row["image_id"]: row["caption"] for row in load(system)}


def words(caption: str) -> tuple[str, ...]:
    bare = caption.casefold().translate(str.maketrans("", "", string.punctuation))
    return tuple(bare.split())


def total(rows: list[dict[str, Any]]) -> float:
    """THumB 2.2: the average of precision and recall, less the penalties; mean of the raters."""
    halves = sum(row["value"] for row in rows if row["aspect"] in ("precision", "recall")) / 2
    return (halves + sum(row["value"] for row in rows if row["aspect"] in PENALTIES)) / len(RATERS)


def totals(system: str) -> dict[int, float]:
    rows = [row for row in judgments() if row["system"] == system]
    return {
        image: total([row for row in rows if row["image"] == image])
        for image in {row["image"] for row in rows}
    }


def test_every_named_file_is_there_and_none_is_unnamed() -> None:
    named = {FILES.references, FILES.objects, FILES.judgments, FILES.game, FILES.readme, *FILES.systems}
    named |= {FILES.images / image["file_name"] for image in load(FILES.references)["images"]}
    assert {path for path in demo_path().rglob("*") if path.is_file()} == named


@pytest.mark.parametrize("image", load(FILES.references)["images"], ids=lambda i: i["file_name"])
def test_photograph_opens_and_is_as_described(image: dict[str, Any]) -> None:
    pillow = pytest.importorskip("PIL.Image")
    path = FILES.images / image["file_name"]
    with pillow.open(path) as photograph:
        photograph.load()
        assert photograph.format == "JPEG"
        assert photograph.size == (image["width"], image["height"])
        assert max(photograph.size) <= LONGEST_SIDE
        assert not photograph.getexif()
    assert path.stat().st_size < MOST_BYTES


def test_photographs_are_small_in_all() -> None:
    assert sum(path.stat().st_size for path in FILES.images.iterdir()) < MOST_BYTES_IN_ALL


def test_ids_run_from_one_and_annotation_ids_are_unique() -> None:
    described = load(FILES.references)
    ids = [image["id"] for image in described["images"]]
    assert ids == list(range(1, 25))
    assert len({image["file_name"] for image in described["images"]}) == len(ids)
    numbers = [annotation["id"] for annotation in described["annotations"]]
    assert len(set(numbers)) == len(numbers) == 5 * len(ids)


def test_every_image_has_five_different_well_written_references() -> None:
    for image, told in references().items():
        assert len(told) == len({words(caption) for caption in told}) == 5, image
        for caption in told:
            assert re.fullmatch(r"[A-Z][^\n]*\w\.", caption), caption
            assert "  " not in caption, caption


@pytest.mark.parametrize("system", FILES.systems, ids=lambda path: path.stem)
def test_system_captions_every_image_once_and_never_with_a_reference(system: Path) -> None:
    rows = load(system)
    assert [row["image_id"] for row in rows] == list(references())
    for image, caption in captions(system).items():
        assert caption == caption.strip()
        assert words(caption)
        assert words(caption) not in {words(told) for told in references()[image]}, caption


def test_no_two_systems_say_the_same_of_an_image() -> None:
    for image in references():
        assert len({words(captions(system)[image]) for system in FILES.systems}) == 4, image


def test_two_systems_write_without_capital_or_full_stop() -> None:
    bare = [
        system.stem
        for system in FILES.systems
        if all(c[0].islower() and not c.endswith(".") for c in captions(system).values())
    ]
    assert bare == ["magpie", "dodo"]


def test_objects_label_every_image() -> None:
    objects = load(FILES.objects)
    assert [int(image) for image in objects] == list(references())
    for labels in objects.values():
        assert labels
        assert all(label == label.lower().strip() != "" for label in labels)
    dogs = next(i["id"] for i in load(FILES.references)["images"] if i["file_name"] == "dogs.jpg")
    assert Counter(objects[str(dogs)])["dog"] == 2


def test_every_photograph_has_a_licence_that_lets_us_ship_it() -> None:
    described = load(FILES.references)
    licences = {licence["id"]: licence for licence in described["licenses"]}
    readme = FILES.readme.read_text(encoding="utf-8")
    for image in described["images"]:
        licence = licences[image["license"]]
        assert licence["name"] in SHAREABLE
        line = next(row for row in readme.splitlines() if f"`{image['file_name']}`" in row)
        for told in (image["author"], image["source_url"], licence["name"], licence["url"]):
            assert told in line, (image["file_name"], told)


def test_judgments_are_complete() -> None:
    found = Counter(
        (row["image"], row["system"], row["rater"], row["aspect"], row["stage"]) for row in judgments()
    )
    wanted = {
        (image, system.stem, rater, aspect, "first")
        for image in references()
        for system in FILES.systems
        for rater in RATERS
        for aspect in ASPECTS
    }
    assert found == Counter(wanted)


def test_judgments_keep_to_the_rubric() -> None:
    for row in judgments():
        if row["aspect"] in PENALTIES:
            assert -2 <= row["value"] <= 0, row
        else:
            assert row["value"] in (1, 2, 3, 4, 5), row
    used = {row["aspect"] for row in judgments() if row["aspect"] in PENALTIES and row["value"]}
    assert used == set(PENALTIES)


def test_raters_differ_a_little_and_never_by_more_than_a_point() -> None:
    scales = [row for row in judgments() if row["aspect"] in ("precision", "recall")]
    pairs: dict[tuple[Any, ...], list[int]] = {}
    for row in scales:
        pairs.setdefault((row["image"], row["system"], row["aspect"]), []).append(row["value"])
    gaps = Counter(abs(first - second) for first, second in pairs.values())
    assert set(gaps) == {0, 1}
    assert gaps[0] > gaps[1]


def test_systems_differ_on_average_and_overlap_on_single_images() -> None:
    by_system = {system.stem: totals(system.stem) for system in FILES.systems}
    means = [sum(scores.values()) / len(scores) for scores in by_system.values()]
    assert all(better - worse > 0.5 for better, worse in pairwise(means))
    names = list(by_system)
    for better, worse in pairwise(names):
        upsets = [i for i in references() if by_system[worse][i] >= by_system[better][i]]
        assert upsets, (better, worse)
