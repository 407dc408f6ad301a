"""`captious.compute` on one caption after the first call, in processor time.

python benchmarks/start/compute_one.py
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings

import captious
import captious.errors

RUNS = 100


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter).parse_args()
    warnings.simplefilter("ignore", captious.errors.CaptiousWarning)  # CIDEr wants more than one image

    def once() -> float:
        begun = time.process_time()
        captious.compute(["a red bus on a street"], [["a red bus on a street", "the bus drives"]])
        return time.process_time() - begun

    first = once()
    after = [once() for _ in range(RUNS)]
    middle = statistics.median(after)
    print(f"first call {first * 1e3:.0f} ms; after it, median of {RUNS}: {middle * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
