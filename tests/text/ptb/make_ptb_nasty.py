"""Ask the reference tokeniser about the strings in `data/ptb_nasty.json` and store its answers.

Run `python tests/text/ptb/make_ptb_nasty.py` after adding a string (an entry with only "text") to the
file. It needs Java and pycocoevalcap, whose package holds the Stanford tokeniser that coco-caption
calls.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

STORED = Path(__file__).parent / "data" / "ptb_nasty.json"
# An empty line and a lower-case word: what follows a caption then decides nothing about it.
_NEUTRAL = "\n\nx\n"


def jar_lines(text: str, *, lower_case: bool) -> list[str]:
    """What the reference prints for the lines of `text`."""
    found = find_spec("pycocoevalcap")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("pycocoevalcap is not installed: pip install pycocoevalcap==1.2")
    folder = Path(found.submodule_search_locations[0]) / "tokenizer"
    with tempfile.NamedTemporaryFile("wb", suffix=".txt", delete=False) as file:
        file.write(text.encode())
    command = ["java", "-cp", str(folder / "stanford-corenlp-3.4.1.jar")]
    command += ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines"]
    command += ["-lowerCase"] if lower_case else []
    try:
        done = subprocess.run([*command, file.name], capture_output=True, check=True)
    finally:
        Path(file.name).unlink()
    return done.stdout.decode().split("\n")


def jar_alone(texts: Sequence[str], *, lower_case: bool) -> list[str]:
    """The reference's line for each text, none of them seeing its neighbours."""
    lines = jar_lines("".join(text + _NEUTRAL for text in texts), lower_case=lower_case)
    if len(lines) != 3 * len(texts) + 1:
        raise SystemExit(f"{len(texts)} texts gave {len(lines)} lines: one holds a line break")
    return lines[0:-1:3]


def as_coco_caption(line: str, punctuation: frozenset[str]) -> list[str]:
    """Tokens that coco-caption makes of a line of the reference, for a metric that splits them."""
    kept = (token for token in line.split(" ") if token not in punctuation)
    return [part for token in kept for part in token.split()]


def answers(texts: Sequence[str], punctuation: frozenset[str]) -> list[dict[str, object]]:
    """For each text the tokens as printed and the tokens that coco-caption keeps."""
    printed = jar_alone(texts, lower_case=False)
    lowered = jar_alone(texts, lower_case=True)
    return [
        {"text": text, "tokens": line.split(), "coco": as_coco_caption(lower, punctuation)}
        for text, line, lower in zip(texts, printed, lowered, strict=True)
    ]


def main() -> None:
    from captious.text.ptb.tokenise import PUNCTUATION

    texts = list(dict.fromkeys(entry["text"] for entry in json.loads(STORED.read_text())))
    rows = [json.dumps(entry) for entry in answers(texts, PUNCTUATION)]
    STORED.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    print(f"{len(rows)} strings")


if __name__ == "__main__":
    main()
