"""A protocol of another package, and a package that fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from captious.errors import CaptiousWarning
from captious.protocols import kind_of, known_protocols, registry
from captious.protocols.options import options_of


def test_another_package_brings_a_protocol_and_a_broken_one_harms_nobody(plugins: Path) -> None:
    before = set(registry.PROTOCOLS.known)
    with pytest.warns(CaptiousWarning, match='"broken" of captious-broken is left out: RuntimeError'):
        known = known_protocols()
    assert set(known) == before | {"ranking"}  # neither broken nor half_there
    assert any("a library of mine is missing" in note for note in registry.PROTOCOLS.left_out)
    assert [(one.name, one.label, one.wanted()) for one in options_of(kind_of("ranking"))] == [
        ("raters", "Raters for each image", "a whole number from 1 to 20"),
        ("ties", "Ties", "true or false"),
    ]


def captious(plugins: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(plugins), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "captious", *arguments],
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_it_is_created_from_the_command_line(plugins: Path, tmp_path: Path) -> None:
    for name in "abc":
        rows = [{"image_id": n, "caption": f"Dog {n} of {name}."} for n in (1, 2)]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    asked = ["campaign", "create", "ranking", "-c", "a.json", "b.json", "c.json", "--no-images"]
    made = captious(plugins, *asked, "--raters", "3", "--format", "json", "--dry-run", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "captious-broken is left out" in made.stderr
    found = json.loads(made.stdout)
    assert (found["protocol"], found["options"], found["cost"]["responses"]) == ("ranking", {"raters": 3}, 6)
    wrong = captious(plugins, *asked, "--raters", "21", "--dry-run", cwd=tmp_path)
    assert (wrong.returncode, "raters: 21 is out of range. Give 1 to 20." in wrong.stderr) == (2, True)
