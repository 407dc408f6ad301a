"""What a metric saves beside 100 ratings of a system's 500 captions on THumB; whether intervals hold.

    python benchmarks/judgments/few_ratings.py [--draws 300] [--metrics captious,cider]

Of each system's captions 100 are drawn at random as rated; the mean of all 500 is known. Printed for each
metric: the variance of the estimates over the draws, with the metric over without it, and the share of the
95% intervals that hold the known mean. `noise` is a metric of random numbers. The weights of `captious` were
fitted without THumB's images.
"""

from __future__ import annotations

import argparse

import numpy as np

from captious.benchmarks import load_benchmark
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.stats.prediction_powered import powered_mean
from captious.tables import Table

RATED = 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--metrics", default="captious,cider,sentsim")
    arguments = parser.parse_args()
    data = load_benchmark("thumb", None)
    metrics = metrics_for(arguments.metrics, data.protocol.documents)
    found = compute_scores(data, metrics)
    generator = np.random.default_rng(0)
    scores = {name: rows[0] for name, rows in found.arrays.items()}
    scores["noise"] = generator.normal(size=len(data.corpus))
    total = data.judgments.means("total")
    table = []
    for name, values in scores.items():
        for place, system in enumerate(data.corpus.systems):
            rows = np.flatnonzero(data.corpus.system_of == place)
            table.append([name, system, *simulated(total[rows], values[rows], arguments.draws, generator)])
    for name in scores:
        own = [row[2:] for row in table if row[0] == name]
        table.append([name, "mean", *np.mean(own, axis=0).tolist()])
    columns = ["metric", "system", "variance ratio", "coverage", "coverage without"]
    print(Table(f"{RATED} of 500 rated, {arguments.draws} draws", columns, table))


def simulated(
    human: np.ndarray, values: np.ndarray, draws: int, generator: np.random.Generator
) -> tuple[float, float, float]:
    """Variance with the metric over without it, and coverage with and without."""
    truth = human.mean()
    found = []
    for _ in range(draws):
        rated = generator.permutation(len(human))[:RATED]
        ratings = np.full(len(human), np.nan)
        ratings[rated] = human[rated]
        found.append(powered_mean(ratings, values))
    powered, plain = ([getattr(one, which) for one in found] for which in ("powered", "human"))
    variances = [np.mean([(one.value - truth) ** 2 for one in some]) for some in (powered, plain)]
    covered = [float(np.mean([one.low <= truth <= one.high for one in some])) for some in (powered, plain)]
    return float(variances[0] / variances[1]), *covered


if __name__ == "__main__":
    main()
