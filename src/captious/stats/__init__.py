"""Statistics as pure functions on arrays: correlation, resampling, significance, agreement.

The public names of each module are imported from here; nothing here imports SciPy until a function
that needs it is called.
"""

from __future__ import annotations

from captious.stats.aggregate import (
    mean_rating,
    mean_without_extremes,
    median_rating,
    rounded_mean,
    rubric_total,
    vote,
)
from captious.stats.agreement import (
    PairwiseAgreement,
    agreement_summary,
    pairwise_agreement,
    percent_agreement,
    span_agreement_summary,
)
from captious.stats.alpha import krippendorff_alpha
from captious.stats.average_precision import average_precision, resampled_average_precision
from captious.stats.concordance import kendall_w
from captious.stats.correlation import (
    METHODS,
    Correlation,
    correlate,
    kendall_b,
    kendall_c,
    kendall_weighted_tau,
    pearson,
    spearman,
)
from captious.stats.crowd_models import dawid_skene, mace, too_little_overlap
from captious.stats.estimate import Estimate
from captious.stats.gamma import gamma_agreement
from captious.stats.icc import icc
from captious.stats.intervals import (
    analytic_interval,
    bootstrap_correlations,
    correlation_interval,
    resampled_correlations,
)
from captious.stats.kappa import cohen_kappa, fleiss_kappa
from captious.stats.kendall import PairCounts, count_pairs
from captious.stats.metric_difference import (
    WilliamsTest,
    compare_by_bootstrap,
    compare_by_permutation,
    williams_test,
)
from captious.stats.multiple import SignificanceClusters, holm, significance_clusters
from captious.stats.pairwise import (
    Accuracy,
    acc_eq,
    accuracy_of_counts,
    pairwise_accuracy,
    preference_accuracy,
    preference_credit,
)
from captious.stats.planning import plan_study, smallest_study, variance_components
from captious.stats.prediction_powered import (
    PoweredEstimate,
    powered_correlation,
    powered_difference,
    powered_mean,
)
from captious.stats.preference import mean_preference, preference_score
from captious.stats.ranking import BestWorst, best_and_worst, rank_systems, ranking_correlation
from captious.stats.ratings import RatingMatrix, as_ratings, merge_categories, rating_matrix
from captious.stats.reliability import half_pool_scores, spearman_brown, split_half, spread_by_sample_size
from captious.stats.resample import (
    Interval,
    bca_interval,
    bootstrap_interval,
    bootstrap_sums,
    bootstrap_weights,
    cluster_sums,
    percentile_interval,
)
from captious.stats.retest import leave_one_rater_out, retest_agreement, stage_agreement
from captious.stats.separation import Separations, separations
from captious.stats.sequential import Sequential, confidence_sequence, sequential_mean
from captious.stats.significance import (
    PairedTest,
    Resampled,
    approximate_randomisation,
    approximate_randomisations,
    paired_bootstrap,
    paired_bootstraps,
    resampled,
    win_tie_loss,
)
from captious.stats.span_f1 import span_f1
from captious.stats.spans import Mark, MarkedText
from captious.stats.ties import TieCalibration, calibrate_ties
from captious.stats.unitising import unitising_alpha
from captious.stats.virtual_raters import draw_virtual_raters, virtual_rater_agreement

__all__ = [
    "METHODS",
    "Accuracy",
    "BestWorst",
    "Correlation",
    "Estimate",
    "Interval",
    "Mark",
    "MarkedText",
    "PairCounts",
    "PairedTest",
    "PairwiseAgreement",
    "PoweredEstimate",
    "RatingMatrix",
    "Resampled",
    "Separations",
    "Sequential",
    "SignificanceClusters",
    "TieCalibration",
    "WilliamsTest",
    "acc_eq",
    "accuracy_of_counts",
    "agreement_summary",
    "analytic_interval",
    "approximate_randomisation",
    "approximate_randomisations",
    "as_ratings",
    "average_precision",
    "bca_interval",
    "best_and_worst",
    "bootstrap_correlations",
    "bootstrap_interval",
    "bootstrap_sums",
    "bootstrap_weights",
    "calibrate_ties",
    "cluster_sums",
    "cohen_kappa",
    "compare_by_bootstrap",
    "compare_by_permutation",
    "confidence_sequence",
    "correlate",
    "correlation_interval",
    "count_pairs",
    "dawid_skene",
    "draw_virtual_raters",
    "fleiss_kappa",
    "gamma_agreement",
    "half_pool_scores",
    "holm",
    "icc",
    "kendall_b",
    "kendall_c",
    "kendall_w",
    "kendall_weighted_tau",
    "krippendorff_alpha",
    "leave_one_rater_out",
    "mace",
    "mean_preference",
    "mean_rating",
    "mean_without_extremes",
    "median_rating",
    "merge_categories",
    "paired_bootstrap",
    "paired_bootstraps",
    "pairwise_accuracy",
    "pairwise_agreement",
    "pearson",
    "percent_agreement",
    "percentile_interval",
    "plan_study",
    "powered_correlation",
    "powered_difference",
    "powered_mean",
    "preference_accuracy",
    "preference_credit",
    "preference_score",
    "rank_systems",
    "ranking_correlation",
    "rating_matrix",
    "resampled",
    "resampled_average_precision",
    "resampled_correlations",
    "retest_agreement",
    "rounded_mean",
    "rubric_total",
    "separations",
    "sequential_mean",
    "significance_clusters",
    "smallest_study",
    "span_agreement_summary",
    "span_f1",
    "spearman",
    "spearman_brown",
    "split_half",
    "spread_by_sample_size",
    "stage_agreement",
    "too_little_overlap",
    "unitising_alpha",
    "variance_components",
    "virtual_rater_agreement",
    "vote",
    "williams_test",
    "win_tie_loss",
]
