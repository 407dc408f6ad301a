"""Run the benchmarks one after another; `make bench` and `make bench-all` call this.

    python benchmarks/run.py [--all] [--list]

Runs every script but those in `LONG`; `--all` runs these too, which takes hours. A script that fails does
not stop the others; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent
# The scripts that take more than a few minutes; only `make bench-all` runs them.
LONG = (
    "large_campaigns/admin_pages.py",
    "large_campaigns/page_figures.py",
    "large_campaigns/rater_pages.py",
    "metrics/bertscore.py",
    "metrics/captious_metric.py",
    "metrics/clipscore.py",
    "metrics/text_length.py",
    "scale/classic_metrics.py",
    "scale/clipscore_memory.py",
    "scale/ray_nodes.py",
    "scale/shards.py",
    "server/drills.py",
    "server/killed_commands.py",
    "server/soak.py",
)
# The scripts that have no default run.
ARGUMENTS = {"server/soak.py": (("campaigns", "sqlite"), ("campaigns", "postgresql"), ("scoring",))}


class Run(NamedTuple):
    """One script with its arguments."""

    script: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.script, *self.arguments))


def scripts(folder: Path = FOLDER) -> list[str]:
    """All scripts; modules that scripts share are left out."""
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.glob("*/*.py"))
        if "\nif __name__ ==" in path.read_text(encoding="utf-8")
    ]


def chosen(*, everything: bool) -> list[Run]:
    """The runs of all scripts, or of all but the long ones."""
    wanted = [script for script in scripts() if everything or script not in LONG]
    return [Run(script, given) for script in wanted for given in ARGUMENTS.get(script, ((),))]


def run_all(runs: Iterable[Run], folder: Path = FOLDER) -> bool:
    """Run one after another and print a summary; whether all succeeded."""
    summary = []
    for run in runs:
        print(f"== {run}", flush=True)
        start = time.monotonic()
        code = subprocess.run(
            [sys.executable, str(folder / run.script), *run.arguments], check=False
        ).returncode
        summary.append((run, code, time.monotonic() - start))
    failed = sum(code != 0 for _, code, _ in summary)
    print(f"== {len(summary)} runs, {failed} failed")
    for run, code, seconds in summary:
        print(f"{'exit ' + str(code) if code else 'ok':8} {seconds:8.1f} s  {run}")
    return not failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--all", action="store_true", help="run the long ones too")
    parser.add_argument("--list", action="store_true", help="print what would run, and run nothing")
    asked = parser.parse_args()
    runs = chosen(everything=asked.all)
    if asked.list:
        print("\n".join(map(str, runs)))
        return 0
    return 0 if run_all(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
