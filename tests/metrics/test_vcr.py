from __future__ import annotations

import numpy as np
import pytest

from captious import Corpus, score
from captious.errors import InputError, UnknownNameError
from captious.metrics import Batch, resolve

REFERENCES = ["A man and a dog.", "The man walks."]
OBJECTS = {"0": ["yolo:person", "yolo:dog", "detr:dog", "detr:wine glass"]}


def value(specification: str, caption: str) -> float:
    corpus = Corpus.from_lists([caption], [REFERENCES], objects=OBJECTS)
    metric = resolve(specification)
    metric.check(corpus, None)
    return float(metric.score_examples(Batch(corpus), None)[0])


# The pool: a, man, and, dog, the, walks, person, wine, glass: nine words.
# "a dog with a glass": Z is a, dog, with, glass, of which three are in the pool.
@pytest.mark.parametrize(
    ("specification", "expected"),
    [
        ("vcr_precision", 3 / 4),
        ("vcr_recall", 3 / 9),
        # Cut at white space: Z is A, dog, with, a, glass. (five); the pool A, man, and, a, dog., The,
        # walks., person, dog, wine, glass; shared: A, dog, a; times 100.
        ("vcr_recall[variant=released]", 100 * 3 / 5),
        ("vcr_recall[variant=released,tokeniser=ptb]", 100 * 3 / 4),
        # Labels whole: a, man, and, dog, the, walks, person, "wine glass"; shared: a, dog.
        ("vcr_precision[labels=whole]", 2 / 4),
        ("vcr_recall[labels=whole]", 2 / 8),
        # One detector: without wine and glass.
        ("vcr_recall[objects=yolo]", 2 / 7),
        ("vcr_precision[objects=yolo|detr]", 3 / 4),
        ("vcr_recall[objects=none]", 2 / 6),
        # Content words: the pool is man, dog, walks, person, wine, glass; Z is dog, glass.
        ("vcr_recall[stop=english]", 2 / 6),
        ("vcr_precision[stop=english]", 1.0),
    ],
)
def test_by_hand(specification: str, expected: float) -> None:
    assert value(specification, "A dog with a glass.") == pytest.approx(expected)


def test_released_labels_keep_their_case_and_hyphens() -> None:
    # The released program joins references and labels by spaces and splits the result at white space.
    objects = {"0": ["Traffic light", "wine-glass"]}
    corpus = Corpus.from_lists(["Traffic glass wine-glass light traffic"], [["x"]], objects=objects)
    metric = resolve("vcr_recall[variant=released]")
    assert metric.score_examples(Batch(corpus), None)[0] == pytest.approx(100 * 3 / 5)


def test_released_on_photographs(photographs: tuple[dict[str, list[str]], dict[str, list[str]]]) -> None:
    """159 COCO images, gold objects: what the released program's rule gives, worked out with sets."""
    captions, objects = photographs
    images = [image for image in captions if image in objects]
    corpus = Corpus.from_lists(
        [captions[image][0] for image in images],
        [captions[image][1:] for image in images],
        image_ids=images,
        objects=objects,
    )
    name = "vcr_recall[variant=released]"
    expected = []
    for image in images:
        pool = set(" ".join([*captions[image][1:], *objects[image]]).split())
        own = set(captions[image][0].split())
        expected.append(len(own & pool) * 100 / len(own))
    np.testing.assert_allclose(score(corpus, [name])[name].values, expected, rtol=0, atol=1e-9)


def test_words_count_once_and_an_empty_caption_is_worth_nothing() -> None:
    assert value("vcr_precision", "dog dog dog bus") == 1 / 2
    assert value("vcr_precision", "") == value("vcr_recall", "") == 0.0


def test_signatures_tell_the_pool() -> None:
    corpus = Corpus.from_lists(["a dog"], [REFERENCES], objects=OBJECTS)
    found = score(corpus, ["vcr_precision[objects=yolo|detr]", "vcr_recall"])
    first = found["vcr_precision[objects=yolo|detr]"].signature
    assert first.startswith("vcr_precision|refs:2|tok:ptb|stop:none|objects:yolo+detr|labels:words|")
    assert "|objects:all|labels:words|variant:paper|" in found["vcr_recall"].signature


def test_precision_and_recall_move_apart() -> None:
    short, long = "dog", "a man and a dog and a bus with a driver"
    assert value("vcr_precision", short) > value("vcr_precision", long)
    assert value("vcr_recall", short) < value("vcr_recall", long)


def test_what_is_missing_is_one_line() -> None:
    corpus = Corpus.from_lists(["a dog"], [REFERENCES])
    with pytest.raises(InputError, match="vcr_recall needs the objects in each image"):
        score(corpus, ["vcr_recall"])
    assert score(corpus, ["vcr_recall[objects=none]"])["vcr_recall[objects=none]"].score > 0
    bare = Corpus.from_lists(["a dog"], objects=OBJECTS)
    with pytest.raises(InputError, match="vcr_precision needs references, but there are none"):
        score(bare, ["vcr_precision"])
    with pytest.raises(UnknownNameError, match="unknown variant of vcr_recall"):
        resolve("vcr_recall[variant=code]")


def test_processes_do_not_change_it() -> None:
    captions = ["a dog", "a man", "a wine glass", "the bus"]
    corpus = Corpus.from_lists(
        captions, [REFERENCES] * 4, image_ids=list("0123"), objects={i: ["dog", "bus"] for i in "0123"}
    )
    one = score(corpus, ["vcr_recall"])["vcr_recall"].values
    two = score(corpus, ["vcr_recall"], jobs=2)["vcr_recall"].values
    np.testing.assert_array_equal(one, two)
