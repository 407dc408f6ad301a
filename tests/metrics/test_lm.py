"""Fluency with real language models."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus
from captious.errors import InputError, UnknownNameError
from captious.metrics import Batch, resolve
from captious.models.language.ngram_train import train
from captious.scoring import missing_for, score

GOOD = ["A man riding a wave on a surfboard.", "Two dogs play with a red ball."]
SCRAMBLED = ["surfboard a on wave riding a man A.", "ball red with dogs a Two play."]
TRAINING = [
    "A man riding a wave.",
    "A man on a surfboard.",
    "A man rides a wave on a surfboard.",
    "Two dogs play.",
    "A dog with a red ball.",
    "Two dogs play with a ball.",
]


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    path = tmp_path / "captions.lm.npz"
    train(TRAINING).save(path)
    return path


@pytest.fixture(params=["ngram", "pocketsphinx"])
def specification(request: pytest.FixtureRequest, trained: Path) -> str:
    if request.param == "pocketsphinx":
        if missing_for("lm"):
            pytest.skip(missing_for("lm"))
        return "lm"
    return f"lm[model={trained}]"


def corpus(captions: list[str], system: str = "x") -> Corpus:
    return Corpus.from_lists(captions, [[] for _ in captions], systems=[system] * len(captions))


def test_sentences_beat_their_words_in_disorder(specification: str) -> None:
    good = score(corpus(GOOD), [specification])[specification]
    scrambled = score(corpus(SCRAMBLED), [specification])[specification]
    assert (good.values > scrambled.values).all()
    assert good.score > scrambled.score
    assert good.score < 0


def test_perplexity_is_of_all_tokens_together(specification: str) -> None:
    other = specification[:-1] + ",report=perplexity]" if "[" in specification else "lm[report=perplexity]"
    metric = resolve(other)
    batch = Batch(corpus(GOOD))
    logs, tokens = metric.statistics(batch, None).T
    scores = score(corpus(GOOD), [other])[other]
    assert scores.score == pytest.approx(np.exp(-logs.sum() / tokens.sum()))
    np.testing.assert_allclose(scores.values, np.exp(-logs / tokens))
    assert not metric.higher_is_better


def test_any_text_has_a_finite_score(specification: str) -> None:
    texts = ["", " .", "狗在沙滩上跑。", "x" * 500, "zzqyx " * 50, "🐕"]
    metric = replace(resolve(specification), any_language=True)
    assert np.isfinite(score(corpus(texts), [metric])["lm"].values).all()


def test_processes_and_order_do_not_matter(specification: str) -> None:
    texts = [*GOOD, *SCRAMBLED]
    one = score(corpus(texts), [specification])[specification].values
    two = score(corpus(texts[::-1]), [specification], jobs=2)[specification].values
    np.testing.assert_allclose(one, two[::-1], rtol=0, atol=1e-12)


def test_signature_names_the_model(trained: Path) -> None:
    name = f"lm[model={trained}]"
    signature = score(corpus(GOOD), [name])[name].signature
    assert signature.startswith("lm|model:ngram3:6:")
    assert signature.endswith("|report:likelihood|v:0.1.0")


def test_what_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "perplexity"'):
        resolve("lm[report=perplexty]")
    with pytest.raises(InputError, match="cannot be read"):
        score(corpus(GOOD), [f"lm[model={tmp_path / 'absent.npz'}]"])


def test_a_model_is_for_the_languages_that_its_tokeniser_cuts_into_words(
    trained: Path, tmp_path: Path
) -> None:
    chinese = ["一只棕色的狗在草地上跑。", "两个人骑着自行车。", "一只狗在街上。"]
    with pytest.raises(InputError, match="captions are Chinese, which is written without spaces"):
        score(corpus(chinese), [f"lm[model={trained}]"])
    path = tmp_path / "zh.npz"
    train(chinese, tokeniser="zh").save(path)
    name = f"lm[model={path}]"
    known, shuffled = score(corpus([chinese[0], "草狗在上色的地跑一棕只。"]), [name])[name].values
    assert known > shuffled


def test_a_model_of_captions_knows_captions(data: Path, tmp_path: Path) -> None:
    folder = data / "coco_karpathy"
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    ids = list(captions)
    path = tmp_path / "coco.lm.npz"
    train([text for i in ids[500:3500] for text in references[i]]).save(path)
    rng = np.random.default_rng(4)
    texts = [captions[i] for i in ids[:500]]
    shuffled = [" ".join(rng.permutation(text.split())) for text in texts]
    name = f"lm[model={path}]"
    real = score(corpus(texts), [name])[name].values
    assert (real > score(corpus(shuffled), [name])[name].values).mean() > 0.98
