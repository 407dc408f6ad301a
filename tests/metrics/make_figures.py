"""Writes data/thumb_coco_caption.json.gz: what coco-caption says of every THumB caption.

Needs Java, pycocoevalcap and the THumB data:

    python tests/metrics/make_figures.py DATA_FOLDER
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sys
from pathlib import Path

DIGITS = 9


def figures(references: dict[str, list[str]], captions: dict[str, str]) -> dict[str, list[float]]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    ids = sorted(captions)
    tokeniser = PTBTokenizer()
    theirs = tokeniser.tokenize({i: [{"caption": text} for text in references[i]] for i in ids})
    ours = tokeniser.tokenize({i: [{"caption": captions[i]}] for i in ids})
    with contextlib.redirect_stdout(io.StringIO()):
        bleu = Bleu(4).compute_score(theirs, ours)[1]
    found = {f"bleu{n}": values for n, values in enumerate(bleu, start=1)}
    found["rouge_l"] = Rouge().compute_score(theirs, ours)[1]
    found["cider"] = Cider().compute_score(theirs, ours)[1]
    return {name: [round(float(v), DIGITS) for v in values] for name, values in found.items()}


def main(folder: Path) -> None:
    lines = (folder / "thumb" / "mscoco_references.jsonl").read_text(encoding="utf-8").splitlines()
    references = {row["seg_id"]: row["refs"] for row in map(json.loads, lines)}
    lines = (folder / "thumb" / "mscoco_THumB-1.0.jsonl").read_text(encoding="utf-8").splitlines()
    systems: dict[str, dict[str, str]] = {}
    for row in map(json.loads, lines):
        systems.setdefault(row["SYS"], {})[row["seg_id"]] = row["hyp"]
    stored = {name: figures(references, captions) for name, captions in systems.items()}
    text = json.dumps(stored, separators=(",", ":")).encode()
    out = Path(__file__).parent / "data" / "thumb_coco_caption.json.gz"
    out.write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
