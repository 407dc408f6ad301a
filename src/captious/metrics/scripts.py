"""What a reader should know where a metric's words or tables do not fit the captions' script."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping

from captious.errors import CaptiousWarning
from captious.metrics.base import Metric
from captious.text.scripts import LATIN, UNSPACED, main_script

BY_CHARACTER = frozenset({"zh", "char", "zh-lower", "char-lower"})


def script_notes(metrics: Mapping[str, Metric], captions: Iterable[str]) -> list[str]:
    """A line for the metrics whose tables are of another language, one for each wrong tokeniser.

    >>> from captious.metrics import resolve_all
    >>> script_notes(resolve_all(["bleu1", "meteor"]), ["a dog"])
    []
    >>> for line in script_notes(resolve_all(["bleu1", "meteor"]), ["一只狗"]): print(line)
    the captions are Chinese, but meteor works only for English: its scores are meaningless here.
    Chinese is written without spaces: the tokeniser ptb of bleu1 treats a clause as one word. \
Use bleu1[tokeniser=zh], or tokeniser=char.
    """
    script = main_script(captions)
    if script in ("", LATIN):
        return []
    notes = []
    english = [name for name, metric in metrics.items() if metric.language == "English"]
    if english:
        whose, work = ("its", "works") if len(english) == 1 else ("their", "work")
        notes.append(
            f"the captions are {script}, but {', '.join(english)} {work} only for English: "
            f"{whose} scores are meaningless here."
        )
    if script in UNSPACED:
        cut: dict[str, list[str]] = {}
        for name, metric in metrics.items():
            tokeniser = getattr(metric, "tokeniser", "")
            if tokeniser and name not in english and tokeniser not in BY_CHARACTER:
                cut.setdefault(tokeniser, []).append(name)
        for tokeniser, names in cut.items():
            first = names[0].partition("[")[0]
            better = "zh" if script == "Chinese" else "char"
            notes.append(
                f"{script} is written without spaces: the tokeniser {tokeniser} of "
                f"{', '.join(names)} treats a clause as one word. Use {first}[tokeniser={better}]"
                + (", or tokeniser=char." if better == "zh" else ".")
            )
    return notes


def warn_of_script(metrics: Mapping[str, Metric], captions: Iterable[str]) -> None:
    """Each of these lines as a warning; the command line shows it as a note."""
    for line in script_notes(metrics, captions):
        warnings.warn(line, CaptiousWarning, stacklevel=3)
