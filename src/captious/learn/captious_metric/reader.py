"""The encoder while it is tuned: MiniLM in PyTorch with low-rank changes, and its five likenesses.

The likenesses, differentiable: cosine with the mean reference, and alignment of tokens (the candidate's
tokens with their best partner in any reference, in each reference, the worst of them; recall). Scoring
uses three of them, see `metrics.captious_metric.meaning`; the others only help to tune.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from captious.learn.journal import Arrays, Journal
from captious.metrics.captious_metric.meaning import TokenWeights
from captious.models import locate
from captious.models.encoders.checkpoint import LowRank

RANK = 8
_SHARPNESS = 10.0  # of the soft minimum over tokens
_LONGEST = 48  # tokens of a caption that tuning reads
_TOGETHER = 24  # texts
LIKENESSES = ("sentence", "precision_best", "precision_mean", "precision_worst", "recall_mean")


class Encoded(NamedTuple):
    """Tensors of some texts: sentence vectors, token vectors, which are tokens, token weights."""

    sentences: Any
    tokens: Any
    inner: Any
    weights: Any


class Reader:
    """The frozen encoder, the changes that are learned, and the weights that join likenesses."""

    def __init__(self, seed: int, start: LowRank | None = None, tokens: TokenWeights | None = None) -> None:
        import torch
        from transformers import AutoTokenizer, BertModel, logging

        torch.manual_seed(seed)
        logging.set_verbosity_error()  # it reports the pooling layer that is left out
        folder = locate.carried(locate.MINILM)
        self._tokeniser = AutoTokenizer.from_pretrained(folder)
        self._bert = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
        for parameter in self._bert.parameters():
            parameter.requires_grad_(False)
        self.changes = _add_changes(self._bert, start and LowRank.mean([start]))  # at full strength
        self._token_weight = torch.nn.Linear(self._bert.config.hidden_size, 1)
        torch.nn.init.zeros_(self._token_weight.weight)
        torch.nn.init.zeros_(self._token_weight.bias)
        if tokens is not None:
            self._token_weight.weight.data[0] = torch.tensor(np.asarray(tokens.w, np.float32))
            self._token_weight.bias.data[0] = tokens.b
        self.mixture = torch.nn.Parameter(torch.tensor([1.0, 0.5, 0.5, 0.5, 0.5]))
        self.log_scale = torch.nn.Parameter(torch.tensor(2.7))

    def parameters(self) -> list[list[Any]]:
        """Changes, token weights, mixture: each learns at a rate of its own."""
        factors = [factor for change in self.changes.values() for factor in (change.a, change.b)]
        return [factors, list(self._token_weight.parameters()), [self.mixture, self.log_scale]]

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Run the encoder on texts of words without punctuation."""
        import torch
        from torch.nn import functional

        ids = self._tokeniser(list(texts), truncation=True, max_length=_LONGEST)["input_ids"]
        lengths = torch.tensor([len(own) for own in ids])
        place = torch.arange(int(lengths.max()))
        there = (place < lengths[:, None]).float()
        inner = there * (place > 0) * (place < lengths[:, None] - 1)
        # Texts of about one length are read together: padding would be a third of the work.
        order = torch.argsort(lengths, stable=True)
        parts = [self._states([ids[i] for i in part.tolist()]) for part in order.split(_TOGETHER)]
        wide = [functional.pad(part, (0, 0, 0, len(place) - part.shape[1])) for part in parts]
        states = torch.cat(wide)[torch.argsort(order)]
        means = (states * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        weights = functional.softplus(self._token_weight(states).squeeze(-1)) * inner
        unit = functional.normalize
        return Encoded(unit(means, dim=-1), unit(states, dim=-1), inner, weights)

    def _states(self, ids: Sequence[Sequence[int]]) -> Any:
        """Hidden states of some texts, padded to the longest of them."""
        import torch

        numbers = torch.zeros(len(ids), max(map(len, ids)), dtype=torch.long)
        there = torch.zeros_like(numbers)
        for row, own in enumerate(ids):
            numbers[row, : len(own)] = torch.tensor(own)
            there[row, : len(own)] = 1
        return self._bert(input_ids=numbers, attention_mask=there).last_hidden_state

    def likenesses(self, read: Encoded, candidates: list[int], references: list[list[int]]) -> Any:
        """A row of `LIKENESSES` for each candidate; all have equally many references."""
        import torch
        from torch.nn import functional

        own, others = torch.tensor(candidates), torch.tensor(references)
        mean = functional.normalize(read.sentences[others].mean(1), dim=-1)
        sentence = (read.sentences[own] * mean).sum(-1)
        cosines = torch.einsum("nid,nkjd->nkij", read.tokens[own], read.tokens[others])
        theirs, mine = read.inner[others], read.inner[own]
        partners = cosines.masked_fill(theirs[:, :, None, :] == 0, -1).max(-1).values
        weights = read.weights[own]
        share = weights / weights.sum(-1, keepdim=True).clamp_min(1e-6)
        best = partners.max(1).values
        steep = -_SHARPNESS * best.masked_fill(mine == 0, 9) + torch.log(weights.clamp_min(1e-6))
        worst = (torch.softmax(steep, -1) * best).sum(-1)
        back = cosines.masked_fill(mine[:, None, :, None] == 0, -1).max(2).values
        heavy = read.weights[others] * theirs
        recall = ((back * heavy).sum(-1) / heavy.sum(-1).clamp_min(1e-6)).mean(1)
        parts = [sentence, (best * share).sum(-1), (partners.mean(1) * share).sum(-1), worst, recall]
        return torch.stack(parts, 1)

    def joined(self, likenesses: Any) -> Any:
        """One score from the likenesses."""
        from torch.nn import functional

        weights = functional.softplus(self.mixture)
        return (likenesses * weights).sum(1) / weights.sum()

    def change(self) -> LowRank:
        """What was learned, as arrays."""
        return LowRank(
            {
                f"{name}.weight": (own.a.detach().numpy().copy(), own.b.detach().numpy().copy())
                for name, own in self.changes.items()
            }
        )

    def token_weights(self) -> TokenWeights:
        """The learned weights of tokens, as arrays."""
        w = self._token_weight.weight.detach().numpy()[0].astype(np.float32).copy()
        return TokenWeights(w, float(self._token_weight.bias.item()))


def _add_changes(bert: Any, start: LowRank | None) -> dict[str, Any]:
    """Put a change of rank `RANK` beside every matrix of the encoder's layers."""
    import torch
    from torch.nn import functional

    class Changed(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, kept: Any, factors: tuple[Any, Any] | None) -> None:
            super().__init__()
            self.kept = kept
            a = torch.randn(RANK, kept.in_features) / math.sqrt(kept.in_features)
            b = torch.zeros(kept.out_features, RANK)
            if factors is not None:
                a, b = (torch.tensor(np.asarray(part, np.float32)) for part in factors)
            self.a, self.b = torch.nn.Parameter(a), torch.nn.Parameter(b)

        def forward(self, x: Any) -> Any:
            return self.kept(x) + functional.linear(functional.linear(x, self.a), self.b)

    found = {}
    for part, module in list(bert.named_modules()):
        for name, child in list(module.named_children()):
            if part.startswith("encoder.layer") and isinstance(child, torch.nn.Linear):
                full = f"{part}.{name}"
                factors = start.factors.get(f"{full}.weight") if start is not None else None
                found[full] = Changed(child, factors)
                setattr(module, name, found[full])
    return found


FORGETFUL = Journal(None, "")
_STEP = "tuning"
_MOMENTS = ("exp_avg", "exp_avg_sq")  # of Adam, by PyTorch's names


def save(journal: Journal, optimiser: Any, step: int) -> None:
    """Keep the state after a step, in place of an earlier one."""
    found: Arrays = {"step": np.array(step)}
    for name, parameter in _named(optimiser):
        found[name] = parameter.detach().numpy()
        for moment in _MOMENTS:
            if moment in optimiser.state[parameter]:
                found[f"{name} {moment}"] = optimiser.state[parameter][moment].numpy()
    journal.write(_STEP, found)


def restore(journal: Journal, optimiser: Any) -> int:
    """Put the parameters and the optimiser in the state that was kept; how many steps it has done."""
    import torch

    found = journal.read(_STEP)
    if found is None:
        return 0
    step = int(found["step"])
    for name, parameter in _named(optimiser):
        parameter.data = torch.tensor(found[name])
        moments = {moment: found.get(f"{name} {moment}") for moment in _MOMENTS}
        if all(values is not None for values in moments.values()):
            state = {moment: torch.tensor(values) for moment, values in moments.items()}
            optimiser.state[parameter] = {"step": torch.tensor(float(step)), **state}
    return step


def _named(optimiser: Any) -> list[tuple[str, Any]]:
    parameters = [one for group in optimiser.param_groups for one in group["params"]]
    return [(f"parameter {place}", one) for place, one in enumerate(parameters)]
