"""`make bench` and `make bench-all`: which scripts they run, and what they say of a failure."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def runner() -> dict[str, Any]:
    return runpy.run_path(str(BENCHMARKS / "run.py"))


def listed(*options: str) -> list[str]:
    command = [sys.executable, str(BENCHMARKS / "run.py"), "--list", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def test_the_long_ones_are_only_run_when_asked_for() -> None:
    short, everything = listed(), listed("--all")
    assert "metrics/coco_caption.py" in short and "start/cold_start.py" in short
    assert "scale/shards.py" in everything and "server/soak.py scoring" in everything
    assert not {"scale/shards.py", "server/soak.py scoring"} & set(short)
    assert set(short) < set(everything)


def test_the_readme_has_every_script_and_says_what_runs_it(runner: dict[str, Any]) -> None:
    text = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^\| `(\w+/\w+\.py)` \|.*\| `make ([\w-]+)` \|$", text, re.M))
    long = runner["LONG"]
    assert set(long) <= set(runner["scripts"]())
    assert said == {one: "bench-all" if one in long else "bench" for one in runner["scripts"]()}


def test_a_failure_does_not_stop_the_others(
    runner: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "bad.py").write_text("raise SystemExit(3)\n\nif __name__ == '__main__':\n    pass\n")
    (room / "good.py").write_text(
        "import sys\n\nif __name__ == '__main__':\n    print('given', sys.argv[1:])\n"
    )
    (room / "shared.py").write_text("X = 1\n")
    found = runner["scripts"](tmp_path)
    assert found == ["room/bad.py", "room/good.py"]
    runs = [runner["Run"](found[0]), runner["Run"](found[1], ("small",))]
    assert not runner["run_all"](runs, tmp_path)
    said = capfd.readouterr().out
    assert "given ['small']" in said
    assert "2 runs, 1 failed" in said
    assert re.search(r"^exit 3 .* room/bad\.py$", said, re.M)
    assert re.search(r"^ok .* room/good\.py small$", said, re.M)
    assert runner["run_all"](runs[1:], tmp_path)


def test_the_scripts_that_pages_name_are_there() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    texts = [*pages, *BENCHMARKS.rglob("*.py"), *(ROOT / "src").rglob("*.py")]
    named = re.compile(r"(?<![\w/])benchmarks/[\w/]+\.py")
    missing = {
        f"{path.relative_to(ROOT)}: {script}"
        for path in texts
        for script in named.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / script).is_file() and not (ROOT / "src" / "captious" / script).is_file()
    }
    assert not missing
