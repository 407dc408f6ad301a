"""Which WordNet synsets a word is in: the synonyms of SPICE.

Words are synonyms if they share a synset (Anderson et al. 2016). The table holds WordNet 3.0
(Princeton University; licence beside it). A word belongs to its own synsets and to those of its
base form, found as WordNet's morphology does: an irregular form is looked up, else endings are
taken off in a fixed order until a word of the table is left. Parts of speech are not distinguished,
which is how the published numbers were made: a "surfer" shares a synset with "surfboard", since
taking off "er" gives the verb "surf".
"""

from __future__ import annotations

import gzip
import hashlib
import zipfile
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from captious.errors import InputError
from captious.text.remembered import Remembered

# The detachment rules of WordNet's morphology (Fellbaum 1998): nouns, verbs, adjectives.
ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
)

Synsets = frozenset[str]
_NONE: Synsets = frozenset()


class SynsetTable:
    """Synsets of words, and base forms of irregular words."""

    def __init__(self, synsets: dict[str, str], irregular: dict[str, str], name: str, content: bytes) -> None:
        self.name = name
        # First digits of a hash of the table, for signatures.
        self.digest = hashlib.sha256(content).hexdigest()[:8]
        self._synsets = synsets
        self._irregular = irregular
        self._known = Remembered[str, Synsets]()

    def of(self, word: str) -> Synsets:
        """Synsets of a word or phrase and of its base form.

        >>> len(wordnet().of("qwerty"))
        0
        >>> bool(wordnet().of("tv") & wordnet().of("television"))
        True
        """
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._look_up(word.replace(" ", "_"))
        return known

    def _look_up(self, word: str) -> Synsets:
        own = self._row(word)
        if word in self._irregular:
            return own.union(*map(self._row, self._irregular[word].split()))
        return own | self._row(self._base(word))

    def _row(self, word: str) -> Synsets:
        ids = self._synsets.get(word)
        return frozenset(ids.split()) if ids else _NONE

    def _base(self, word: str) -> str:
        if word.endswith("ss"):
            return ""
        for ending, replacement in ENDINGS:
            if word.endswith(ending):
                base = word[: -len(ending)] + replacement
                if base in self._synsets:
                    return base
        return ""

    def words(self) -> list[str]:
        """Every word and phrase of the table; phrases are written with underscores."""
        return list(self._synsets)

    def knows(self, word: str) -> bool:
        """Whether the word itself, not a form of it, is in the table."""
        return word in self._synsets

    def base_forms(self, word: str) -> list[str]:
        """Base forms of an irregular word: `children` has `child`; a regular word has none."""
        return self._irregular.get(word, "").split()


_LOADED: dict[str, SynsetTable] = {}


def wordnet() -> SynsetTable:
    """The table that comes with the package, read once."""
    if "wordnet" not in _LOADED:
        packed = (files("captious.text") / "data" / "synsets.txt.gz").read_bytes()
        synsets, _, irregular = gzip.decompress(packed).decode().partition("\n\n")
        _LOADED["wordnet"] = SynsetTable(
            _columns(synsets.split("\n")), _columns(irregular.split("\n")), "wordnet-3.0", packed
        )
    return _LOADED["wordnet"]


def meteor_table(jar: Path) -> SynsetTable:
    """The table inside METEOR's jar, which the reference implementation reads."""
    if not jar.is_file():
        raise InputError(f"{jar}: no such file. The jar comes with the package pycocoevalcap.")
    with zipfile.ZipFile(jar) as archive:
        contents = [archive.read(f"synonym/english.{kind}") for kind in ("synsets", "exceptions")]
    lines, exceptions = (content.decode().split("\n") for content in contents)
    irregular: dict[str, str] = {}
    for base, forms in zip(exceptions[::2], exceptions[1::2], strict=False):
        for form in forms.split():
            irregular[form] = f"{irregular.get(form, '')} {base}".strip()
    return SynsetTable(
        dict(zip(lines[::2], lines[1::2], strict=False)), irregular, "meteor-1.5", b"".join(contents)
    )


def _columns(lines: Iterable[str]) -> dict[str, str]:
    return dict(line.split("\t", 1) for line in lines if line)
