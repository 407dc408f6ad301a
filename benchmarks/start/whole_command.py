"""The command `captious score` against a script of pycocoevalcap, from start to end of the process.

    python benchmarks/start/whole_command.py [--data DIR] [--rounds 5]

BLEU-1 to 4, ROUGE-L and CIDEr of the Karpathy test split's 5,000 images with five references each and
the M2 Transformer's captions: imports, reading, tokenisation (the peer's is a Java program), scores,
and for captious also 95% intervals of 1,000 resamples. Both take turns, after a first run that compiles
modules; the medians of processor time are compared.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

PEER = """
import json, sys
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
captions, references = (json.load(open(path)) for path in sys.argv[1:])
tokeniser = PTBTokenizer()
theirs = tokeniser.tokenize({i: [{"caption": r} for r in references[i]] for i in captions})
ours = tokeniser.tokenize({i: [{"caption": c}] for i, c in captions.items()})
for scorer in (Bleu(4), Rouge(), Cider()):
    print(scorer.compute_score(theirs, ours)[0])
"""
METRICS = "bleu1,bleu2,bleu3,bleu4,rouge_l,cider"


def seconds(command: list[str], compiled: str) -> tuple[float, float]:
    """Processor time, children included, and time by the clock of a fresh process."""
    environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CAPTIOUS_DATA", "../shared/data")))
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    files = [
        str(given.data / "coco_karpathy" / name)
        for name in ("m2_transformer.json", "reference_captions.json")
    ]
    peer = [sys.executable, "-c", PEER, *files]
    own = [sys.executable, "-m", "captious", "score", "-c", files[0], "-r", files[1], "-m", METRICS]
    with TemporaryDirectory() as compiled:
        rounds = [(seconds(peer, compiled), seconds(own, compiled)) for _ in range(1 + given.rounds)][1:]
    print(f"{'':16} processor     clock   ({os.getloadavg()[0]:.0f} processes at work)")
    middle = []
    for name, laps in zip(("pycocoevalcap", "captious score"), zip(*rounds, strict=True), strict=True):
        used, clock = (statistics.median(values) for values in zip(*laps, strict=True))
        middle.append(used)
        print(f"{name:16} {used:7.2f} s {clock:7.2f} s")
    print(f"ratio of processor time: {middle[0] / middle[1]:.1f}")


if __name__ == "__main__":
    main()
