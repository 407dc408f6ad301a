"""What evaluation harnesses write: lmms-eval's samples, VLMEvalKit's prediction tables."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from captious.corpus.columns import list_in_text
from captious.corpus.readers.open import Source
from captious.corpus.readers.parse import line_blocks
from captious.corpus.readers.rows import MISSING, Column, Places, Problem, Rows
from captious.errors import CaptiousWarning

VLMEVALKIT = frozenset({"index", "answer", "prediction"})
_MEND = 'Each sample needs "filtered_resps", and "target" or the "answer" of a metric.'


def read_lmms_eval(source: Source) -> Rows:
    """Samples that lmms-eval logs: an answer of the model, and the references beside it.

    The image is the `image_id` that a metric's entry carries, else the task's number of the sample.
    """
    columns: dict[str, Column] = {"image": [], "caption": [], "references": []}
    numbers: list[int] = []
    problems: list[Problem] = []
    for values, lines in line_blocks(source):
        for value, line in zip(values, lines, strict=True):
            sample = value if isinstance(value, dict) else {}
            if not sample:
                problems.append(Problem("shape", f"line {line}", "is not an object", _MEND))
            found = _sample(sample)
            for role, column in columns.items():
                column.append(found[role])
            numbers.append(line)
    _say(source, "lmms-eval", "does not compute SPICE and keeps no per-caption scores.")
    return Rows(
        source.name, _task(source.stem), "lmms-eval", columns, Places("line", numbers), problems=problems
    )


def of_vlmevalkit(source: Source, header: Iterable[str]) -> bool:
    """Whether a table is a prediction file of VLMEvalKit; a warning says what its own numbers are."""
    if not {name.strip().casefold() for name in header} >= VLMEVALKIT:
        return False
    _say(
        source,
        "VLMEvalKit",
        "only splits captions at white space (case and punctuation kept) before scoring; its own figures "
        "differ from these.",
    )
    return True


def _say(source: Source, harness: str, habit: str) -> None:
    warnings.warn(f"{source.name}: written by {harness}, which {habit}", CaptiousWarning, stacklevel=2)


def _sample(sample: Mapping[str, Any]) -> dict[str, Any]:
    logged: Mapping[str, Any] = next((one for one in sample.values() if _is_entry(one)), {})
    answer = sample.get("filtered_resps", sample.get("resps", MISSING))
    while isinstance(answer, list) and answer:
        answer = answer[0]
    # Version 0.7.3 logs a list of references as Python prints it, in one text.
    references = list_in_text(logged.get("answer", sample.get("target", [])))
    return {
        "image": logged.get("image_id", sample.get("doc_id", MISSING)),
        "caption": logged.get("pred", answer),
        "references": [references] if isinstance(references, str) else references,
    }


def _is_entry(entry: object) -> bool:
    """What a caption task's `process_results` gives to its metrics."""
    return isinstance(entry, dict) and {"answer", "pred"} <= entry.keys()


def _task(stem: str) -> str:
    """`20240101_samples_coco2017_cap_val` -> `coco2017_cap_val`."""
    return stem.rpartition("samples_")[2] or stem
