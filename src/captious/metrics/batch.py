"""`Batch`: a corpus with everything that metrics share computed once.

Several metrics need the same tokens and the same n-grams. A batch tokenises each distinct text
once and keeps what it made, so that asking for eight metrics costs one tokenisation.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import IntArray, factorise
from captious.corpus.types import NO_REFERENCES
from captious.errors import InputError, one_line
from captious.models.encoders.base import ImageFile
from captious.progress import tell
from captious.text.tokens import TokenTable, token_table

Made = TypeVar("Made")


class Batch:
    """Examples to score, their distinct texts, and a memory of what was made from them.

    `candidate_text[i]` is the row in `texts` of example `i`'s caption; `reference_text[j]` the
    row of flat reference `j` (`corpus.references.values[j]`).
    """

    def __init__(self, corpus: Corpus) -> None:
        # A corpus of selected examples still holds the references of the others: none is worked on.
        used = np.unique(corpus.references_of)
        if np.count_nonzero(used != NO_REFERENCES) < len(corpus.references):
            corpus = corpus.compact()
        self.corpus = corpus
        texts, places = factorise([*corpus.captions, *corpus.references.values])
        self.texts: list[str] = texts
        self.candidate_text: IntArray = places[: len(corpus)]
        self.reference_text: IntArray = places[len(corpus) :]
        self._made: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self.corpus)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` returns, made at most once for this batch."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def tokens(self, tokeniser: str = "ptb") -> TokenTable:
        """Token table of `texts`."""
        return self.once(("tokens", tokeniser), lambda: token_table(self.texts, tokeniser))

    @property
    def used_reference_sets(self) -> IntArray:
        """Reference sets that at least one example is scored against, in order."""
        return self.once("used_reference_sets", lambda: np.unique(self.corpus.references_of))

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Every (example, text row of one of its references), examples in order."""
        return self.once("pairs", self._make_pairs)

    def blocks(self, size: int) -> Iterator[IntArray]:
        """Rows of examples, `size` at a time, those of one image together; reports progress."""
        order = np.argsort(self.corpus.image_of, kind="stable")
        for start in range(0, len(order), size):
            tell("captions", start, len(order))
            yield order[start : start + size]

    def image_file(self, place: int) -> ImageFile:
        """An image of the corpus, and its file where there is one."""
        paths = self.corpus.image_paths
        return ImageFile(self.corpus.image_ids[place], paths[place] if paths is not None else None)

    def _make_pairs(self) -> tuple[IntArray, IntArray]:
        corpus = self.corpus
        counts = corpus.reference_counts
        if len(counts) and counts.min() == 0:
            example = corpus.example(int(np.flatnonzero(counts == 0)[0]))
            raise InputError(
                f'image "{example.image_id}" ("{one_line(example.caption, 40)}") has no references, '
                "which this metric needs. Add references, or leave the image out."
            )
        starts = corpus.references.offsets[corpus.references_of]
        examples = np.repeat(np.arange(len(corpus)), counts)
        firsts = np.repeat(np.cumsum(counts) - counts, counts)
        flat = np.arange(len(examples)) - firsts + np.repeat(starts, counts)
        return examples, self.reference_text[flat]
