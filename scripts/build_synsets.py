"""Builds the synonym table of SPICE from the WordNet 3.0 tables inside METEOR's jar.

    python scripts/build_synsets.py METEOR_JAR src/captious/text/data

The jar comes with the package pycocoevalcap 1.2 (pycocoevalcap/meteor/meteor-1.5.jar). Of its
resources only those extracted from WordNet are read: which synsets a word is in, and irregular
forms. Synsets get short numbers in place of WordNet's eight digits; nothing else changes. The
output is the same bytes on every run.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import zipfile
from pathlib import Path

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def pairs(text: str) -> list[tuple[str, list[str]]]:
    lines = text.split("\n")
    return [(key, values.split()) for key, values in zip(lines[::2], lines[1::2], strict=False)]


def short(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, len(DIGITS))
        digits = DIGITS[digit] + digits
        if not number:
            return digits


def compact(synsets: str, exceptions: str) -> str:
    numbers: dict[str, str] = {}
    lines = []
    for word, ids in pairs(synsets):
        names = [numbers.setdefault(i, short(len(numbers))) for i in sorted(ids)]
        lines.append(f"{word}\t{' '.join(names)}")
    bases: dict[str, list[str]] = {}
    for base, forms in pairs(exceptions):
        for form in forms:
            bases.setdefault(form, []).append(base)
    irregular = [f"{form}\t{' '.join(sorted(bases[form]))}" for form in sorted(bases)]
    return "\n".join([*lines, "", *irregular]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jar", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    with zipfile.ZipFile(arguments.jar) as jar:
        synsets, exceptions, licence = (
            jar.read(f"synonym/{name}").decode("utf-8")
            for name in ("english.synsets", "english.exceptions", "COPYING.WORDNET")
        )
    table = gzip.compress(compact(synsets, exceptions).encode(), compresslevel=9, mtime=0)
    (arguments.folder / "synsets.txt.gz").write_bytes(table)
    # The licence proper follows a line of dashes in the jar's note on its own files.
    text = licence[licence.index("WordNet Release 3.0") :].rstrip() + "\n"
    (arguments.folder / "WORDNET-LICENSE.txt").write_text(text, encoding="utf-8")
    print(f"{arguments.folder / 'synsets.txt.gz'}: {len(table):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
