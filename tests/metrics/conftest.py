"""Real captions, and what coco-caption's own program says of them."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus
from captious.metrics import Batch

THUMB_SYSTEMS = ("VinVL-large", "VinVL-base", "Unified-VLP", "Up-Down", "Human")
Items = dict[str, np.ndarray]


@pytest.fixture(scope="session")
def karpathy(data: Path) -> Corpus:
    """Karpathy's test split with the captions of the M2 Transformer."""
    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    ids = list(captions)
    return Corpus.from_lists([captions[i] for i in ids], [references[i] for i in ids], image_ids=ids)


@pytest.fixture(scope="session")
def thumb(data: Path) -> Corpus:
    """THumB: five systems on 500 images with four references."""
    lines = (data / "thumb" / "mscoco_references.jsonl").read_text(encoding="utf-8").splitlines()
    references = {row["seg_id"]: row["refs"] for row in map(json.loads, lines)}
    lines = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return Corpus.from_lists(
        [row["hyp"] for row in rows],
        [references[row["seg_id"]] for row in rows],
        image_ids=[row["seg_id"] for row in rows],
        systems=[row["SYS"] for row in rows],
    )


@pytest.fixture(scope="session")
def thumb_figures() -> dict[str, dict[str, list[float]]]:
    """Item scores of coco-caption (Java tokeniser included) by system and metric, images sorted."""
    path = Path(__file__).parent / "data" / "thumb_coco_caption.json.gz"
    figures: dict[str, dict[str, list[float]]] = json.loads(gzip.decompress(path.read_bytes()))
    return figures


@pytest.fixture(scope="session")
def coco_caption() -> Callable[[Corpus], Items]:
    """Item scores of pycocoevalcap, from the tokens that we gave our own metrics."""
    pytest.importorskip("pycocoevalcap")
    return _coco_caption


@pytest.fixture(scope="session")
def karpathy_items(karpathy: Corpus, coco_caption: Callable[[Corpus], Items]) -> Items:
    """What pycocoevalcap says of every caption of the M2 Transformer."""
    return coco_caption(karpathy)


def _coco_caption(corpus: Corpus) -> Items:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    batch = Batch(corpus)
    tokens = batch.tokens("ptb")
    examples, texts = batch.pairs()
    references: dict[int, list[str]] = {}
    for example, text in zip(examples.tolist(), texts.tolist(), strict=True):
        references.setdefault(example, []).append(" ".join(tokens.words(text)))
    captions = {
        example: [" ".join(tokens.words(text))] for example, text in enumerate(batch.candidate_text.tolist())
    }
    with contextlib.redirect_stdout(io.StringIO()):
        _, bleu = Bleu(4).compute_score(references, captions)
    _, rouge = Rouge().compute_score(references, captions)
    _, cider = Cider().compute_score(references, captions)
    items = {f"bleu{n}": np.array(values) for n, values in enumerate(bleu, start=1)}
    return items | {"rouge_l": np.array(rouge), "cider": np.array(cider)}


@pytest.fixture(scope="session")
def photographs(data: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """References and gold objects of the 159 COCO photographs."""
    references: dict[str, list[str]] = {}
    objects: dict[str, list[str]] = {}
    folder = data / "coco_mini" / "annotations"
    for part in ("train2017", "val2017"):
        captions = json.loads((folder / f"captions_{part}.json").read_text(encoding="utf-8"))
        instances = json.loads((folder / f"instances_{part}.json").read_text(encoding="utf-8"))
        names = {entry["id"]: entry["name"] for entry in instances["categories"]}
        for entry in captions["annotations"]:
            references.setdefault(str(entry["image_id"]), []).append(entry["caption"])
        for entry in instances["annotations"]:
            objects.setdefault(str(entry["image_id"]), []).append(names[entry["category_id"]])
    return references, objects
