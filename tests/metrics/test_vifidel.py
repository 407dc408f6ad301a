from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus, score
from captious.errors import InputError, MissingDependencyError, StatisticsError, UnknownNameError
from captious.metrics import Batch, resolve
from captious.metrics.vifidel import Vifidel, consensus_penalties
from captious.metrics.vifidel_plus import combined
from captious.text.vectors.table import load_vectors

pytest.importorskip("ot")
Photographs = tuple[dict[str, list[str]], dict[str, list[str]]]

# Madhyastha et al. 2019, figure 3.
FIGURE_3 = [
    "a small cat standing on some books on a desk.",
    "a gray cat standing on top of a blue notebook.",
    "a cat stands on a binder on a desk next to a pc.",
    "a small gray kitten standing on a binder",
    "a small kitten is standing on books and binders.",
]
# Figure 5 and table 4: the caption, its references, and more and more objects.
RESTAURANT = "a table full of people at the restaurant"
RESTAURANT_REFERENCES = [
    "A group of people sitting around a wooden table with food.",
    "The nine people smile as they sit at a dinner table.",
    "A table full of people that are eating at a restaurant.",
    "Co-workers often get together after a long day at work.",
    "A group of people that are sitting around a table.",
]
FIGURE_5 = [
    "person",
    "person, dining-table",
    "person, dining-table, umbrella, handbag, bottle",
    "person, car, backpack, umbrella, handbag, bottle, dining-table, cup, fork, knife",
    "person, car, backpack, umbrella, handbag, bottle, wine-glass, cup, fork, knife, spoon, bowl, "
    "broccoli, chair, dining-table",
]
SHUFFLES = 20


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tiny.txt"
    file.write_text("dog 2 0\ncat 0 1\n")
    return str(file)


@pytest.fixture
def glove() -> None:
    try:
        load_vectors()
    except MissingDependencyError as error:
        pytest.skip(str(error))


def scored(metric: Vifidel, corpus: Corpus) -> np.ndarray:
    batch = Batch(corpus)
    knowledge = metric.merge([metric.collect(batch)])
    metric.check(corpus, knowledge)
    return metric.score_examples(batch, knowledge)


def value(metric: Vifidel, objects: list[str], caption: str, references: list[str] | None = None) -> float:
    refs = None if references is None else [references]
    return float(scored(metric, Corpus.from_lists([caption], refs, objects={"0": objects}))[0])


def test_equation_3_by_hand(tiny: str) -> None:
    # Half of the mass stays with dog, half goes from cat to dog: |x_cat - x_dog|^2 = 2 (p = 2).
    assert value(Vifidel(vectors=tiny), ["dog", "cat"], "a dog") == pytest.approx(math.exp(-1))
    plain = Vifidel(vectors=tiny, p=1)
    assert value(plain, ["dog", "cat"], "a dog") == pytest.approx(math.exp(-math.sqrt(2) / 2))
    assert value(plain, ["cat", "dog"], "the dog and the cat") == pytest.approx(1.0)


def test_frequency_and_presence(tiny: str) -> None:
    three = ["cat", "cat", "cat", "dog"]
    often = value(Vifidel(vectors=tiny), three, "a dog")
    assert often == pytest.approx(math.exp(-2 * 3 / 4))
    once = value(Vifidel(vectors=tiny, counts="binary"), three, "a dog")
    assert once == pytest.approx(math.exp(-2 / 2))


def test_equations_4_and_5_by_hand(tiny: str) -> None:
    objects, caption = ["dog", "cat"], "a dog"
    metric = Vifidel(vectors=tiny)
    # rho_dog = 0, rho_cat = (1 - 0) / 2; c'(cat, dog) = |x_cat / 2|^2 = 1/4, for half of the mass.
    assert value(metric, objects, caption, ["A dog."]) == pytest.approx(math.exp(-1 / 8))
    # Both rho (0 + 1/2) / 2 = 1/4; c'(cat, dog) = 2 / 16.
    both = ["A dog.", "A cat."]
    assert value(metric, objects, caption, both) == pytest.approx(math.exp(-1 / 16))
    # A reference without content words, as in figure 1, says nothing about importance.
    assert value(metric, objects, caption, ["A dog.", "What is this??"]) == pytest.approx(math.exp(-1 / 8))
    assert value(metric, objects, caption, ["What is this??"]) == pytest.approx(math.exp(-1))
    # Told to use one reference, or none.
    one = Vifidel(vectors=tiny, references="1")
    assert value(one, objects, caption, both) == pytest.approx(math.exp(-1 / 8))
    none = Vifidel(vectors=tiny, references="none")
    assert value(none, objects, caption, both) == pytest.approx(math.exp(-1))


def figure_3_vectors(path: Path) -> str:
    """Unit vectors with the cosines behind figure 3; the words that it does not name have none."""
    words = ["cat", "kitten", "encyclopedias", "book", "books", "notebook", "binder"]
    distances = {
        ("cat", "kitten"): 0.25,
        ("encyclopedias", "books"): 0.46,
        ("encyclopedias", "notebook"): 0.79,
        ("encyclopedias", "binder"): 0.73,
        ("book", "books"): 0.26,
        ("book", "notebook"): 0.69,
        ("book", "binder"): 0.71,
        ("encyclopedias", "book"): 0.5,  # not in the figure
    }
    gram = np.eye(len(words))
    for (one, other), distance in distances.items():
        i, j = words.index(one), words.index(other)
        gram[i, j] = gram[j, i] = 1 - distance
    rows = np.linalg.cholesky(gram)
    path.write_text(
        "\n".join(" ".join([w, *(f"{x:.9f}" for x in r)]) for w, r in zip(words, rows, strict=True))
    )
    return str(path)


def test_figure_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    metric = Vifidel(vectors=figure_3_vectors(tmp_path / "figure3.txt"), p=1)
    rho = consensus_penalties(["cat", "encyclopedias", "book"], FIGURE_3, metric)
    assert rho["cat"] == pytest.approx((0 + 0 + 0 + 0.25 + 0.25) / 10, abs=1e-6)
    assert rho["encyclopedias"] == pytest.approx((0.46 + 0.79 + 0.73 + 0.73 + 0.46) / 10, abs=1e-6)
    assert rho["book"] == pytest.approx((0.26 + 0.69 + 0.71 + 0.71 + 0.26) / 10, abs=1e-6)
    assert {word: round(r, 2) for word, r in rho.items()} == {
        "cat": 0.05,
        "encyclopedias": 0.32,
        "book": 0.26,
    }  # as the figure prints
    # c'(book, encyclopedias) = |rho_b x_b - rho_e x_e|, with a cosine of one half.
    one, other = rho["book"], rho["encyclopedias"]
    cost = math.sqrt(one**2 + other**2 - one * other)
    caption = "some encyclopedias"
    assert value(metric, ["book"], caption, FIGURE_3) == pytest.approx(math.exp(-cost), abs=1e-6)
    assert value(metric, ["cat"], "a cat", FIGURE_3) == 1.0  # c'(cat, cat) = 0


def test_figure_3_in_order_with_real_vectors(glove: None) -> None:
    rho = consensus_penalties(["cat", "encyclopedias", "book"], FIGURE_3)
    assert rho["cat"] < rho["book"] < rho["encyclopedias"] < 0.5


def figure_5(options: str) -> list[float]:
    """Scores for one, two, five, ten and fifteen objects; the paper prints .75 .83 .74 .73 .70."""
    metric = resolve(f"vifidel[{options}]")
    assert isinstance(metric, Vifidel)
    return [value(metric, labels.split(", "), RESTAURANT, RESTAURANT_REFERENCES) for labels in FIGURE_5]


@pytest.mark.parametrize("options", ["p=2", "p=1", "p=2,references=none", "p=1,references=none"])
def test_figure_5(glove: None, options: str) -> None:
    """The second mentioned object raises the score; unmentioned ones lower it, gently."""
    one, two, five, ten, fifteen = figure_5(options)
    assert two > one
    assert two > five > ten
    # "Gradual": ten more objects cost less than the first three did.
    assert five - fifteen < two - five


@pytest.mark.parametrize("options", ["p=2,references=none", "p=1,references=none"])
def test_the_last_step_of_figure_5_without_references(glove: None, options: str) -> None:
    *_, ten, fifteen = figure_5(options)
    assert fifteen < ten


@pytest.mark.xfail(strict=True, reason="with GloVe's 50 dimensions the last step does not go down")
def test_the_last_step_of_figure_5_with_references(glove: None) -> None:
    *_, ten, fifteen = figure_5("p=2")
    assert fifteen < ten  # .73 to .70 in the paper, with word2vec


@pytest.mark.xfail(strict=True, reason="without references one object scores below five")
def test_one_object_beats_five_in_figure_5_without_references(glove: None) -> None:
    one, _, five, *_ = figure_5("p=2,references=none")
    assert one > five  # .75 and .74 in the paper, with references


def test_labels_as_words(tiny: str) -> None:
    # "dog cat" whole: its vector is the mean of the two, of length 1, and 2 - sqrt(2) from dog.
    whole = value(Vifidel(vectors=tiny), ["cat dog", "dog"], "a dog")
    mean = np.array([2.0, 1.0]) / math.sqrt(5)  # the vectors are (2, 0) and (0, 1) before they are unit
    assert whole == pytest.approx(math.exp(-(2 - 2 * mean[0]) / 2))
    # Split: dog twice, cat once; a third of the mass goes from cat to dog, at a cost of 2.
    split = Vifidel(vectors=tiny, labels="words")
    for label in ("cat dog", "cat-dog", "cat_dog"):
        assert value(split, [label, "dog"], "a dog") == pytest.approx(math.exp(-2 / 3))
    # A stop word in a label is no word: "fire" is on the list of the released program.
    assert value(split, ["fire dog"], "a dog") == pytest.approx(1.0)
    signature = score(Corpus.from_lists(["a dog"], objects={"0": ["dog"]}), [split])["vifidel"].signature
    assert "|counts:frequency|labels:words|tok:" in signature


@pytest.mark.parametrize("weighed", [False, True])
def test_labels_as_words_equal_the_released_rule(
    glove: None, photographs: Photographs, weighed: bool
) -> None:
    """The released program: one line of objects, cut into words by scikit-learn, Euclidean distance."""
    import ot
    from sklearn.feature_extraction.text import CountVectorizer

    references, objects = photographs
    images = [image for image in references if image in objects][:80]
    others = [references[image][1:5] for image in images] if weighed else None
    corpus = Corpus.from_lists(
        [references[image][0] for image in images],
        others,
        image_ids=images,
        objects={image: objects[image] for image in images},
    )
    found = scored(Vifidel(p=1, labels="words"), corpus)
    vectors = load_vectors()

    def unit(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
        rows, known = vectors.resolve(words)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), known

    equal = compared = 0
    for place, image in enumerate(images):
        line, caption = " ".join(objects[image]), references[image][0]
        counter = CountVectorizer(stop_words="english").fit([line, caption])
        units, known = unit(list(counter.get_feature_names_out()))
        if not known.all():  # where the program stops
            continue
        weights = np.ones(len(units))
        if others is not None:
            nearest = []
            for text in others[place]:
                own = CountVectorizer(stop_words="english").fit([text]).get_feature_names_out()
                theirs, there = unit(list(own))
                nearest.append((units @ theirs[there].T).max(axis=1))
            weights = np.maximum(1 - np.array(nearest), 0).mean(axis=0) / 2
        moved = units * weights[:, None]
        masses = counter.transform([line, caption]).toarray().astype(float)
        masses /= masses.sum(axis=1, keepdims=True)
        distances = np.sqrt(((moved[:, None] - moved) ** 2).sum(axis=2))
        expected = math.exp(-ot.emd2(*masses, distances))
        assert found[place] == pytest.approx(expected, abs=0.05)
        equal += abs(found[place] - expected) < 1e-6
        compared += 1
    # What is left is where the tokenisers differ: hyphens and apostrophes.
    assert compared >= 75
    assert equal >= 0.95 * compared


def test_a_union_of_unique_labels(tiny: str) -> None:
    # The paper's 4.1: "unique object labels from the combination": dog and cat once each.
    corpus = Corpus.from_lists(["a dog"], objects={"0": ["gold:dog", "gold:dog", "d80:dog", "d80:cat"]})
    unique = Vifidel(vectors=tiny, objects="gold|d80", union="unique")
    assert scored(unique, corpus)[0] == pytest.approx(math.exp(-1))
    alone = Corpus.from_lists(["a dog"], objects={"0": ["gold:dog", "gold:dog", "gold:cat"]})
    assert scored(Vifidel(vectors=tiny, union="unique"), alone)[0] == pytest.approx(math.exp(-2 / 3))
    with pytest.raises(UnknownNameError, match="union of vifidel"):
        resolve("vifidel[union=sum]")


def test_unions_and_their_signature(tiny: str) -> None:
    corpus = Corpus.from_lists(["a dog"], objects={"0": ["gold:dog", "gold:dog", "d80:dog", "d80:cat"]})
    for objects, distance in (("gold", 0), ("d80", 1), ("gold|d80", 2 / 3)):
        metric = Vifidel(vectors=tiny, objects=objects)
        assert scored(metric, corpus)[0] == pytest.approx(math.exp(-distance))
    found = score(corpus, [Vifidel(vectors=tiny, objects="gold|d80", p=1)])["vifidel"]
    assert found.signature.startswith("vifidel|refs:none|objects:gold+d80|counts:frequency|tok:ptb|")
    assert "|p:1|oov:drop:0/1|labels-oov:0/3|v:" in found.signature
    with pytest.raises(UnknownNameError, match='unknown source of objects "d500"'):
        score(corpus, [Vifidel(vectors=tiny, objects="d500")])


def test_nothing_to_move_is_worth_nothing_and_counted(tiny: str) -> None:
    corpus = Corpus.from_lists(
        ["a dog", "", "a cat", "a zzz"],
        image_ids=["1", "1", "bare", "1"],
        objects={"1": ["dog", "qqq"], "bare": []},
    )
    found = score(corpus, [Vifidel(vectors=tiny)])["vifidel"]
    assert found.values.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert "|oov:drop:1/3|labels-oov:1/2|bare-images:1|" in found.signature


def test_what_does_not_compare_is_refused(tiny: str) -> None:
    metric = Vifidel(vectors=tiny)
    mixed = Corpus.from_lists(["a dog", "a cat"], [["a dog"], []], objects={"0": ["dog"]})
    with pytest.raises(InputError, match=r"some captions have 0 references.*references=none"):
        scored(metric, mixed)
    with pytest.raises(InputError, match="some captions have 1 references"):
        value(Vifidel(vectors=tiny, references="2"), ["dog"], "a dog", ["a dog"])
    with pytest.raises(InputError, match="needs the objects in each image"):
        scored(metric, Corpus.from_lists(["a dog"]))
    for wrong in ("references=many", "references=0", "counts=often", "p=3"):
        with pytest.raises(InputError):
            resolve(f"vifidel[{wrong}]")


def test_combinations_are_means() -> None:
    vifidel, cider = np.array([0.75, 0.25]), np.array([1.25, 0.0])
    assert combined(vifidel, cider).tolist() == [1.0, 0.125]
    with pytest.raises(StatisticsError, match="both must cover the same examples"):
        combined(vifidel, cider[:1])


def share_won(metric: Vifidel, photographs: Photographs) -> tuple[float, float]:
    """Images whose own captions beat those of 20 others on average; and of one other, on average.

    A caption is scored against the image's other references, never against itself.
    """
    references, objects = photographs
    images = list(references)
    captions, lists, ids = [], [], []
    for place, image in enumerate(images):
        own = references[image]
        for step in range(SHUFFLES + 1):
            other = references[images[(place + step) % len(images)]]
            for number, caption in enumerate(other[:5]):
                captions.append(caption)
                lists.append([text for i, text in enumerate(own) if i != number])
                ids.append(image)
    corpus = Corpus.from_lists(captions, lists, image_ids=ids, objects=objects)
    means = scored(metric, corpus).reshape(len(images), SHUFFLES + 1, 5).mean(axis=2)
    true, shuffled = means[:, :1], means[:, 1:]
    assert len(images) == 159
    return float((true[:, 0] > shuffled.mean(axis=1)).mean()), float((true > shuffled).mean())


@pytest.mark.parametrize("references", ["auto", "none"])
def test_true_captions_beat_shuffled_ones(glove: None, photographs: Photographs, references: str) -> None:
    on_average, each = share_won(Vifidel(references=references), photographs)
    assert on_average >= 0.95
    assert each >= (0.95 if references == "auto" else 0.94)


def test_presence_beats_frequency_without_references(glove: None, photographs: Photographs) -> None:
    # Table 3: binarised counts have "a marginal edge".
    _, presence = share_won(Vifidel(references="none", counts="binary"), photographs)
    _, frequency = share_won(Vifidel(references="none"), photographs)
    assert presence >= 0.95
    assert presence > frequency


def test_processes_do_not_change_it(glove: None, photographs: Photographs) -> None:
    references, objects = photographs
    images = list(references)[:12]
    corpus = Corpus.from_lists(
        [references[i][0] for i in images],
        [references[i][1:5] for i in images],
        image_ids=images,
        objects=objects,
    )
    one, two = (score(corpus, ["vifidel"], jobs=jobs)["vifidel"] for jobs in (1, 2))
    np.testing.assert_allclose(one.values, two.values, rtol=0, atol=1e-12)
    assert one.signature == two.signature
