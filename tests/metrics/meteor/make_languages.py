"""Write what METEOR 1.5's own program (Java, in pycocoevalcap) says of captions in other languages.

python tests/metrics/meteor/make_languages.py
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path

from captious.metrics.meteor.languages import LANGUAGES
from captious.metrics.meteor.sources import find_sources
from captious.text.international import international

DATA = Path(__file__).parents[2] / "data" / "languages"
THEIR_CODES = {"cs": "cz", "sv": "se"}


def main() -> None:
    captions = json.loads((DATA / "captions.json").read_text("utf-8"))
    captions |= json.loads((DATA / "more_captions.json").read_text("utf-8"))
    found = {code: said(code, captions[code]) for code in LANGUAGES}
    found |= {f"{code}+own": said(code, captions[code], own_words=True) for code in ("de", "es", "fr", "ru")}
    (DATA / "meteor.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def said(code: str, pairs: list[list[str]], own_words: bool = False) -> dict[str, object]:
    """The score of each pair and of all, with 1 pair more whose caption is another's."""
    own = LANGUAGES[code]
    options = ["-norm"] if own.normalised else ["-lower"]
    pairs = [*pairs, [pairs[0][0], pairs[1][1]]]
    with tempfile.TemporaryDirectory() as folder:
        for side, name in enumerate(("candidates", "references")):
            texts = [pair[side] for pair in pairs]
            if not own.normalised:
                texts = [" ".join(international(text)) for text in texts]
            (Path(folder) / name).write_text("\n".join(texts) + "\n", "utf-8")
        command = ["java", "-Dfile.encoding=UTF-8", "-Xmx1G", "-jar", str(find_sources().jar)]
        command += ["candidates", "references", "-l", THEIR_CODES.get(code, code), *options]
        if own_words:
            words = sorted(find_sources().function_words(own.name))
            (Path(folder) / "words").write_text("\n".join(words) + "\n", "utf-8")
            command += ["-s", "words"]
        command += ["-m", own.matchers.replace("+", " ")]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True, encoding="utf-8"
        )
    scores = re.findall(r"Segment \d+ score:\s+(\S+)", done.stdout)
    final = re.search(r"Final score:\s+(\S+)", done.stdout)
    assert len(scores) == len(pairs) and final, done.stdout
    return {"scores": list(map(float, scores)), "final": float(final[1])}


if __name__ == "__main__":
    main()
