"""Speed of SPICE without Java: M2 on Karpathy's test split, 30,000 captions from raw text.

    python benchmarks/metrics/spice.py [--data DATA] [--processes 2]

Prints the time to load, the stages in one process, and the whole with images shared between
processes. The official SPICE 1.0 parses 42 captions a second on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path

Example = tuple[str, list[str]]

OFFICIAL_CAPTIONS_A_SECOND = 42


def examples(data: Path) -> list[Example]:
    """Candidates of M2 with their references."""
    folder = data / "coco_karpathy"
    outputs = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    return [(text, references[image][:5]) for image, text in outputs.items()]


def score(part: list[Example]) -> tuple[float, dict[str, float]]:
    """Sum of the scores, and the seconds that each stage took."""
    from captious.metrics.spice.score import score_tuples
    from captious.text.parser import parse_many
    from captious.text.ptb.tokenise import tokenise_many
    from captious.text.scene_graph import scene_tuples

    marks = [time.perf_counter()]
    tokens = tokenise_many([text for own, others in part for text in (own, *others)])
    marks.append(time.perf_counter())
    parses = parse_many(tokens)
    marks.append(time.perf_counter())
    tuples = iter([scene_tuples(parse) for parse in parses])
    marks.append(time.perf_counter())
    total = 0.0
    for _, others in part:
        own = next(tuples)
        total += score_tuples(own, [next(tuples) for _ in others]).f
    marks.append(time.perf_counter())
    names = ("tokenise", "parse", "scene graph", "score")
    spent = (end - start for start, end in pairwise(marks))
    return total, dict(zip(names, spent, strict=True))


def report(name: str, captions: int, seconds: float) -> None:
    rate = captions / seconds
    ratio = rate / OFFICIAL_CAPTIONS_A_SECOND
    print(f"{name:<16}{seconds:8.2f} s {rate:10,.0f} captions/s {ratio:8.1f} x official")


def main() -> None:
    default = os.environ.get("CAPTIOUS_DATA", Path(__file__).parents[3] / "shared" / "data")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    everything = examples(given.data)
    captions = sum(1 + len(others) for _, others in everything)

    start = time.perf_counter()
    score(everything[:1])
    print(f"{'load':<16}{time.perf_counter() - start:8.2f} s")
    busy = time.process_time()
    total, spent = score(everything)
    busy = time.process_time() - busy
    for name, seconds in spent.items():
        report(name, captions, seconds)
    report("one process", captions, sum(spent.values()))
    report("its CPU time", captions, busy)
    print(f"SPICE {100 * total / len(everything):.2f}")
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")

    start = time.perf_counter()
    parts = [everything[number :: given.processes] for number in range(given.processes)]
    with ProcessPoolExecutor(given.processes) as pool:
        shared = sum(total for total, _ in pool.map(score, parts))
    report(f"{given.processes} processes", captions, time.perf_counter() - start)
    if abs(shared - total) > 1e-3 * total:
        raise SystemExit("the processes together give another score")


if __name__ == "__main__":
    main()
