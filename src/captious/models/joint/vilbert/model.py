"""A ViLBERT from its files: texts and regions in, states and logits out.

A folder holds the published `pytorch_model.bin` (vilbert_beta or vilbert-multi-task; a
`.safetensors` of the same names will do), its `config.json` and BERT's `vocab.txt`. A single file
has the published configuration, and takes its vocabulary from BERT's own folder.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, NotSetUpError
from captious.models import locate, weights
from captious.models.encoders import opening
from captious.models.encoders.checkpoint import StateDict, check_state, read_state
from captious.models.encoders.long_texts import Windows, read_windows
from captious.models.encoders.vision_text import import_torch, read_json
from captious.models.encoders.wordpiece import WordPiece, read_wordpiece
from captious.models.joint.regions import Floats, Regions
from captious.models.joint.vilbert.config import BESIDE, PUBLISHED, TASKS, Config
from captious.models.weights.known import BERT_BASE

# ViLBERT's forward pass as functions of its weights, under their published names.
# Texts of a batch have one length and images one number of boxes, so that there is no padding and no
# mask (Lu et al. 2019, 2.2: two streams of transformer layers that exchange keys and values in
# co-attention layers).


Tensor = Any
Weights = Mapping[str, Tensor]
_EPSILON = 1e-12


class Joint(NamedTuple):
    """What the two streams give for a batch of pairs.

    `words` are the text's states after the last layer, `met` those after the last co-attention
    layer, each with the task token in second place where there is one; `text` and `image` are the
    pooled states, `alignment` the two logits of the alignment head, the first "aligned".
    """

    words: Tensor
    met: Tensor
    text: Tensor
    image: Tensor
    alignment: Tensor


def joint_states(
    w: Weights, config: Config, ids: Tensor, features: Tensor, places: Tensor, task: int | None = None
) -> Joint:
    """Read pairs: token numbers (pairs x length), features and locations of boxes (pairs x boxes x …)."""
    text = _embed_text(w, ids, task)
    image = _linear(w, "bert.v_embeddings.image_embeddings", features)
    image = image + _linear(w, "bert.v_embeddings.image_location_embeddings", places)
    image = _norm(w, "bert.v_embeddings.LayerNorm", image)
    text_from = image_from = 0
    meetings = zip(config.v_biattention_id, config.t_biattention_id, strict=True)
    for number, (image_to, text_to) in enumerate(meetings):
        text = _stack(w, "layer", text, range(text_from, text_to), config.num_attention_heads)
        image = _stack(w, "v_layer", image, range(image_from, image_to), config.v_num_attention_heads)
        image, text = _meet(w, f"bert.encoder.c_layer.{number}", image, text, config.bi_num_attention_heads)
        text_from, image_from = text_to, image_to
    met = text
    rest = range(image_from, config.v_num_hidden_layers)
    image = _stack(w, "v_layer", image, rest, config.v_num_attention_heads)
    rest = range(text_from, config.num_hidden_layers)
    text = _stack(w, "layer", text, rest, config.num_attention_heads)
    pooled_text = _linear(w, "bert.t_pooler.dense", text[:, 0]).relu()
    pooled_image = _linear(w, "bert.v_pooler.dense", image[:, 0]).relu()
    fused = pooled_text * pooled_image if config.fusion_method == "mul" else pooled_text + pooled_image
    alignment = _linear(w, "cls.bi_seq_relationship", fused)
    return Joint(text, met, pooled_text, pooled_image, alignment)


def _embed_text(w: Weights, ids: Tensor, task: int | None) -> Tensor:
    import torch

    table = "bert.embeddings.{}_embeddings.weight".format
    found = w[table("word")][ids] + w[table("position")][: ids.shape[1]] + w[table("token_type")][0]
    if task is not None:  # the token of a task stands after [CLS]
        token = w[table("task")][task].expand(len(ids), 1, -1)
        found = torch.cat([found[:, :1], token, found[:, 1:]], dim=1)
    return _norm(w, "bert.embeddings.LayerNorm", found)


def _stack(w: Weights, name: str, states: Tensor, layers: range, heads: int) -> Tensor:
    for layer in layers:
        block = f"bert.encoder.{name}.{layer}"
        own = f"{block}.attention.self"
        query, key, value = (_linear(w, f"{own}.{part}", states) for part in ("query", "key", "value"))
        heard = _linear(w, f"{block}.attention.output.dense", _attend(query, key, value, heads))
        states = _norm(w, f"{block}.attention.output.LayerNorm", heard + states)
        states = _feed_forward(w, f"{block}.", states)
    return states


def _meet(w: Weights, name: str, image: Tensor, text: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    """Co-attention: each stream asks with its own queries and hears the other's values."""

    def project(stream: str, states: Tensor) -> list[Tensor]:
        return [
            _linear(w, f"{name}.biattention.{part}{stream}", states) for part in ("query", "key", "value")
        ]

    (image_query, image_key, image_value), (text_query, text_key, text_value) = (
        project("1", image),
        project("2", text),
    )
    image_heard = _attend(image_query, text_key, text_value, heads)
    text_heard = _attend(text_query, image_key, image_value, heads)
    out = f"{name}.biOutput"
    image = _norm(w, f"{out}.LayerNorm1", _linear(w, f"{out}.dense1", image_heard) + image)
    text = _norm(w, f"{out}.LayerNorm2", _linear(w, f"{out}.dense2", text_heard) + text)
    return _feed_forward(w, f"{name}.v_", image), _feed_forward(w, f"{name}.t_", text)


def _feed_forward(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import gelu

    inner = gelu(_linear(w, f"{name}intermediate.dense", states))
    return _norm(w, f"{name}output.LayerNorm", _linear(w, f"{name}output.dense", inner) + states)


def _attend(query: Tensor, key: Tensor, value: Tensor, heads: int) -> Tensor:
    def split(states: Tensor) -> Tensor:
        return states.unflatten(2, (heads, -1)).transpose(1, 2)

    asked, known, told = split(query), split(key), split(value)
    shares = (asked @ known.transpose(2, 3) / math.sqrt(asked.shape[3])).softmax(dim=3)
    return (shares @ told).transpose(1, 2).flatten(2)


def _linear(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import linear

    return linear(states, w[f"{name}.weight"], w[f"{name}.bias"])


def _norm(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import layer_norm

    return layer_norm(states, states.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], _EPSILON)


# Captions longer than this were cut by ViLBERTScore's program; the model was trained on 36.
LIMIT = 37
_TASK_TABLE = "bert.embeddings.task_embeddings.weight"
_PAIRS_A_BATCH = 16
_OLD_NAMES = ((".gamma", ".weight"), (".beta", ".bias"))


class Pair(NamedTuple):
    """A text's token numbers and an image's regions."""

    ids: Sequence[int]
    image: int


class Read(NamedTuple):
    """What the model gave for one pair, as arrays."""

    words: Floats
    met: Floats
    text: Floats
    image: Floats
    aligned: float


class Vilbert:
    """A loaded ViLBERT; `limit` is the most tokens of a text that it reads."""

    family = "vilbert"

    def __init__(
        self,
        path: Path,
        label: str,
        task: int | None,
        limit: int,
        device: str,
        dtype: str,
        words: Path | None = None,
    ) -> None:
        torch = import_torch(device, dtype)
        folder = path if path.is_dir() else path.parent
        path = _weights(path)
        settings = folder / "config.json"
        single = words is not None and not settings.is_file()
        self.config = Config.of(PUBLISHED if single else read_json(settings), str(settings))
        state = _renamed(read_state(path))
        self.task = _task(state, task, path)
        shapes = self.config.shapes()
        if self.task is not None:
            shapes[_TASK_TABLE] = (TASKS, self.config.hidden_size)
        state = {name: value for name, value in state.items() if ".q_dense" not in name}
        check_state(shapes, state, path, optional=(*BESIDE, _TASK_TABLE))
        kind = getattr(torch, dtype)
        self._weights = {name: state[name].to(device=device, dtype=kind) for name in shapes}
        self._device, self._kind = device, kind
        self._tokeniser = _vocabulary(words or folder, self.config)
        self.limit = min(limit, self.config.max_position_embeddings)
        self.label = label

    def facts(self) -> dict[str, str]:
        """Name and revision of the weights, task token, most tokens, device and type of number."""
        task = "none" if self.task is None else str(self.task)
        kind = str(self._kind).removeprefix("torch.")
        limit = str(self.limit)
        return {"enc": self.label, "task": task, "limit": limit, "device": self._device, "dtype": kind}

    def rows(self, texts: Sequence[str], long: str) -> Windows:
        """Token rows of texts, with their special tokens."""
        return read_windows(self._encode, texts, self.limit, long, self.label)

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        return self._tokeniser.encode(texts, longest=1 << 30)

    def read(self, pairs: Sequence[Pair], images: Sequence[Regions]) -> Iterator[tuple[int, Read]]:
        """What the model gives for each pair, with the pair's place, in an order of its own."""
        for image in {pair.image for pair in pairs}:
            self._check(images[image])
        kinds: dict[tuple[int, int], list[int]] = {}
        for place, pair in enumerate(pairs):
            size = len(pair.ids), len(images[pair.image].boxes)
            kinds.setdefault(size, []).append(place)
        for places in kinds.values():
            for start in range(0, len(places), _PAIRS_A_BATCH):
                part = places[start : start + _PAIRS_A_BATCH]
                found = self._run([pairs[place] for place in part], images)
                for row, place in enumerate(part):
                    yield place, _row(found, row)

    def _check(self, regions: Regions) -> None:
        width = regions.features.shape[1]
        if width != self.config.v_feature_size:
            raise InputError(
                f"region features have {width} numbers per box, but {self.label} needs "
                f"{self.config.v_feature_size}. Give those of its own detector."
            )

    def _run(self, pairs: Sequence[Pair], images: Sequence[Regions]) -> Joint:
        import torch

        given = {pair.image: image_input(images[pair.image]) for pair in pairs}
        features, places = (np.stack([given[pair.image][part] for pair in pairs]) for part in (0, 1))
        ids = torch.tensor([list(pair.ids) for pair in pairs], device=self._device)
        seen = [torch.from_numpy(part).to(self._device, self._kind) for part in (features, places)]
        with torch.inference_mode():
            return joint_states(self._weights, self.config, ids, seen[0], seen[1], self.task)


def open_vilbert(
    name: str, task: int = -1, limit: int = LIMIT, device: str = "cpu", dtype: str = "float32"
) -> Vilbert:
    """The ViLBERT of a path or of a known name; remembered in this process.

    `task` is the task token of a multi-task model, -1 for none.
    """
    found = weights.find(name)
    words = weights.find(BERT_BASE).path if _alone(found.path) else None
    shown = found.path.resolve().name if found.place == "path" else name
    label = f"{shown}@{found.revision[:8] or locate.digest(_weights(found.path))}"
    return _open(found.path, words, label, task, limit, device, dtype, getpid())


def ready(metric: str, name: str, regions: str) -> None:
    """Raise `MissingDependencyError` where weights, packages or region features are absent."""
    opening.ready(name)
    found = weights.search(name)
    if found is not None and _alone(found.path):
        weights.find(BERT_BASE)
    if not regions:
        raise NotSetUpError(
            f"{metric} needs region features of the images, made by a detector. "
            f'Name the metric as "{metric}[regions=PATH]": a folder of .npy files, an .lmdb or an .h5 file'
        )


@lru_cache(maxsize=2)
def _open(
    path: Path, words: Path | None, label: str, task: int, limit: int, device: str, dtype: str, process: int
) -> Vilbert:
    return Vilbert(path, label, None if task < 0 else task, limit, device, dtype, words)


def _alone(path: Path) -> bool:
    """Whether weights come without a vocabulary beside them."""
    return path.is_file() and not (path.parent / "vocab.txt").is_file()


def image_input(regions: Regions) -> tuple[Floats, Floats]:
    """Features and locations as ViLBERT takes them.

    First the whole image (the mean of its boxes), then each box; a location is the box's corners
    and area as shares of the image (Lu et al. 2019, 3.1).
    """
    mean = regions.features.sum(axis=0, keepdims=True) / np.float32(len(regions.features))
    features = np.concatenate([mean, regions.features]).astype(np.float32)
    left, top, right, bottom = regions.boxes.T
    area = (bottom - top) * (right - left) / np.float32(regions.width * regions.height)
    shares = [
        left / regions.width,
        top / regions.height,
        right / regions.width,
        bottom / regions.height,
        area,
    ]
    whole = np.array([[0, 0, 1, 1, 1]], dtype=np.float32)
    return features, np.concatenate([whole, np.stack(shares, axis=1)]).astype(np.float32)


def _row(found: Joint, row: int) -> Read:
    def array(tensor: Any) -> NDArray[np.float32]:
        values: NDArray[np.float32] = tensor[row].float().cpu().numpy()
        return values

    aligned = float(found.alignment[row].double().softmax(dim=0)[0])
    return Read(array(found.words), array(found.met), array(found.text), array(found.image), aligned)


def _weights(folder: Path) -> Path:
    if folder.is_file():
        return folder
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).is_file():
            return folder / name
    others = sorted(path for path in folder.glob("*") if path.suffix in (".bin", ".safetensors"))
    if len(others) != 1:
        raise InputError(f"{folder}: contains no pytorch_model.bin. Put the weights of a ViLBERT there.")
    return others[0]


def _renamed(state: StateDict) -> StateDict:
    """Names of norms as they are today; early checkpoints call them gamma and beta."""
    found = {}
    for name, value in state.items():
        new = name
        for old, today in _OLD_NAMES:
            new = new.removesuffix(old) + today if new.endswith(old) else new
        found[new] = value
    return found


def _task(state: StateDict, task: int | None, path: Path) -> int | None:
    """The task token to use; a model without such tokens has none."""
    if _TASK_TABLE not in state:
        if task is not None:
            raise InputError(f"{path}: has no task tokens, so task={task} cannot be used. Give task=-1.")
        return None
    if task is None or task >= TASKS:
        raise InputError(
            f"{path}: is a multi-task model. Give the task token, 0 to {TASKS - 1} (7: retrieval)."
        )
    return task


def _vocabulary(folder: Path, config: Config) -> WordPiece:
    tokeniser = read_wordpiece(folder)
    if tokeniser.size > config.vocab_size:
        raise InputError(
            f"{folder / 'vocab.txt'}: has {tokeniser.size:,} pieces, but the model has {config.vocab_size:,}."
            " Give the vocabulary of this model."
        )
    return tokeniser
