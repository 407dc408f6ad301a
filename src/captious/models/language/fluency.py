"""Fluency from 0 to 1: is a caption as well put as captions that people wrote?

How probable a caption is says above all how rare its words are. What its order adds is SLOR (Pauls
and Klein 2012; Kann et al. 2018): (ln p(caption) - sum ln p(word)) / tokens, where p(word) is the
model's own probability of the word without context. A caption is fluent (1) if its SLOR is above the
lowest hundredth of captions by people that the model has not seen, and below it in proportion to the
share of them that are no more fluent: min(1, F(SLOR) / 0.01).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from captious.errors import InputError
from captious.models.language.ngram import FloatArray, NgramModel
from captious.models.language.ngram_train import train

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
