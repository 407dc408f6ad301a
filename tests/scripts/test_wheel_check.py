from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "wheel_check.py"


@pytest.mark.long
def test_spice_works_from_an_installed_wheel() -> None:
    if not SCRIPT.is_file():
        pytest.skip("the scripts are not here")
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    if "Could not find a version" in done.stderr or "No matching distribution" in done.stderr:
        pytest.skip("no package registry here to build and install from")
    assert done.returncode == 0, done.stderr
    assert "heron       SPICE" in done.stdout
    assert "parser:caption:captions-" in done.stdout
