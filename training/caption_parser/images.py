"""Which images each golden caption belongs to, so that data are split by image.

The golden parses name a caption and a set, not an image. The benchmark files name both; their
captions, tokenised as the golden ones are, are the keys here. COCO images carry one name
in all files, so that an image kept from training is kept whichever file it came through.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from captious.text.ptb import tokenise_many

Captioned = tuple[str, str]

_COCO_FILE = re.compile(r"coco_\w+?_0*(\d+)", re.IGNORECASE)


def _coco(name: object) -> str:
    found = _COCO_FILE.search(str(name))
    return f"coco/{found[1] if found else name}"


def thumb(data: Path) -> Iterator[Captioned]:
    """Candidates and references of THumB."""
    folder = data / "thumb"
    for line in (folder / "mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield _coco(row["seg_id"]), row["hyp"]
    for line in (folder / "mscoco_references.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield from ((_coco(row["seg_id"]), text) for text in row["refs"])


def karpathy(data: Path) -> Iterator[Captioned]:
    """References of the Karpathy test split and the outputs of the M2 Transformer."""
    folder = data / "coco_karpathy"
    outputs = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    yield from ((_coco(image), text) for image, text in outputs.items())
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    for image, texts in references.items():
        yield from ((_coco(image), text) for text in texts)


def flickr8k(data: Path) -> Iterator[Captioned]:
    """All captions of Flickr8k."""
    token_file = data / "flickr8k" / "Flickr8k.token.txt"
    for line in token_file.read_text(encoding="utf-8").splitlines():
        key, text = line.split("\t")
        yield f"flickr/{key.partition('#')[0]}", text


def flickr8k_expert_images(data: Path) -> set[str]:
    """Images that Flickr8k-Expert judges, and the images that its candidates come from."""
    judged = set()
    rows = (data / "flickr8k" / "ExpertAnnotations.txt").read_text(encoding="utf-8").splitlines()
    for row in rows:
        image, caption_id = row.split("\t")[:2]
        judged |= {f"flickr/{image}", f"flickr/{caption_id.partition('#')[0]}"}
    return judged


def pascal50s(data: Path) -> Iterator[Captioned]:
    """Pairs of PASCAL-50S and the fifty references of each image."""
    from scipy.io import loadmat

    folder = data / "pascal50s"
    pairs = json.loads((folder / "pascal_50s.json").read_text(encoding="utf-8"))
    for row in (row for rows in pairs.values() for row in rows):
        image = f"pascal/{Path(row['image']).name}"
        yield from ((image, text) for text in row["captions"] + row["references"])
    for name, sentences in loadmat(folder / "pascal50S.mat", squeeze_me=True)["train_sent_final"]:
        yield from ((f"pascal/{Path(str(name)).name}", str(text)) for text in sentences)


def nebula(data: Path) -> Iterator[Captioned]:
    """Candidates and references of Nebula."""
    rows = json.loads((data / "nebula" / "nebula_test.json").read_text(encoding="utf-8"))
    for row in rows:
        yield from ((f"nebula/{row['imgid']}", text) for text in [row["mt"], *row["refs"]])


def capeval1k(data: Path) -> Iterator[Captioned]:
    """Candidates of CapEval1k."""
    file = data / "capeval1k" / "capeval1k.jsonl"
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield _coco(row["image"]), row["caption_wordpiece_detok"]


def vicr(data: Path) -> Iterator[Captioned]:
    """Captions of the VICR sample."""
    file = data / "vicr_sample" / "VICR_Sample250.csv"
    with file.open(encoding="utf-8-sig", newline="") as rows:
        for row in csv.DictReader(rows):
            image = row["image"]
            yield (_coco(image) if "COCO_" in image else f"vicr/{image}"), row["caption"]


SOURCES = {
    "thumb": thumb,
    "karpathy": karpathy,
    "flickr8k": flickr8k,
    "pascal50s": pascal50s,
    "nebula": nebula,
    "capeval1k": capeval1k,
    "vicr": vicr,
}


def images_of_captions(data: Path, source: str) -> dict[str, set[str]]:
    """Images of each tokenised caption of a source."""
    pairs = list(SOURCES[source](data))
    found: dict[str, set[str]] = defaultdict(set)
    tokenised = tokenise_many([text for _, text in pairs])
    for (image, _), tokens in zip(pairs, tokenised, strict=True):
        found[" ".join(tokens)].add(image)
    return found


def is_held_out(image: str, share: float = 0.1) -> bool:
    """Whether an image is kept from training: the same answer on every machine.

    >>> [is_held_out(f"coco/{number}") for number in range(5)]
    [False, True, False, False, False]
    """
    fraction = int.from_bytes(sha256(image.encode()).digest()[:8]) / 2**64
    return fraction < share
