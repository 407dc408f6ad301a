"""The network of the caption parser, in PyTorch, for training.

Word features -> two bidirectional LSTM layers -> tags, and deep biaffine scores of heads and of
relations (Dozat & Manning 2017). All captions of a batch have the same length, so nothing is
padded, and what depends on the word alone is computed once for each different word of a batch.
"""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from captious.text.parser.load import Model
from captious.text.parser.network import Weights

LINEAR = ("first", "second", "perceptron", "tag")  # modules with a weight and a bias


class Sizes(NamedTuple):
    """Dimensions of the network."""

    words: int
    tags: int
    relations: int
    buckets: int
    word: int = 100
    spelling: int = 48
    hidden: int = 128
    arc: int = 96
    relation: int = 40
    tag: int = 48


class Recurrence(torch.autograd.Function):
    """LSTM (Hochreiter & Schmidhuber 1997) over time for two directions at once.

    `inputs` is (time, direction, batch, 4 x hidden) with gates in the order input, forget,
    output, candidate; `weight` is (direction, hidden, 4 x hidden).
    """

    @staticmethod
    def forward(ctx, inputs: Tensor, weight: Tensor) -> Tensor:  # noqa: D102
        time, directions, batch, width = inputs.shape
        hidden = width // 4
        state = inputs.new_zeros(directions, batch, hidden)
        cell = torch.zeros_like(state)
        gates = torch.empty_like(inputs)
        states = inputs.new_zeros(time + 1, directions, batch, hidden)
        cells, squashed = torch.zeros_like(states), torch.empty_like(states[1:])
        for step in range(time):
            gate = torch.baddbmm(inputs[step], state, weight, out=gates[step])
            gate[..., : 3 * hidden].sigmoid_()
            gate[..., 3 * hidden :].tanh_()
            entry, forget, output, candidate = gate.split(hidden, -1)
            cell = torch.addcmul(forget * cell, entry, candidate, out=cells[step + 1])
            torch.tanh(cell, out=squashed[step])
            state = torch.mul(output, squashed[step], out=states[step + 1])
        ctx.save_for_backward(gates, states, cells, squashed, weight)
        return states[1:].clone()

    @staticmethod
    def backward(ctx, gradient: Tensor) -> tuple[Tensor, Tensor]:  # noqa: D102
        gates, states, cells, squashed, weight = ctx.saved_tensors
        time, directions, _, hidden = gradient.shape
        backward_weight = weight.transpose(1, 2)
        deltas = torch.empty_like(gates)
        to_state = torch.zeros_like(gradient[0])
        to_cell = torch.zeros_like(gradient[0])
        for step in reversed(range(time)):
            entry, forget, output, candidate = gates[step].split(hidden, -1)
            to_state = to_state + gradient[step]
            tanh_cell = squashed[step]
            to_cell = to_cell + to_state * output * (1 - tanh_cell * tanh_cell)
            delta = deltas[step]
            delta[..., :hidden] = to_cell * candidate * entry * (1 - entry)
            delta[..., hidden : 2 * hidden] = to_cell * cells[step] * forget * (1 - forget)
            delta[..., 2 * hidden : 3 * hidden] = to_state * tanh_cell * output * (1 - output)
            delta[..., 3 * hidden :] = to_cell * entry * (1 - candidate * candidate)
            to_cell = to_cell * forget
            to_state = torch.bmm(delta, backward_weight)
        before = states[:-1].transpose(0, 1).reshape(directions, -1, hidden)
        flat = deltas.transpose(0, 1).reshape(directions, -1, 4 * hidden)
        return deltas, torch.bmm(before.transpose(1, 2), flat)


def _both_ways(forward: Tensor, backward: Tensor) -> Tensor:
    """Stack (time, batch, width) for the two directions, the second in reverse time."""
    return torch.stack([forward, backward.flip(0)], 1)


def _joined(states: Tensor) -> Tensor:
    return torch.cat([states[:, 0], states[:, 1].flip(0)], -1)


class Batch(NamedTuple):
    """Captions of one length: features of the different words, and `index` (time, batch)."""

    words: Tensor
    general: Tensor
    spellings: Tensor
    index: Tensor


class Outputs(NamedTuple):
    """Scores: tags (batch, time, tag), arcs (batch, dependent, head), relation vectors."""

    tags: Tensor
    arcs: Tensor
    relation_dependents: Tensor
    relation_heads: Tensor


class CaptionParser(nn.Module):
    """Tagger and dependency parser with a shared encoder."""

    def __init__(self, sizes: Sizes, general: Tensor, dropout: float = 0.1) -> None:
        super().__init__()
        self.sizes, self.rate = sizes, dropout
        self.register_buffer("general", general)
        self.words = nn.Parameter(torch.randn(sizes.words, sizes.word) * 0.1)
        self.spellings = nn.Parameter(torch.randn(sizes.buckets, sizes.spelling) * 0.1)
        width = sizes.word + general.shape[1] + sizes.spelling
        self.first = nn.Linear(width, 8 * sizes.hidden)
        self.second = nn.Linear(2 * sizes.hidden, 8 * sizes.hidden)
        self.first_state = nn.Parameter(_recurrent_start(sizes.hidden))
        self.second_state = nn.Parameter(_recurrent_start(sizes.hidden))
        self.parts = [sizes.arc, sizes.arc, sizes.relation, sizes.relation, sizes.tag]
        self.perceptron = nn.Linear(2 * sizes.hidden, sum(self.parts))
        self.root = nn.Parameter(torch.randn(sizes.arc + sizes.relation) * 0.1)
        self.arc = nn.Parameter(torch.randn(sizes.arc + 1, sizes.arc) / sizes.arc)
        self.relation = nn.Parameter(
            torch.randn(sizes.relation + 1, sizes.relations, sizes.relation + 1) / sizes.relation
        )
        self.tag = nn.Linear(sizes.tag, sizes.tags)
        with torch.no_grad():
            for layer in (self.first, self.second):
                layer.bias.view(2, 4, sizes.hidden)[:, 1] += 1.0

    def _dropped(self, values: Tensor) -> Tensor:
        """Dropout with one mask for all time steps (Gal & Ghahramani 2016)."""
        if not self.training or not self.rate:
            return values
        mask = torch.empty_like(values[:1]).bernoulli_(1 - self.rate).div_(1 - self.rate)
        return values * mask

    def encode(self, batch: Batch) -> Tensor:
        """Context vectors, (time, batch, 2 x hidden)."""
        features = torch.cat(
            [
                self.words[batch.words],
                self.general[batch.general],
                nn.functional.embedding_bag(batch.spellings, self.spellings, mode="sum"),
            ],
            1,
        )
        wide = self.first(features)[batch.index]
        states = Recurrence.apply(_both_ways(*wide.chunk(2, -1)), self.first_state)
        wide = self.second(self._dropped(_joined(states)))
        states = Recurrence.apply(_both_ways(*wide.chunk(2, -1)), self.second_state)
        return self._dropped(_joined(states))

    def forward(self, batch: Batch) -> Outputs:  # noqa: D102
        hidden = nn.functional.leaky_relu(self.perceptron(self.encode(batch)), 0.1)
        dependents, heads, relation_dependents, relation_heads, tags = (
            self._dropped(hidden).transpose(0, 1).split(self.parts, -1)
        )
        arc_root, relation_root = self.root.split([self.sizes.arc, self.sizes.relation])
        heads = torch.cat([arc_root.expand(len(heads), 1, -1), heads], 1)
        relation_heads = torch.cat([relation_root.expand(len(heads), 1, -1), relation_heads], 1)
        arcs = (_with_one(dependents) @ self.arc) @ heads.transpose(1, 2)
        return Outputs(self.tag(tags), arcs, relation_dependents, relation_heads)

    def relation_scores(self, outputs: Outputs, heads: Tensor) -> Tensor:
        """Scores of relations (batch, time, relation) given each word's head."""
        index = heads.unsqueeze(-1).expand(-1, -1, self.sizes.relation)
        chosen = _with_one(outputs.relation_heads.gather(1, index))
        dependents = _with_one(outputs.relation_dependents)
        wide = (dependents @ self.relation.flatten(1)).unflatten(-1, self.relation.shape[1:])
        return (wide @ chosen.unsqueeze(-1)).squeeze(-1)


def _recurrent_start(hidden: int) -> Tensor:
    blocks = [torch.nn.init.orthogonal_(torch.empty(hidden, hidden)) for _ in range(8)]
    return torch.stack([torch.cat(blocks[:4], 1), torch.cat(blocks[4:], 1)])


def _with_one(values: Tensor) -> Tensor:
    return torch.cat([values, values.new_ones(*values.shape[:-1], 1)], -1)


def state_of(weights: Weights) -> dict[str, Tensor]:
    """The parameters that exported weights hold, under this network's names."""
    state = {}
    for name in (field.name for field in fields(weights) if not field.name.startswith("general")):
        tensor = torch.from_numpy(getattr(weights, name).astype(np.float32))
        if name in LINEAR:
            state[f"{name}.weight"] = tensor.T.contiguous()
        elif name.removesuffix("_bias") in LINEAR:
            state[f"{name.removesuffix('_bias')}.bias"] = tensor
        else:
            state[name] = tensor
    return state


def sizes_of(stored: Model) -> Sizes:
    """Dimensions of exported weights."""
    weights = stored.weights
    relation, arc = weights.relation.shape[0] - 1, weights.arc.shape[1]
    return Sizes(
        words=weights.words.shape[0],
        tags=len(stored.tags),
        relations=len(stored.relations),
        buckets=weights.spellings.shape[0],
        word=weights.words.shape[1],
        spelling=weights.spellings.shape[1],
        hidden=weights.first_state.shape[1],
        arc=arc,
        relation=relation,
        tag=weights.tag.shape[0],
    )
