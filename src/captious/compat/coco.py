"""`COCOEvalCap`: coco-caption's evaluation with one changed import line, and no Java.

Instead of `from pycocoevalcap.eval import COCOEvalCap` write
`from captious.compat.coco import COCOEvalCap`; the rest of the script stays unchanged. The
arguments may also be plain paths; then pycocotools is not needed. The scorers of pycocoevalcap
(`Bleu(4)`, `Cider()`, …, `PTBTokenizer`) are here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, cast

from captious.compat.coco_scorers import Bleu, Cider, CiderD, Meteor, PTBTokenizer, Rouge, Spice, spice_scores
from captious.corpus import Corpus, Scores
from captious.errors import InputError
from captious.scoring import missing_for, score

__all__ = [
    "Bleu",
    "COCOEvalCap",
    "Cider",
    "CiderD",
    "Meteor",
    "PTBTokenizer",
    "Rouge",
    "Spice",
    "spice_scores",
]

ImageId = int | str

# What coco-caption calls each metric, in the order in which it prints them.
COCO_NAMES = {
    "bleu1": "Bleu_1",
    "bleu2": "Bleu_2",
    "bleu3": "Bleu_3",
    "bleu4": "Bleu_4",
    "meteor": "METEOR",
    "rouge_l": "ROUGE_L",
    "cider": "CIDEr",
    "spice[detail=yes]": "SPICE",
}


class CocoCaptions(Protocol):
    """The part of a `pycocotools.coco.COCO` object that is used here."""

    imgToAnns: Mapping[ImageId, Sequence[Mapping[str, Any]]]  # noqa: N815

    def getImgIds(self) -> list[ImageId]:  # noqa: N802 - pycocotools' name
        """Ids of all images."""
        ...


class PathCaptions:
    """A captions file behind the interface of a pycocotools object."""

    def __init__(self, path: str | PathLike[str]) -> None:
        from captious.corpus.load import read_captions

        self.imgToAnns: dict[ImageId, list[dict[str, Any]]] = {}
        for image, caption in read_captions(path):
            self.imgToAnns.setdefault(_integer(image), []).append({"caption": caption})

    def getImgIds(self) -> list[ImageId]:  # noqa: N802 - pycocotools' name
        """Ids of all images."""
        return list(self.imgToAnns)


class COCOEvalCap:
    """Evaluate results against COCO captions: `evaluate()`, then `eval` and `imgToEval`.

    `eval` maps coco-caption's metric names to corpus values, `imgToEval` each image id to its
    scores; SPICE's is a dict of dicts, `{"All": {"pr": …, "re": …, "f": …}, "Object": …}`, as the
    original's is. Metrics that cannot run are skipped with a line on standard output; METEOR needs the extra
    `captious[meteor]`.
    """

    def __init__(
        self, coco: CocoCaptions | str | PathLike[str], cocoRes: CocoCaptions | str | PathLike[str]
    ) -> None:
        self.coco = _captions(coco)
        self.cocoRes = _captions(cocoRes)
        self.params: dict[str, Any] = {"image_id": self.coco.getImgIds()}
        self.eval: dict[str, float] = {}
        self.imgToEval: dict[ImageId, dict[str, Any]] = {}
        self.evalImgs: list[dict[str, Any]] = []
        self.scores: Scores | None = None

    def evaluate(self) -> None:
        """Score every image of `params["image_id"]` with every metric that can run."""
        images: list[ImageId] = list(self.params["image_id"])
        corpus = Corpus.from_lists(
            [self._candidate(image) for image in images],
            [_texts(self.coco, image) for image in images],
            image_ids=[str(image) for image in images],
        )
        self.scores = score(corpus, _runnable())
        self.imgToEval = {image: {"image_id": image} for image in images}
        for name in self.scores:
            found, shown = self.scores[name], COCO_NAMES[name]
            self.eval[shown] = found.score
            values = spice_scores(found) if found.details else found.values.tolist()
            for image, value in zip(images, values, strict=True):
                self.imgToEval[image][shown] = value
            print(f"{shown}: {self.eval[shown]:.3f}")
        self.evalImgs = list(self.imgToEval.values())

    def _candidate(self, image: ImageId) -> str:
        captions = _texts(self.cocoRes, image)
        if len(captions) != 1:
            raise InputError(
                f"image {image} has {len(captions)} candidate captions; it needs exactly one. "
                'Set params["image_id"] to the images that have results.'
            )
        return captions[0]


def _runnable() -> list[str]:
    ready = []
    for name, shown in COCO_NAMES.items():
        if missing := missing_for(name):
            print(f"{shown} is left out: {missing}")
        else:
            ready.append(name)
    return ready


def _captions(source: CocoCaptions | str | PathLike[str]) -> CocoCaptions:
    if isinstance(source, (str, PathLike)):
        return cast(CocoCaptions, PathCaptions(source))
    return source


def _texts(captions: CocoCaptions, image: ImageId) -> list[str]:
    return [annotation["caption"] for annotation in captions.imgToAnns.get(image, [])]


def _integer(image: str) -> ImageId:
    return int(image) if image.isdecimal() else image
