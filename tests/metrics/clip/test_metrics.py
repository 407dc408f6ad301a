"""The CLIP family on tiny checkpoints in the published layouts, item by item by the papers' formulas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import captious
from captious import Corpus
from captious.errors import InputError, MissingDependencyError
from captious.metrics import resolve
from captious.models.weights.known import MCIP, PAC_B32

CAPTIONS = ["a dog on a mat", "two cats", "a cat", "dog", "an old dog", "a red cat"]
REFERENCES = [
    ["a dog", "dog on mat"],
    ["cats", "a cat"],
    ["dog"],
    ["a dog", "an old cat", "red"],
    ["cat"],
    ["a"],
]
CLOSE = 1e-5


class Made(NamedTuple):
    """A tiny CLIP in three layouts, under one cache as a user has it, and the model as an oracle."""

    model: Any
    folder: Path
    photographs: list[Path]


@pytest.fixture(scope="module")
def made(tiny: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Made:
    import torch

    root = tmp_path_factory.mktemp("clip")
    snapshot = root / "hub" / "models--openai--clip-vit-base-patch32" / "snapshots" / ("ab" * 20)
    model = tiny.write_clip(snapshot, seed=22)
    (root / "hub" / "models--openai--clip-vit-base-patch32" / "refs").mkdir()
    (root / "hub" / "models--openai--clip-vit-base-patch32" / "refs" / "main").write_text("ab" * 20)
    (root / "cache" / "weights").mkdir(parents=True)
    state = tiny.openai_state(model)
    torch.save({"state_dict": state, "epoch": 1}, root / "cache" / "weights" / "clip_ViT-B-32.pth")
    torch.save(state, root / "cache" / "weights" / "MCIP-ViT-L-14-336.pth")
    return Made(model, root, tiny.write_photographs(root / "images", len(CAPTIONS), seed=9))


@pytest.fixture(autouse=True)
def own_caches(made: Made, tiny: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights where a user's downloads are; the tiny ones are for tiny images."""
    from captious.models import weights

    monkeypatch.setenv("CAPTIOUS_CACHE", str(made.folder / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(made.folder / "hub"))
    for name in (MCIP, PAC_B32):
        monkeypatch.setitem(
            weights.KNOWN, name, weights.KNOWN[name]._replace(side=tiny.SIDE, limit=tiny.LIMIT)
        )


@pytest.fixture
def corpus(made: Made) -> Corpus:
    ids = [path.name for path in made.photographs]
    paths = dict(zip(ids, map(str, made.photographs), strict=True))
    return Corpus.from_lists(CAPTIONS, REFERENCES, image_ids=ids, image_paths=paths)


def unit(found: Any) -> Any:
    values = found.pooler_output.numpy().astype(np.float64)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def texts_of(made: Made, texts: Sequence[str]) -> Any:
    import torch
    from transformers import CLIPTokenizer

    snapshot = next((made.folder / "hub").glob("*/snapshots/*"))
    tokeniser = CLIPTokenizer.from_pretrained(str(snapshot))
    rows = tokeniser(list(texts), return_tensors="pt", padding=True, truncation=True, max_length=16)
    with torch.inference_mode():
        return unit(made.model.get_text_features(**rows))


def images_of(made: Made, tiny: ModuleType) -> Any:
    import torch

    with torch.inference_mode():
        pixels = torch.stack([tiny.published_pixels(path) for path in made.photographs])
        return unit(made.model.get_image_features(pixel_values=pixels))


def straight_line(made: Made, tiny: ModuleType, *, w: float, prompt: str) -> dict[str, list[float]]:
    """The papers' formulas in plain loops."""
    images = images_of(made, tiny)
    candidates = texts_of(made, [prompt + caption for caption in CAPTIONS])
    found: dict[str, list[float]] = {"image": [], "both": [], "references": []}
    for image, candidate, references in zip(images, candidates, REFERENCES, strict=True):
        others = texts_of(made, [prompt + reference for reference in references])
        clip = w * max(float(image @ candidate), 0.0)
        best = max([0.0, *(float(candidate @ other) for other in others)])
        found["image"].append(clip)
        found["references"].append(best)
        found["both"].append(2 * clip * best / (clip + best) if clip + best > 0 else 0.0)
    return found


@pytest.mark.parametrize(
    ("name", "part", "w", "prompt"),
    [
        ("clipscore", "image", 2.5, "A photo depicts "),
        ("refclipscore", "both", 2.5, "A photo depicts "),
        ("refonlyc", "references", 2.5, "A photo depicts "),
        ("mcipscore", "image", 2.5, ""),
        ("mcipscore_ref", "both", 2.5, ""),
        ("pacscore", "image", 2.0, "A photo depicts "),
        ("refpacscore", "both", 2.0, "A photo depicts "),
    ],
)
def test_every_item_is_the_papers_formula(
    made: Made, tiny: ModuleType, corpus: Corpus, name: str, part: str, w: float, prompt: str
) -> None:
    # Sixteen tokens are few for a prompt in bytes: "A photo depicts" alone has 13.
    expected = straight_line(made, tiny, w=w, prompt=prompt)[part]
    scores = captious.score(corpus, [name])[name]
    assert scores.values == pytest.approx(expected, abs=CLOSE)
    assert scores.score == pytest.approx(sum(expected) / len(expected), abs=CLOSE)
    assert 0 < sum(value > 0 for value in expected) <= len(expected)


def test_the_signature_names_everything(corpus: Corpus) -> None:
    scores = captious.score(corpus, ["clipscore", "refclipscore[prompt=none]"])
    assert scores["clipscore"].signature == (
        "clipscore|w:2.5|enc:ViT-B-32/openai@abababab|prompt:a-photo-depicts|long:truncate|trunc:21|"
        "device:cpu|dtype:float32|v:" + captious.__version__
    )
    assert "|refs:1-3|w:2.5|" in scores["refclipscore[prompt=none]"].signature
    assert "|prompt:none|" in scores["refclipscore[prompt=none]"].signature


def test_long_captions_are_counted_for_each_item_and_noted(corpus: Corpus) -> None:
    scores = captious.score(corpus, ["clipscore"])["clipscore"]
    # "A photo depicts" has 1 + 5 + 7 tokens in the tiny vocabulary, and 14 fit: one more.
    words = {"a": 1, "dog": 1, "on": 1, "mat": 3, "two": 3, "cats": 3, "cat": 1, "an": 2, "old": 3, "red": 3}
    beyond = [max(0, 13 + sum(words[word] for word in caption.split()) - 14) for caption in CAPTIONS]
    assert scores.details["tokens_beyond_limit"].tolist() == beyond
    assert scores.notes == (
        f"clipscore: {sum(n > 0 for n in beyond)} texts had more tokens than the model reads; "
        f"{sum(beyond)} tokens were cut off. clipscore[long=chunk] reads them too.",
    )
    with pytest.raises(InputError, match=r'the caption "a dog on a mat" has 6 tokens more than the 16'):
        captious.score(corpus, ["clipscore[long=error]"])
    chunked = captious.score(corpus, ["clipscore[long=chunk]"])["clipscore[long=chunk]"]
    assert f"|long:chunk:16/0|chunked:{sum(beyond)}|" in chunked.signature
    with pytest.raises(InputError, match="unknown value of long"):
        resolve("clipscore[long=cut]")


def test_windows_of_a_long_caption_are_averaged(made: Made, tiny: ModuleType, corpus: Corpus) -> None:
    long = " ".join(["dog"] * 14 + ["cat"] * 4)
    first = corpus.example(0)
    one = Corpus.from_lists(
        [long], image_ids=[first.image_id], image_paths={first.image_id: first.image_path or ""}
    )
    image = images_of(made, tiny)[0]
    cosines = texts_of(made, [" ".join(["dog"] * 14), "cat cat cat cat"]) @ image
    name = "clipscore[long=chunk,prompt=none]"
    assert captious.score(one, [name])[name].values == pytest.approx(
        [2.5 * max(0.0, float((14 * cosines[0] + 4 * cosines[1]) / 18))], abs=CLOSE
    )


def test_one_image_in_a_hundred_is_broken_and_the_rest_is_scored(
    made: Made, tiny: ModuleType, tmp_path: Path
) -> None:
    paths = tiny.write_photographs(tmp_path, 100, seed=4)
    whole = Corpus.from_lists(
        ["a dog"] * 100,
        image_ids=[path.name for path in paths],
        image_paths={path.name: str(path) for path in paths},
    )
    before = captious.score(whole, ["clipscore[cache=no]"])["clipscore[cache=no]"]
    paths[41].write_bytes(paths[41].read_bytes()[:60])
    scores = captious.score(whole, ["clipscore"], resamples=50)["clipscore"]
    assert np.flatnonzero(np.isnan(scores.values)).tolist() == [41]
    assert list(scores.unscored) == [paths[41].name]
    assert str(paths[41]) in scores.unscored[paths[41].name]
    rest = np.delete(np.arange(100), 41)
    assert scores.values[rest] == pytest.approx(before.values[rest], abs=CLOSE)
    assert scores.systems["candidates"].n == 99
    assert scores.score == pytest.approx(before.values[rest].mean(), abs=CLOSE)
    assert "|unread:1|" in scores.signature
    assert scores.notes[-1].startswith("clipscore: 1 of 100 images could not be read and has no score.")


def test_where_no_image_can_be_read_there_is_one_line(corpus: Corpus) -> None:
    nowhere = Corpus.from_lists(CAPTIONS, image_ids=corpus.image_ids)
    with pytest.raises(
        InputError, match=r"clipscore: none of 6 images could be read. The first: image \"0.png\""
    ):
        captious.score(nowhere, ["clipscore"])


def test_several_processes_give_the_same(corpus: Corpus) -> None:
    names = ["clipscore[cache=no]", "refclipscore"]
    one, two = (captious.score(corpus, names, jobs=jobs) for jobs in (1, 2))
    for name in names:
        assert one[name].values == pytest.approx(two[name].values, abs=CLOSE)
        assert one[name].signature == two[name].signature


def test_a_system_that_uses_the_same_encoder_gets_a_caution(made: Made) -> None:
    ids = [path.name for path in made.photographs]
    paths = dict(zip(ids, map(str, made.photographs), strict=True))
    both = Corpus.from_lists(
        CAPTIONS * 2,
        image_ids=ids * 2,
        systems=["clipcap"] * 6 + ["other"] * 6,
        image_paths=paths,
        encoders={"clipcap": "CLIP ViT-B/32", "other": "ResNet-101"},
    )
    notes = captious.score(both, ["clipscore"])["clipscore"].notes
    caution = [note for note in notes if note.startswith("caution")]
    assert len(caution) == 1
    assert "clipcap uses CLIP ViT-B/32, and clipscore is computed with CLIP too" in caution[0]


def test_without_weights_the_command_that_gets_them_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpus: Corpus
) -> None:
    from captious.models.encoders import opening

    opening._open.cache_clear()
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="captious get weights ViT-B-32/openai"):
        captious.score(corpus, ["clipscore"])
    for name in ("mcipscore", "pacscore", "refonlyc"):
        with pytest.raises(MissingDependencyError):
            resolve(name).ready()


def test_features_that_are_there_already_are_used(
    made: Made, tiny: ModuleType, corpus: Corpus, tmp_path: Path
) -> None:
    texts = list(dict.fromkeys([*CAPTIONS, *(text for own in REFERENCES for text in own)]))
    np.savez(
        tmp_path / "mine.npz",
        image_ids=corpus.image_ids,
        image_features=images_of(made, tiny),
        texts=texts,
        text_features=texts_of(made, texts),
    )
    bare = Corpus.from_lists(CAPTIONS, REFERENCES, image_ids=corpus.image_ids)  # no image files
    name = f"refclipscore[encoder={tmp_path / 'mine.npz'}]"
    expected = straight_line(made, tiny, w=2.5, prompt="")["both"]
    scores = captious.score(bare, [name])[name]
    assert scores.values == pytest.approx(expected, abs=CLOSE)
    assert "|enc:features:mine.npz/" in scores.signature


def test_a_sentence_encoder_may_stand_in_where_no_image_is_seen(corpus: Corpus) -> None:
    try:
        resolve("sentsim").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    name = "refonlyc[encoder=all-MiniLM-L6-v2,prompt=none]"
    scores = captious.score(corpus, [name, "sentsim"])
    assert scores[name].values == pytest.approx(scores["sentsim"].values, abs=1e-6)
    with pytest.raises(InputError, match="is a sentence encoder and cannot read images"):
        captious.score(corpus, ["clipscore[encoder=all-MiniLM-L6-v2]"])
