"""Language models: one interface, how a name becomes a model, and causal models of transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, MissingDependencyError, one_line
from captious.models import locate, weights
from captious.models.encoders.long_texts import CHUNK, Ids, read_windows, window_label
from captious.models.encoders.sentence import folder_label
from captious.models.encoders.torch_sentence import silence

_TOKENS_A_BATCH = 512  # each has a number for every word piece: 50,000 and more


class CausalModel:
    """A model by name, folder, `.gguf` file or hub name."""

    def __init__(self, name: str) -> None:
        path = locate.local(name)
        source: dict[str, str] = {}
        where = name if path is None else str(path)
        if path is not None and path.is_file():
            if path.suffix != ".gguf":
                raise InputError(f"{path}: is not a language model. Give a .gguf or .npz file.")
            where, source = str(path.parent), {"gguf_file": path.name}
        self._tokeniser, self._model = _open(name, where, source)
        self._begin = _first_of(self._tokeniser.bos_token_id, self._tokeniser.eos_token_id)
        self._end = _first_of(self._tokeniser.eos_token_id, self._begin)
        self.label = _label(name, path, self._model.config)
        positions = getattr(self._model.config, "max_position_embeddings", None) or LONGEST_CAUSAL
        self.limit = min(LONGEST_CAUSAL, int(positions))
        self.windows = window_label(self.limit, self.limit // 2)

    def likelihoods(self, texts: Sequence[str], long: str = CHUNK) -> Likelihoods:
        """Logarithm of each text's probability after the begin of text, and its tokens.

        A text without a token counts as its end alone. Of a long text each window after the first is read
        for the tokens that no earlier one holds, each after at least half of the limit.
        """
        cut = read_windows(
            self._encode,
            texts,
            self.limit,
            long,
            self.label.partition("/")[0],
            ends=(0, 0),
            overlap=self.limit // 2,
        )
        rows, lengths = cut.rows, np.array([len(row) for row in cut.rows], dtype=np.int64)
        logs = np.zeros(len(rows))
        for length in np.unique(lengths)[::-1].tolist():
            places = np.flatnonzero(lengths == length)
            size = max(1, _TOKENS_A_BATCH // length)
            for part in np.split(places, range(size, len(places), size)):
                ids = np.array([rows[i] for i in part.tolist()], dtype=np.int64)
                logs[part] = self._run(ids, cut.context[part])
        count = len(texts)
        sums = np.bincount(cut.owner, logs, minlength=count)
        tokens = np.bincount(cut.owner, cut.fresh, minlength=count).astype(np.int64)
        return Likelihoods(np.asarray(sums, dtype=np.float64), tokens)

    def beyond(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text beyond the limit."""
        return np.array([max(0, len(row) - self.limit) for row in self._encode(texts)], dtype=np.int64)

    def _encode(self, texts: Sequence[str]) -> Ids:
        return [
            self._tokeniser(text.strip(), add_special_tokens=False)["input_ids"] or [self._end]
            for text in texts
        ]

    def _run(self, ids: NDArray[np.int64], context: NDArray[np.int64]) -> NDArray[np.float64]:
        """Log-probabilities of the tokens after the context, of rows of one length."""
        import torch

        wanted = torch.from_numpy(ids)
        given = torch.cat([torch.full((len(ids), 1), self._begin), wanted[:, :-1]], dim=1)
        with torch.inference_mode():
            logs = torch.log_softmax(self._model(given).logits.float(), dim=-1)
            each = logs.gather(2, wanted[:, :, None])[:, :, 0].double()
            if context.any():
                each[torch.arange(ids.shape[1])[None] < torch.from_numpy(context)[:, None]] = 0.0
        found: NDArray[np.float64] = each.sum(dim=1).numpy()
        return found


def _open(name: str, where: str, source: dict[str, str]) -> tuple[Any, Any]:
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        what = f'the language model "{name}" needs {error.name}'
        raise MissingDependencyError(what, "models") from None
    try:
        silence()
        here: dict[str, Any] = {"local_files_only": not weights.allowed(), **source}
        tokeniser = AutoTokenizer.from_pretrained(where, **here)
        model = AutoModelForCausalLM.from_pretrained(where, dtype=torch.float32, **here)
    except ImportError as error:
        reason = one_line(str(error).strip().splitlines()[0])
        raise MissingDependencyError(f'the language model "{name}": {reason}', "models") from None
    except (OSError, ValueError) as error:
        raise InputError(
            f'the language model "{one_line(name)}" cannot be loaded '
            f"({one_line(str(error).splitlines()[0], 120)}). Give a folder, a .gguf file or a name "
            "in your cache, or allow the download with",
            python="CAPTIOUS_DOWNLOAD=1 in the environment.",
            command="--download.",
        ) from error
    return tokeniser, model.eval()


def _first_of(*numbers: int | None) -> int:
    for number in numbers:
        if number is not None:
            return number
    raise InputError("the tokeniser has neither a start-of-text nor an end-of-text token. Use another model.")


def _label(name: str, path: Path | None, config: Any) -> str:
    if path is None:
        commit = getattr(config, "_commit_hash", None)
        return f"{name}/{commit[:8]}" if commit else name
    return f"{path.stem}/{locate.digest(path)}" if path.is_file() else folder_label(name, path)


POCKETSPHINX = "pocketsphinx"
CAPTIONS = "captions"  # comes with the package
NGRAM_SUFFIX = ".npz"
LONGEST_CAUSAL = 1024  # tokens that a causal model reads at once, unless it has fewer positions


def is_causal(name: str) -> bool:
    """Whether a name is one of a causal model: an n-gram model reads texts of any length."""
    return name not in (POCKETSPHINX, CAPTIONS) and not name.endswith(NGRAM_SUFFIX)


class Likelihoods(NamedTuple):
    """Of each text: the natural logarithm of its probability, and over how many tokens."""

    logs: NDArray[np.float64]
    tokens: NDArray[np.int64]


class LanguageModel(Protocol):
    """What every language model offers."""

    @property
    def label(self) -> str:
        """What a signature says: name and digest of the weights."""

    def likelihoods(self, texts: Sequence[str], long: str = CHUNK) -> Likelihoods:
        """How probable each text is. Every text counts at least one token: its end."""

    @property
    def windows(self) -> str:
        """The label of the windows that it reads a long text in; empty where it reads any text at once."""

    def beyond(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text that are more than it reads at once."""


def load_language_model(name: str = POCKETSPHINX) -> LanguageModel:
    """Open a language model.

    `pocketsphinx` is the trigram of the package of that name; `captions` the bigram of COCO captions
    that comes with captious; a `.npz` file an n-gram model that
    `captious train lm` wrote; a `.gguf` file, a folder or any other name a causal model of
    transformers.
    """
    path = Path(name).expanduser()
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _load(name, changed, getpid())


def tokeniser_of(name: str) -> str:
    """The tokeniser of an n-gram model; empty for one that brings its own."""
    return str(getattr(load_language_model(name), "tokeniser", ""))


@lru_cache(maxsize=4)
def _load(name: str, changed: int, process: int) -> LanguageModel:
    if name == POCKETSPHINX:
        from captious.models.language.ngram import PocketsphinxModel

        return PocketsphinxModel()
    if name == CAPTIONS or name.endswith(NGRAM_SUFFIX):
        from captious.models.language.ngram import NgramModel

        return NgramModel.load(bundled() if name == CAPTIONS else Path(name).expanduser())
    return CausalModel(name)


def bundled() -> Path:
    """The file of the bigram of captions that comes with the package."""
    return Path(__file__).parent / "captions.npz"


def ready(name: str) -> None:
    """Raise `MissingDependencyError` where weights or packages that the model needs are absent."""
    from importlib.util import find_spec

    if name == POCKETSPHINX:
        if find_spec("pocketsphinx") is None:
            raise MissingDependencyError("lm's trigram comes with the package pocketsphinx", "lm")
    elif name != CAPTIONS and not name.endswith(NGRAM_SUFFIX):
        path = locate.local(name)
        packages = ["torch", "transformers"]
        if path is not None and path.suffix == ".gguf":
            packages += ["gguf", "accelerate"]
        for package in packages:
            if find_spec(package) is None:
                raise MissingDependencyError(f'the language model "{name}" needs {package}', "models")
