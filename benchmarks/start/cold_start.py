"""Cold start: how long a command takes before it does anything, each time in a fresh process.

    python benchmarks/start/cold_start.py [SOURCE_FOLDER …]

Without arguments this package is measured; with folders that hold a `captious` package (the `src` of
other checkouts) each of them is, so that one can see what a change brought. The least of several runs
counts: a busy machine only adds time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

RUNS = 7
COMMANDS = {
    "python -c pass": "pass",
    "captious score --help": "import sys; from captious.cli.main import main; main(['score', '--help'])",
    "resolve('bleu4')": "from captious.metrics import resolve; resolve('bleu4')",
    "known_metrics()": "from captious.metrics import known_metrics; known_metrics()",
}
COUNT = "; import sys; print(sum(m.startswith('captious.metrics.') for m in sys.modules))"


def seconds(code: str, source: Path) -> tuple[float, float]:
    """The least wall-clock and processor time of a fresh process that runs the code."""
    wall, used = [], []
    for _ in range(RUNS):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        _run(code, source)
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(wall), min(used)


def _run(code: str, source: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(source)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    own = Path(__file__).resolve().parents[2] / "src"
    parser.add_argument("sources", metavar="SOURCE_FOLDER", nargs="*", type=Path, default=[own])
    for source in [folder.resolve() for folder in parser.parse_args().sources]:
        print(source)
        print(f"  {'':24} {'wall':>8} {'CPU':>8}   metric modules")
        for name, code in COMMANDS.items():
            wall, used = seconds(code, source)
            counted = _run(code + COUNT, source).split()[-1] if "metrics" in code else ""
            print(f"  {name:24} {wall:6.3f} s {used:6.3f} s   {counted}")


if __name__ == "__main__":
    main()
