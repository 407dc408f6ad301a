from __future__ import annotations

import json
import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from captious.errors import InputError, MissingDependencyError
from captious.models.encoders.base import ImageFile
from captious.models.joint.vse import Vse, read_vocabulary, vocabulary_file, words


def opened(path: Path) -> Vse:
    return Vse(path, vocabulary_file(path, ""), "tiny", "cpu", "float32")


@pytest.mark.parametrize(("kind", "layers"), [("resnet", 1), ("vgg", 1), ("resnet", 2)])
def test_images_and_captions_equal_straight_line_networks(
    tiny_joint: ModuleType, tmp_path: Path, kind: str, layers: int
) -> None:
    import torch

    oracle = tiny_joint.write_vse(tmp_path / "model_best.pth.tar", 5, kind=kind, layers=layers)
    model = opened(tmp_path / "model_best.pth.tar")
    pixels = torch.randn(2, 3, 224, 224, generator=torch.Generator().manual_seed(1))
    found = model.embed_pixels(pixels.numpy())
    for row in range(2):
        np.testing.assert_allclose(found[row], oracle.image(pixels[row]).numpy(), atol=1e-5)
    captions = ["A dog runs on the beach.", "Two red cats", "zebra"]
    ids = [[1, 4, 6, 8, 9, 5, 12, 13, 2], [1, 15, 10, 7, 2], [1, 3, 2]]  # by hand, from VSE_WORDS
    for vector, row in zip(model._texts(captions), ids, strict=True):
        np.testing.assert_allclose(vector, oracle.text(row).numpy(), atol=1e-5)


@pytest.mark.parametrize("shift", [0, 1])
def test_checkpoints_of_the_years_of_the_paper(tiny_joint: ModuleType, tmp_path: Path, shift: int) -> None:
    """Old files are no zip archives, and old VGGs number their linear layers one later."""
    import torch

    path = tmp_path / "model_best.pth.tar"
    oracle = tiny_joint.write_vse(path, 5, kind="vgg")
    held = torch.load(path, weights_only=False)
    image = {}
    for name, value in held["model"][0].items():
        parts = name.split(".")
        if parts[1] == "classifier":
            parts[2] = str(int(parts[2]) + shift)
        image[".".join(parts)] = value
    held["model"] = [image, held["model"][1]]
    torch.save(held, path, _use_new_zipfile_serialization=False)
    pixels = torch.randn(1, 3, 224, 224, generator=torch.Generator().manual_seed(1))
    found = opened(path).embed_pixels(pixels.numpy())[0]
    np.testing.assert_allclose(found, oracle.image(pixels[0]).numpy(), atol=1e-5)


def test_the_words_are_those_of_nltk(data: Path) -> None:
    pytest.importorskip("nltk")
    from nltk.tokenize import NLTKWordTokenizer

    lines = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text("utf-8").splitlines()[:500]
    captions = [json.loads(line)["hyp"] for line in lines]
    one = [caption for caption in captions if "." not in caption[:-1]]
    assert len(one) > 400
    cut = NLTKWordTokenizer()
    assert [words(caption) for caption in one] == [cut.tokenize(caption.lower()) for caption in one]
    assert words("A dog. It's the man's!") == ["a", "dog", ".", "it", "'s", "the", "man", "'s", "!"]


@pytest.mark.parametrize("protocol", range(6))
def test_the_published_pickle_is_read_as_plain_data(
    tiny_joint: ModuleType, tmp_path: Path, protocol: int
) -> None:
    (tmp_path / "vocab.pkl").write_bytes(tiny_joint.pickled_vocabulary(tiny_joint.VSE_WORDS, protocol))
    pytest.importorskip("nltk")
    assert read_vocabulary(tmp_path / "vocab.pkl").encode("a dog") == [1, 4, 6, 2]


def test_a_pickle_of_python_2(tmp_path: Path) -> None:
    # What Python 2 writes with pickle.HIGHEST_PROTOCOL for such an object, texts as bytes.
    words_ = b"".join(
        b"U" + bytes([len(w)]) + w + b"K" + bytes([n])
        for n, w in enumerate((b"<start>", b"<end>", b"<unk>", b"dog"))
    )
    content = b"\x80\x02cvocab\nVocabulary\n)\x81}U\x08word2idx}(" + words_ + b"usb."
    (tmp_path / "vocab.pkl").write_bytes(content)
    pytest.importorskip("nltk")
    assert read_vocabulary(tmp_path / "vocab.pkl").encode("dog cat") == [0, 3, 2, 1]


@pytest.mark.parametrize("wrapped", [True, False])
def test_json_will_do(tmp_path: Path, wrapped: bool) -> None:
    pytest.importorskip("nltk")
    table = {"<start>": 0, "<end>": 1, "<unk>": 2, "dog": 3}
    (tmp_path / "vocab.json").write_text(json.dumps({"word2idx": table} if wrapped else table))
    assert read_vocabulary(tmp_path / "vocab.json").encode("Dog!") == [0, 3, 2, 1]


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        import os

        return os.system, ("touch evil-was-here",)


def test_vocabularies_that_are_none(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "vocab.pkl"
    for content, reason in (
        (pickle.dumps(Evil()), "asks for"),
        (pickle.dumps([1, 2]), "contains no vocabulary"),
        (b"\x80\x02garbage", "is a damaged pickle"),
        (b"{broken", "is not complete JSON"),
        (b'{"dog": 1}', 'has no "<start>"'),
        (b'{"<start>": 0, "<end>": 1, "<unk>": 2, "dog": "three"}', "has no whole number"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=reason):
            read_vocabulary(path)
    assert not (tmp_path / "evil-was-here").exists()
    with pytest.raises(InputError, match=r"nowhere\.pkl: cannot be read"):
        read_vocabulary(tmp_path / "nowhere.pkl")


def test_wrong_checkpoints_are_told_by_name(tiny_joint: ModuleType, tmp_path: Path) -> None:
    import torch

    path = tmp_path / "model_best.pth.tar"
    tiny_joint.write_vse(path)
    held = torch.load(path, weights_only=False)
    whole = path.read_bytes()

    def fails(reason: str) -> None:
        with pytest.raises(InputError, match=reason):
            opened(path)

    path.write_bytes(whole[: len(whole) // 2])
    fails(r"model_best\.pth\.tar: is damaged")
    torch.save({"model": {"weight": torch.zeros(1)}}, path)
    fails("is not a VSE")
    torch.save({**held, "extra": Evil()}, path)
    fails("contains more than weights")
    image, text = held["model"]
    torch.save(
        {**held, "model": [{k: v for k, v in image.items() if "layer2.1.bn2.bias" not in k}, text]}, path
    )
    fails(r'lacks "layer2\.1\.bn2\.bias"')
    torch.save({**held, "model": [{**image, "cnn.module.head.weight": torch.zeros(2)}, text]}, path)
    fails(r'unknown key "head\.weight"')
    torch.save({**held, "model": [image, {k: v for k, v in text.items() if k != "rnn.bias_hh_l0"}]}, path)
    fails(r'lacks "rnn\.bias_hh_l0"')
    torch.save({**held, "model": [{k: v for k, v in image.items() if k.startswith("fc")}, text]}, path)
    fails("precomputed image features")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"measure": "order"}, "measures"), ({"data_name": "coco_precomp"}, "precomputed")],
)
def test_other_kinds_of_vse_are_refused(
    tiny_joint: ModuleType, tmp_path: Path, settings: dict[str, str], reason: str
) -> None:
    tiny_joint.write_vse(tmp_path / "m.pth.tar", **settings)
    with pytest.raises(InputError, match=reason):
        opened(tmp_path / "m.pth.tar")


def test_another_vocabulary_is_refused(tiny_joint: ModuleType, tmp_path: Path) -> None:
    tiny_joint.write_vse(tmp_path / "m.pth.tar")
    (tmp_path / "coco_vocab.pkl").write_bytes(tiny_joint.pickled_vocabulary([*tiny_joint.VSE_WORDS, "more"]))
    with pytest.raises(InputError, match="has 17 words, but the checkpoint has 16"):
        opened(tmp_path / "m.pth.tar")
    (tmp_path / "coco_vocab.pkl").unlink()
    with pytest.raises(MissingDependencyError, match="no vocabulary file beside it"):
        opened(tmp_path / "m.pth.tar")


def test_unreadable_images_have_no_score_and_a_reason(tiny_joint: ModuleType, tmp_path: Path) -> None:
    from PIL import Image

    tiny_joint.write_vse(tmp_path / "m.pth.tar")
    Image.new("RGB", (300, 260), "red").save(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes(b"nothing")
    images = [
        ImageFile("good", str(tmp_path / "good.png")),
        ImageFile("bad", str(tmp_path / "bad.png")),
        ImageFile("none"),
    ]
    found = opened(tmp_path / "m.pth.tar").pairs(
        images, [["a dog", "cats"], ["a dog"], ["a dog"]], "truncate"
    )
    assert np.isnan(found.scores).tolist() == [False, False, True, True]
    assert set(found.broken) == {"bad", "none"}
    assert "bad.png" in found.broken["bad"]
