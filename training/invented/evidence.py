"""Make the table that `invented` takes as evidence: what COCO's references say about words and objects.

    python training/invented/evidence.py --data DATA [--without DATA/detailed/mhal.jsonl] --out evidence.npz

It reads the references of Karpathy's test split (`coco_karpathy`), the objects of their photographs
(`detailed/coco_objects.json.gz`), and the instances of `coco_mini`. Nothing in it was
learnt from marked captions. Images of `--without` are left out.

- **Words.** Every form that the references use twice, its lemma, and how often it is a noun or a verb
  (by the caption parser).
- **Association.** For every lemma of at least 8 images a logistic regression on the 80 classes:
  log odds that the references of a photograph with these objects use the word.
- **Alone, lacking.** For every lemma the share of images whose references use it in which only one does, and
  the share of the other references that lack it. Such a word may be true though no reference has it.
- **Rates.** How often a true caption looks wrong: a class word that no instance has (`coco_mini`), and a
  colour or number of a thing to which another reference of the same image gives another one. Each becomes
  the confidence of a finding under equal odds: P(wrong | contradicted) = 1 / (1 + rate), where wrong copies
  (another class, colour or number) are contradicted always. And `unusual`: of the nouns in the captions of
  the M2 Transformer that these objects make e^2 times less likely, the share that no reference has.
  `relation` and `singular` compare each reference with the others of its image: prepositions between two
  things that all others put otherwise, and numbers of things that all others have once.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from captious.metrics.chair.words import synonyms
from captious.metrics.invented.evidence import (
    SPATIAL,
    UNUSUAL,
    evidence_of,
    key_of,
    keys_of,
    related,
    said_number,
    thing,
)
from captious.metrics.invented.reading import read as read_caption
from captious.metrics.invented.words import COLOURS, NUMBERS, Lexicon, save_lexicon
from captious.text.parse import Parse
from captious.text.parser import parse_many
from captious.text.ptb.tokenise import tokenise_many

FEWEST_IMAGES, PENALTY, STEPS = 8, 2.0, 300
PRIOR_COUNT = 4.0  # images of the average word that every word's share is drawn towards


def read(data: Path, without: Path | None) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """References and objects of each image."""
    references = json.loads((data / "coco_karpathy/reference_captions.json").read_text("utf-8"))
    objects = json.loads(gzip.decompress((data / "detailed/coco_objects.json.gz").read_bytes()))
    left_out = {json.loads(line)["image"] for line in without.open(encoding="utf-8")} if without else set()
    kept = [image for image in references if image in objects and image not in left_out]
    return {image: references[image] for image in kept}, {image: objects[image] for image in kept}


def parses_of(texts: Sequence[str]) -> list[Parse]:
    """A parse of each text."""
    return parse_many([list(tokens) for tokens in tokenise_many(texts)])


def fit(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logistic regressions of all columns of `y` at once, by Adam on the whole data."""
    share = y.mean(0)
    weights, bias = np.zeros((x.shape[1], y.shape[1]), np.float32), np.log(share / (1 - share))
    state = [np.zeros_like(weights), np.zeros_like(weights), np.zeros_like(bias), np.zeros_like(bias)]
    rate = 0.1
    for step in range(1, STEPS + 1):
        error = 1 / (1 + np.exp(-(x @ weights + bias))) - y
        for place, slope in enumerate((x.T @ error + PENALTY * weights, error.sum(0))):
            first, second = state[2 * place : 2 * place + 2]
            first += 0.1 * (slope - first)
            second += 0.01 * (slope * slope - second)
            move = rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-6)
            if place:
                bias = bias - move
            else:
                weights = weights - move
        rate *= 0.99
    return weights, bias


def described(parse: Parse, words: Iterable[str]) -> dict[str, set[str]]:
    """What of `words` stands before each noun."""
    known = set(words)
    found: dict[str, set[str]] = defaultdict(set)
    for place, word in enumerate(parse.words):
        if word in known:
            for lemma, tag in zip(
                parse.lemmas[place + 1 : place + 4], parse.tags[place + 1 : place + 4], strict=True
            ):
                if tag.startswith("NN"):
                    found[lemma].add(word)
                    break
    return found


def disagreement(images: Iterable[Sequence[Parse]], words: Iterable[str]) -> tuple[float, int]:
    """Of two references that both say a colour (or number) of one thing, the share with different ones."""
    words = list(words)
    differ = pairs = 0
    for parses in images:
        said = [described(parse, words) for parse in parses]
        for number, one in enumerate(said):
            for other in said[number + 1 :]:
                for noun in one.keys() & other.keys():
                    pairs += 1
                    differ += one[noun].isdisjoint(other[noun])
    return differ / pairs, pairs


def absent_classes(data: Path, class_of: dict[str, str]) -> tuple[float, int]:
    """Of class words in the captions of `coco_mini`, the share whose class has no instance."""
    absent = total = 0
    for part in ("train2017", "val2017"):
        folder = data / "coco_mini/annotations"
        instances = json.loads((folder / f"instances_{part}.json").read_text("utf-8"))
        captions = json.loads((folder / f"captions_{part}.json").read_text("utf-8"))["annotations"]
        names = {one["id"]: one["name"] for one in instances["categories"]}
        held = defaultdict(set)
        for one in instances["annotations"]:
            held[one["image_id"]].add(names[one["category_id"]])
        for row, parse in zip(captions, parses_of([one["caption"] for one in captions]), strict=True):
            for lemma, tag in zip(parse.lemmas, parse.tags, strict=True):
                if tag.startswith("NN") and lemma in class_of and row["image_id"] in held:
                    total += 1
                    absent += class_of[lemma] not in held[row["image_id"]]
    return absent / total, total


def against_others(references: dict[str, list[str]], table: Lexicon) -> dict[str, tuple[float, int]]:
    """How often a reference's prepositions and numbers contradict all other references of its image."""
    wrong, total = Counter[str](), Counter[str]()
    for texts in references.values():
        readings = [read_caption(text, table) for text in texts]
        for number, one in enumerate(readings):
            known = evidence_of(None, readings[:number] + readings[number + 1 :], table)
            for first, second, _, word in related(one):
                theirs = known.relations.get((key_of(first), key_of(second)), frozenset())
                if word in SPATIAL and theirs & SPATIAL:
                    total["relation"] += 1
                    wrong["relation"] += word not in theirs
            for mention in one.mentions:
                if mention.number >= 0 and said_number(one.words[mention.number]) > 1:
                    right = set().union(*(known.numbers.get(key, ()) for key in keys_of(mention)))
                    total["singular"] += bool(right)
                    wrong["singular"] += right == {1}
    return {name: (wrong[name] / total[name], total[name]) for name in ("relation", "singular")}


def unusual_nouns(
    data: Path, references: dict[str, list[str]], objects: dict[str, list[str]], table: Lexicon
) -> tuple[float, int]:
    """Of a captioner's nouns that are unusual with the objects, the share that no reference has."""
    captions = json.loads((data / "coco_karpathy/m2_transformer.json").read_text("utf-8"))
    absent = total = 0
    for image, texts in references.items():
        seen = evidence_of(objects[image], [], table)
        told = evidence_of(None, [read_caption(text, table) for text in texts], table)
        for mention in read_caption(captions[image], table).mentions:
            if thing(mention, seen, table)[1] == UNUSUAL:
                total += 1
                absent += thing(mention, told, table)[0] > 0
    return absent / total, total


def main() -> None:
    """Read, count, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--without", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    references, objects = read(given.data, given.without)
    class_of = synonyms()
    classes = sorted(set(class_of.values()))
    parses = parses_of([text for texts in references.values() for text in texts])
    ends = np.cumsum([len(texts) for texts in references.values()]).tolist()
    images = [parses[end - len(texts) : end] for end, texts in zip(ends, references.values(), strict=True)]

    forms: dict[str, Counter[str]] = defaultdict(Counter)
    lemma_of: dict[str, Counter[str]] = defaultdict(Counter)
    using: dict[str, Counter[int]] = defaultdict(Counter)  # lemma -> references of each image
    for number, several in enumerate(images):
        for parse in several:
            content = set()
            for word, lemma, tag in zip(parse.words, parse.lemmas, parse.tags, strict=True):
                forms[word][tag[:2]] += 1
                lemma_of[word][lemma] += 1
                if tag[:2] in ("NN", "VB", "JJ", "CD", "IN", "RB"):
                    content.add(lemma)
            for lemma in content:
                using[lemma][number] += 1
    lemmas = sorted(lemma for lemma, rows in using.items() if len(rows) >= FEWEST_IMAGES)
    x = np.zeros((len(images), len(classes)), np.float32)
    y = np.zeros((len(images), len(lemmas)), np.float32)
    for row, image in enumerate(references):
        x[row, [classes.index(name) for name in objects[image]]] = 1
    for column, lemma in enumerate(lemmas):
        y[list(using[lemma]), column] = 1
    weights, bias = fit(x, y)
    single = np.array([sum(count == 1 for count in using[lemma].values()) for lemma in lemmas])
    several = y.sum(0)
    mean = single.sum() / several.sum()
    alone = (single + PRIOR_COUNT * mean) / (several + PRIOR_COUNT)
    others = np.array([sum(len(images[row]) - 1 for row in using[lemma]) for lemma in lemmas])
    without = np.array([sum(len(images[row]) - n for row, n in using[lemma].items()) for lemma in lemmas])
    lacking = (without + PRIOR_COUNT * without.sum() / others.sum()) / (others + PRIOR_COUNT)
    absent, of_classes = absent_classes(given.data, class_of)
    colour, of_colours = disagreement(images, COLOURS)
    number, of_numbers = disagreement(images, NUMBERS)
    kept = sorted(word for word, tags in forms.items() if sum(tags.values()) > 1 or word in class_of)
    place = {lemma: row for row, lemma in enumerate(lemmas)}
    share = {
        kind: np.array([forms[word][kind] / sum(forms[word].values()) for word in kept])
        for kind in ("NN", "VB")
    }
    table = Lexicon(
        forms=kept,
        lemma_of=[lemma_of[word].most_common(1)[0][0] for word in kept],
        nouns=share["NN"],
        verbs=share["VB"],
        lemmas=lemmas,
        classes=classes,
        weights=weights,
        bias=bias,
        usual=y.mean(0),
        alone=alone,
        lacking=lacking,
        rates={"absent": absent, "colour": colour, "number": number, "unusual": 1.0},
    )
    table.rates["unusual"], of_unusual = unusual_nouns(given.data, references, objects, table)
    sizes = [of_classes, of_colours, of_numbers, of_unusual]
    for name, (rate, size) in against_others(references, table).items():
        table.rates[name] = rate
        sizes.append(size)
    for (name, rate), size in zip(table.rates.items(), sizes, strict=True):
        print(f"{name}: {rate:.3f} of {size:,}")
        table.rates[name] = round(rate, 3)
    save_lexicon(given.out, table)
    print(f"{given.out}: {len(kept):,} forms, {len(place):,} lemmas, {given.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
