"""Memory of CLIPScore: how much is held at most while many images are scored.

Small generated pictures (64 x 48 pixels, each with a content of its own) and a small random CLIP
whose vectors are as wide as ViT-B/32's, so that a hundred thousand images take minutes; what would
grow with the number of images (pixels, vectors, bookkeeping) is the same as with large ones. The
weights of a ViT-B/32 add 0.6 GB. Peaks are of a process of its own.

    python benchmarks/scale/clipscore_memory.py [--images 100000]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ALLOWED = 2e9


def write_images(folder: Path, images: int) -> None:
    from PIL import Image

    random = np.random.default_rng(1)
    for number in range(images):
        coarse = random.integers(0, 256, (6, 8, 3), dtype=np.uint8)
        Image.fromarray(coarse).resize((64, 48)).save(folder / f"{number}.jpg", quality=80)


def write_model(folder: Path) -> None:
    import torch
    from safetensors.torch import save_file
    from transformers import CLIPConfig, CLIPModel

    letters = [chr(b) for b in [*range(33, 127), *range(161, 173), *range(174, 256)]]
    letters += [chr(256 + n) for n in range(256 - len(letters))]
    pieces = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({piece: n for n, piece in enumerate(pieces)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    torch.manual_seed(1)
    small = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1}
    marks = {"vocab_size": 514, "bos_token_id": 512, "eos_token_id": 513}
    vision = small | {"image_size": 32, "patch_size": 32}
    model = CLIPModel(CLIPConfig(text_config=small | marks, vision_config=vision, projection_dim=512))
    (folder / "config.json").write_text(model.config.to_json_string())
    save_file(
        {name: value.contiguous() for name, value in model.state_dict().items()}, folder / "model.safetensors"
    )
    settings = {
        "crop_size": 32,
        "do_center_crop": True,
        "size": {"shortest_edge": 32},
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))


def score(place: Path, images: int) -> None:
    """What the measured process does."""
    import captious

    ids = [str(number) for number in range(images)]
    corpus = captious.Corpus.from_lists(
        [f"picture number {number}" for number in range(images)],
        image_ids=ids,
        image_paths={name: str(place / "images" / f"{name}.jpg") for name in ids},
    )
    name = f"clipscore[encoder={place / 'clip'}]"
    started = time.perf_counter()
    found = captious.score(corpus, [name])[name]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    took = time.perf_counter() - started
    print(f"{images:9,} images: at most {peak / 1e6:,.0f} MB held, {took:,.0f} s, mean {found.score:.4f}")
    sys.exit(peak > ALLOWED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--measured", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measured is not None:
        score(asked.measured, asked.images)
    if find_spec("torch") is None:
        print("no torch here; nothing is measured")
        return
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for part in ("images", "clip"):
            (place / part).mkdir()
        write_model(place / "clip")
        write_images(place / "images", asked.images)
        for images in (asked.images // 10, asked.images):
            environment = os.environ | {"CAPTIOUS_CACHE": str(place / f"cache{images}")}
            command = [sys.executable, __file__, "--measured", name, "--images", str(images)]
            subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    main()
