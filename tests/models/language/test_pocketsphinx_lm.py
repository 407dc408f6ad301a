"""The trigram of pocketsphinx."""

from __future__ import annotations

import numpy as np
import pytest

from captious.models.language.load import LanguageModel, load_language_model
from captious.models.language.pocketsphinx_lm import UNKNOWN_WORD


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    pytest.importorskip("pocketsphinx")
    return load_language_model("pocketsphinx")


def test_a_sentence_beats_its_words_in_disorder(model: LanguageModel) -> None:
    good, scrambled = model.likelihoods(
        ["A man riding a wave on a surfboard.", "surfboard a on wave riding a man A"]
    ).logs
    assert good > scrambled + 10


def test_the_word_follows_what_stands_before_it(model: LanguageModel) -> None:
    (of_the, the_of), _ = model.likelihoods(["of the", "the of"])
    assert of_the > the_of


def test_case_and_punctuation_do_not_count(model: LanguageModel) -> None:
    logs, tokens = model.likelihoods(["A dog, running!", "a dog running"])
    assert logs[0] == logs[1]
    assert tokens.tolist() == [4, 4]  # three words and the end


def test_an_unknown_word_is_unlikely_and_not_impossible(model: LanguageModel) -> None:
    logs, tokens = model.likelihoods(["zzqyx", "", "狗"])
    assert np.isfinite(logs).all()
    assert logs[0] < UNKNOWN_WORD
    assert tokens.tolist() == [2, 1, 2]
