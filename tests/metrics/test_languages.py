"""Captions in other languages: right, refused or told; never a wrong number in silence."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus, Reward, explain, open_shards, score
from captious.errors import CaptiousWarning, InputError, MissingDependencyError, UnknownNameError
from captious.metrics import Metric, known_metrics, resolve
from captious.metrics.languages import findings, refuse_languages, text_notes
from captious.text.languages import ANY, SPACED, UNSPACED, languages_of
from captious.text.markup import without_markup
from captious.text.tokens import token_table, tokenisers_for

CAPTIONS: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "languages" / "captions.json").read_text("utf-8")
)
UNSPACED_CODES = ("zh", "ja", "th")
OURS = [name for name, one in known_metrics().items() if one.__module__.startswith("captious.")]
FACTOR = {"vifidel": 1.0}  # whose scores are all near 1
SEGMENTERS = ("zh-jieba", "ja-mecab", "ko-mecab", "th-newmm")
CHINESE = ["一只棕色的狗在草地上跑。", "两个人骑着自行车。", "街上有一辆红色公交车。"]
REFERENCES = [
    ["一只狗在草地上奔跑。", "棕色的狗跑过草地。"],
    ["两个人在骑自行车。", "一男一女骑着车。"],
    ["一辆红色的公交车停在街上。", "街上的公交车。"],
]


def corpus_of(code: str, *, shuffled: bool = False, images: dict[str, str] | None = None) -> Corpus:
    """Each caption against a reference of its own; the objects are the reference's words."""
    captions, references = zip(*CAPTIONS[code], strict=True)
    ids = [str(place) for place in range(len(captions))]
    if shuffled:
        captions = (*captions[5:], *captions[:5])
    return Corpus.from_lists(
        captions,
        [[text] for text in references],
        image_ids=ids,
        image_paths={one: images[one] for one in ids} if images else None,
        objects={one: text.strip(".").split() for one, text in zip(ids, references, strict=True)},
    )


def ready(name: str) -> Metric:
    try:
        metric = resolve(name)
        metric.ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    return metric


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(CHINESE, REFERENCES)


@pytest.mark.parametrize("name", OURS)
def test_every_metric_declares_languages(name: str) -> None:
    claimed = resolve(name).languages()
    assert claimed and all(one in (ANY, SPACED) or len(one) == 2 for one in claimed)


@pytest.mark.filterwarnings("error:.*captions are:captious.errors.CaptiousWarning")
@pytest.mark.filterwarnings("ignore:vlm_judge sends:captious.errors.CaptiousWarning")
@pytest.mark.parametrize("code", CAPTIONS)
@pytest.mark.parametrize("name", OURS)
def test_shuffled_captions_lose_or_the_language_is_refused_or_noted(
    name: str, code: str, runnable: Callable[[str], Metric], photograph_paths: dict[str, str]
) -> None:
    metric = runnable(name)
    right = corpus_of(code, images=photograph_paths)
    told = findings(metric, right)
    claimed = ANY in metric.languages() or code in metric.languages()
    claimed = claimed or (SPACED in metric.languages() and code not in UNSPACED_CODES)
    assert bool(told) is not claimed
    if any(one.refused for one in told):
        with pytest.raises(InputError, match=f"^{name}: captions are "):
            score(right, [metric])
        return
    if told:
        with pytest.warns(CaptiousWarning, match=f"{name}: captions are "):
            found = score(right, [metric])[name]
        assert f"|captions:{code}|" in found.signature
        return
    good = score(right, [metric])[name]
    assert "captions:" not in good.signature
    if not {"references", "objects"} & metric.needs:
        return  # compares with nothing that knows the language
    bad = score(corpus_of(code, shuffled=True, images=photograph_paths), [metric])[name]
    if "image" in metric.needs or name == "refonlyc":  # tiny weights know nothing, but the texts differ
        assert (good.values != bad.values).any()
    else:
        better, worse = (good, bad) if metric.higher_is_better else (bad, good)
        assert better.score > FACTOR.get(name, 1.5) * worse.score
        assert (better.values >= worse.values).mean() > 0.9


@pytest.mark.parametrize("code", ["th", "zh", "ja", "ar", "he", "hi", "ru", "ko"])
@pytest.mark.parametrize("name", ["sentsim", "bertscore", "captious", "meteor", "spice", "lm"])
def test_what_an_english_metric_cannot_read_is_refused(name: str, code: str) -> None:
    metric = ready(name)
    assert findings(metric, corpus_of(code))[0].refused


@pytest.mark.parametrize("code", UNSPACED_CODES)
@pytest.mark.parametrize("metric", ["bleu4", "rouge_l", "cider", "cider_original", "sacrebleu"])
def test_the_tokeniser_that_the_error_names_is_right(metric: str, code: str) -> None:
    corpus = corpus_of(code)
    with pytest.raises(InputError, match=r"written without spaces.* Use NAME\[tokeniser="):
        score(corpus, [metric])
    for tokeniser in tokenisers_for(code):
        name = f"{metric}[tokeniser={tokeniser}]"
        ready(name)
        good, bad = score(corpus, [name])[name], score(corpus_of(code, shuffled=True), [name])[name]
        assert good.score > 1.5 * bad.score
        assert "captions:" not in good.signature


def test_text_that_was_cut_into_words_is_scored(corpus: Corpus) -> None:
    cut = ["一只 棕色 的 狗 在 草地 上 跑", "两 个 人 骑 着 自行车"]
    assert score(Corpus.from_lists(cut, [[text] for text in cut]), ["bleu4"])["bleu4"].score > 0.99


@pytest.mark.parametrize("name", ["bleu4", "meteor", "sentsim", "captious"])
def test_whoever_wants_it_all_the_same_gets_it_marked(name: str) -> None:
    ready(name)
    asked = f"{name}[any_language=yes]"
    corpus = corpus_of("th")
    with warnings.catch_warnings():
        warnings.simplefilter("error", CaptiousWarning)
        found = score(corpus, [asked])[asked]
    assert "|captions:th|" in found.signature


def test_another_language_of_the_references_is_told_too() -> None:
    captions = [own[0] for own in CAPTIONS["en"]]
    german = Corpus.from_lists(captions, [[own[0]] for own in CAPTIONS["de"]])
    assert text_notes([resolve("spice")], german) == [
        "spice: references are German, but it is made for English: its scores are less reliable."
    ]
    with pytest.raises(InputError, match="captions are Chinese, which is written without spaces"):
        score(Corpus.from_lists([own[0] for own in CAPTIONS["zh"]], [[text] for text in captions]), ["bleu1"])


def test_a_mixture_is_refused_and_a_few_are_noted() -> None:
    ready("sentsim")
    english = [own[0] for own in CAPTIONS["en"]]
    half = english + [own[0] for own in CAPTIONS["th"]]
    random.Random(1).shuffle(half)
    with pytest.raises(InputError, match="captions are Thai"):
        refuse_languages(Corpus.from_lists(half, [[text] for text in half]), [resolve("sentsim")])
    few = [*english * 5, CAPTIONS["th"][0][0]]
    corpus = Corpus.from_lists(few, [[text] for text in few])
    refuse_languages(corpus, [resolve("sentsim")])
    assert "1 of the captions are Thai" in text_notes([resolve("sentsim")], corpus)[0]


@pytest.mark.parametrize(
    "captions",
    [["a dog", ""], ["🐕", "a dog runs"], ["12", "3"], ["naïve café", "the café"], ["a sign with 停 on it"]],
)
def test_odd_english_captions_are_scored(captions: list[str]) -> None:
    corpus = Corpus.from_lists(captions, [["a dog runs on the beach"]] * len(captions))
    refuse_languages(corpus, [resolve(name) for name in ("bleu4", "meteor", "spice", "captious", "lm")])


def test_symbols_that_the_encoder_cannot_read_are_noted() -> None:
    metric = ready("sentsim")
    symbols = Corpus.from_lists(["🐕 🏖", "a dog"], [["🐕 🏖"], ["a dog"]])
    assert "its encoder reads hardly a word of 50% of the captions" in text_notes([metric], symbols)[0]


def test_explanations_and_rewards_are_guarded_too(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="captions are Chinese"):
        explain(corpus, "spice")
    with pytest.raises(InputError, match="references are Chinese"):
        Reward("cider", references={str(i): own for i, own in enumerate(REFERENCES)})
    reward = Reward("cider", references={"1": ["a dog runs"], "2": ["two cats"]})
    with pytest.raises(InputError, match="captions are Chinese"):
        reward(["1", "2"], CHINESE[:2])
    with pytest.warns(CaptiousWarning, match=r"meteor: references are German.*Use meteor\[language=de\]"):
        Reward("meteor", references=[[own[0]] for own in CAPTIONS["de"]])
    right = Reward("cider[tokeniser=zh]", references={str(i): own for i, own in enumerate(REFERENCES)})
    assert right(["0", "0"], CHINESE[:2])[0] > 1


def test_the_default_metrics_are_left_out_with_the_way_out(corpus: Corpus) -> None:
    with (
        pytest.warns(CaptiousWarning, match=r"cider are left out.*Use NAME\[tokeniser=zh\] or zh-jieba"),
        pytest.raises(InputError, match="none of the default metrics"),
    ):
        score(corpus)


@pytest.mark.parametrize("tokeniser", ["zh", "char", "intl", "13a", "ja-mecab", "ko-mecab"])
def test_sacrebleu_by_any_of_its_tokenisers(tokeniser: str) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    code = {"ja-mecab": "ja", "ko-mecab": "ko"}.get(tokeniser, "zh")
    name = f"sacrebleu[tokeniser={tokeniser},any_language=yes]"
    ready(name)
    found = score(corpus_of(code), [name])[name]
    bleu = sacrebleu.BLEU(tokenize=tokeniser, effective_order=True)
    expected = [bleu.sentence_score(caption, [own]).score / 100 for caption, own in CAPTIONS[code]]
    np.testing.assert_allclose(found.values, expected, atol=1e-9)
    assert f"|tok:{tokeniser}" in found.signature


@pytest.mark.parametrize("tokeniser", ["zh", "char", "ja-mecab", "ko-mecab"])
def test_coco_captions_metrics_on_those_tokens(tokeniser: str) -> None:
    """coco-caption's own classes on texts cut by sacreBLEU's tokeniser."""
    pytest.importorskip("pycocoevalcap")
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from sacrebleu.metrics.bleu import _get_tokenizer

    ready(f"bleu4[tokeniser={tokeniser}]")
    code = {"ja-mecab": "ja", "ko-mecab": "ko"}.get(tokeniser, "zh")
    cut = _get_tokenizer(tokeniser)()
    references = {i: [" ".join(cut(own[1]).split())] for i, own in enumerate(CAPTIONS[code])}
    captions = {i: [" ".join(cut(own[0]).split())] for i, own in enumerate(CAPTIONS[code])}
    names = {"rouge_l": Rouge(), "cider": Cider(), "bleu4": Bleu(4)}
    for metric, theirs in names.items():
        name = f"{metric}[tokeniser={tokeniser}]"
        told = {"verbose": 0} if metric == "bleu4" else {}
        _, expected = theirs.compute_score(references, captions, **told)
        expected = expected[3] if metric == "bleu4" else expected
        np.testing.assert_allclose(
            score(corpus_of(code), [name])[name].values, expected, rtol=1e-9, atol=1e-12
        )


def test_bleu_by_hand() -> None:
    # 一只狗 against 一只猫: two of three characters, and one of two pairs.
    corpus = Corpus.from_lists(["一只狗"], [["一只猫"]])
    found = score(corpus, ["bleu1[tokeniser=char]", "bleu2[tokeniser=zh]"])
    assert found["bleu1[tokeniser=char]"].score == pytest.approx(2 / 3)
    assert found["bleu2[tokeniser=zh]"].score == pytest.approx((2 / 3 * 1 / 2) ** 0.5)


@pytest.mark.parametrize(
    ("tokeniser", "text", "words"),
    [
        ("zh-jieba", "一只棕色的狗在海滩上奔跑。", "一只 棕色 的 狗 在 海滩 上 奔跑 。"),
        ("ja-mecab", "茶色い犬が浜辺を走っている。", "茶色い 犬 が 浜辺 を 走っ て いる 。"),
        ("ko-mecab", "갈색 개가 해변을 따라 달리고 있다.", "갈색 개 가 해변 을 따라 달리 고 있 다 ."),
        ("th-newmm", "สุนัขสีน้ำตาลกำลังวิ่งไปตามชายหาด", "สุนัข สีน้ำตาล กำลัง วิ่ง ไป ตาม ชายหาด"),
    ],
)
def test_words_of_the_named_tokenisers(tokeniser: str, text: str, words: str) -> None:
    ready(f"bleu1[tokeniser={tokeniser}]")
    assert token_table([text, ""], tokeniser).words(0) == words.split()
    assert token_table([text, ""], tokeniser).words(1) == []


@pytest.mark.parametrize("metric", ["bleu4", "rouge_l", "cider", "sacrebleu", "wmd"])
def test_a_tokeniser_that_is_not_there_is_refused_before_work(metric: str) -> None:
    with pytest.raises(UnknownNameError, match="tokeniser"):
        resolve(f"{metric}[tokeniser=mecab]")


def test_a_tokeniser_without_its_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("captious.text.segmenters.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r'pip install "captious\[ja\]"'):
        resolve("bleu4[tokeniser=ja-mecab]")


def test_the_words_of_the_tables_hold_no_white_space() -> None:
    assert token_table(["一 只"], "char").words(0) == ["一", "只"]


def test_scripts_without_spaces_are_those_of_the_captions() -> None:
    assert {languages_of([CAPTIONS[code][0][0]])[0].script for code in UNSPACED_CODES} <= UNSPACED


def test_markup_is_noted_and_marked() -> None:
    captions = ["## Scene\n**Three sheep** graze.", "A dog."]
    references = [["Three sheep graze."], ["A dog </s>"]]
    with pytest.warns(CaptiousWarning) as told:
        found = score(Corpus.from_lists(captions, references), ["bleu1", "rulegrammar"])
    assert [str(one.message) for one in told] == [
        f'50.0% of the {side} have markup, as in "{shown}", which most metrics read as words. '
        "captious data check --fix takes it out."
        for side, shown in (("captions", r"## Scene\n**Three sheep** gra…"), ("references", "</s>"))
    ]
    assert "|markup:captions+references|" in found["bleu1"].signature
    assert "|markup:captions|" in found["rulegrammar"].signature  # reads no references
    plain = Corpus.from_lists([without_markup(one) for one in captions], [["Three sheep graze."], ["A dog"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error", CaptiousWarning)
        assert score(plain, ["bleu1"])["bleu1"].values[1] == pytest.approx(1)


def test_a_reward_tells_of_markup_once() -> None:
    reward = Reward("bleu1", references={"1": ["a dog runs"]})
    with pytest.warns(CaptiousWarning, match=r'captions with markup, such as "\*\*a dog\*\* runs"'):
        assert reward(["1"], ["**a dog** runs"])[0] < 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", CaptiousWarning)
        reward(["1"], ["**a dog** runs"])


def test_a_text_with_much_of_two_scripts_counts_for_both() -> None:
    mixed = "A brown dog runs along the beach. 一只棕色的狗在海滩上跑。"
    assert {one.code for one in languages_of([mixed])} == {"en", "zh"}
    with pytest.raises(InputError, match="bleu4: captions are Chinese, which is written without spaces"):
        score(Corpus.from_lists([mixed], [[mixed]]), ["bleu4"])
    assert [one.code for one in languages_of(["A shop with a sign that says 停车 above its door."])] == ["en"]


def test_signatures_of_shards_tell_languages_and_markup(tmp_path: Path) -> None:
    for name, code in (("a", "de"), ("b", "en")):
        rows = [
            {
                "image_id": str(place),
                "caption": f"**{own[0]}**" if code == "en" else own[0],
                "references": [own[1]],
            }
            for place, own in enumerate(CAPTIONS[code])
        ]
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    ready("meteor")
    with pytest.warns(CaptiousWarning, match="captions are German"):
        german = score(open_shards(str(tmp_path / "a*.jsonl")), ["meteor"], out=tmp_path / "out-a")
    assert "|captions:de|" in german.scores["meteor"].signature
    with pytest.warns(CaptiousWarning, match="captions have markup"):
        marked = score(open_shards(str(tmp_path / "b*.jsonl")), ["meteor"], out=tmp_path / "out-b")
    assert "|markup:captions|" in marked.scores["meteor"].signature
