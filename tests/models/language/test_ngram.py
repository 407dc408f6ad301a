"""Saving, loading and refusing n-gram models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.language.load import LanguageModel, load_language_model
from captious.models.language.ngram import UNKNOWN_WORD, NgramModel
from captious.models.language.ngram_train import train

CAPTIONS = ["A dog runs.", "A dog sleeps on a sofa.", "Two cats sleep.", "Un été à la plage."]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "captions.lm.npz"
    train(CAPTIONS).save(path)
    return path


def test_what_is_saved_is_what_is_loaded(saved: Path) -> None:
    before, after = train(CAPTIONS), load_language_model(str(saved))
    np.testing.assert_array_equal(before.likelihoods(CAPTIONS).logs, after.likelihoods(CAPTIONS).logs)
    assert after.label == before.label
    assert after.label.startswith("ngram3:4:")


def test_a_text_scores_alike_in_any_company() -> None:
    model = train(CAPTIONS)
    together = model.likelihoods([*CAPTIONS, "", "Two dogs."]).logs
    alone = [model.likelihoods([text]).logs[0] for text in [*CAPTIONS, "", "Two dogs."]]
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-12)


def test_no_texts_give_no_scores() -> None:
    assert len(train(CAPTIONS).likelihoods([]).logs) == 0


def test_another_file_at_the_same_path_is_read_anew(saved: Path) -> None:
    before = load_language_model(str(saved)).label
    train([*CAPTIONS, "A red bus."]).save(saved)
    assert load_language_model(str(saved)).label != before


@pytest.mark.parametrize("damage", ["torn", "text", "foreign", "key", "short"])
def test_a_damaged_file_is_one_clear_line(saved: Path, damage: str) -> None:
    with np.load(saved) as archive:
        arrays = dict(archive)
    if damage == "torn":
        saved.write_bytes(saved.read_bytes()[:200])
    elif damage == "text":
        saved.write_text("not a model")
    elif damage == "foreign":
        np.savez(saved, x=np.arange(3))
    elif damage == "key":
        np.savez(saved, **(arrays | {"keys2": arrays["keys2"].astype(np.int64) + 10**9}))
    else:
        np.savez(saved, **(arrays | {"logs1": arrays["logs1"][:-1]}))
    with pytest.raises(InputError, match="is not a complete n-gram model"):
        NgramModel.load(saved)


def test_an_absent_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_language_model(str(tmp_path / "absent.npz"))


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
