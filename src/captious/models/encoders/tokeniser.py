"""Tokenisers of image-text models, from the files that are published with the weights.

They run without torch. CLIP's byte-pair encoding is the same for all of OpenAI's and open_clip's
models, so that weights without tokeniser files may borrow it from other weights or from the package
open_clip_torch.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

from captious.errors import InputError, MissingDependencyError
from captious.models import locate
from captious.models.encoders.long_texts import Ids

BEGIN, END = "<|startoftext|>", "<|endoftext|>"
# How CLIP cuts text before its pairs are joined (Radford et al. 2021, simple_tokenizer.py).
_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
_CLIP_MERGES = 49152 - 256 - 2  # of the published table this many are used


class Tokeniser:
    """Texts to token numbers, whole: nothing is cut or padded here.

    `ends` counts the special tokens before and after a text.
    """

    def __init__(self, engine: Any, ends: tuple[int, int] = (1, 1), *, entities: bool = True) -> None:
        engine.no_truncation()
        engine.no_padding()
        self._engine = engine
        self.ends = ends
        self._entities = entities

    def encode(self, texts: Sequence[str]) -> Ids:
        """Token numbers of each text with the model's special tokens."""
        return [found.ids for found in self._engine.encode_batch([self._clean(text) for text in texts])]

    def _clean(self, text: str) -> str:
        if self._entities:  # CLIP's own tokeniser reads &amp; twice over
            text = unescape(unescape(text))
        # A caption that spells a special token out gets none.
        return " ".join(text.split()).replace("<|", "< |")


def read_tokeniser(folder: Path, *, clip: bool = True) -> Tokeniser | None:
    """The tokeniser in a model's folder: `tokenizer.json`, or CLIP's `vocab.json` and `merges.txt`."""
    if (folder / "tokenizer.json").is_file():
        engine = _from_file(folder / "tokenizer.json")
        probe = engine.encode("a").ids
        begin = engine.token_to_id(BEGIN)
        return Tokeniser(engine, (int(bool(probe) and probe[0] == begin), 1), entities=clip)
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        vocabulary, merges = _json(folder / "vocab.json"), _merges(folder / "merges.txt")
        return Tokeniser(clip_engine(vocabulary, merges, str(folder)))
    return None


def packaged_tokeniser() -> Tokeniser:
    """CLIP's tokeniser from the package open_clip_torch, of which only the table is read."""
    try:
        path = locate.carried(locate.CLIP_WORDS)
    except MissingDependencyError:
        raise MissingDependencyError(
            "these weights come without a tokeniser, which comes with the package open_clip_torch",
            command=locate.get_command(locate.CLIP_WORDS),
        ) from None
    lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
    merges = [(first, second) for first, second in (line.split() for line in lines[1 : _CLIP_MERGES + 1])]
    letters = _byte_letters()
    tokens = [*letters, *(letter + "</w>" for letter in letters), *("".join(pair) for pair in merges)]
    vocabulary = {token: number for number, token in enumerate([*tokens, BEGIN, END])}
    return Tokeniser(clip_engine(vocabulary, merges, str(path)))


def clip_engine(vocabulary: dict[str, int], merges: Sequence[tuple[str, str]], where: str) -> Any:
    """CLIP's byte-pair encoding (Sennrich et al. 2016) as an object of `tokenizers`."""
    library = _library()
    for mark in (BEGIN, END):
        if mark not in vocabulary:
            raise InputError(f'{where}: the vocabulary has no "{mark}". Download the tokeniser again.')
    engine = library.Tokenizer(
        library.models.BPE(
            vocab=vocabulary, merges=list(merges), end_of_word_suffix="</w>", unk_token=END, fuse_unk=False
        )
    )
    engine.normalizer = library.normalizers.Sequence(
        [library.normalizers.NFC(), library.normalizers.Lowercase()]
    )
    engine.pre_tokenizer = library.pre_tokenizers.Sequence(
        [
            library.pre_tokenizers.Split(library.Regex(_WORDS), behavior="removed", invert=True),
            library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    engine.post_processor = library.processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, vocabulary[BEGIN]), (END, vocabulary[END])]
    )
    return engine


def _byte_letters() -> list[str]:
    """The 256 printable letters that stand for bytes, in the order of CLIP's table."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return [chr(byte) for byte in shown] + [chr(256 + place) for place in range(len(hidden))]


def _library() -> Any:
    try:
        import tokenizers
    except ImportError:
        raise MissingDependencyError("this encoder's texts need the package tokenizers", "models") from None
    return tokenizers


def _from_file(path: Path) -> Any:
    library = _library()
    _json(path)  # a clear line where the file is damaged; tokenizers raises a bare Exception
    return library.Tokenizer.from_file(str(path))


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError:
        raise InputError(f"{path}: is not complete JSON. Download the model again.") from None
    return found


def _merges(path: Path) -> list[tuple[str, str]]:
    pairs = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if line and not line.startswith("#version"):
            first, space, second = line.partition(" ")
            if not space:
                raise InputError(
                    f"{path}: line {number}: is not a pair of pieces. Download the tokeniser again."
                )
            pairs.append((first, second))
    return pairs
