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
    the captions are Chinese, and the tables of meteor are English: its scores say nothing here.
    the captions are Chinese, written without spaces: the tokeniser ptb of bleu1 takes a clause for a \
word. Say bleu1[tokeniser=zh], or tokeniser=char.
    """
    script = main_script(captions)
    if script in ("", LATIN):
        return []
    notes = []
    english = [name for name, metric in metrics.items() if metric.language == "English"]
    if english:
        whose = "its" if len(english) == 1 else "their"
        notes.append(
            f"the captions are {script}, and the tables of {', '.join(english)} are English: "
            f"{whose} scores say nothing here."
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
                f"the captions are {script}, written without spaces: the tokeniser {tokeniser} of "
                f"{', '.join(names)} takes a clause for a word. Say {first}[tokeniser={better}]"
                + (", or tokeniser=char." if better == "zh" else ".")
            )
    return notes


def warn_of_script(metrics: Mapping[str, Metric], captions: Iterable[str]) -> None:
    """Each of these lines as a warning; the command line shows it as a note."""
    for line in script_notes(metrics, captions):
        warnings.warn(line, CaptiousWarning, stacklevel=3)
