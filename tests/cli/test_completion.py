"""Completion in the shell: commands, their options, commands of commands, and names of metrics."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
eval "$(_CAPTIOUS_COMPLETE=source_bash captious)"
COMP_WORDS=({words}); COMP_CWORD={last}
_captious_completion captious
echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["captious", "sco"], {"score"}),
        (["captious", "c"], {"compare", "campaign", "crowd"}),
        (["captious", "--ver"], {"--version"}),
        (["captious", "score", "--re"], {"--references", "--resamples"}),
        (["captious", "score", "--metrics", "bleu4,cid"], {"bleu4,cider", "bleu4,cider_original"}),
        (["captious", "compare", "-m", "cla"], {"classic"}),
        (["captious", "get", "''"], {"weights", "benchmarks", "rows"}),
    ],
)
def test_bash_completes(words: list[str], found: set[str], tmp_path: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    program = tmp_path / "captious"
    start = "import sys; from captious.cli.main import main; sys.argv[0] = 'captious'; main()"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{start}" "$@"\n')
    program.chmod(0o755)
    script = SCRIPT.format(words=" ".join(words), last=len(words) - 1)
    done = subprocess.run(
        ["bash", "-c", script],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(done.stdout.split()) == found, done.stderr
