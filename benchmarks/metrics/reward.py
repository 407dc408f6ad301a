"""`captious.Reward("cider")` against pycocoevalcap's `Cider().compute_score`, batch by batch, in one run.

A batch is 50 images with five sampled captions each, as in self-critical training. Both get the same
tokenised texts. The peer takes each sample as an image of its own, and counts document frequencies in what
it is given; so the values are compared with a reward over the same 250 lists of references, and must agree
to 1e-10. The time is taken with that reward, and with one over the references of all images, as training
has it.

Captions are those of the demo sample, each with a word of its own. Processor time, the least of several
batches.

    python benchmarks/metrics/reward.py [--images 5000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from pycocoevalcap.cider.cider import Cider

from captious import Reward
from captious.compat.coco import PTBTokenizer
from captious.corpus.load import load_corpus
from captious.data import demo_files

IMAGES, SAMPLES, BATCHES = 50, 5, 7
CLOSE = 1e-10


def tokenised(count: int) -> tuple[list[list[str]], list[list[str]]]:
    """References and candidates of many images: the demo's, each image with a word of its own."""
    files = demo_files()
    corpus = load_corpus(list(files.systems), files.references)
    by_image: dict[str, tuple[list[str], list[str]]] = {}
    for row in range(len(corpus)):
        one = corpus.example(row)
        by_image.setdefault(one.image_id, (one.references, []))[1].append(one.caption)
    known = list(by_image.values())
    tokenise = PTBTokenizer().tokenize
    references, candidates = [], []
    for number in range(count):
        theirs, ours = known[number % len(known)]
        ours = [*ours, theirs[0]]  # the fifth sample
        own = tokenise({0: [{"caption": f"{text} thing{number}"} for text in [*theirs, *ours]]})[0]
        references.append(own[: len(theirs)])
        candidates.append(own[len(theirs) :][:SAMPLES])
    return references, candidates


def least(work: Callable[[], object]) -> float:
    """Processor seconds of the fastest of several runs."""
    found = []
    for _ in range(BATCHES):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def main() -> None:
    """Compare values, then times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--images", type=int, default=5000)
    images = parser.parse_args().images
    references, candidates = tokenised(images)
    batch = [(image, sample) for image in range(IMAGES) for sample in candidates[image]]
    gts = {place: references[image] for place, (image, _) in enumerate(batch)}
    res = {place: [sample] for place, (_, sample) in enumerate(batch)}
    same = Reward("cider[tokeniser=space]", references=gts)
    captions = [sample for _, sample in batch]
    _, expected = Cider().compute_score(gts, res)
    gap = float(np.abs(same(list(gts), captions) - expected).max())
    print(f"{len(batch)} captions: the values differ by {gap:.1e} at most")
    if gap > CLOSE:
        raise SystemExit("the values differ")
    peer = least(lambda: Cider().compute_score(gts, res))
    small = least(lambda: same(list(gts), captions))
    began = time.process_time()
    whole = Reward("cider[tokeniser=space]", references=dict(enumerate(references)))
    ready = time.process_time() - began
    raw = Reward("cider", references=dict(enumerate(references)))
    ids = [image for image, _ in batch]
    large = least(lambda: whole(ids, captions))
    untokenised = least(lambda: raw(ids, captions))
    n = len(batch)
    print(f"{'pycocoevalcap Cider()':37} {peer * 1e3:8.2f} ms a batch, {n / peer:9,.0f} captions a second")
    for name, took in (
        (f"Reward, the same {n} documents", small),
        (f"Reward, {images:,} images", large),
        (f"Reward, {images:,} images, PTB tokens", untokenised),
    ):
        print(
            f"{name:37} {took * 1e3:8.2f} ms a batch, {n / took:9,.0f} captions a second, {peer / took:5.1f}x"
        )
    print(f"references of {images:,} images are ready after {ready:.2f} s")


if __name__ == "__main__":
    main()
