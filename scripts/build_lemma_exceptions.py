"""Lists the words on which our lemma rules and CoreNLP's morphology disagree.

    python scripts/build_lemma_exceptions.py parses.jsonl.gz \
        src/captious/text/data/lemma_exceptions.txt

The parses are those of the golden data: a line a caption, with words, tags and lemmas.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections import Counter, defaultdict
from pathlib import Path

import orjson

from captious.text.lemma import rule_lemma

HEADER = "# Words whose lemma the rules of lemma.py get wrong: word, kind (N or V), lemma.\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parses", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    seen: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    with gzip.open(arguments.parses) as lines:
        for line in lines:
            for sentence in orjson.loads(line)["sentences"]:
                columns = (sentence[key].split(" ") for key in ("words", "tags", "lemmas"))
                for word, tag, lemma in zip(*columns, strict=True):
                    if (tag == "NNS" or tag[0] == "V") and "_" not in lemma:
                        seen[word, tag[0]][lemma, tag] += 1
    rows = []
    for (word, kind), lemmas in seen.items():
        wrong = any(rule_lemma(word, tag) != lemma for lemma, tag in lemmas)
        if wrong:
            rows.append(f"{word} {kind} {lemmas.most_common(1)[0][0][0]}")
    arguments.output.write_text(HEADER + "\n".join(sorted(rows)) + "\n", encoding="utf-8")
    print(f"{arguments.output}: {len(rows)} words")
    return 0


if __name__ == "__main__":
    sys.exit(main())
