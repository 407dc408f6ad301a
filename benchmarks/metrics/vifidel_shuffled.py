"""Does VIFIDEL know which image a caption belongs to? True captions against shuffled ones.

COCO photographs with gold objects. Each image's five captions, scored against its objects (and its
four other references), must score higher on average than the five captions of another image do.
`one` is the share of (image, other image) pairs in which they do, over 20 others; `mean` the share
of images whose own captions beat the mean of the 20.

    python benchmarks/metrics/vifidel_shuffled.py [--data DIR]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from vifidel import load

OTHERS = 20
WANTED = 0.95
SETTINGS = (
    "vifidel",
    "vifidel[references=none]",
    "vifidel[counts=binary]",
    "vifidel[counts=binary,references=none]",
    "vifidel[p=1]",
    "vifidel[p=1,references=none]",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("CAPTIOUS_DATA", "../shared/data"))
    folder = Path(parser.parse_args().data) / "coco_mini" / "annotations"
    if not folder.is_dir():
        print(f"skipped: no data at {folder}; set $CAPTIOUS_DATA")
        return 0
    from captious import Corpus, score

    references, objects = load(folder)
    images = list(references)
    rows = [
        (caption, image, [text for i, text in enumerate(references[image]) if i != number])
        for place, image in enumerate(images)
        for step in range(OTHERS + 1)
        for number, caption in enumerate(references[images[(place + step) % len(images)]][:5])
    ]
    corpus = Corpus.from_lists(
        [caption for caption, _, _ in rows],
        [others for _, _, others in rows],
        image_ids=[image for _, image, _ in rows],
        objects=objects,
    )
    scores = score(corpus, SETTINGS)
    worst = 1.0
    print(f"{len(images)} images, {OTHERS} others each")
    print(f"{'':40} {'one':>6} {'mean':>6}")
    for name in SETTINGS:
        means = scores[name].values.reshape(len(images), OTHERS + 1, 5).mean(axis=2)
        one = float((means[:, :1] > means[:, 1:]).mean())
        mean = float((means[:, 0] > means[:, 1:].mean(axis=1)).mean())
        print(f"{name:40} {one:6.1%} {mean:6.1%}")
        worst = min(worst, mean)
    return 0 if worst >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
