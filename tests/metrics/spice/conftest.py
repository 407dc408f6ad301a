"""Items that the reference implementation has scored, with their captions' tuples."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from captious.text.ptb.tokenise import tokenise_many

Tuples = list[tuple[str, ...]]


class GoldenItem(NamedTuple):
    benchmark: str
    candidate: str
    references: list[str]
    f: float
    matched: int
    invented: int
    missed: int


def _lines(path: Path) -> list[Any]:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return [orjson.loads(line) for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="session")
def golden_tuples(golden: Path) -> dict[str, Tuples]:
    """Tuples of each caption by its tokens."""
    rows = _lines(golden / "spice" / "parses.jsonl.gz")
    return {row["caption"]: [tuple(parts) for parts in row["tuples"]] for row in rows}


@pytest.fixture(scope="session")
def golden_items(golden: Path, data: Path) -> list[GoldenItem]:
    """Every scored item, captions as their tokens."""
    items = list(_items(golden / "spice", data))
    texts = sorted({text for item in items for text in (item.candidate, *item.references)})
    tokens = dict(zip(texts, (" ".join(words) for words in tokenise_many(texts)), strict=True))
    return [
        item._replace(candidate=tokens[item.candidate], references=[tokens[text] for text in item.references])
        for item in items
    ]


def _items(golden: Path, data: Path) -> Iterator[GoldenItem]:
    captions = _captions(data)
    for name in ("thumb", "flickr8k_expert", "karpathy_m2", "nebula", "capeval1k"):
        for row in _lines(golden / f"{name}.jsonl.gz"):
            candidate, references = captions[name][row["id"]]
            yield GoldenItem(name, candidate, references, row["f"], row["tp"], row["fp"], row["fn"])


def _captions(data: Path) -> dict[str, dict[Any, tuple[str, list[str]]]]:
    thumb = {row["seg_id"]: row["refs"] for row in _lines(data / "thumb/mscoco_references.jsonl")}
    flickr = dict(
        line.split("\t", 1) for line in (data / "flickr8k/Flickr8k.token.txt").read_text("utf-8").splitlines()
    )
    karpathy = orjson.loads((data / "coco_karpathy/reference_captions.json").read_bytes())
    machine = orjson.loads((data / "coco_karpathy/m2_transformer.json").read_bytes())
    nebula = orjson.loads((data / "nebula/nebula_test.json").read_bytes())
    expert = (data / "flickr8k/ExpertAnnotations.txt").read_text("utf-8").splitlines()
    pairs = [line.split("\t")[:2] for line in expert]
    return {
        "thumb": {
            f"{row['SYS']}|{row['seg_id']}": (row["hyp"], thumb[row["seg_id"]])
            for row in _lines(data / "thumb/mscoco_THumB-1.0.jsonl")
        },
        "flickr8k_expert": {
            f"{image}|{caption}": (flickr[caption], [flickr[f"{image}#{k}"] for k in range(5)])
            for image, caption in pairs
        },
        "karpathy_m2": {image: (machine[image], karpathy[image]) for image in machine},
        "nebula": {number: (row["mt"], row["refs"]) for number, row in enumerate(nebula)},
        "capeval1k": {
            row["id"]: (row["caption_wordpiece_detok"], karpathy[str(int(row["image"].rpartition("_")[2]))])
            for row in _lines(data / "capeval1k/capeval1k.jsonl")
        },
    }
