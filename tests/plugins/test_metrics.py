"""Metrics of other packages: found by their entry points, refused by name, harmless where broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import captious

HERE = Path(__file__).parent


@pytest.fixture
def run(tmp_path: Path):
    """The command line in a process that finds the named packages on its path."""
    captions = ["A dog runs.", "Two cats sleep.", "A man rides a horse.", "A red bus."]
    (tmp_path / "mine.json").write_text(json.dumps({str(i): text for i, text in enumerate(captions)}))
    references = {str(i): ["A dog sleeps in a red bus."] for i in range(len(captions))}
    (tmp_path / "references.json").write_text(json.dumps(references))

    def command(*arguments: str, packages: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        source = Path(captious.__file__).parents[1]
        path = os.pathsep.join([str(source), *(str(HERE / name) for name in packages)])
        return subprocess.run(
            [sys.executable, "-m", "captious", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    return command


SCORE = ("score", "-c", "mine.json", "-r", "references.json", "--resamples", "0", "--format", "json")


def test_a_metric_of_another_package_carries_its_version(run) -> None:
    done = run(*SCORE, "--metrics", "word_share,bleu1", packages=("good",))
    found = json.loads(done.stdout)["systems"]["mine"]
    # a, dog | (none) | a, a | a, red, bus: 2/3, 0, 2/5 and 3/3 of the tokens, whose mean is 31/60.
    assert found["word_share"]["score"] == pytest.approx(31 / 60)
    version = captious.__version__
    assert found["word_share"]["signature"] == f"word_share|refs:1|captious-example:1.2.0|v:{version}"
    assert "captious-example" not in found["bleu1"]["signature"]
    assert "word_share" in json.loads(run("doctor", "--format", "json", packages=("good",)).stdout)["metrics"]


def test_a_broken_package_is_named_and_harms_nobody(run) -> None:
    done = run(*SCORE, "--metrics", "word_share,cider", packages=("broken", "good"))
    assert done.returncode == 0
    assert set(json.loads(done.stdout)["systems"]["mine"]) == {"word_share", "cider"}
    notes = [line for line in done.stderr.splitlines() if "captious-broken" in line]
    assert len(notes) == 3 and "Traceback" not in done.stderr
    assert "this package needs a graphics card" in done.stderr
    assert "captious_not_there" in done.stderr
    assert 'metric "cider" is registered twice' in done.stderr


def test_what_a_broken_package_registered_is_left_out_too(run) -> None:
    done = run(*SCORE, "--metrics", "half_made", packages=("broken",))
    assert done.returncode == 2
    assert 'error: unknown metric "half_made"' in done.stderr


def test_a_broken_package_is_not_even_imported_for_a_metric_of_ours(run) -> None:
    done = run(*SCORE, "--metrics", "cider", packages=("broken",))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("too_many", "too_many returned"),
        ("too_few", "too_few returned 1 values"),
        ("no_number", "no_number has no finite value"),
        ("no_table", "no_table did not return a table of numbers"),
        ("one_value", "one_value returned an array of shape ()"),
    ],
)
def test_wrong_values_are_refused_by_the_metrics_name(run, metric: str, says: str, jobs: str) -> None:
    done = run(*SCORE, "--metrics", f"bleu1,{metric}", "--jobs", jobs, packages=("wrong",))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {says}") and line.endswith("Leave the metric out, or fix captious_wrong.")
