"""Captions a second of metrics that give findings, on captions of 120 words and one core.

The words are those of M-HalDetect's captions, in their order, cut into captions of 120 words that begin at
other places; objects are those of MSCOCO. Processor time of scores alone, and with findings.

    python benchmarks/metrics/findings_speed.py [--data DIR] [--captions 5000] [--metrics chair]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from pathlib import Path

WORDS = 120


def main() -> None:
    default = os.environ.get("CAPTIOUS_DATA", "../shared/data")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--captions", type=int, default=5000)
    parser.add_argument("--metrics", default="chair")
    asked = parser.parse_args()
    from captious import Corpus
    from captious.metrics import Batch, resolve

    folder = asked.data / "detailed"
    objects = json.loads(gzip.decompress((folder / "coco_objects.json.gz").read_bytes()))
    lines = (folder / "mhal.jsonl").read_text(encoding="utf-8").splitlines()
    words = " ".join(json.loads(line)["caption"] for line in lines).split()
    starts = [37 * row % (len(words) - WORDS) for row in range(asked.captions)]
    captions = [" ".join(words[start : start + WORDS]) for start in starts]
    ids = list(objects)
    corpus = Corpus.from_lists(
        captions, image_ids=[ids[row % len(ids)] for row in range(asked.captions)], objects=objects
    )
    for name in asked.metrics.split(","):
        metric = resolve(name)
        metric.statistics(
            Batch(corpus.select([0])), metric.merge([metric.collect(Batch(corpus.select([0])))])
        )
        batch = Batch(corpus)
        start = time.process_time()
        knowledge = metric.merge([metric.collect(batch)])
        metric.statistics(batch, knowledge)
        scored = time.process_time()
        found = metric.findings(batch, knowledge)
        end = time.process_time()
        places = sum(len(one or ()) for one in found)
        print(
            f"{name}: {len(captions) / (scored - start):,.0f} captions a second, "
            f"{len(captions) / (end - start):,.0f} with {places:,} findings"
        )


if __name__ == "__main__":
    main()
