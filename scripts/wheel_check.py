"""Does SPICE work from an installed wheel, with no Java, no torch and no network?

    python scripts/wheel_check.py

Builds the wheel, installs it with the core dependencies alone in a fresh virtual environment, and
there runs `captious score --metrics spice`, `captious data stats` and `captious doctor` on the demo
sample, in a process that may neither open a connection nor start a program. Scores must be those
of the source tree. Only the build and the installation need the package registry.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ("heron", "magpie")
# Modules that would make the check say nothing, were they installed.
UNWANTED = ("torch", "spacy", "pycocoevalcap", "transformers", "onnxruntime")

# Runs inside the new environment. A refused action ends the command with an error.
GUARDED = """
import sys
REFUSED = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec")
def guard(event, arguments):
    if event in REFUSED:
        raise RuntimeError(f"refused: {event} {arguments!r}")
sys.addaudithook(guard)
from captious.cli.main import main
main(sys.argv[1:])
"""
ABOUT = """
import json, shutil, sys
from importlib.util import find_spec
import captious
from captious.data import demo
print(json.dumps({
    "file": captious.__file__,
    "demo": str(demo.__path__[0]),
    "java": shutil.which("java"),
    "installed": [name for name in sys.argv[1:] if find_spec(name)],
}))
"""


def build(folder: Path) -> Path:
    """Build the wheel of the source tree."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("captious-*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """A virtual environment with the wheel and its core dependencies; its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    return python


def run(python: Path, *arguments: str) -> str:
    """Run Python where nothing but the environment's own programs can be found."""
    kept = {"PATH": str(python.parent), "HOME": str(python.parents[1]), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [python, "-I", *arguments],
        env=kept,
        cwd=python.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"wheel check: {arguments[-1]} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


def score(python: Path, demo: str, guarded: bool) -> dict[str, Any]:
    """SPICE of the demo sample, as JSON."""
    candidates = [str(Path(demo) / "systems" / f"{name}.json") for name in SYSTEMS]
    references = str(Path(demo) / "references.json")
    start = ["-c", GUARDED if guarded else "from captious.cli.main import main; main()"]
    asked = ["score", "--candidates", *candidates, "--references", references]
    found = json.loads(run(python, *start, *asked, "--metrics", "spice", "--format", "json"))
    return {name: row["spice"] for name, row in found["systems"].items()}


def check(folder: Path) -> None:
    """Build, install, run and compare; leave with a line where something is wrong."""
    wheel = build(folder)
    python = install(wheel, folder / "environment")
    about = json.loads(run(python, "-c", ABOUT, *UNWANTED))
    if about["installed"] or about["java"] or not about["file"].startswith(str(folder)):
        raise SystemExit(f"wheel check: the environment is not clean: {about}")
    begun = time.perf_counter()
    found = score(python, about["demo"], guarded=True)
    seconds = time.perf_counter() - begun
    expected = score(Path(sys.executable), about["demo"], guarded=False)
    for name in SYSTEMS:
        if found[name] != expected[name]:
            raise SystemExit(f"wheel check: {name} is {found[name]}, expected {expected[name]}")
    parts = json.loads(
        run(python, "-c", GUARDED, "stats", f"{about['demo']}/references.json", "--format", "json")
    )
    doctor = json.loads(run(python, "-c", GUARDED, "doctor", "--format", "json"))
    if not doctor["metrics"]["spice"]["ready"] or doctor["taggers"]["caption"]:
        raise SystemExit(f"wheel check: doctor says {doctor['metrics']['spice']}")
    print(f"wheel       {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"not there   java, {', '.join(UNWANTED)}; connections and programs refused")
    for name in SYSTEMS:
        print(f"{name:<11} SPICE {100 * found[name]['score']:.2f}, as from the source tree")
    print(f"signature   {found[SYSTEMS[0]]['signature']}")
    print(f"stats       tagger {next(iter(parts['files'].values()))['tagger']}")
    print(f"seconds     {seconds:.1f} for {len(SYSTEMS)} systems, start included")


def main() -> None:
    """Work in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        check(Path(folder).resolve())


if __name__ == "__main__":
    main()
