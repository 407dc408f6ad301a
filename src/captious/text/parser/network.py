"""The network of the caption parser, in NumPy.

Word features -> two bidirectional LSTM layers (Hochreiter & Schmidhuber 1997) -> tags, and deep
biaffine scores of heads and relations (Dozat & Manning 2017). All captions of a batch have the same
length, so nothing is padded; what depends on the word alone is computed once a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.text.parser.decode import best_heads
from captious.text.parser.features import WordFeatures

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Prepared = NDArray[np.float32]

_ORDER = (1, -1)  # of time, for the two directions
_LEAK = np.float32(0.1)  # slope of the leaky rectifier below zero, as in training


class Analysis(NamedTuple):
    """Tag, head and relation of each word, each (batch, time); heads from 1, 0 is the root."""

    tags: Ints
    heads: Ints
    relations: Ints


@dataclass(frozen=True)
class Weights:
    """Arrays of the network.

    `first` and `second` map inputs to the gates of both directions (input, forget, output,
    candidate); the `_state` arrays (direction, hidden, gates) map the state before.
    """

    words: Floats
    general: NDArray[np.int8]
    general_step: float
    spellings: Floats
    first: Floats
    first_bias: Floats
    first_state: Floats
    second: Floats
    second_bias: Floats
    second_state: Floats
    perceptron: Floats
    perceptron_bias: Floats
    root: Floats
    arc: Floats
    relation: Floats
    tag: Floats
    tag_bias: Floats


class Network:
    """Weights ready for use; `root_relation` is the relation of the word under the root."""

    def __init__(self, weights: Weights, root_relation: int) -> None:
        self._weights, self._root_relation = weights, root_relation
        self._hidden = weights.first_state.shape[1]
        scale = _gate_scale(self._hidden)
        self._first, self._first_bias = _by_direction(weights.first, weights.first_bias, scale)
        self._second, self._second_bias = _by_direction(weights.second, weights.second_bias, scale)
        self._first_state = weights.first_state * scale
        self._second_state = weights.second_state * scale
        arc, relation, tag = (weights.arc.shape[1], weights.relation.shape[2] - 1, weights.tag.shape[0])
        self._cuts = np.cumsum([arc, arc, relation, relation, tag])[:-1]
        self._root_arc, self._root_head = weights.root[:arc], weights.root[arc:]

    def prepare(self, features: WordFeatures) -> Prepared:
        """First-layer inputs of words, (direction, word, gates)."""
        weights = self._weights
        general = weights.general[features.general].astype(np.float32)
        spellings = weights.spellings[features.spellings].sum(1)
        step = np.float32(weights.general_step)
        joined = np.concatenate([weights.words[features.words], general * step, spellings], 1)
        result: Prepared = joined @ self._first + self._first_bias[:, None]
        return result

    def analyse(self, prepared: Prepared, index: Ints) -> Analysis:
        """Parse captions given as numbers of prepared words, (time, batch)."""
        hidden = self._perceive(self._encode(prepared, index))
        dependents, heads, relation_dependents, relation_heads, tags = np.split(hidden, self._cuts, axis=-1)
        weights = self._weights
        queries = _with_one(dependents) @ weights.arc
        arcs: Floats = np.matmul(queries, _under(self._root_arc, heads).mT)
        chosen = best_heads(arcs)
        found = np.take_along_axis(_under(self._root_head, relation_heads), chosen[:, :, None], axis=1)
        relations = self._relations(relation_dependents, found, chosen)
        return Analysis((tags @ weights.tag + weights.tag_bias).argmax(-1), chosen, relations)

    def _encode(self, prepared: Prepared, index: Ints) -> Floats:
        """Context vectors (time, batch, 2 x hidden)."""
        time, batch = index.shape
        shape = (time, batch, 4 * self._hidden)
        states = np.empty((time, batch, 2 * self._hidden), np.float32)
        for side, words in enumerate(prepared):
            inputs = np.take(words, index, axis=0)
            _recur(inputs[:: _ORDER[side]], self._first_state[side], _half(states, side))
        flat = states.reshape(time * batch, -1)
        result = np.empty_like(states)
        for side, (weight, bias) in enumerate(zip(self._second, self._second_bias, strict=True)):
            inputs = (flat @ weight).reshape(shape)
            inputs += bias
            _recur(inputs[:: _ORDER[side]], self._second_state[side], _half(result, side))
        return result

    def _perceive(self, states: Floats) -> Floats:
        """Vectors of all roles side by side, (batch, time, width)."""
        time, batch, width = states.shape
        hidden = states.transpose(1, 0, 2).reshape(-1, width) @ self._weights.perceptron
        hidden += self._weights.perceptron_bias
        np.maximum(hidden, hidden * _LEAK, out=hidden)
        return hidden.reshape(batch, time, -1)

    def _relations(self, dependents: Floats, heads: Floats, chosen: Ints) -> Ints:
        batch, time, width = dependents.shape
        tensor = self._weights.relation
        wide = _with_one(dependents).reshape(-1, width + 1) @ tensor.reshape(width + 1, -1)
        wide = wide.reshape(batch * time, tensor.shape[1], -1)
        scores = (wide @ _with_one(heads).reshape(batch * time, -1, 1)).reshape(batch, time, -1)
        scores[:, :, self._root_relation] = -np.inf
        found: Ints = scores.argmax(-1)
        found[chosen == 0] = self._root_relation
        return found


def _gate_scale(hidden: int) -> Floats:
    """Halve the three gates: sigmoid(x) = (1 + tanh(x / 2)) / 2 lets one tanh do all four."""
    return np.repeat(np.array([0.5, 0.5, 0.5, 1.0], np.float32), hidden)


def _by_direction(weight: Floats, bias: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Weight (direction, input, gates) and bias (direction, gates), scaled for `_recur`."""
    gates = len(scale)
    scaled = weight.reshape(-1, 2, gates) * scale
    return np.ascontiguousarray(scaled.transpose(1, 0, 2)), bias.reshape(2, gates) * scale


def _half(states: Floats, side: int) -> Floats:
    """The part of `states` for one direction, in that direction's order of time."""
    width = states.shape[-1] // 2
    return states[:: _ORDER[side], :, side * width : (side + 1) * width]


def _recur(inputs: Floats, weight: Floats, states: Floats) -> None:
    """Fill `states` (time, batch, hidden) from `inputs` (time, batch, gates), which it uses up."""
    time, batch, hidden = states.shape
    state = np.zeros((batch, hidden), np.float32)
    cell = np.zeros_like(state)
    for step in range(time):
        gates = inputs[step]
        if step:
            gates += state @ weight
        np.tanh(gates, out=gates)
        sluices = gates[:, : 3 * hidden]
        sluices += 1
        sluices *= np.float32(0.5)
        cell *= gates[:, hidden : 2 * hidden]
        cell += gates[:, :hidden] * gates[:, 3 * hidden :]
        np.tanh(cell, out=state)
        state *= gates[:, 2 * hidden : 3 * hidden]
        states[step] = state


def _with_one(values: Floats) -> Floats:
    return np.concatenate([values, np.ones((*values.shape[:-1], 1), np.float32)], -1)


def _under(root: Floats, heads: Floats) -> Floats:
    """Put the root before the words as a possible head."""
    return np.concatenate([np.broadcast_to(root, (len(heads), 1, len(root))), heads], 1)
