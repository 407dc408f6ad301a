"""VSE++ from its published checkpoint: `model` = [image weights, text weights], `opt` = settings.

The image part is any ResNet (He et al. 2016) or plain VGG (Simonyan and Zisserman 2015), under the names of
torchvision; batch norms use their stored statistics.
"""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any

import numpy as np

from captious.errors import InputError, MissingDependencyError
from captious.models import locate, weights
from captious.models.encoders.base import Features, ImageFile, ScoredPairs
from captious.models.encoders.checkpoint import StateDict, check_state, read_checkpoint
from captious.models.encoders.recipe import Pixels, Recipe
from captious.models.encoders.vector_cache import file_key
from captious.models.encoders.vision_text import import_torch, pixel_batches
from captious.models.joint.unpickle import Allowed, read_pickle

Tensor = Any
Weights = Mapping[str, Tensor]
_STAGES = (1, 2, 3, 4)
_VGG_SIDE = 7


def resnet(w: Weights, pixels: Tensor) -> Tensor:
    """Mean features of the last stage; `w` holds `conv1`, `bn1`, `layer1` … `layer4`."""
    from torch.nn.functional import conv2d, max_pool2d

    states = _norm(w, "bn1", conv2d(pixels, w["conv1.weight"], stride=2, padding=3)).relu()
    states = max_pool2d(states, kernel_size=3, stride=2, padding=1)
    for stage in _STAGES:
        for number in range(depth(w, stage)):
            stride = 2 if stage > 1 and number == 0 else 1
            states = _block(w, f"layer{stage}.{number}", states, stride)
    return states.mean(dim=(2, 3))


def depth(w: Weights, stage: int) -> int:
    """How many blocks a stage has."""
    found = (re.match(rf"layer{stage}\.(\d+)\.", name) for name in w)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def resnet_names(w: Weights) -> Iterator[str]:
    """Every weight that `resnet` reads, given the blocks that `w` has."""
    yield "conv1.weight"
    yield from _norm_names("bn1")
    for stage in _STAGES:
        for number in range(max(1, depth(w, stage))):
            block = f"layer{stage}.{number}"
            for part in _blocks(w, block):
                yield f"{block}.conv{part}.weight"
                yield from _norm_names(f"{block}.bn{part}")
            if f"{block}.downsample.0.weight" in w:
                yield f"{block}.downsample.0.weight"
                yield from _norm_names(f"{block}.downsample.1")


def _norm_names(name: str) -> list[str]:
    return [f"{name}.{part}" for part in ("weight", "bias", "running_mean", "running_var")]


def _blocks(w: Weights, name: str) -> range:
    return range(1, 4) if f"{name}.conv3.weight" in w else range(1, 3)


def _block(w: Weights, name: str, states: Tensor, stride: int) -> Tensor:
    """A residual block; of three convolutions the middle one strides, of two the first."""
    from torch.nn.functional import conv2d

    parts = _blocks(w, name)
    strided = 2 if len(parts) == 3 else 1
    shortcut, inner = states, states
    for part in parts:
        kernel = w[f"{name}.conv{part}.weight"]
        step = stride if part == strided else 1
        inner = conv2d(inner, kernel, stride=step, padding=kernel.shape[2] // 2)
        inner = _norm(w, f"{name}.bn{part}", inner)
        if part != parts[-1]:
            inner = inner.relu()
    if f"{name}.downsample.0.weight" in w:
        shortcut = conv2d(states, w[f"{name}.downsample.0.weight"], stride=stride)
        shortcut = _norm(w, f"{name}.downsample.1", shortcut)
    return (inner + shortcut).relu()


def _norm(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import batch_norm

    mean, variance = w[f"{name}.running_mean"], w[f"{name}.running_var"]
    return batch_norm(states, mean, variance, w[f"{name}.weight"], w[f"{name}.bias"])


def vgg(w: Weights, pixels: Tensor) -> Tensor:
    """The second last layer; `w` holds `features.N` and two linear layers of `classifier`.

    Of the numbers of two convolutions that follow each other, three apart means that their stage
    ends in a pooling layer between them.
    """
    from torch.nn.functional import adaptive_avg_pool2d, conv2d, linear, max_pool2d

    states = pixels
    numbers = _weights_of(w, "features")
    for number, following in zip(numbers, [*numbers[1:], numbers[-1] + 3], strict=True):
        name = f"features.{number}"
        states = conv2d(states, w[f"{name}.weight"], w[f"{name}.bias"], padding=1).relu()
        if following - number == 3:
            states = max_pool2d(states, kernel_size=2, stride=2)
    states = adaptive_avg_pool2d(states, (_VGG_SIDE, _VGG_SIDE)).flatten(1)
    for number in _weights_of(w, "classifier"):
        states = linear(states, w[f"classifier.{number}.weight"], w[f"classifier.{number}.bias"]).relu()
    return states


def _weights_of(w: Weights, part: str) -> list[int]:
    found = (re.fullmatch(rf"{part}\.(\d+)\.weight", name) for name in w)
    return sorted(int(match[1]) for match in found if match)


MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # ImageNet's, as torchvision's models take
RECIPE = Recipe(256, 224, MEAN, DEVIATION, "bilinear")
_IMAGES_A_BATCH = 16
_TEXTS_A_BATCH = 128


class Vse:
    """A loaded VSE++: unit vectors of images and captions, and their cosines. It reads any length."""

    family = "vse"

    limit = 0  # it reads captions of any length

    def __init__(self, path: Path, vocabulary: Path, label: str, device: str, dtype: str) -> None:
        torch = import_torch(device, dtype)
        image, text, settings = _parts(path)
        self._vocabulary = read_vocabulary(vocabulary)
        self._words = locate.digest(vocabulary)
        _check_settings(settings, path)
        self._absolute = bool(settings.get("use_abs", False))
        self._normed = not settings.get("no_imgnorm", False)
        kind = getattr(torch, dtype)
        self._image = {name: value.to(device, kind) for name, value in _image_names(image, path).items()}
        self._embedding = _word_table(text, self._vocabulary, path, vocabulary).to(device, kind)
        self._rnn = _recurrent(torch, text, path).to(device=device, dtype=kind).eval()
        self._device, self._kind = device, kind
        self.label = label

    def facts(self) -> dict[str, str]:
        """Name and digest of the weights, digest of the vocabulary, device and type of number."""
        kind = str(self._kind).removeprefix("torch.")
        return {"enc": self.label, "vocab": self._words, "device": self._device, "dtype": kind}

    def image_key(self, image: ImageFile) -> bytes:
        """The image's file by its content."""
        return file_key(image)

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        """Cosines of every image with each of its texts, flat, in order."""
        broken: dict[str, str] = {}
        seen = self._images(images, broken)
        flat = [text for own in texts for text in own]
        owner = [place for place, own in enumerate(texts) for _ in own]
        distinct = list(dict.fromkeys(flat))
        told = self._texts(distinct)
        numbers = {text: number for number, text in enumerate(distinct)}
        scores = np.full(len(flat), np.nan)
        for row, (text, image) in enumerate(zip(flat, owner, strict=True)):
            vector = seen.get(image)
            if vector is not None:
                scores[row] = float(vector.astype(np.float64) @ told[numbers[text]].astype(np.float64))
        return ScoredPairs(scores, np.zeros(len(flat), dtype=np.int64), broken)

    def _images(self, images: Sequence[ImageFile], broken: dict[str, str]) -> dict[int, Features]:
        found: dict[int, Features] = {}
        for batch in pixel_batches(images, RECIPE, _IMAGES_A_BATCH, broken):
            found |= dict(zip(batch.places.tolist(), self.embed_pixels(batch.pixels), strict=True))
        return found

    def embed_pixels(self, pixels: Pixels) -> Features:
        """Unit vectors of prepared images (Faghri et al. 2018, 3.1)."""
        import torch
        from torch.nn.functional import linear, normalize

        given = torch.from_numpy(pixels).to(self._device, self._kind)
        with torch.inference_mode():
            network = resnet if "conv1.weight" in self._image else vgg
            features = normalize(network(self._image, given), dim=1)
            states = linear(features, self._image["fc.weight"], self._image["fc.bias"])
            return self._finished(states, self._normed)

    def _texts(self, texts: Sequence[str]) -> list[Features]:
        """Unit vectors of captions: the GRU's state at their last word."""
        import torch

        rows = [self._vocabulary.encode(text) for text in texts]
        kinds: dict[int, list[int]] = {}
        for place, row in enumerate(rows):
            kinds.setdefault(len(row), []).append(place)
        found: dict[int, Features] = {}
        for places in kinds.values():
            for start in range(0, len(places), _TEXTS_A_BATCH):
                part = places[start : start + _TEXTS_A_BATCH]
                ids = torch.tensor([rows[place] for place in part], device=self._device)
                with torch.inference_mode():
                    states = self._rnn(self._embedding[ids])[0][:, -1]
                    found |= dict(zip(part, self._finished(states, True), strict=True))
        return [found[place] for place in range(len(texts))]

    def _finished(self, states: Any, normed: bool) -> Features:
        from torch.nn.functional import normalize

        states = normalize(states, dim=1) if normed else states
        states = states.abs() if self._absolute else states
        found: Features = states.float().cpu().numpy()
        return found


def open_vse(name: str, vocabulary: str, device: str = "cpu", dtype: str = "float32") -> Vse:
    """The VSE++ of a checkpoint and its vocabulary; remembered in this process."""
    found = weights.find(name)
    shown = found.path.resolve().name if found.place == "path" else name
    label = f"{shown}@{locate.digest(found.path)}" if found.path.is_file() else shown
    words = vocabulary_file(found.path, vocabulary)
    # What is in the file counts, not its name: a vocabulary that was replaced is read again.
    content = locate.digest(words) if words.is_file() else ""
    return _open(found.path, words, content, label, device, dtype, getpid())


@lru_cache(maxsize=2)
def _open(
    path: Path, vocabulary: Path, content: str, label: str, device: str, dtype: str, process: int
) -> Vse:
    return Vse(path, vocabulary, label, device, dtype)


def vocabulary_file(checkpoint: Path, given: str) -> Path:
    """The vocabulary that was named, else the one beside the checkpoint."""
    if given:
        return Path(given).expanduser()
    for name in ("vocab.json", "coco_vocab.pkl", "f30k_vocab.pkl", "vocab.pkl"):
        if (checkpoint.parent / name).is_file():
            return checkpoint.parent / name
    raise MissingDependencyError(
        f"{checkpoint.name} has no vocabulary file beside it",
        command="a copy of the release's vocab/coco_vocab.pkl there, or name it with vocab=FILE",
    )


def _parts(path: Path) -> tuple[StateDict, StateDict, Mapping[str, Any]]:
    if not path.is_file():
        raise InputError(f"{path}: is not a file. Give the checkpoint, such as model_best.pth.tar.")
    content = read_checkpoint(path, [Namespace, *_numbers()])
    model = content.get("model") if isinstance(content, Mapping) else None
    two = isinstance(model, Sequence) and len(model) == 2
    if model is None or not two or not all(isinstance(part, Mapping) for part in model):
        raise InputError(f'{path}: is not a VSE++ checkpoint, which contains "model" = [image, text].')
    settings = content.get("opt")
    settings = vars(settings) if isinstance(settings, Namespace) else settings
    return dict(model[0]), dict(model[1]), settings if isinstance(settings, Mapping) else {}


def _numbers() -> list[Any]:
    """What a NumPy number in a pickle is made of, under its old and its new name."""
    make = np.float64(0).__reduce__()[0]
    names = [f"numpy.{core}.multiarray.scalar" for core in ("core", "_core")]
    return [np.dtype, np.dtypes.Float64DType, np.dtypes.Int64DType, *((make, name) for name in names)]


def _check_settings(settings: Mapping[str, Any], path: Path) -> None:
    if settings.get("measure", "cosine") not in ("cosine", False, None):
        raise InputError(f'{path}: measures "{settings["measure"]}"; vsepp needs a cosine model.')
    if str(settings.get("data_name", "")).endswith("_precomp"):
        raise InputError(f"{path}: was made for precomputed image features. Use a checkpoint with a CNN.")


def _image_names(state: StateDict, path: Path) -> StateDict:
    """The CNN's weights under torchvision's names, and the projection `fc`."""
    plain = {}
    for name, value in state.items():
        short = name.removeprefix("cnn.").replace("module.", "", 1)
        plain["fc." + name.removeprefix("fc.") if name.startswith("fc.") else short] = value
    if not any(name.startswith("cnn.") for name in state):
        raise InputError(f"{path}: was made for precomputed image features. Use a checkpoint with a CNN.")
    if "conv1.weight" in plain or any(name.startswith("layer1.") for name in plain):
        wanted = {*resnet_names(plain), "fc.weight", "fc.bias"}
    else:
        wanted = {name for name in plain if name.startswith(("features.", "classifier."))}
        wanted |= {"features.0.weight", "fc.weight", "fc.bias"}
    shapes = {name: tuple(plain[name].shape) if name in plain else () for name in wanted}
    counts = tuple(name for name in plain if name.endswith("num_batches_tracked"))
    check_state(shapes, plain, path, optional=counts)
    return {name: plain[name] for name in wanted}


def _word_table(text: StateDict, vocabulary: Vocabulary, path: Path, where: Path) -> Any:
    table = text.get("embed.weight")
    if table is None:
        raise InputError(f'{path}: lacks "embed.weight", so it is not the expected model.')
    if len(table) != vocabulary.size:
        raise InputError(
            f"{where}: has {vocabulary.size:,} words, but the checkpoint has {len(table):,}. "
            "Give the vocabulary it was trained with."
        )
    return table


def _recurrent(torch: Any, text: StateDict, path: Path) -> Any:
    own = {name.removeprefix("rnn."): value for name, value in text.items() if name.startswith("rnn.")}
    layers = sum(name.startswith("weight_ih_l") for name in own)
    if not layers or "weight_ih_l0" not in own or "weight_hh_l0" not in own:
        raise InputError(f'{path}: lacks "rnn.weight_ih_l0", so it is not the expected model.')
    rnn = torch.nn.GRU(own["weight_ih_l0"].shape[1], own["weight_hh_l0"].shape[1], layers, batch_first=True)
    shapes = {f"rnn.{name}": tuple(value.shape) for name, value in rnn.state_dict().items()}
    check_state(shapes, text, path, optional=("embed.weight",))
    rnn.load_state_dict(own)
    return rnn


# VSE++'s vocabulary and how a caption becomes its numbers.
# The published file is a pickle of a class; it is read as plain data, and nothing in it is run. JSON
# will do as well: `{"word2idx": {…}}` or the words and numbers alone.


BEGIN, END, UNKNOWN = "<start>", "<end>", "<unk>"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class _Holder:
    """Stands in for the class of the published pickle: it holds what was saved, and does nothing."""


def _reconstructed(kind: Any, base: Any, state: Any) -> _Holder:
    return _Holder()


# How Python 2 and 3 name the class; `_reconstructor` is how the oldest pickles make an object.
_ALLOWED: Allowed = {
    ("vocab", "Vocabulary"): _Holder,
    ("__main__", "Vocabulary"): _Holder,
    ("copy_reg", "_reconstructor"): _reconstructed,
    ("copyreg", "_reconstructor"): _reconstructed,
    ("__builtin__", "object"): object,
    ("builtins", "object"): object,
}


class Vocabulary:
    """Words by number.

    >>> Vocabulary({"<start>": 1, "<end>": 2, "<unk>": 3, "dog": 4}, "vocab.json").size
    5
    """

    def __init__(self, numbers: Mapping[str, int], where: str) -> None:
        for mark in (BEGIN, END, UNKNOWN):
            if mark not in numbers:
                raise InputError(f'{where}: the vocabulary has no "{mark}". Give that of the checkpoint.')
        self._numbers = dict(numbers)
        self.size = max(numbers.values()) + 1

    def encode(self, caption: str) -> list[int]:
        """Numbers of a caption's words between the begin and the end of text."""
        unknown = self._numbers[UNKNOWN]
        inner = [self._numbers.get(word, unknown) for word in words(caption)]
        return [self._numbers[BEGIN], *inner, self._numbers[END]]


def read_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary in a `.json` file, or in the published pickle."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}). Give vocab=FILE.") from None
    if content.lstrip()[:1] == b"{":
        try:
            found: Any = json.loads(content)
        except ValueError:
            raise InputError(f"{path}: is not complete JSON. Download it again.") from None
    else:
        held = read_pickle(content, path, _ALLOWED)
        found = vars(held) if isinstance(held, _Holder) else held
    table = found.get("word2idx", found) if isinstance(found, Mapping) else None
    if not isinstance(table, Mapping) or not table:
        raise InputError(f"{path}: contains no vocabulary. It needs words and their numbers.")
    numbers = {str(word): number for word, number in table.items()}
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers.values()):
        raise InputError(f"{path}: a word of the vocabulary has no whole number. Download it again.")
    return Vocabulary(numbers, str(path))


def words(caption: str) -> list[str]:
    """Lower-case words as NLTK cuts them, sentence by sentence.

    The released program calls NLTK's `word_tokenize`, which finds sentences by a trained model;
    here a sentence ends at a period, a question or an exclamation mark before a space.
    """
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        raise MissingDependencyError("vsepp needs the package nltk to tokenise captions", "models") from None
    cut = NLTKWordTokenizer()
    return [word for part in _SENTENCE_END.split(caption.lower()) for word in cut.tokenize(part)]
