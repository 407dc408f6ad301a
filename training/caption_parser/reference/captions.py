"""Which images a caption belongs to, in all benchmark files that the golden parses cover.

The golden parses name a caption and a set, not an image. The benchmark files name both; their
captions, tokenised as the golden ones are, are the keys here. COCO images carry one name
in all files, so that an image kept from training is kept whichever file it came through.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from captious.benchmarks.data_files import wanted
from captious.text.ptb.tokenise import tokenise_many

Captioned = tuple[str, str]

_COCO_FILE = re.compile(r"coco_\w+?_0*(\d+)", re.IGNORECASE)


def _coco(name: object) -> str:
    found = _COCO_FILE.search(str(name))
    return f"coco/{found[1] if found else name}"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _document(data: Path, name: str) -> Any:
    return orjson.loads(wanted(data, name).read_bytes())


def thumb(data: Path) -> Iterator[Captioned]:
    """Candidates and references of THumB."""
    for row in map(orjson.loads, _lines(wanted(data, "thumb/mscoco_THumB-1.0.jsonl"))):
        yield _coco(row["seg_id"]), row["hyp"]
    for row in map(orjson.loads, _lines(wanted(data, "thumb/mscoco_references.jsonl"))):
        yield from ((_coco(row["seg_id"]), text) for text in row["refs"])


def karpathy(data: Path) -> Iterator[Captioned]:
    """References of the Karpathy test split and the outputs of the M2 Transformer."""
    for image, text in _document(data, "coco_karpathy/m2_transformer.json").items():
        yield _coco(image), text
    for image, texts in _document(data, "coco_karpathy/reference_captions.json").items():
        yield from ((_coco(image), text) for text in texts)


def flickr8k(data: Path) -> Iterator[Captioned]:
    """All captions of Flickr8k."""
    for line in _lines(wanted(data, "flickr8k/Flickr8k.token.txt")):
        key, text = line.split("\t")
        yield f"flickr/{key.partition('#')[0]}", text


def flickr8k_expert_images(data: Path) -> set[str]:
    """Images that Flickr8k-Expert judges, and the images that its candidates come from."""
    judged = set()
    for row in _lines(wanted(data, "flickr8k/ExpertAnnotations.txt")):
        image, caption_id = row.split("\t")[:2]
        judged |= {f"flickr/{image}", f"flickr/{caption_id.partition('#')[0]}"}
    return judged


def pascal50s(data: Path) -> Iterator[Captioned]:
    """Pairs of PASCAL-50S and the fifty references of each image."""
    from scipy.io import loadmat

    pairs = _document(data, "pascal50s/pascal_50s.json")
    for row in (row for rows in pairs.values() for row in rows):
        image = f"pascal/{Path(row['image']).name}"
        yield from ((image, text) for text in row["captions"] + row["references"])
    table = loadmat(wanted(data, "pascal50s/pascal50S.mat"), squeeze_me=True)
    for name, sentences in table["train_sent_final"]:
        yield from ((f"pascal/{Path(str(name)).name}", str(text)) for text in sentences)


def nebula(data: Path) -> Iterator[Captioned]:
    """Candidates and references of Nebula."""
    for row in _document(data, "nebula/nebula_test.json"):
        yield from ((f"nebula/{row['imgid']}", text) for text in [row["mt"], *row["refs"]])


def capeval1k(data: Path) -> Iterator[Captioned]:
    """Candidates of CapEval1k."""
    for row in map(orjson.loads, _lines(wanted(data, "capeval1k/capeval1k.jsonl"))):
        yield _coco(row["image"]), row["caption_wordpiece_detok"]


def vicr(data: Path) -> Iterator[Captioned]:
    """Captions of the VICR sample."""
    path = wanted(data, "vicr_sample/VICR_Sample250.csv")
    with path.open(encoding="utf-8-sig", newline="") as rows:
        for row in csv.DictReader(rows):
            image = row["image"]
            yield (_coco(image) if "COCO_" in image else f"vicr/{image}"), row["caption"]


SOURCES: dict[str, Callable[[Path], Iterator[Captioned]]] = {
    "thumb": thumb,
    "karpathy": karpathy,
    "flickr8k": flickr8k,
    "pascal50s": pascal50s,
    "nebula": nebula,
    "capeval1k": capeval1k,
    "vicr": vicr,
}


def images_of_captions(data: Path, source: str) -> dict[str, set[str]]:
    """Images of each caption of a source, captions as their tokens."""
    pairs = list(SOURCES[source](data))
    found: dict[str, set[str]] = defaultdict(set)
    tokenised = tokenise_many([text for _, text in pairs])
    for (image, _), tokens in zip(pairs, tokenised, strict=True):
        found[" ".join(tokens)].add(image)
    return found
