"""Write what KenLM's estimator says: data/kenlm.json.

Needs KenLM's program lmplz (0.3.0 made the stored figures) and the benchmark data. The program
estimates a model of real captions; probabilities of other captions are read off its ARPA file.

    python tests/models/language/make_kenlm.py LMPLZ DATA
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

IMAGES, ORDER = 800, 3
Grams = dict[tuple[str, ...], tuple[float, float]]


def read_arpa(text: str) -> Grams:
    """Log-probability and back-off weight of every n-gram of an ARPA file."""
    grams: Grams = {}
    for line in text.splitlines():
        cells = line.split("\t")
        if len(cells) > 1:
            weight = float(cells[2]) if len(cells) > 2 else 0.0
            grams[tuple(cells[1].split(" "))] = float(cells[0]), weight
    return grams


def log10(grams: Grams, context: tuple[str, ...], word: str) -> float:
    """An ARPA file's meaning: the n-gram's own value, else the context's weight and a shorter."""
    if (*context, word) in grams:
        return grams[*context, word][0]
    return grams.get(context, (0.0, 0.0))[1] + log10(grams, context[1:], word)


def main(program: str, data: Path) -> None:
    path = data / "coco_karpathy" / "reference_captions.json"
    images = list(json.loads(path.read_text(encoding="utf-8")).values())
    clean = [
        [" ".join(text.lower().replace(".", " ").split()) for text in own] for own in images[: IMAGES + 20]
    ]
    given = "\n".join(text for own in clean[:IMAGES] for text in own) + "\n"
    command = [program, "-o", str(ORDER), "-S", "200M"]
    made = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    grams = read_arpa(made.stdout)
    texts = ["", *(text for own in clean[IMAGES:] for text in own)]
    values = []
    for text in texts:
        words = ["<s>", *(w if (w,) in grams else "<unk>" for w in text.split()), "</s>"]
        contexts = [tuple(words[max(0, i - ORDER + 1) : i]) for i in range(len(words))]
        values.append(sum(log10(grams, contexts[i], words[i]) for i in range(1, len(words))))
    figures = {"images": IMAGES, "order": ORDER, "texts": texts, "log10": values}
    out = Path(__file__).parent / "data" / "kenlm.json"
    out.write_text(json.dumps(figures, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
