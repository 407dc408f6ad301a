from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from captious.benchmarks import MetaSettings, meta
from captious.benchmarks.datasets.flickr8k import load_expert

BENCHMARKS = ("flickr8k-expert", "thumb", "pascal-50s", "nebula", "foils", "capeval1k", "composite")
ONCE = MetaSettings(resamples=0)


def shared_words(captions: list[str], references: list[list[str]]) -> list[float]:
    """The share of a caption's words that a reference has: another in every draw of references."""
    return [
        sum(word in " ".join(own).split() for word in text.split()) / max(1, len(text.split()))
        for text, own in zip(captions, references, strict=True)
    ]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_scores_of_the_written_rows_give_what_the_function_gives(run, data, tmp_path: Path, name) -> None:
    """The same function over the file and inside: by id on every benchmark."""
    assert run("get", "rows", name, "--out", tmp_path / "rows.jsonl", "--data", data).code == 0
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert {"id", "image", "caption", "references"} <= rows[0].keys()
    values = shared_words([row["caption"] for row in rows], [row["references"] for row in rows])
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        kept = [key for key in ("id", "draw") if key in rows[0]]
        writer = csv.writer(file)
        writer.writerow([*kept, "mine"])
        writer.writerows(
            [[row[key] for key in kept] + [value] for row, value in zip(rows, values, strict=True)]
        )
    inside = meta(name, [shared_words], data=data, settings=ONCE)["shared_words"]
    outside = meta(name, ["mine"], data=data, scores=tmp_path / "scores.csv", settings=ONCE)["mine"]
    assert repr(inside) == repr(outside)


@pytest.mark.parametrize("name", ["flickr8k-expert", "thumb", "nebula"])
def test_image_and_caption_are_enough(run, data, tmp_path: Path, name) -> None:
    """A file with image and caption alone joins on benchmarks with and without systems."""
    run("get", "rows", name, "--out", tmp_path / "rows.csv", "--data", data)
    with (tmp_path / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "scores.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "caption", "letters"])
        writer.writerows([row["image"], row["caption"], len(row["caption"])] for row in rows)

    def letters(captions: list[str]) -> list[int]:
        return [len(text) for text in captions]

    found = meta(name, data=data, scores=tmp_path / "scores.csv", settings=ONCE)["letters"]
    assert repr(found) == repr(meta(name, [letters], data=data, settings=ONCE)["letters"])


def test_the_rows_are_exactly_those_of_the_protocol(run, data, tmp_path: Path) -> None:
    """Without the 158 pairs that Flickr8k-Expert leaves out."""
    run("get", "rows", "flickr8k-expert", "--out", tmp_path / "rows.jsonl", "--data", data)
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    expert = load_expert(data)
    assert len(rows) == 5664
    assert [row["id"] for row in rows] == expert.keys()
    assert [row["references"] for row in rows] == [one.references for one in expert.corpus]
