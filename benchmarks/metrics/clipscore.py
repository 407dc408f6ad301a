"""Speed of CLIPScore: captious against torchmetrics' loop and against the bare encoder.

A ViT-B/32 with random weights in the published layout (speed does not depend on what the numbers
are), real photographs with five captions each. Four times are taken in one run:

- captious, from files to scores, with an empty cache; then again from the cache;
- torchmetrics' `CLIPScore` in a loop, an update for each caption with its photograph (it wants an
  image for each text, and a value for each item needs an update of its own);
- the bare encoder: `get_image_features` and `get_text_features` on pixels and tokens that are
  prepared beforehand, batches of 32 photographs and of 64 captions padded to the longest.

Models are loaded before the clock starts. Processor time, of all threads, stands beside the clock's
because a busy machine stretches only the latter; the ratios are of processor time. The scores of
both programs must agree to 1e-4 wherever transformers and OpenAI begin their crops at the same
pixel.

    python benchmarks/metrics/clipscore.py [--photographs DIR] [--images 200]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BEGIN, END = "<|startoftext|>", "<|endoftext|>"
MERGES = 49152 - 256 - 2
CANDIDATES = 5
CLOSE = 1e-4


class Took(NamedTuple):
    """Seconds by the clock and of the processor."""

    clock: float
    processor: float


def timed(work: Callable[[], Any]) -> tuple[Any, Took]:
    clock, processor = time.perf_counter(), time.process_time()
    found = work()
    return found, Took(time.perf_counter() - clock, time.process_time() - processor)


def write_model(folder: Path) -> None:
    """A ViT-B/32 as on the hub, with random weights and CLIP's own tokeniser."""
    import torch
    from safetensors.torch import save_file
    from transformers import CLIPConfig, CLIPModel

    torch.manual_seed(1)
    model = CLIPModel(CLIPConfig(text_config={"bos_token_id": 49406, "eos_token_id": 49407}))
    (folder / "config.json").write_text(model.config.to_json_string())
    save_file(
        {name: value.contiguous() for name, value in model.state_dict().items()}, folder / "model.safetensors"
    )
    settings = {
        "crop_size": {"height": 224, "width": 224},
        "do_center_crop": True,
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711],
        "image_processor_type": "CLIPImageProcessor",
        "resample": 3,
        "rescale_factor": 1 / 255,
        "size": {"shortest_edge": 224},
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))
    package = find_spec("open_clip")
    if package is None or not package.submodule_search_locations:
        sys.exit("CLIP's tokeniser is in the package open_clip_torch: pip install --no-deps open_clip_torch")
    table = Path(package.submodule_search_locations[0]) / "bpe_simple_vocab_16e6.txt.gz"
    lines = gzip.decompress(table.read_bytes()).decode().split("\n")[1 : MERGES + 1]
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(b) for b in shown] + [chr(256 + n) for n in range(256 - len(shown))]
    pieces = [*letters, *(f"{letter}</w>" for letter in letters), *("".join(line.split()) for line in lines)]
    vocabulary = {piece: number for number, piece in enumerate([*pieces, BEGIN, END])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *lines, ""]))


def photographs(folder: Path, images: int) -> tuple[list[Path], list[list[str]]]:
    """Photographs of Flickr8k with their five captions as candidates."""
    captions: dict[str, list[str]] = {}
    for line in (folder.parent / "Flickr8k.token.txt").read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition("\t")
        captions.setdefault(name.partition("#")[0], []).append(text)
    paths = sorted(path for path in folder.glob("*.jpg") if len(captions.get(path.name, [])) >= CANDIDATES)
    repeats = -(-images // len(paths))
    chosen = (paths * repeats)[:images]
    return chosen, [captions[path.name][:CANDIDATES] for path in chosen]


def ours(folder: Path, paths: list[Path], captions: list[list[str]]) -> np.ndarray:
    import captious

    ids = [f"{place}" for place in range(len(paths))]
    corpus = captious.Corpus.from_lists(
        [text for own in captions for text in own],
        image_ids=[name for name in ids for _ in range(CANDIDATES)],
        image_paths=dict(zip(ids, map(str, paths), strict=True)),
    )
    name = f"clipscore[encoder={folder},prompt=none,w=1]"
    return captious.score(corpus, [name])[name].values


def theirs(folder: Path, paths: list[Path], captions: list[list[str]]) -> Callable[[], np.ndarray]:
    import torch
    from PIL import Image
    from torchmetrics.multimodal import CLIPScore
    from transformers import CLIPModel, CLIPProcessor, CLIPTokenizer
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    class Model(torch.nn.Module):
        """torchmetrics wants plain vectors, which newer transformers wrap."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = CLIPModel.from_pretrained(str(folder))
            self.config = self.inner.config

        def get_image_features(self, pixels: Any) -> Any:
            return self.inner.get_image_features(pixels).pooler_output

        def get_text_features(self, ids: Any, mask: Any) -> Any:
            return self.inner.get_text_features(ids, mask).pooler_output

    def load() -> tuple[Any, Any]:
        processor = CLIPProcessor(
            CLIPImageProcessorPil.from_pretrained(str(folder)), CLIPTokenizer.from_pretrained(str(folder))
        )
        return Model(), processor

    metric = CLIPScore(model_name_or_path=load)

    def run() -> np.ndarray:
        found = []
        for path, own in zip(paths, captions, strict=True):
            image = torch.from_numpy(np.array(Image.open(path).convert("RGB")).transpose(2, 0, 1).copy())
            for text in own:
                metric.update([image], [text])
                found.append(float(metric.compute()) / 100)
                metric.reset()
        return np.array(found)

    return run


def bare(folder: Path, paths: list[Path], captions: list[list[str]]) -> Callable[[], None]:
    import torch
    from transformers import CLIPModel, CLIPTokenizer

    from captious.models.encoders.recipe import Recipe
    from captious.models.images import load_image

    model = CLIPModel.from_pretrained(str(folder)).eval()
    pixels = [torch.from_numpy(Recipe().pixels(load_image(path))) for path in paths]
    tokeniser = CLIPTokenizer.from_pretrained(str(folder))
    texts = [text for own in captions for text in own]
    rows = [
        tokeniser(
            texts[start : start + 64], return_tensors="pt", padding=True, truncation=True, max_length=77
        )
        for start in range(0, len(texts), 64)
    ]

    def run() -> None:
        with torch.inference_mode():
            for start in range(0, len(pixels), 32):
                model.get_image_features(torch.stack(pixels[start : start + 32]))
            for row in rows:
                model.get_text_features(**row)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    data = Path(os.environ.get("CAPTIOUS_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
    parser.add_argument("--photographs", type=Path, default=data / "flickr8k" / "images")
    parser.add_argument("--images", type=int, default=200)
    asked = parser.parse_args()
    if not asked.photographs.is_dir() or find_spec("torch") is None:
        print(f"{asked.photographs}: no photographs here, or no torch; nothing is measured")
        return
    with tempfile.TemporaryDirectory() as place:
        os.environ["CAPTIOUS_CACHE"] = f"{place}/cache"
        folder = Path(place) / "clip"
        folder.mkdir()
        write_model(folder)
        paths, captions = photographs(asked.photographs, asked.images)
        from PIL import Image

        Image.new("RGB", (300, 300), "green").save(f"{place}/green.png")
        raw = bare(folder, paths, captions)
        ours(folder, [next(iter(Path(place).glob("*.png")))], [["warm"] * CANDIDATES])  # imports, weights
        measure(folder, paths, captions, raw)


def measure(folder: Path, paths: list[Path], captions: list[list[str]], raw: Callable[[], None]) -> None:
    print(f"{len(paths):,} photographs x {CANDIDATES} captions, one ViT-B/32 with random weights")
    scores, first = timed(lambda: ours(folder, paths, captions))
    again, second = timed(lambda: ours(folder, paths, captions))
    _, forward = timed(raw)
    assert np.array_equal(scores, again), "the cache changed a score"
    table = {"captious": first, "captious, from the cache": second, "bare encoder": forward}
    if find_spec("torchmetrics") is not None:
        others, loop = timed(theirs(folder, paths, captions))
        table["torchmetrics, a loop"] = loop
        differ = np.abs(np.maximum(scores, 0) - others)
        share = float((differ < CLOSE).mean())
        print(
            f"scores equal to {CLOSE}: {share:.1%} (else crops begin a pixel apart); most {differ.max():.1e}"
        )
    for name, took in table.items():
        print(f"{name:26} {took.processor:8.1f} s of processor {took.clock:8.1f} s by the clock")
    if "torchmetrics, a loop" in table:
        print(f"torchmetrics / captious: {table['torchmetrics, a loop'].processor / first.processor:.1f} x")
    print(f"bare encoder / captious: {forward.processor / first.processor:.0%}")
    print(f"first run / from the cache: {first.processor / second.processor:.0f} x")


if __name__ == "__main__":
    main()
