"""Trees of the teacher as parses to learn from, a JSON line each.

    python label.py stanford-parser.jar trees.txt taught.jsonl

The jar's own converter makes dependencies of the trees; `convert.py` makes them those of the golden parses.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from convert import parse_of, read_dependencies

CONVERTER = "edu.stanford.nlp.trees.EnglishGrammaticalStructure"


def main() -> None:
    """Convert every tree that was found."""
    jar, given, out = map(Path, sys.argv[1:])
    trees = [line for line in given.read_text(encoding="utf-8").split("\n") if line]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as whole:
        whole.write("\n".join(trees) + "\n")
        whole.flush()
        command = ["java", "-cp", str(jar), CONVERTER, "-treeFile", whole.name, "-basic"]
        told = subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8")
    dependencies = list(read_dependencies(told.stdout.split("\n")))
    with out.open("w", encoding="utf-8") as lines:
        for tree, edges in zip(trees, dependencies, strict=True):
            parse = parse_of(tree, edges)
            if parse is not None and parse.heads.count(0) == 1:
                row = {"words": parse.words, "tags": parse.tags, "heads": parse.heads, "labels": parse.labels}
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
