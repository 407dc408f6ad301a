"""Does an installed wheel work, with each extra, in an environment of its own?

    python scripts/smoke_wheel.py [--python python3.11 …] [--extras core meteor …] [--uv]

Builds the wheel and the source distribution, lets `twine check` look at both, and for each Python and each
extra makes an empty virtual environment, installs `captious[extra]` there and uses what the extra is for.
Scores must be those of `tests/metrics/data/golden_scores.json`. Needs a package registry; the extra `models`
is left out unless it is asked for, because it brings torch.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "metrics" / "data" / "golden_scores.json"
CORE, HEAVY = "core", ("models",)
LARGEST = 15.0  # megabytes of the wheel
CLOSE = 1e-3  # networks and other versions of NumPy; n-gram metrics are far closer


class Smoke(NamedTuple):
    """What shows that an extra works: weights to get, metrics to score, code and then commands to run."""

    metrics: str = ""
    weights: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    code: str = ""


# A shard of five rows, in the folder where it runs.
SHARD = (
    "import json; rows = [{'image_id': str(at), 'caption': 'a dog runs', 'references': ['a dog is running']} "
    "for at in range(5)]; "
    "open('shard.jsonl', 'w').writelines(json.dumps(row) + '\\n' for row in rows)"
)
CREATE = (
    "campaign create tagging -c {demo}/systems/heron.json -r {demo}/references.json --images {demo}/images "
    "--title smoke --database {out}/s.db"
)
SMOKES = {
    CORE: Smoke(
        "bleu4,rouge_l,cider,spice,sacrebleu",
        commands=("doctor", "check -c {demo}/systems/heron.json -r {demo}/references.json"),
    ),
    "meteor": Smoke("meteor"),
    "tables": Smoke(
        code="import captious; corpus = captious.Corpus.from_lists(['a dog'], [['a dog']]); "
        "captious.score(corpus, 'bleu1').to_pandas()"
    ),
    "report": Smoke(commands=("demo --out {out}/report",)),
    "vectors": Smoke("wmd,vifidel"),
    "encoder": Smoke("sentsim,bertscore", weights=("all-MiniLM-L6-v2",)),
    "lm": Smoke("lm"),
    "grammar": Smoke("rulegrammar"),
    "speech": Smoke(code="from captious.models.speech import recogniser; recogniser('pocketsphinx')"),
    "whisper": Smoke(
        weights=("whisper-tiny.en",),
        code="from captious.models.speech import recogniser; recogniser('whisper')",
    ),
    "models": Smoke("sentsim", weights=("all-MiniLM-L6-v2",), code="import torch, transformers"),
    "regions": Smoke(code="import h5py, lmdb, captious.models.joint.regions"),
    "protocols": Smoke(code="import yaml, captious.protocols.generic"),
    "web": Smoke(commands=(CREATE, "campaign status smoke --database {out}/s.db")),
    "detect": Smoke(
        weights=("ssd-mobilenet-v3",), commands=("detect {demo}/images --out {out}/objects.json",)
    ),
    "zh": Smoke("bleu4[tokeniser=zh-jieba]"),
    "ja": Smoke("bleu4[tokeniser=ja-mecab]"),
    "ko": Smoke("bleu4[tokeniser=ko-mecab]"),
    "th": Smoke("bleu4[tokeniser=th-newmm]"),
    "gamma": Smoke(code="import pygamma_agreement"),
    "parse": Smoke(commands=("stats {demo}/references.json --tagger spacy",)),
    "learn": Smoke(
        commands=(
            "train own --judgments {demo}/judgments.jsonl -c {demo}/systems/heron.json "
            "{demo}/systems/dodo.json -r {demo}/references.json --features cider,rouge_l --out {out}/own",
        )
    ),
    "shards": Smoke(
        code=SHARD,
        commands=("score --candidates {out}/shard.jsonl --metrics bleu4,cider --out {out}/scores",),
    ),
    "ray": Smoke(
        code=SHARD,
        commands=("score --candidates {out}/shard.jsonl --metrics bleu4 --out {out}/scores --engine ray",),
    ),
    "crowd": Smoke(code="import boto3, httpx; import captious.crowd"),
    "demo": Smoke(commands=("demo --out {out}/report",)),
    "all": Smoke(
        "meteor,wmd,spice",
        commands=(CREATE, "doctor", "humanr --sample --provider simulated --confirm --database {out}/h.db"),
    ),
}


class Failed(SystemExit):
    """One line that says what did not work."""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a program without the source tree in its way."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CAPTIOUS_"))}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=kept, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed(f"smoke: {' '.join(map(str, command))[-300:]}: {done.stderr.strip()[-1500:]}")
    return done.stdout


def works(python: str) -> bool:
    """Whether a Python is there and starts, which a shim of pyenv may not."""
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def build(folder: Path) -> Path:
    """The wheel, after `twine check` of it and of the source distribution."""
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    print(run(sys.executable, "-m", "twine", "check", "--strict", *sorted(folder.iterdir())).strip())
    (wheel,) = folder.glob("*.whl")
    size = wheel.stat().st_size / 1e6
    print(f"{wheel.name}: {size:.1f} MB")
    if size > LARGEST:
        raise Failed(f"smoke: the wheel has {size:.1f} MB; at most {LARGEST} are wanted.")
    return wheel


def install(python: str, wanted: str, folder: Path, uv: bool) -> Path:
    """An environment with the wheel and an extra; its Python."""
    own = folder / "environment" / "bin" / "python"
    if uv:
        real = run(python, "-c", "import sys; print(sys.executable)").strip()
        run("uv", "venv", "--quiet", "--seed", "--python", real, folder / "environment")
        run("uv", "pip", "install", "--quiet", "--python", own, wanted, cwd=folder)
    else:
        run(python, "-m", "venv", folder / "environment")
        run(own, "-m", "pip", "install", "--quiet", wanted, cwd=folder)
    return own


def smoke(python: str, wheel: Path, extra: str, folder: Path, uv: bool = False) -> None:
    """Install one extra and use it."""
    wanted = str(wheel) if extra == CORE else f"{wheel}[{extra}]"
    own = install(python, wanted, folder, uv)
    captious = folder / "environment" / "bin" / "captious"
    place = "from captious.data import demo_path; print(demo_path())"
    demo = run(own, "-I", "-c", place, cwd=folder).strip()
    if not demo.startswith(str(folder)):
        raise Failed(f"smoke: {extra}: captious came from {demo}")
    wants = SMOKES[extra]
    if wants.weights:
        run(captious, "weights", "get", *wants.weights, cwd=folder)
    if wants.metrics:
        _score(captious, demo, wants.metrics, folder)
    if wants.code:
        run(own, "-I", "-c", wants.code, cwd=folder)
    for line in wants.commands:
        run(captious, *line.format(demo=demo, out=folder).split(), cwd=folder)


def _score(captious: Path, demo: str, metrics: str, folder: Path) -> None:
    files = [f"{demo}/systems/{name}.json" for name in ("heron", "magpie", "cuckoo", "dodo")]
    given = ["-c", *files, "-r", f"{demo}/references.json", "--objects", f"{demo}/objects.json"]
    said = run(captious, "score", *given, "-m", metrics, "--resamples", "0", "--format", "json", cwd=folder)
    golden = json.loads(GOLDEN.read_text("utf-8"))
    for system, found in json.loads(said)["systems"].items():
        for name, value in found.items():
            expected = golden[name]["scores"][system]
            if abs(value["score"] - expected) > CLOSE * max(1.0, abs(expected)):
                raise Failed(f"smoke: {name} of {system} is {value['score']}, expected {expected}")


def _works(python: str, wheel: Path, extra: str, uv: bool) -> bool:
    """Try an extra in a folder of its own; say what went wrong, so that the others are tried too."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            smoke(python, wheel, extra, Path(folder).resolve(), uv)
        except Failed as failed:
            print(failed, file=sys.stderr, flush=True)
            return False
    return True


def main() -> None:
    """Work in folders that are removed afterwards."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    found = [name for name in ("python3.11", "python3.13") if works(name)]
    parser.add_argument("--python", nargs="+", default=found or [sys.executable])
    parser.add_argument(
        "--extras", nargs="+", choices=SMOKES, default=[one for one in SMOKES if one not in HEAVY]
    )
    parser.add_argument("--uv", action="store_true", help="install with uv, which is several times faster")
    asked = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as built:
        wheel = build(Path(built).resolve())
        for python in asked.python:
            version = run(python, "-c", "import platform; print(platform.python_version())").strip()
            for extra in asked.extras:
                good = _works(python, wheel, extra, asked.uv)
                failed += not good
                print(f"Python {version}: {extra}: {'works' if good else 'FAILS'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
