"""VSE++'s vocabulary and how a caption becomes its numbers.

The published file is a pickle of a class; it is read as plain data, and nothing in it is run. JSON
will do as well: `{"word2idx": {…}}` or the words and numbers alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from captious.errors import InputError, MissingDependencyError
from captious.models.joint.unpickle import Allowed, read_pickle

BEGIN, END, UNKNOWN = "<start>", "<end>", "<unk>"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class _Holder:
    """Stands in for the class of the published pickle: it holds what was saved, and does nothing."""


def _reconstructed(kind: Any, base: Any, state: Any) -> _Holder:
    return _Holder()


# How Python 2 and 3 name the class; `_reconstructor` is how the oldest pickles make an object.
_ALLOWED: Allowed = {
    ("vocab", "Vocabulary"): _Holder,
    ("__main__", "Vocabulary"): _Holder,
    ("copy_reg", "_reconstructor"): _reconstructed,
    ("copyreg", "_reconstructor"): _reconstructed,
    ("__builtin__", "object"): object,
    ("builtins", "object"): object,
}


class Vocabulary:
    """Words by number.

    >>> Vocabulary({"<start>": 1, "<end>": 2, "<unk>": 3, "dog": 4}, "vocab.json").size
    5
    """

    def __init__(self, numbers: Mapping[str, int], where: str) -> None:
        for mark in (BEGIN, END, UNKNOWN):
            if mark not in numbers:
                raise InputError(f'{where}: the vocabulary has no "{mark}". Give that of the checkpoint.')
        self._numbers = dict(numbers)
        self.size = max(numbers.values()) + 1

    def encode(self, caption: str) -> list[int]:
        """Numbers of a caption's words between the begin and the end of text."""
        unknown = self._numbers[UNKNOWN]
        inner = [self._numbers.get(word, unknown) for word in words(caption)]
        return [self._numbers[BEGIN], *inner, self._numbers[END]]


def read_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary in a `.json` file, or in the published pickle."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}). Give vocab=FILE.") from None
    if content.lstrip()[:1] == b"{":
        try:
            found: Any = json.loads(content)
        except ValueError:
            raise InputError(f"{path}: is not complete JSON. Download it again.") from None
    else:
        held = read_pickle(content, path, _ALLOWED)
        found = vars(held) if isinstance(held, _Holder) else held
    table = found.get("word2idx", found) if isinstance(found, Mapping) else None
    if not isinstance(table, Mapping) or not table:
        raise InputError(f"{path}: contains no vocabulary. It needs words and their numbers.")
    numbers = {str(word): number for word, number in table.items()}
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers.values()):
        raise InputError(f"{path}: a word of the vocabulary has no whole number. Download it again.")
    return Vocabulary(numbers, str(path))


def words(caption: str) -> list[str]:
    """Lower-case words as NLTK cuts them, sentence by sentence.

    The released program calls NLTK's `word_tokenize`, which finds sentences by a trained model;
    here a sentence ends at a period, a question or an exclamation mark before a space.
    """
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        raise MissingDependencyError("vsepp needs the package nltk to tokenise captions", "models") from None
    cut = NLTKWordTokenizer()
    return [word for part in _SENTENCE_END.split(caption.lower()) for word in cut.tokenize(part)]
