"""The module for Hugging Face's `evaluate`.

import evaluate
from captious.compat.evaluate import folder

evaluate.load(folder()).compute(predictions=captions, references=references, metrics=["cider"])
"""

from __future__ import annotations

from pathlib import Path


def folder() -> str:
    """The folder that `evaluate.load` takes.

    >>> sorted(path.suffix for path in Path(folder()).glob("evaluate_module.*"))
    ['.py']
    """
    return str(Path(__file__).parent / "evaluate_module")
