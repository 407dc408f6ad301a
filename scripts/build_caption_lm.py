"""Write the bigram of captions that comes with the package: models/language/captions.npz.

Trained on the references of Karpathy's test split of COCO (captions CC BY 4.0) without the images of
THumB and of the 159 photographs that VIFIDEL is tested on. Logarithms are rounded to half precision.

    python scripts/build_caption_lm.py DATA
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from captious.models.language.grammaticality import with_fluency
from captious.models.language.load import bundled
from captious.models.language.ngram_train import train


def kept_captions(data: Path) -> list[str]:
    """References of the images that no test of ours uses as its test."""
    thumb = (data / "thumb" / "mscoco_references.jsonl").read_text(encoding="utf-8").splitlines()
    left_out = {json.loads(line)["seg_id"] for line in thumb}
    for path in (data / "coco_mini" / "annotations").glob("captions_*.json"):
        rows = json.loads(path.read_text(encoding="utf-8"))["annotations"]
        left_out |= {str(row["image_id"]) for row in rows}
    path = data / "coco_karpathy" / "reference_captions.json"
    images = json.loads(path.read_text(encoding="utf-8"))
    return [text for image, own in images.items() if image not in left_out for text in own]


def main(data: Path) -> None:
    captions = kept_captions(data)
    model = train(captions, order=2)
    halved = [
        tuple(part.astype(np.float16).astype(float) for part in parts)
        for parts in (model.logs, model.backoffs)
    ]
    model = with_fluency(replace(model, logs=halved[0], backoffs=halved[1]), captions)
    model.save(bundled())
    print(f"{len(captions):,} captions, {model.n_grams:,} n-grams, {bundled().stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
