from __future__ import annotations

import altair
import numpy as np
import pytest
from scipy import stats

from captious import Corpus, Judgments, score
from captious.report.correlations import correlation_matrix, matrix_finding, with_judgments
from captious.report.distributions import histograms, spreads, unit_scale
from captious.report.figures import make_figures, scores_finding
from captious.report.rankings import rankings, rankings_finding
from captious.report.raters import agreements
from captious.report.study import make_study
from captious.report.tables import judged_means, system_table
from captious.stats.alpha import krippendorff_alpha


@pytest.fixture(scope="module")
def study(demo_scores, demo_judgments):
    return make_study(demo_scores, demo_judgments, resamples=100)


@pytest.fixture(scope="module")
def figures(study):
    return make_figures(study)


def test_every_specification_is_valid_vega_lite(figures) -> None:
    for figure in figures.all:
        for spec in (figure.wide, figure.narrow):
            altair.Chart.from_dict(spec, validate=True)


def test_every_figure_has_words_and_a_table(figures) -> None:
    assert {figure.key for figure in figures.all} == {
        "scores",
        "correlations",
        "metric-judgment",
        "rankings",
        "spreads",
        "judgments",
        "agreement",
    }
    for figure in figures.all:
        assert figure.finding.endswith(".")
        assert len(figure.table.rows) > 0
        assert all(len(row) == len(figure.table.columns) for row in figure.table.rows)


@pytest.mark.parametrize(
    ("method", "oracle"),
    [
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
        ("kendall_c", lambda x, y: stats.kendalltau(x, y, variant="c")),
    ],
)
def test_matrix_holds_what_scipy_says(demo_scores, demo_judgments, method, oracle) -> None:
    study = make_study(demo_scores, demo_judgments, method=method, resamples=0)
    matrix = correlation_matrix(study)
    names = [column.name for column in matrix.columns]
    cider, recall = names.index("cider"), names.index("recall")
    files_rows = demo_judgments.places_in(demo_scores.corpus)
    judged = np.full(len(demo_scores.corpus), np.nan)
    judged[files_rows] = demo_judgments.means("recall")
    expected = oracle(demo_scores["cider"].values, judged).statistic
    assert matrix.values[cider, recall] == pytest.approx(expected, abs=1e-12)
    assert matrix.values[recall, cider] == matrix.values[cider, recall]


def test_metrics_stand_in_the_order_of_their_correlation(study) -> None:
    matrix = correlation_matrix(study)
    metrics = [i for i, column in enumerate(matrix.columns) if column.is_metric]
    values = matrix.values[0, metrics]
    assert (np.diff(values) <= 0).all()
    found = with_judgments(study, matrix)
    assert all(one.low <= one.value <= one.high for one in found if one.aspect == "total")
    assert [one.value for one in found[: len(metrics)]] == pytest.approx(values)


def test_means_of_the_demo_are_those_of_its_page(study) -> None:
    # docs/demo-sample.md: heron 4.81, magpie 4.16, cuckoo 3.45, dodo 2.10
    table = system_table(study, judged_means(study))
    assert [row[0] for row in table.rows] == ["heron", "magpie", "cuckoo", "dodo"]
    total = table.columns.index("judged total")
    assert [row[total].text for row in table.rows] == ["4.81", "4.16", "3.45", "2.10"]
    assert [row[total].best for row in table.rows] == [True, False, False, False]


def test_agreement_comes_from_the_statistics(study, demo_judgments) -> None:
    found = {(one.aspect, one.coefficient): one.estimate for one in agreements(study)}
    expected = krippendorff_alpha(demo_judgments.matrix("precision"))
    assert found["precision", "ordinal alpha"].value == pytest.approx(expected.value)


def test_one_rater_has_no_agreement(demo_scores, demo_judgments) -> None:
    rows = np.flatnonzero(demo_judgments.rater_of == 0)
    keys = [demo_judgments.keys[i] for i in demo_judgments.example_of[rows]]
    one = Judgments.from_columns(
        images=[image for image, _ in keys],
        systems=[system for _, system in keys],
        aspects=[demo_judgments.aspects[i] for i in demo_judgments.aspect_of[rows]],
        values=demo_judgments.values[rows],
    )
    assert make_figures(make_study(demo_scores, one, resamples=0)).raters == []


def test_shares_of_a_histogram_sum_to_one(study) -> None:
    for one in histograms(study):
        assert one.shares.sum() == pytest.approx(1)
    for one in spreads(study, ["cider"]):
        assert one.shares.sum() == pytest.approx(1)
        assert one.overlap == pytest.approx(1 - np.abs(one.shares - one.judged).sum() / 2)


def test_scale_of_a_constant_column_is_its_middle() -> None:
    assert unit_scale(np.array([3.0, 3.0])).tolist() == [0.5, 0.5]


def _two_systems(good: list[str], poor: list[str]) -> Corpus:
    references = [["a man rides a horse"], ["two dogs play with a ball"]]
    return Corpus.from_lists(
        good + poor, references * 2, image_ids=["1", "2"] * 2, systems=["good"] * 2 + ["poor"] * 2
    )


def test_ranking_tells_where_metric_and_judgments_part() -> None:
    scores = score(_two_systems(["a man rides a horse", "two dogs"], ["a cat", "a bus"]), ["bleu1"])
    judged = Judgments.from_columns(
        images=["1", "2"] * 2, systems=["good"] * 2 + ["poor"] * 2, values=[1, 1, 5, 5]
    )
    study = make_study(scores, judged, resamples=0)
    found = rankings(study)
    assert found.judges == ["judged overall", "BLEU-1"]
    assert found.systems == ["poor", "good"]
    assert found.ranks.tolist() == [[1, 2], [2, 1]]
    assert found.agreement[1] == -1
    assert rankings_finding(found) == (
        "poor ranks first by judged overall. No metric ranks the systems in that order."
    )
    assert scores_finding(study) == ("good scores best on BLEU-1; poor has the highest judged overall.")


def test_without_judgments_there_is_no_judged_figure() -> None:
    scores = score(
        _two_systems(["a man rides a horse", "two dogs"], ["a cat", "a bus"]), ["bleu1", "rouge_l"]
    )
    figures = make_figures(make_study(scores, resamples=0))
    assert [figure.key for figure in figures.all] == ["scores", "correlations", "rankings"]


def test_one_system_and_one_metric() -> None:
    scores = score(Corpus.from_lists(["a cat"], [["a cat"]]), ["bleu1"])
    figures = make_figures(make_study(scores, resamples=0))
    assert [figure.key for figure in figures.all] == ["scores"]
    assert figures.systems[0].finding == "candidates scores BLEU-1 100.0."


def test_more_systems_than_a_chart_holds() -> None:
    names = [f"system {k}" for k in range(14)]
    corpus = Corpus.from_lists(
        ["a cat " * (k + 1) for k in range(14)],
        [["a cat on a mat"]] * 14,
        image_ids=["1"] * 14,
        systems=names,
    )
    figures = make_figures(make_study(score(corpus, ["bleu1", "rouge_l"]), resamples=0))
    assert len(figures.table.rows) == 14
    assert "first 10 of 14 systems" in figures.systems[0].how
    shown = {row["system"] for row in figures.systems[0].wide["datasets"]["rows"]}
    assert len(shown) == 10


def test_the_finding_says_which_metric_agrees_best_in_words_of_the_field() -> None:
    captions = ["a man rides a horse", "a man rides", "a cat"]
    scores = score(Corpus.from_lists(captions, [["a man rides a horse"]] * 3), ["rouge_l"])
    ids = scores.corpus.image_ids
    judged = Judgments.from_columns(images=ids, systems=["candidates"] * 3, values=[5.0, 3.0, 1.0])
    study = make_study(scores, judged, resamples=0)
    matrix = correlation_matrix(study)
    # both orders are 0 > 1 > 2: tau-b 1
    assert matrix_finding(study, matrix) == "ROUGE-L and the judged overall: Kendall's tau-b 1.00."


def test_systems_that_differ_by_chance_share_a_rank() -> None:
    references = [["a man rides a horse"]] * 40
    first = ["a man rides a horse"] * 20 + ["a man rides"] * 20
    second = ["a man rides"] * 19 + ["a man rides a horse"] * 21  # one caption better
    corpus = Corpus.from_lists(
        first + second + ["a cat"] * 40,
        references * 3,
        image_ids=[str(i) for i in range(40)] * 3,
        systems=["one"] * 40 + ["two"] * 40 + ["bad"] * 40,
    )
    study = make_study(score(corpus, ["rouge_l"]), resamples=10)
    found = rankings(study)
    assert found.systems == ["two", "one", "bad"]
    assert found.ranks.tolist() == [[1.5, 1.5, 3]]
    assert rankings_finding(found) == (
        "By ROUGE-L, two and one share the first rank: their differences are not significant."
    )
