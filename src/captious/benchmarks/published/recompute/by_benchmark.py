"""What we measure against the published values, benchmark by benchmark."""

from __future__ import annotations

from collections.abc import Iterable

from captious.benchmarks.data_files.locate import MissingDataError
from captious.benchmarks.datasets.composite import load_composite
from captious.benchmarks.datasets.flickr8k import load_crowdflower, load_expert
from captious.benchmarks.datasets.karpathy import load_karpathy_m2
from captious.benchmarks.datasets.pascal50s import PASCAL50S
from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.benchmarks.published.measurements import Measurements, Recompute, ReproductionRequest
from captious.benchmarks.published.recompute.image_text import IMAGE_TEXT
from captious.benchmarks.published.recompute.pascal50s import SIZES, recompute_pascal50s
from captious.benchmarks.published.recompute.thumb import recompute_thumb
from captious.benchmarks.published.spice.recompute import recompute_spice
from captious.benchmarks.scores import compute_scores, metrics_for
from captious.engine import Progress, run_metrics
from captious.errors import MissingDependencyError
from captious.metrics import Metric, resolve
from captious.stats.virtual_raters import virtual_rater_agreement

CLASSIC = ("bleu1", "bleu4", "rouge_l", "meteor", "cider")


def recompute_flickr8k_expert(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021 on the metrics, Scott et al. 2023 on the raters."""
    data = load_expert(asked.data)
    measured = Measurements()
    _correlations("kendall_c", data, CLASSIC, measured, asked.progress)
    found = virtual_rater_agreement(data.judgments.matrix("overall"), runs=1)
    for name, value in zip(("tau_x", "tau_y", "tau_z"), found.tau, strict=True):
        measured.values[f"virtual_raters/raters/{name}"] = value.mean
    measured.values["virtual_raters/raters/w"] = found.w.mean
    measured.values["virtual_raters/raters/kappa"] = found.kappa.mean
    return measured


def recompute_flickr8k_cf(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021, where the whole file is there."""
    return _whole_file("kendall_b", load_crowdflower(asked.data), asked.progress)


def recompute_composite(asked: ReproductionRequest) -> Measurements:
    """Hessel et al. 2021, and Madhyastha et al. 2019 on systems' captions of COCO images."""
    measured = _whole_file("kendall_c", load_composite(asked.data), asked.progress)
    systems = load_composite(asked.data, subset="coco", human="without")
    scores = compute_scores(systems, _ready(CLASSIC, "spearman, systems/", systems, measured))
    for aspect in systems.judgments.aspects:
        settings = MetaSettings(aspect=aspect, coefficients=("spearman",), resamples=0)
        for name, found in evaluate(systems, scores, settings).results.items():
            measured.values[f"spearman, systems/{name}/{aspect}"] = found["spearman"].value
    return measured


def recompute_pascal(asked: ReproductionRequest) -> Measurements:
    """Madhyastha et al. 2019, Tables 5 and 6."""
    lacking = Measurements()
    ready = [name for name in CLASSIC if _is_ready(resolve(name), f"accuracy/{name}", lacking)]
    found = recompute_pascal50s(asked, metrics_for(ready, PASCAL50S.documents))
    for key, why in lacking.skipped.items():
        name = key.rpartition("/")[2]
        found.skipped |= {f"accuracy, {size}/{name}/": why for size, _ in SIZES}
    return found


def recompute_karpathy(asked: ReproductionRequest) -> Measurements:
    """The outputs of the M2 Transformer on the Karpathy test split."""
    corpus = load_karpathy_m2(asked.data)
    measured = Measurements()
    metrics: dict[str, Metric] = {}
    for name in CLASSIC:
        metric = resolve(name)
        if _is_ready(metric, f"corpus/m2_transformer/{name}", measured):
            metrics[name] = metric
    runs = run_metrics(corpus, list(metrics.values()), progress=asked.progress)
    for (name, metric), run in zip(metrics.items(), runs, strict=True):
        value = float(metric.corpus_score(run.statistics.sum(axis=0)))
        measured.values[f"corpus/m2_transformer/{name}"] = value
    return measured


def _whole_file(method: str, data: RatedExamples, progress: Progress | None) -> Measurements:
    if data.notes:
        raise MissingDataError(data.notes[0])
    measured = Measurements()
    _correlations(method, data, CLASSIC, measured, progress)
    return measured


def _correlations(
    method: str, data: RatedExamples, names: Iterable[str], measured: Measurements, progress: Progress | None
) -> None:
    prefix = f"{method}/{data.protocol.aspect}/"
    metrics = _ready(names, prefix, data, measured)
    scores = compute_scores(data, metrics, progress=progress)
    settings = MetaSettings(coefficients=(method,), resamples=0)
    for name, found in evaluate(data, scores, settings).results.items():
        measured.values[prefix + name] = found[method].value


def _ready(
    names: Iterable[str], prefix: str, data: RatedExamples | Preferences, measured: Measurements
) -> dict[str, Metric]:
    ready = [name for name in names if _is_ready(resolve(name), prefix + name, measured)]
    return metrics_for(ready, data.protocol.documents)


def _is_ready(metric: Metric, key: str, measured: Measurements) -> bool:
    try:
        metric.ready()
    except MissingDependencyError:
        measured.skipped[key] = f"needs captious[{metric.name}]"
        return False
    return True


RECOMPUTED: dict[str, Recompute] = {
    "thumb": recompute_thumb,
    "flickr8k-expert": recompute_flickr8k_expert,
    "flickr8k-cf": recompute_flickr8k_cf,
    "composite": recompute_composite,
    "pascal-50s": recompute_pascal,
    "coco-karpathy": recompute_karpathy,
    "spice": recompute_spice,
    **IMAGE_TEXT,
}
