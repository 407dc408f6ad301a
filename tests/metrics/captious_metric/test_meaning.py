"""Meaning features, by hand, on vectors of two dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from captious.metrics.captious_metric.meaning import MEANING_FEATURES, Meant, TokenWeights, meaning_features


def meant(sentence: tuple[float, float], *tokens: tuple[float, float]) -> Meant:
    return Meant(
        np.array(sentence, np.float32), np.array(tokens, np.float32), np.ones(len(tokens), np.float32)
    )


def features(candidate: Meant | None, *references: Meant | None) -> dict[str, float]:
    return dict(zip(MEANING_FEATURES, meaning_features(candidate, references), strict=True))


def test_sentences() -> None:
    found = features(meant((1, 0), (1, 0)), meant((1, 0), (1, 0)), meant((0, 1), (0, 1)))
    assert found["agreement"] == 0
    assert found["sentence"] == pytest.approx(np.sqrt(0.5))  # the mean of the references lies between


def test_tokens_find_their_best_partner_in_any_reference() -> None:
    candidate = meant((1, 0), (1, 0), (0, 1))
    found = features(candidate, meant((1, 0), (1, 0)), meant((1, 0), (0, 1)))
    assert found["precision_best"] == 1  # each token has a partner in one of the references
    assert found["recall_mean"] == 1


def test_tokens_without_a_partner_show() -> None:
    found = features(meant((1, 0), (1, 0), (0, 1)), meant((1, 0), (1, 0)), meant((1, 0), (1, 0), (-1, 0)))
    assert found["precision_best"] == 0.5
    # the first reference finds its token; of the second's the best partners are 1 and 0
    assert found["recall_mean"] == pytest.approx((1 + 0.5) / 2)


def test_heavy_tokens_count_more() -> None:
    heavy = meant((1, 0), (1, 0), (0, 1))._replace(weights=np.array([3.0, 1.0], np.float32))
    assert features(heavy, meant((1, 0), (1, 0)))["precision_best"] == pytest.approx(3 / 4)


def test_nothing_to_compare_is_zero() -> None:
    assert set(features(None, meant((1, 0), (1, 0))).values()) == {0.0}
    assert set(features(meant((1, 0), (1, 0)), None).values()) == {0.0}


def test_token_weights_are_positive() -> None:
    weights = TokenWeights(np.array([1.0, 0.0], np.float32), 0.0).of(np.array([[0, 0], [-50, 0]], np.float32))
    assert weights[0] == pytest.approx(np.log(2))
    assert 0 <= weights[1] < 1e-6
