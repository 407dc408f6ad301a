"""A BERT classifier of sentences: the probability that one is grammatical."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import IntArray
from captious.errors import InputError
from captious.models import locate, weights
from captious.models.encoders.checkpoint import load_into, read_state
from captious.models.encoders.long_texts import read_windows, same_length
from captious.models.encoders.vision_text import import_torch, read_json, weight_file
from captious.models.encoders.wordpiece import read_wordpiece
from captious.models.language.ngram import FloatArray, NgramModel
from captious.models.language.ngram_train import train

LIMIT = 128  # tokens, as in the program that BertGrammar comes from
GRAMMATICAL = 1  # the label of an acceptable sentence in CoLA (Warstadt et al. 2019)
_ROWS_A_BATCH = 32
_BESIDE = ("bert.embeddings.position_ids",)


class Judged(NamedTuple):
    """Of each text: the probability that it is grammatical, and its tokens beyond the limit."""

    probabilities: NDArray[np.float64]
    beyond: IntArray


class Grammaticality:
    """A loaded classifier."""

    def __init__(
        self, path: Path, base: Path | None, label: str, limit: int, wanted: int, device: str, dtype: str
    ) -> None:
        torch = import_torch(device, dtype)
        folder = path if path.is_dir() else base
        if folder is None:
            raise InputError(f"{path}: has no config.json and vocab.txt beside it. Name base=FOLDER.")
        file = weight_file(path) if path.is_dir() else path
        self._model = _filled(read_json(folder / "config.json"), file, str(folder / "config.json"))
        self._model.to(device=device, dtype=getattr(torch, dtype)).eval()
        labels = int(self._model.config.num_labels)
        if labels < 2 or not 0 <= wanted < labels:
            raise InputError(f"{file}: has {labels} labels, and label={wanted} is not one of them.")
        self._tokeniser = read_wordpiece(folder)
        positions = int(self._model.config.max_position_embeddings)
        if not 3 <= limit <= positions:
            raise InputError(f"bertgrammar: limit is {limit}; {label} reads 3 to {positions} tokens.")
        self.limit, self.label = limit, label
        self._wanted, self._device, self._dtype = wanted, device, dtype

    def facts(self) -> dict[str, str]:
        """Name and revision of the weights, the label, the limit, where it runs."""
        return {
            "model": self.label,
            "label": str(self._wanted),
            "limit": str(self.limit),
            "device": self._device,
            "dtype": self._dtype,
        }

    def judge(self, texts: Sequence[str], long: str) -> Judged:
        """Softmax of the classifier's logits at the wanted label; the mean over a text's windows."""
        import torch

        cut = read_windows(self._encode, texts, self.limit, long, self.label)
        found = np.empty(len(cut.rows))
        with torch.inference_mode():
            for part in same_length(cut.rows, _ROWS_A_BATCH):
                ids = torch.tensor([cut.rows[place] for place in part], device=self._device)
                shares = self._model(input_ids=ids).logits.double().softmax(dim=1)
                found[part] = shares[:, self._wanted].cpu().numpy()
        return Judged(cut.means(found), cut.beyond)

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        return self._tokeniser.encode(texts, longest=1 << 30)


def open_grammaticality(
    name: str,
    base: str,
    limit: int = LIMIT,
    wanted: int = GRAMMATICAL,
    device: str = "cpu",
    dtype: str = "float32",
) -> Grammaticality:
    """The classifier of a folder, of a file of weights beside `base`, or of a known name."""
    found = weights.find(name)
    below = weights.find(base).path if found.path.is_file() else None
    shown = found.path.resolve().name if found.place == "path" else name
    file = weight_file(found.path) if found.path.is_dir() else found.path
    label = f"{shown}@{found.revision[:8] or locate.digest(file)}"
    return _open(found.path, below, label, limit, wanted, device, dtype, getpid())


@lru_cache(maxsize=2)
def _open(
    path: Path, base: Path | None, label: str, limit: int, wanted: int, device: str, dtype: str, process: int
) -> Grammaticality:
    return Grammaticality(path, base, label, limit, wanted, device, dtype)


def _filled(facts: dict[str, Any], path: Path, where: str) -> Any:
    from transformers import BertConfig, BertForSequenceClassification
    from transformers.initialization import no_init_weights

    if facts.get("model_type", "bert") != "bert":
        raise InputError(f'{where}: is of type "{facts["model_type"]}"; bertgrammar needs a BERT model.')
    state = {name: value.float() for name, value in read_state(path).items()}
    head = state.get("classifier.weight")
    if head is None:
        raise InputError(f'{path}: lacks "classifier.weight", so it is not a sentence classifier.')
    config = BertConfig.from_dict({**facts, "num_labels": len(head)})
    with no_init_weights():
        model = BertForSequenceClassification(config)
    load_into(model, state, path, optional=_BESIDE)
    return model


# Fluency from 0 to 1: is a caption as well put as captions that people wrote?
# How probable a caption is says above all how rare its words are. What its order adds is SLOR (Pauls
# and Klein 2012; Kann et al. 2018): (ln p(caption) - sum ln p(word)) / tokens, where p(word) is the
# model's own probability of the word without context. A caption is fluent (1) if its SLOR is above the
# lowest hundredth of captions by people that the model has not seen, and below it in proportion to the
# share of them that are no more fluent: min(1, F(SLOR) / 0.01).


LOWEST = 0.01  # the share of captions by people that may count as less than fluent
STEPS = 100
FEWEST = 1000  # captions; with fewer the lowest hundredth is a handful


def slor(model: NgramModel, texts: Sequence[str]) -> FloatArray:
    """What the order of the words adds to a caption's log-probability, per token.

    >>> model = train(["a dog runs", "a dog sleeps", "a cat sleeps"], order=2)
    >>> written, scrambled = slor(model, ["a cat runs", "runs cat a"])
    >>> bool(written > scrambled)
    True
    """
    whole = model.likelihoods(texts)
    alone = replace(model, keys=(), logs=model.logs[:1], backoffs=()).likelihoods(texts)
    return np.asarray((whole.logs - alone.logs) / whole.tokens)


def with_fluency(model: NgramModel, captions: Sequence[str]) -> NgramModel:
    """The model with the SLOR of the lowest hundredth of its captions, each unseen.

    Each half of the captions is rated by a model of the other half. The model stays as it is where
    the captions are too few.
    """
    if len(captions) < FEWEST:
        return model
    halves = captions[::2], captions[1::2]
    found = [
        slor(train(own, model.order, model.tokeniser), other)
        for own, other in (halves, tuple(reversed(halves)))
    ]
    shares = np.linspace(0.0, LOWEST, STEPS + 1)
    return replace(model, fluent=np.quantile(np.concatenate(found), shares))


def fluency(model: object, texts: Sequence[str]) -> FloatArray:
    """min(1, F(SLOR) / 0.01) of each text, by the model's own scale."""
    if not isinstance(model, NgramModel) or model.fluent is None:
        name = getattr(model, "label", "this model")
        raise InputError(
            f"{name}: the language model has no scale of fluency. Use model=captions, or train one "
            f"on {FEWEST:,} captions or more with `captious train lm`."
        )
    return np.interp(slor(model, texts), model.fluent, np.linspace(0.0, 1.0, STEPS + 1), left=0.0)
