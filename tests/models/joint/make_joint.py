"""Tiny ViLBERT, VSE++, ViLT and BERT checkpoints with random weights, in the published layouts.

The networks here are oracles: straight-line modules of their own, written from the papers and the
names in the published files. No code of captious is used, and nothing is committed.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "an", "the", "dog", "cat", "runs", "sleep", "##s"),
    *("##ing", "on", "by", "beach", "sofa", "red", "blue", "two", "men", "surf", "##board"),
    *(".", ",", "!", "'", "s"),
]
CAPTIONS = [
    "A dog runs on the beach.",
    "Two cats sleeping on a red sofa",
    "A surfboard, by the blue beach!",
    "dog",
]
VILBERT = {
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 16,
    "initializer_range": 0.02,
    "intermediate_size": 24,
    "max_position_embeddings": 48,
    "num_attention_heads": 2,
    "num_hidden_layers": 4,
    "type_vocab_size": 2,
    "vocab_size": len(WORDS),
    "v_feature_size": 10,
    "v_target_size": 7,
    "v_hidden_size": 20,
    "v_num_hidden_layers": 3,
    "v_num_attention_heads": 4,
    "v_intermediate_size": 28,
    "bi_hidden_size": 12,
    "bi_num_attention_heads": 3,
    "v_hidden_act": "gelu",
    "v_biattention_id": [0, 1],
    "t_biattention_id": [1, 3],
    "pooling_method": "mul",
}


def randomise(module: nn.Module, seed: int) -> None:
    """Random numbers large enough that every weight shows in the result."""
    make = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in module.state_dict().items():
            if not value.is_floating_point():
                continue
            noise = torch.randn(value.shape, generator=make)
            if name.endswith("running_var"):
                value.copy_(noise.abs() + 0.5)
            elif "norm" in name.lower() or ".bn" in name or name.startswith("bn"):
                value.copy_(1 + 0.2 * noise if name.endswith("weight") else 0.2 * noise)
            else:
                fan = value[0].numel() if value.ndim > 1 else 10
                value.copy_(noise * (1.2 / math.sqrt(fan) if value.ndim > 1 else 0.2))


class _Tower(nn.Module):
    """One transformer layer of either stream, with BERT's names."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        own = nn.ModuleDict({p: nn.Linear(width, width) for p in ("query", "key", "value")})
        out = nn.ModuleDict({"dense": nn.Linear(width, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)})
        self.attention = nn.ModuleDict({"self": own, "output": out})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = nn.ModuleDict(
            {"dense": nn.Linear(inner, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)}
        )
        self.heads = heads

    def forward(self, x: Any) -> Any:
        own, out = self.attention["self"], self.attention["output"]
        heard = attention(own["query"](x), own["key"](x), own["value"](x), self.heads)
        x = out["LayerNorm"](out["dense"](heard) + x)
        inner = erf_gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](self.output["dense"](inner) + x)


def erf_gelu(x: Any) -> Any:
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


def attention(query: Any, key: Any, value: Any, heads: int) -> Any:
    """Head by head, row by row."""
    width = query.shape[-1] // heads
    parts = []
    for head in range(heads):
        piece = slice(head * width, (head + 1) * width)
        weights = torch.softmax(query[:, piece] @ key[:, piece].T / math.sqrt(width), dim=-1)
        parts.append(weights @ value[:, piece])
    return torch.cat(parts, dim=-1)


class _Meeting(nn.Module):
    """A co-attention layer, with the names of vilbert-multi-task, unused weights included."""

    def __init__(self, c: dict[str, Any]) -> None:
        super().__init__()
        text, image, both = c["hidden_size"], c["v_hidden_size"], c["bi_hidden_size"]
        names = [(f"{p}{s}", w) for s, w in (("1", image), ("2", text)) for p in ("query", "key", "value")]
        self.biattention = nn.ModuleDict({name: nn.Linear(width, both) for name, width in names})
        out: dict[str, nn.Module] = {}
        for stream, width in (("1", image), ("2", text)):
            out |= {f"dense{stream}": nn.Linear(both, width), f"q_dense{stream}": nn.Linear(both, width)}
            out[f"LayerNorm{stream}"] = nn.LayerNorm(width, eps=1e-12)
        self.biOutput = nn.ModuleDict(out)
        for prefix, width, inner in (
            ("v", image, c["v_intermediate_size"]),
            ("t", text, c["intermediate_size"]),
        ):
            self.add_module(f"{prefix}_intermediate", nn.ModuleDict({"dense": nn.Linear(width, inner)}))
            last = {"dense": nn.Linear(inner, width), "LayerNorm": nn.LayerNorm(width, eps=1e-12)}
            self.add_module(f"{prefix}_output", nn.ModuleDict(last))
        self.heads = c["bi_num_attention_heads"]

    def forward(self, image: Any, text: Any) -> tuple[Any, Any]:
        a, o = self.biattention, self.biOutput
        to_image = attention(a["query1"](image), a["key2"](text), a["value2"](text), self.heads)
        to_text = attention(a["query2"](text), a["key1"](image), a["value1"](image), self.heads)
        image = o["LayerNorm1"](o["dense1"](to_image) + image)
        text = o["LayerNorm2"](o["dense2"](to_text) + text)
        image = self.v_output["LayerNorm"](
            self.v_output["dense"](erf_gelu(self.v_intermediate["dense"](image))) + image
        )
        text = self.t_output["LayerNorm"](
            self.t_output["dense"](erf_gelu(self.t_intermediate["dense"](text))) + text
        )
        return image, text


class TinyVilbert(nn.Module):
    """One pair at a time; `state_dict()` has the names of the published `pytorch_model.bin`."""

    def __init__(self, c: dict[str, Any], tasks: bool = False) -> None:
        super().__init__()
        self.c = c
        text, image, both = c["hidden_size"], c["v_hidden_size"], c["bi_hidden_size"]
        tables = {
            "word_embeddings": nn.Embedding(c["vocab_size"], text),
            "position_embeddings": nn.Embedding(c["max_position_embeddings"], text),
            "token_type_embeddings": nn.Embedding(c["type_vocab_size"], text),
            "LayerNorm": nn.LayerNorm(text, eps=1e-12),
        }
        if tasks:
            tables["task_embeddings"] = nn.Embedding(20, text)
        seen = {
            "image_embeddings": nn.Linear(c["v_feature_size"], image),
            "image_location_embeddings": nn.Linear(5, image),
            "LayerNorm": nn.LayerNorm(image, eps=1e-12),
        }
        sizes = c["num_attention_heads"], c["intermediate_size"]
        text_layers = [_Tower(text, *sizes) for _ in range(c["num_hidden_layers"])]
        sizes = c["v_num_attention_heads"], c["v_intermediate_size"]
        image_layers = [_Tower(image, *sizes) for _ in range(c["v_num_hidden_layers"])]
        encoder = {
            "layer": nn.ModuleList(text_layers),
            "v_layer": nn.ModuleList(image_layers),
            "c_layer": nn.ModuleList([_Meeting(c) for _ in c["v_biattention_id"]]),
        }
        self.bert = nn.ModuleDict(
            {
                "embeddings": nn.ModuleDict(tables),
                "v_embeddings": nn.ModuleDict(seen),
                "encoder": nn.ModuleDict(encoder),
                "t_pooler": nn.ModuleDict({"dense": nn.Linear(text, both)}),
                "v_pooler": nn.ModuleDict({"dense": nn.Linear(image, both)}),
            }
        )
        # Heads that no metric reads are in the published file too.
        self.cls = nn.ModuleDict(
            {
                "bi_seq_relationship": nn.Linear(both, 2),
                "predictions": nn.ModuleDict({"decoder": nn.Linear(text, c["vocab_size"])}),
                "imagePredictions": nn.ModuleDict({"decoder": nn.Linear(image, c["v_target_size"])}),
            }
        )
        if tasks:
            self.vil_logit = nn.Linear(both, 1)
            self.vision_logit = nn.Linear(image, 1)
            self.linguisic_logit = nn.Linear(text, 1)

    def forward(self, ids: list[int], features: Any, places: Any, task: int | None = None) -> dict[str, Any]:
        e, v = self.bert["embeddings"], self.bert["v_embeddings"]
        text = e["word_embeddings"](torch.tensor(ids)) + e["position_embeddings"](torch.arange(len(ids)))
        text = text + e["token_type_embeddings"](torch.zeros(len(ids), dtype=torch.long))
        if task is not None:
            text = torch.cat([text[:1], e["task_embeddings"](torch.tensor([task])), text[1:]])
        text = e["LayerNorm"](text)
        image = v["LayerNorm"](v["image_embeddings"](features) + v["image_location_embeddings"](places))
        layers = self.bert["encoder"]
        t = i = 0
        for number, (image_to, text_to) in enumerate(
            zip(self.c["v_biattention_id"], self.c["t_biattention_id"], strict=True)
        ):
            while t < text_to:
                text, t = layers["layer"][t](text), t + 1
            while i < image_to:
                image, i = layers["v_layer"][i](image), i + 1
            image, text = layers["c_layer"][number](image, text)
        met = text
        while i < self.c["v_num_hidden_layers"]:
            image, i = layers["v_layer"][i](image), i + 1
        while t < self.c["num_hidden_layers"]:
            text, t = layers["layer"][t](text), t + 1
        pooled_text = torch.relu(self.bert["t_pooler"]["dense"](text[0]))
        pooled_image = torch.relu(self.bert["v_pooler"]["dense"](image[0]))
        logits = self.cls["bi_seq_relationship"](pooled_text * pooled_image)
        return {"words": text, "met": met, "text": pooled_text, "image": pooled_image, "alignment": logits}


def write_bert_vocabulary(folder: Path) -> None:
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", "utf-8")


def write_vilbert(folder: Path, seed: int = 0, *, tasks: bool = False) -> TinyVilbert:
    """`pytorch_model.bin`, `config.json`, `vocab.txt`; returns the oracle."""
    folder.mkdir(parents=True, exist_ok=True)
    model = TinyVilbert(VILBERT, tasks).eval()
    randomise(model, seed)
    torch.save(OrderedDict(model.state_dict()), folder / "pytorch_model.bin")
    (folder / "config.json").write_text(json.dumps(VILBERT), "utf-8")
    write_bert_vocabulary(folder)
    return model


def bert_ids(text: str) -> list[int]:
    """Token numbers by transformers' own tokeniser, special tokens included."""
    import tempfile

    from transformers import BertTokenizer

    with tempfile.TemporaryDirectory() as folder:
        write_bert_vocabulary(Path(folder))
        found = BertTokenizer(vocab=str(Path(folder) / "vocab.txt"), do_lower_case=True)(text)["input_ids"]
    return [int(number) for number in found]


def regions(seed: int, count: int) -> dict[str, Any]:
    """What an extractor saves for one image."""
    make = np.random.default_rng(seed)
    corners = np.sort(make.uniform(0, 1, (count, 2, 2)), axis=1)
    boxes = (corners * np.array([640, 480])).reshape(count, 4).astype(np.float32)
    return {
        "image_id": str(seed),
        "features": make.normal(size=(count, VILBERT["v_feature_size"])).astype(np.float32),
        "bbox": boxes,
        "num_boxes": count,
        "objects": make.integers(0, 9, count),
        "image_width": 640,
        "image_height": 480,
    }


def region_input(found: dict[str, Any]) -> tuple[Any, Any]:
    """Features and locations as Lu et al. (2019, 3.1) describe them, box by box."""
    features = [found["features"].mean(axis=0), *found["features"]]
    places = [[0.0, 0.0, 1.0, 1.0, 1.0]]
    for x1, y1, x2, y2 in found["bbox"].tolist():
        area = (x2 - x1) * (y2 - y1) / (640 * 480)
        places.append([x1 / 640, y1 / 480, x2 / 640, y2 / 480, area])
    return torch.tensor(np.array(features)), torch.tensor(places, dtype=torch.float32)


def write_region_folder(folder: Path, found: dict[str, dict[str, Any]]) -> Path:
    """One `.npy` an image, as extract_features.py saves it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, one in found.items():
        np.save(folder / f"{name}.npy", one)  # type: ignore[arg-type]
    return folder


def write_region_lmdb(path: Path, found: dict[str, dict[str, Any]]) -> Path:
    """Rows of base64 in pickles, and the list of keys, as the data loaders of vilbert read them."""
    import lmdb

    store = lmdb.open(str(path), map_size=1 << 24)
    with store.begin(write=True) as writing:
        for name, one in found.items():
            row = {
                "image_id": name,
                "image_h": one["image_height"],
                "image_w": one["image_width"],
                "num_boxes": one["num_boxes"],
                "boxes": base64.b64encode(one["bbox"].tobytes()),
                "features": base64.b64encode(one["features"].tobytes()),
            }
            writing.put(name.encode(), pickle.dumps(row))
        writing.put(b"keys", pickle.dumps([name.encode() for name in found]))
    store.close()
    return path


def write_region_h5(path: Path, found: dict[str, dict[str, Any]]) -> Path:
    """Padded arrays over all images."""
    import h5py

    most = max(one["num_boxes"] for one in found.values())
    with h5py.File(path, "w") as file:
        file["image_id"] = np.array([name.encode() for name in found])
        file["num_boxes"] = [one["num_boxes"] for one in found.values()]
        file["image_w"] = [one["image_width"] for one in found.values()]
        file["image_h"] = [one["image_height"] for one in found.values()]
        for name, key in (("features", "features"), ("boxes", "bbox")):
            rows = [np.pad(one[key], ((0, most - one["num_boxes"]), (0, 0))) for one in found.values()]
            file[name] = np.stack(rows)
    return path


class Vocabulary:
    """The class that VSE++'s pickles name `vocab.Vocabulary`."""

    def __init__(self, words: list[str]) -> None:
        self.word2idx = {word: number for number, word in enumerate(words)}
        self.idx2word = {number: word for word, number in self.word2idx.items()}
        self.idx = len(words)


Vocabulary.__module__ = "vocab"
VSE_WORDS = [
    *("<pad>", "<start>", "<end>", "<unk>", "a", "the", "dog", "cats", "runs", "on", "red", "sofa"),
    *("beach", ".", ",", "two"),
]


def pickled_vocabulary(words: list[str], protocol: int = 2) -> bytes:
    """A pickle as the release holds it: an object of a class that is not here."""
    import sys
    from types import ModuleType

    module = ModuleType("vocab")
    module.Vocabulary = Vocabulary  # type: ignore[attr-defined]
    sys.modules["vocab"] = module
    try:
        return pickle.dumps(Vocabulary(words), protocol)
    finally:
        del sys.modules["vocab"]


class _Bottleneck(nn.Module):
    def __init__(self, given: int, inner: int, stride: int) -> None:
        super().__init__()
        made = inner * 4
        self.conv1, self.bn1 = nn.Conv2d(given, inner, 1, bias=False), nn.BatchNorm2d(inner)
        self.conv2, self.bn2 = nn.Conv2d(inner, inner, 3, stride, 1, bias=False), nn.BatchNorm2d(inner)
        self.conv3, self.bn3 = nn.Conv2d(inner, made, 1, bias=False), nn.BatchNorm2d(made)
        if stride > 1 or given != made:
            self.downsample = nn.Sequential(
                nn.Conv2d(given, made, 1, stride, bias=False), nn.BatchNorm2d(made)
            )

    def forward(self, x: Any) -> Any:
        inner = torch.relu(self.bn1(self.conv1(x)))
        inner = torch.relu(self.bn2(self.conv2(inner)))
        inner = self.bn3(self.conv3(inner))
        return torch.relu(inner + (self.downsample(x) if hasattr(self, "downsample") else x))


class TinyResnet(nn.Module):
    """torchvision's names, few channels; its `fc` is an empty sequence, as VSE++ leaves it."""

    def __init__(self, blocks: tuple[int, ...] = (1, 2, 1, 1), width: int = 4) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width)
        given = width
        for stage, count in enumerate(blocks, 1):
            inner = width * 2 ** (stage - 1)
            layers = []
            for number in range(count):
                layers.append(_Bottleneck(given, inner, 2 if stage > 1 and number == 0 else 1))
                given = inner * 4
            self.add_module(f"layer{stage}", nn.Sequential(*layers))
        self.fc = nn.Sequential()
        self.width = given

    def forward(self, x: Any) -> Any:
        x = nn.functional.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        for stage in range(1, 5):
            x = getattr(self, f"layer{stage}")(x)
        return x.mean(dim=(2, 3))


class TinyVgg(nn.Module):
    """Two stages of convolutions, a pooling layer after each, and the classifier without its last layer."""

    def __init__(self) -> None:
        super().__init__()
        conv, relu, pool = nn.Conv2d, nn.ReLU, nn.MaxPool2d
        self.features = nn.Sequential(
            conv(3, 4, 3, padding=1), relu(), conv(4, 4, 3, padding=1), relu(), pool(2, 2),
            conv(4, 6, 3, padding=1), relu(), pool(2, 2),
        )  # fmt: skip
        flat, self.width = 6 * 49, 18
        self.classifier = nn.Sequential(
            nn.Linear(flat, 20), relu(), nn.Dropout(), nn.Linear(20, 18), relu(), nn.Dropout()
        )

    def forward(self, x: Any) -> Any:
        x = nn.functional.adaptive_avg_pool2d(self.features(x), (7, 7)).flatten(1)
        return self.classifier(x)


class TinyVse:
    """The oracle: an image encoder and a text encoder, one caption at a time."""

    def __init__(self, seed: int, kind: str = "resnet", layers: int = 1) -> None:
        self.cnn: Any = (TinyResnet() if kind == "resnet" else TinyVgg()).eval()
        self.kind = kind
        self.fc = nn.Linear(self.cnn.width, 8)
        self.embed = nn.Embedding(len(VSE_WORDS), 6)
        self.rnn = nn.GRU(6, 8, layers, batch_first=True)
        for number, part in enumerate((self.cnn, self.fc, self.embed, self.rnn)):
            randomise(part, seed + number)

    def image(self, pixels: Any) -> Any:
        with torch.no_grad():
            features = self.cnn(pixels[None])[0]
            found = self.fc(features / features.norm())
            return found / found.norm()

    def text(self, ids: list[int]) -> Any:
        with torch.no_grad():
            states, _ = self.rnn(self.embed(torch.tensor([ids])))
            return states[0, -1] / states[0, -1].norm()

    def states(self) -> list[OrderedDict[str, Any]]:
        """`model` of the published checkpoint: names as DataParallel leaves them."""
        image: OrderedDict[str, Any] = OrderedDict()
        for name, value in self.cnn.state_dict().items():
            if self.kind == "resnet":
                image[f"cnn.module.{name}"] = value
            else:
                image[f"cnn.{name.replace('features.', 'features.module.')}"] = value
        image |= {f"fc.{name}": value for name, value in self.fc.state_dict().items()}
        text: OrderedDict[str, Any] = OrderedDict({"embed.weight": self.embed.weight.detach()})
        text |= {f"rnn.{name}": value for name, value in self.rnn.state_dict().items()}
        return [image, text]


def write_vse(
    path: Path, seed: int = 0, *, kind: str = "resnet", layers: int = 1, **settings: Any
) -> TinyVse:
    """`model_best.pth.tar` with weights, settings and figures of the training run, and its vocabulary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    model = TinyVse(seed, kind, layers)
    plain = {"data_name": "coco", "measure": "cosine", "use_abs": False, "no_imgnorm": False, "embed_size": 8}
    held = {
        "epoch": 30,
        "model": model.states(),
        "best_rsum": np.float64(412.3),
        "opt": argparse.Namespace(**(plain | settings)),
        "Eiters": 5,
    }
    torch.save(held, path)
    (path.parent / "coco_vocab.pkl").write_bytes(pickled_vocabulary(VSE_WORDS))
    return model


def write_vilt(folder: Path, seed: int = 0, *, positions: int = 12) -> Any:
    """A ViLT with a retrieval head as on the hub; returns transformers' own model."""
    from safetensors.torch import save_file
    from transformers import ViltConfig, ViltForImageAndTextRetrieval

    folder.mkdir(parents=True, exist_ok=True)
    config = ViltConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        image_size=64,
        patch_size=16,
        max_position_embeddings=positions,
    )
    model = ViltForImageAndTextRetrieval(config).eval()
    randomise(model, seed)
    settings = {
        "do_normalize": True,
        "do_resize": True,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "image_processor_type": "ViltImageProcessor",
        "resample": 3,
        "size": 64,
        "size_divisor": 16,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), "utf-8")
    (folder / "config.json").write_text(model.config.to_json_string(), "utf-8")
    write_bert_vocabulary(folder)
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "model.safetensors")
    return model


def write_blip(folder: Path, seed: int = 0) -> Any:
    """A BLIP with a matching head as on the hub; returns transformers' own model."""
    from safetensors.torch import save_file
    from transformers import BlipConfig, BlipForImageTextRetrieval

    folder.mkdir(parents=True, exist_ok=True)
    size = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
    text = {"vocab_size": len(WORDS), "encoder_hidden_size": 16, "max_position_embeddings": 12}
    config = BlipConfig(
        text_config=size | text,
        vision_config=size | {"image_size": 32, "patch_size": 8},
        image_text_hidden_size=8,
    )
    model = BlipForImageTextRetrieval(config).eval()
    randomise(model, seed)
    settings = {
        "do_normalize": True,
        "do_resize": True,
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711],
        "image_processor_type": "BlipImageProcessor",
        "resample": 3,
        "size": {"height": 32, "width": 32},
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), "utf-8")
    (folder / "config.json").write_text(model.config.to_json_string(), "utf-8")
    write_bert_vocabulary(folder)
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "model.safetensors")
    return model


def write_classifier(folder: Path, seed: int = 0) -> Any:
    """A BERT classifier of two labels as transformers saves it; returns transformers' own model."""
    from safetensors.torch import save_file
    from transformers import BertConfig, BertForSequenceClassification

    folder.mkdir(parents=True, exist_ok=True)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=20,
        num_labels=2,
    )
    model = BertForSequenceClassification(config).eval()
    randomise(model, seed)
    (folder / "config.json").write_text(model.config.to_json_string(), "utf-8")
    write_bert_vocabulary(folder)
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "model.safetensors")
    return model
