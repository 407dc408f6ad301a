"""A number may only change together with the version in its signature: the stored scores that guard it.

`tests/metrics/data/golden_scores.json` holds, for each metric, its signature and its score for each system
of the bundled sample, and beside them what the reference implementation says, where one runs here.

    python scripts/golden_scores.py            # compare; exit code 1 if something changed
    python scripts/golden_scores.py --write    # store anew; refused for a number that kept its signature
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import captious
from captious.data import demo_files

FILE = Path(__file__).resolve().parent.parent / "tests" / "metrics" / "data" / "golden_scores.json"
NEEDS = frozenset({"references", "objects", "image"})
TOLERANCE = 1e-9
# Networks add up in another order on another processor.
NETWORKS = {"bertscore": 1e-4, "sentsim": 1e-4, "captious": 1e-3, "captious_free": 1e-3, "lm": 1e-4}
Row = dict[str, Any]


def compute(only: set[str] | None = None) -> dict[str, Row]:
    """Signature and scores of every metric that runs here, or of some, on the bundled sample."""
    sample = demo_files()
    corpus = captious.load_corpus(
        sample.systems, [sample.references], images=sample.images, objects=sample.objects
    )
    names = [name for name in captious.available_metrics(NEEDS) if only is None or name in only]
    systems = captious.score(corpus, names, resamples=0).to_dict()["systems"]
    found: dict[str, Row] = {}
    for system, metrics in systems.items():
        for name, value in metrics.items():
            row = found.setdefault(name, {"signature": value["signature"], "scores": {}})
            row["scores"][system] = value["score"]
    return found


def problems(stored: dict[str, Row], now: dict[str, Row]) -> list[str]:
    """What a change did to each metric that both know; empty where every number is as it was."""
    return [line for name in stored if name in now for line in _problem(name, stored[name], now[name])]


def _problem(name: str, stored: Row, now: Row) -> Iterator[str]:
    limit = NETWORKS.get(name, TOLERANCE)
    moved = [
        f"{system} {value:.6f} -> {now['scores'][system]:.6f}"
        for system, value in stored["scores"].items()
        if abs(value - now["scores"][system]) > limit * max(1.0, abs(value))
    ]
    if moved and stored["signature"] == now["signature"]:
        yield (
            f"{name}: the number changed and its signature did not ({'; '.join(moved)}; {now['signature']}). "
            "Undo the change, make it an option, or raise the version in src/captious/_version.py; "
            "then run: python scripts/golden_scores.py --write"
        )
    elif moved or _facts(stored["signature"]) != _facts(now["signature"]):
        yield (
            f"{name}: stored under another signature ({stored['signature']} -> {now['signature']}). "
            "If that is meant, say so in CHANGELOG.md and run: python scripts/golden_scores.py --write"
        )


def _facts(signature: str) -> str:
    """A signature without its version: a new version that changes no number needs nothing done."""
    return signature.rpartition("|v:")[0]


def references() -> dict[str, Row]:
    """What reference implementations say of the sample: pycocoevalcap with Java, and sacreBLEU."""
    corpora = dict(_texts())
    found: dict[str, Row] = {}
    if find_spec("pycocoevalcap") and which("java"):
        for system, (captions, texts) in corpora.items():
            for name, value in _coco_caption(captions, texts).items():
                row = found.setdefault(name, {"by": "pycocoevalcap 1.2", "scores": {}})
                row["scores"][system] = value
    if find_spec("sacrebleu"):
        import sacrebleu

        scorer = sacrebleu.BLEU(effective_order=True)
        row = found.setdefault("sacrebleu", {"by": f"sacrebleu {sacrebleu.__version__}", "scores": {}})
        for system, (captions, texts) in corpora.items():
            each = [scorer.sentence_score(captions[key], texts[key]).score for key in captions]
            row["scores"][system] = sum(each) / len(each) / 100
    return found


def _texts() -> Iterator[tuple[str, tuple[dict[str, str], dict[str, list[str]]]]]:
    sample = demo_files()
    annotations = json.loads(sample.references.read_text("utf-8"))["annotations"]
    texts: dict[str, list[str]] = {}
    for one in annotations:
        texts.setdefault(str(one["image_id"]), []).append(one["caption"])
    for path in sample.systems:
        rows = json.loads(path.read_text("utf-8"))
        yield path.stem, ({str(one["image_id"]): one["caption"] for one in rows}, texts)


def _coco_caption(captions: dict[str, str], texts: dict[str, list[str]]) -> dict[str, float]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    tokeniser = PTBTokenizer()
    gold = tokeniser.tokenize({i: [{"caption": text} for text in texts[i]] for i in captions})
    given = tokeniser.tokenize({i: [{"caption": captions[i]}] for i in captions})
    with contextlib.redirect_stdout(io.StringIO()):
        bleu = Bleu(4).compute_score(gold, given)[0]
        found = {f"bleu{n}": float(value) for n, value in enumerate(bleu, start=1)}
    found["rouge_l"] = float(Rouge().compute_score(gold, given)[0])
    found["cider"] = float(Cider().compute_score(gold, given)[0])
    found["meteor"] = float(Meteor().compute_score(gold, given)[0])
    return found


def write(now: dict[str, Row]) -> list[str]:
    """Store the scores anew; a number that changed under its old signature stays as it was and is named."""
    stored: dict[str, Row] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    refused = [line for line in problems(stored, now) if "its signature did not" in line]
    kept = {line.partition(":")[0] for line in refused}
    oracle = references()
    for name, row in now.items():
        if name not in kept:
            said = oracle.get(name) or stored.get(name, {}).get("reference")
            stored[name] = row | ({"reference": said} if said else {})
    FILE.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n", "utf-8")
    return refused


def main(arguments: list[str]) -> int:
    now = compute()
    said = write(now) if "--write" in arguments else problems(json.loads(FILE.read_text("utf-8")), now)
    print("\n".join(said) or f"{len(now)} metrics: every number is as it was under its signature")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
