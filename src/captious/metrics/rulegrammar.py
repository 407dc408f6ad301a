"""Grammar by rules: the share of a caption's words that a rule checker leaves alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.errors import MissingDependencyError, UnknownNameError
from captious.metrics.base import Metric, Need
from captious.metrics.batch import Batch
from captious.metrics.registry import register
from captious.text.normalise import thumb_normalise

DIALECTS = ("american", "british", "australian", "canadian", "indian")
KINDS = ("grammar", "all")
# What Harper says of taste, of compounds that are written both ways and of spaces is no error.
NOT_GRAMMAR = frozenset({"Style", "Regionalism", "Readability", "Enhancement", "WordChoice", "Formatting"})
KIND = "grammar"  # of its findings
_WORD = re.compile(r"\S+")


@register("rulegrammar")
@dataclass(frozen=True)
class RuleGrammar(Metric):
    """1 - (words that an error touches) / (words), by the rules of Harper.

    It looks at neither image nor references, and runs offline. Captions are first cleaned as THumB
    asks (Kasai et al. 2022, 2.2), so that a missing period is no error. It is not BertGrammar,
    which is a classifier: see `bertgrammar`. A caption without a word scores 0.

    >>> RuleGrammar(dialect="british").kinds
    'grammar'
    """

    summary: ClassVar[str] = "share of words without a grammar error (rule checker); no image or references"
    citation: ClassVar[str] = "Harper (Automattic), through harper-py"
    needs: ClassVar[frozenset[Need]] = frozenset()
    strict_language: ClassVar[bool] = True

    kinds: str = KINDS[0]
    dialect: str = DIALECTS[0]
    clean: bool = True

    def __post_init__(self) -> None:
        if self.kinds not in KINDS:
            raise UnknownNameError(f"kinds of {self.name}", self.kinds, KINDS)
        if self.dialect not in DIALECTS:
            raise UnknownNameError(f"dialect of {self.name}", self.dialect, DIALECTS)

    def languages(self) -> tuple[str, ...]:
        """English: the rules are."""
        return ("en",)

    def ready(self) -> None:
        """The package harper-py."""
        if find_spec("harper") is None:
            raise MissingDependencyError("rulegrammar needs the package harper-py", "grammar")

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """Share of words without an error in each caption; equal captions are read once."""
        self.ready()
        texts, places = np.unique(batch.candidate_text, return_inverse=True)
        shares = [self.share(batch.texts[text]) for text in texts.tolist()]
        return np.array(shares, dtype=np.float64)[places]

    def share(self, caption: str) -> float:
        """The score of one caption."""
        text = self._text(caption)
        words = [match.span() for match in _WORD.finditer(text)]
        if not words:
            return 0.0
        errors = self._errors(text)
        touched: set[int] = set().union(*(_touched(words, one.span.start, one.span.end) for one in errors))
        return 1.0 - len(touched) / len(words)

    def findings(self, batch: Batch, knowledge: Any) -> list[list[Place]]:
        """Each error as Harper marks it, with what it says and the replacements that it offers."""
        return [self._places(caption) for caption in batch.corpus.captions]

    def _places(self, caption: str) -> list[Place]:
        text = self._text(caption)
        cut = len(caption) - len(caption.lstrip()) if self.clean else 0
        places = []
        for error in self._errors(text):
            offered = [one.replacement_text for one in error.suggestions if one.replacement_text]
            # A final period that only the clean text has is no place in the caption.
            start = min(error.span.start + cut, len(caption) - 1)
            end = min(error.span.end + cut, len(caption))
            places.append(
                Place(start, max(end, start + 1), KIND, note=error.message, evidence=" | ".join(offered))
            )
        return places

    def _text(self, caption: str) -> str:
        return thumb_normalise(caption) if self.clean else caption

    def _errors(self, text: str) -> list[Any]:
        lints = _linter(self.dialect).lint(text) if text else []
        return [lint for lint in lints if self.kinds == "all" or lint.lint_kind not in NOT_GRAMMAR]

    def facts(self, corpus: Corpus, knowledge: Any) -> dict[str, str]:
        """The checker's version, which errors count, the dialect, and whether text is cleaned."""
        clean = "yes" if self.clean else "no"
        return {
            "rules": f"harper-py-{version('harper-py')}",
            "kinds": self.kinds,
            "dialect": self.dialect,
            "clean": clean,
        }


def _touched(words: list[tuple[int, int]], start: int, end: int) -> set[int]:
    """Places of the words that a span covers a part of; of a span between words, the next one."""
    covered = {place for place, (first, last) in enumerate(words) if first < end and start < last}
    after = next((place for place, (first, _) in enumerate(words) if first >= start), len(words) - 1)
    return covered or {after}


@lru_cache(maxsize=len(DIALECTS))
def _linter(dialect: str) -> Any:
    import harper

    return harper.Linter(dialect=harper.Dialect[dialect.upper()])
