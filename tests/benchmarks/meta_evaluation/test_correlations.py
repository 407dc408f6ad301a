from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from captious.benchmarks.meta_evaluation.evaluate import evaluate
from captious.benchmarks.meta_evaluation.result import MetaSettings
from captious.benchmarks.protocol import rated_examples
from captious.benchmarks.scores import BenchmarkScores, compute_scores, metrics_for
from captious.errors import InputError, StatisticsError, UnknownNameError

QUICK = MetaSettings(resamples=0)


def scores_of(**columns) -> BenchmarkScores:
    arrays = {name: np.array([column], dtype=float) for name, column in columns.items()}
    return BenchmarkScores(arrays, dict.fromkeys(arrays, "x"))


@pytest.fixture
def mine() -> BenchmarkScores:
    return scores_of(good=[0.9, 0.2, 0.8, 0.1, 0.4, 0.7], poor=[0.3, 0.5, 0.2, 0.1, 0.9, 0.4])


def test_coefficients_are_scipys(small, mine) -> None:
    found = evaluate(small, mine, QUICK).results["good"]
    examples, values = small.rows("overall")
    column = mine.arrays["good"][0][examples]
    for variant in "bc":
        expected = stats.kendalltau(column, values, variant=variant).statistic
        assert found[f"kendall_{variant}"].value == pytest.approx(expected)
    assert found["pearson"].value == pytest.approx(stats.pearsonr(column, values).statistic)
    assert found["spearman"].value == pytest.approx(stats.spearmanr(column, values).statistic)
    assert found["pearson"].n == 12


def test_means_and_single_ratings_differ(small, mine) -> None:
    mean = replace(small, protocol=replace(small.protocol, ratings="mean"))
    found = evaluate(mean, mine, QUICK)
    expected = stats.pearsonr(mine.arrays["good"][0], [4.5, 1, 5, 1.5, 3, 4.5]).statistic
    assert found.n == 6
    assert found.results["good"]["pearson"].value == pytest.approx(expected)


def test_system_and_image_level(small, mine) -> None:
    by_system = evaluate(small, mine, replace(QUICK, level="system", coefficients=("pearson",)))
    # Two systems: any two points lie on a line. A: .9 .8 .4 -> .7, B: .2 .1 .7 -> .33;
    # humans: A 25/6, B 14/6; both fall together.
    assert by_system.results["good"]["pearson"].value == pytest.approx(1.0)
    assert by_system.results["good"]["pearson"].n == 2
    by_image = evaluate(small, mine, replace(QUICK, level="image", coefficients=("kendall_b",)))
    assert by_image.results["good"]["kendall_b"].n == 3


def test_intervals_hold_the_value_and_clusters_are_wider_than_nothing(thumb) -> None:
    scores = compute_scores(thumb, metrics_for("rouge_l", "images"))
    asked = MetaSettings(coefficients=("pearson",), resamples=300)
    cluster = evaluate(thumb, scores, asked).results["rouge_l"]["pearson"]
    item = evaluate(thumb, scores, replace(asked, interval="item")).results["rouge_l"]["pearson"]
    analytic = evaluate(thumb, scores, replace(asked, interval="analytic"))
    exact = analytic.results["rouge_l"]["pearson"]
    assert cluster.low < cluster.value < cluster.high
    # Captions of one image share its difficulty: drawing whole images gives wider intervals.
    assert cluster.high - cluster.low > item.high - item.low
    # Fisher: tanh(atanh r -+ 1.645 / sqrt(n - 3)), the protocol's 90%.
    ends = np.tanh(np.arctanh(exact.value) + np.array([-1, 1]) * 1.644854 / np.sqrt(1997))
    assert [exact.low, exact.high] == pytest.approx(ends, abs=1e-6)
    assert analytic.protocol["interval"] == "analytic" and "resamples" not in analytic.protocol


def test_the_seed_repeats_intervals(small, mine) -> None:
    asked = MetaSettings(resamples=50, seed=7)
    assert evaluate(small, mine, asked) == evaluate(small, mine, asked)


def test_differences_between_metrics(small, mine) -> None:
    found = evaluate(small, mine, MetaSettings(resamples=200, compare=True)).differences
    pearson = next(pair for pair in found if pair.coefficient == "pearson")
    assert (pearson.a, pearson.b) == ("good", "poor")
    assert pearson.difference > 0 and 0 < pearson.p_williams < 0.05
    assert len(found) == 4
    tau = next(pair for pair in found if pair.coefficient == "kendall_c")
    assert np.isnan(tau.p_williams) and 0 < tau.p_bootstrap <= 1


def test_a_constant_metric_has_no_value_but_a_reason(small) -> None:
    found = evaluate(small, scores_of(flat=[1] * 6), MetaSettings(resamples=20))
    value = found.results["flat"]["pearson"]
    assert np.isnan(value.value) and np.isnan(value.low)
    assert "constant" in value.reason
    assert found.to_dict()["results"]["flat"]["pearson"]["reason"] == value.reason


def test_a_constant_aspect_has_no_value(small, mine) -> None:
    found = evaluate(small, mine, replace(QUICK, aspect="fluency"))
    assert "y is constant" in found.results["good"]["kendall_c"].reason


def test_json_shape(small, mine) -> None:
    found = evaluate(small, mine, MetaSettings(resamples=20)).to_dict()
    assert list(found)[:4] == ["benchmark", "protocol", "n", "results"]
    assert found["benchmark"] == found["protocol"]["name"] == "small"
    assert list(found["results"]["good"]["kendall_c"])[:3] == ["value", "low", "high"]


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"coefficients": ("kendal_c",)}, UnknownNameError, 'Did you mean "kendall_c"'),
        ({"level": "corpus"}, UnknownNameError, 'unknown level "corpus"'),
        ({"interval": "bayes"}, UnknownNameError, 'unknown interval "bayes"'),
        ({"aspect": "recal"}, UnknownNameError, 'unknown aspect "recal"'),
        ({"level": "image", "interval": "analytic"}, InputError, "not available at level image"),
    ],
)
def test_bad_settings(small, mine, settings, error, said) -> None:
    with pytest.raises(error, match=said):
        evaluate(small, mine, replace(QUICK, **settings))


def test_no_metric(small) -> None:
    with pytest.raises(InputError, match="no metric to evaluate"):
        evaluate(small, BenchmarkScores({}, {}), QUICK)


def test_one_judgment_is_too_few(small, mine) -> None:
    one = small.corpus.select(np.array([0]))
    alone = rated_examples(small.protocol, one, {"overall": [[3.0]]}, ["1"])
    with pytest.raises(InputError, match=r"1 judgments\. A correlation needs at least two"):
        evaluate(alone, scores_of(m=[1.0]), QUICK)


def test_system_level_needs_systems(expert) -> None:
    with pytest.raises(InputError, match='level="system" needs several systems'):
        evaluate(expert, scores_of(m=range(len(expert.corpus))), replace(QUICK, level="system"))


def test_the_weighted_tau_has_no_analytic_interval(small, mine) -> None:
    asked = MetaSettings(coefficients=("kendall_weighted",), interval="analytic")
    value = evaluate(small, mine, asked).results["good"]["kendall_weighted"]
    examples, human = small.rows("overall")
    expected = stats.weightedtau(mine.arrays["good"][0][examples], human).statistic
    assert value.value == pytest.approx(expected) and np.isnan(value.low)


def test_nan_scores_are_refused(small) -> None:
    with pytest.raises(StatisticsError, match="NaN"):
        evaluate(small, scores_of(m=[np.nan, 1, 2, 3, 4, 5]), QUICK)
