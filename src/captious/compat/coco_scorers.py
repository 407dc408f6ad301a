"""pycocoevalcap's scorer objects without Java: `Bleu`, `Cider`, `CiderD`, `Rouge`, `Meteor`, `Spice`.

Each has `.compute_score(gts, res)` and `.method()`. `gts` and `res` map image ids to lists of texts, as
`PTBTokenizer` gives them: several references, one candidate. Values and shapes are those of
pycocoevalcap; SPICE's come from captious' own parser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from captious.corpus import Corpus, MetricScores
from captious.corpus.columns import FloatArray
from captious.errors import InputError, one_line
from captious.metrics.document_frequency import CORPUS
from captious.scoring import score
from captious.text.tokens import token_table

Texts = Mapping[Any, Sequence[str]]
MOST_ORDER = 4
_GTS = '{7: ["a dog runs", "the dog is running"]}'


class PTBTokenizer:
    """Captions as coco-caption scores them: Penn Treebank tokens in lower case, punctuation removed.

    >>> PTBTokenizer().tokenize({7: [{"caption": "A dog, running."}]})
    {7: ['a dog running']}
    """

    def tokenize(self, captions_for_image: Mapping[Any, Sequence[Mapping[str, Any]]]) -> dict[Any, list[str]]:
        """The tokens of each caption, separated by spaces; captions are in dicts under `caption`."""
        _refuse_unless_mapping(captions_for_image, "captions", '{7: [{"caption": "A dog."}]}')
        texts = [_caption(image, one) for image, own in captions_for_image.items() for one in own]
        table = token_table(texts, "ptb")
        words = iter(" ".join(table.words(place)) for place in range(len(texts)))
        return {image: [next(words) for _ in own] for image, own in captions_for_image.items()}


class Bleu:
    """BLEU-1 to BLEU-n."""

    def __init__(self, n: int = MOST_ORDER) -> None:
        if not 1 <= n <= MOST_ORDER:
            raise InputError(f"Bleu: n is {n}; it must be from 1 to {MOST_ORDER}.")
        self._names = [f"bleu{order}[tokeniser=space]" for order in range(1, n + 1)]

    def compute_score(
        self, gts: Texts, res: Texts, verbose: int = 0
    ) -> tuple[list[float], list[list[float]]]:
        """Return the corpus value of each order, and for each order the values of the images."""
        scores = score(_corpus(gts, res), self._names)
        found = [scores[name] for name in self._names]
        return [one.score for one in found], [one.values.tolist() for one in found]

    def method(self) -> str:
        """The name that coco-caption prints."""
        return "Bleu"


class _MeanScorer:
    """A scorer that gives the mean and an array."""

    _name, _shown = "", ""

    def compute_score(self, gts: Texts, res: Texts) -> tuple[Any, Any]:
        """Return the mean over the images, and the values of the images."""
        found = score(_corpus(gts, res), [self._name])[self._name]
        return np.float64(np.mean(found.values)), found.values

    def method(self) -> str:
        """The name that coco-caption prints."""
        return self._shown


class Rouge(_MeanScorer):
    """ROUGE-L."""

    _name, _shown = "rouge_l[tokeniser=space]", "Rouge"


class Cider(_MeanScorer):
    """CIDEr-D, with document frequencies from the given references."""

    _shown = "CIDEr"

    def __init__(self, test: None = None, refs: None = None, n: int = MOST_ORDER, sigma: float = 6.0) -> None:
        self._name = f"cider[tokeniser=space,n={n},sigma={sigma}]"


class CiderD:
    """CIDEr-D as self-critical training calls it: `res` may be a list of `{"image_id", "caption"}`.

    `df` is `corpus`, or a table of `captious data df --tokeniser space`. The list may name an image
    several times.
    """

    def __init__(self, n: int = MOST_ORDER, sigma: float = 6.0, df: str = CORPUS) -> None:
        self._name = f"cider[tokeniser=space,n={n},sigma={sigma},df={df},documents=examples]"

    def compute_score(
        self, gts: Texts, res: Texts | Sequence[Mapping[str, Any]]
    ) -> tuple[np.float64, FloatArray]:
        """Return the mean, and a value for each candidate in the order of `res`."""
        _refuse_unless_mapping(gts, "gts", _GTS)
        entries = list(res.items()) if isinstance(res, Mapping) else [_entry(one) for one in res]
        corpus = Corpus.from_lists(
            [_one(image, texts) for image, texts in entries],
            [_references(gts, image) for image, _ in entries],
            image_ids=[str(image) for image, _ in entries],
        )
        values = score(corpus, [self._name])[self._name].values
        return np.float64(np.mean(values)), values

    def method(self) -> str:
        """The name that its users print."""
        return "CIDEr-D"


class Meteor:
    """METEOR 1.5."""

    def compute_score(self, gts: Texts, res: Texts) -> tuple[float, list[float]]:
        """Return the corpus value, which is not a mean, and the values of the images."""
        found = score(_corpus(gts, res), ["meteor"])["meteor"]
        return found.score, found.values.tolist()

    def method(self) -> str:
        """The name that coco-caption prints."""
        return "METEOR"


class Spice:
    """SPICE, with the values of each category of tuples."""

    _name = "spice[detail=yes]"

    def compute_score(self, gts: Texts, res: Texts) -> tuple[np.float64, list[dict[str, dict[str, float]]]]:
        """Return the mean F, and each image's values by category, in the order of the sorted ids."""
        _refuse_unless_mapping(gts, "gts", _GTS)
        images = sorted(gts)
        found = score(_corpus({i: gts[i] for i in images}, res), [self._name])[self._name]
        return np.float64(np.mean(found.values)), spice_scores(found)

    def method(self) -> str:
        """The name that coco-caption prints."""
        return "SPICE"


def spice_scores(found: MetricScores) -> list[dict[str, dict[str, float]]]:
    """SPICE's scores of each image as coco-caption gives them, by category of tuples."""
    images: list[dict[str, dict[str, float]]] = [{} for _ in found.values]
    for name, values in found.details.items():
        category, _, part = name.partition(".")
        for image, value in zip(images, values.tolist(), strict=True):
            image.setdefault(category, {"numImages": 1.0})[part] = value
    return images


def _corpus(gts: Texts, res: Texts) -> Corpus:
    _refuse_unless_mapping(gts, "gts", _GTS)
    _refuse_unless_mapping(res, "res", '{7: ["a dog"]}')
    if gts.keys() != res.keys():
        lone = next(iter(gts.keys() ^ res.keys()))
        raise InputError(
            f'image "{one_line(str(lone), 40)}" is only in one of gts and res. Give both the same ids.'
        )
    return Corpus.from_lists(
        [_one(image, res[image]) for image in gts],
        [_references(gts, image) for image in gts],
        image_ids=[str(image) for image in gts],
    )


def _one(image: object, texts: Sequence[str]) -> str:
    if isinstance(texts, str) or len(texts) != 1:
        raise InputError(f'image "{one_line(str(image), 40)}": res needs a list of exactly one caption.')
    return texts[0]


def _references(gts: Texts, image: object) -> list[str]:
    texts = gts.get(image)
    if isinstance(texts, str) or not texts:
        raise InputError(f'image "{one_line(str(image), 40)}": gts needs a list of at least one reference.')
    return list(texts)


def _refuse_unless_mapping(given: object, name: str, example: str) -> None:
    if not isinstance(given, Mapping):
        raise InputError(f"{name} must be a dict by image id, like {example}; found {type(given).__name__}.")


def _caption(image: object, given: object) -> str:
    if not isinstance(given, Mapping) or not isinstance(given.get("caption"), str):
        raise InputError(
            f'image "{one_line(str(image), 40)}": PTBTokenizer needs a list of {{"caption": TEXT}}; '
            f"found {one_line(repr(given), 60)} in it."
        )
    return str(given["caption"])


def _entry(given: object) -> tuple[Any, Sequence[str]]:
    if not isinstance(given, Mapping) or not {"image_id", "caption"} <= given.keys():
        raise InputError(
            f'res needs a dict, or a list of {{"image_id": ID, "caption": [TEXT]}}; '
            f"found {one_line(repr(given), 60)} in it."
        )
    return given["image_id"], given["caption"]
