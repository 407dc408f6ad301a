"""PASCAL-50S: which of two captions do humans prefer (Vedantam et al. 2015)?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from captious.benchmarks.data_files import wanted
from captious.benchmarks.datasets.same_text import fold
from captious.benchmarks.protocol import Preferences, Protocol
from captious.corpus import Corpus
from captious.corpus.ids import loose_id
from captious.errors import InputError

# Two human captions, both right; one of another image; human and machine; two machines.
CATEGORIES = ("HC", "HI", "HM", "MM")
REFERENCES = 5
DRAWS = 5  # Hessel et al. 2021: averaged over five draws of five references

PASCAL50S = Protocol(
    name="pascal-50s",
    task="preference",
    references="five drawn at random from the image's about 48, except the pair's own captions",
    documents="examples",
    ties="a tie in scores counts one half, the expectation of a coin toss",
    draws=DRAWS,
    source="Vedantam et al. 2015; five draws of five references as Hessel et al. 2021",
)


def load_pascal50s(
    folder: Path, references: int = REFERENCES, draws: int = DRAWS, seed: int = 0
) -> Preferences:
    """4,000 pairs with as many corpora as there are draws of references."""
    pairs = _pairs(wanted(folder, "pascal50s/pascal_50s.json"))
    pools = _reference_pools(wanted(folder, "pascal50s/pascal50S.mat"))
    captions: list[str] = []
    images: list[str] = []
    own: list[list[str]] = []
    for pair in pairs:
        image = loose_id(pair["image"])
        if image not in pools:
            raise InputError(f'pascal50s: image "{pair["image"]}" has no references in the .mat file.')
        # A reference that is one of the two captions would decide the pair by itself.
        leaked = {fold(caption) for caption in pair["captions"]}
        pool = [text for text, folded in pools[image] if folded not in leaked]
        captions += pair["captions"]
        images += [image, image]
        own += [pool, pool]
    corpora = [
        Corpus.from_lists(
            captions, _draw(own, references, np.random.default_rng([seed, draw])), image_ids=images
        )
        for draw in range(draws)
    ]
    protocol = replace(
        PASCAL50S, draws=draws, seed=seed, references=PASCAL50S.references.replace("five", str(references), 1)
    )
    places = np.arange(len(pairs), dtype=np.int64)
    return Preferences(
        protocol=protocol,
        corpora=corpora,
        first=2 * places,
        second=2 * places + 1,
        label=np.array([pair["label"] for pair in pairs], dtype=np.int64),
        category=[pair["category"] for pair in pairs],
        ids=[f"{pair['category']}|{pair['number']}|{k}" for pair in pairs for k in (0, 1)],
    )


def _draw(pools: list[list[str]], size: int, rng: np.random.Generator) -> list[list[str]]:
    """Both captions of a pair get the same references, drawn without replacement."""
    found: list[list[str]] = []
    for pool in pools[::2]:
        places = rng.permutation(len(pool))[:size]
        chosen = [pool[place] for place in sorted(places.tolist())]
        found += [chosen, chosen]
    return found


def _pairs(path: Path) -> list[dict[str, Any]]:
    import orjson

    try:
        document = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError:
        raise InputError(f"{path}: not valid JSON. Copy the file again.") from None
    if not isinstance(document, dict) or not set(CATEGORIES) <= set(document):
        raise InputError(f"{path}: expected an object with the keys {', '.join(CATEGORIES)}.")
    found = []
    for category in CATEGORIES:
        for number, pair in enumerate(document[category]):
            if len(pair.get("captions", ())) != 2 or pair.get("label") not in (0, 1):
                raise InputError(
                    f"{path}: {category}, pair {number + 1}: needs two captions and a label of 0 or 1."
                )
            found.append({**pair, "category": category, "number": number})
    return found


def _reference_pools(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The references of each image, as they stand and folded."""
    from scipy.io import loadmat

    try:
        table = loadmat(path)["train_sent_final"].ravel()
    except (KeyError, ValueError, OSError):
        raise InputError(f'{path}: not a .mat file with "train_sent_final". Copy it again.') from None
    pools = {}
    for entry in table:
        sentences = [str(cell.ravel()[0]) for cell in entry["sentences"].ravel() if cell.size]
        pools[loose_id(str(entry["name"][0]))] = [(text, fold(text)) for text in sentences]
    return pools
