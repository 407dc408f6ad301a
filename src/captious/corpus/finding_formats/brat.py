"""brat's standoff format: `NAME.ann` beside `NAME.txt`, a caption a file.

Offsets are code points. A text-bound annotation is a finding of its type; the attributes `Severity` and
`Confidence` and an annotator's note belong to it. A discontinuous one is a finding for each piece. The
annotator is the name of the folder, the image that of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from captious.corpus.findings import Finding
from captious.corpus.readers.open import Source, open_source
from captious.errors import InputError, one_line

LINE = re.compile(r"(?:T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*\t|[AMREN#]\d+\t|\*\t)")


def read(source: Source, by: str) -> Iterator[Finding]:
    """The annotations of one text."""
    path = Path(source.name)
    text = path.with_suffix(".txt")
    if not text.is_file():
        raise InputError(f"{source.name}: there is no {text.name} beside it. Put the text there.")
    caption = opened(text).data.decode("utf-8")
    caption = caption.removesuffix("\n").removesuffix("\r")
    finding = Finding(path.stem, "", caption, None, None, "", source=by or path.resolve().parent.name)
    lines = source.data.decode("utf-8").split("\n")
    about = _about(lines)
    nothing = True
    for number, line in enumerate(lines, 1):
        if not line.startswith("T"):
            continue
        nothing = False
        if not LINE.match(line):
            raise InputError(f"{source.name}: line {number}: is not an annotation of brat. Save it again.")
        key, place, said = line.rstrip("\r").split("\t", 2)
        kind, _, pieces = place.partition(" ")
        spans = [tuple(map(int, piece.split())) for piece in pieces.split(";")]
        # brat writes a space for a line end, so that white space is not compared.
        if said.split() != " ".join(caption[a:b] for a, b in spans).split():
            raise InputError(
                f'{source.name}: line {number}: "{one_line(said, 40)}" is not at {pieces} of {text.name}. '
                "Take both files from the same folder."
            )
        own = about.get(key, {})
        sure = own.get("confidence", "nan")
        try:
            confidence = float(sure)
        except ValueError:
            raise InputError(f'{source.name}: {key}: the confidence is "{one_line(sure, 40)}".') from None
        for start, end in spans:
            yield finding._replace(
                start=start, end=end, kind=kind, confidence=confidence,
                severity=own.get("severity", ""), note=own.get("note", ""),
            )  # fmt: skip
    if nothing:
        yield finding


def read_folder(folder: Path, by: str) -> Iterator[Finding]:
    """The annotations of every text of a folder."""
    for path in sorted(folder.glob("*.ann")):
        yield from read(opened(path), by)


def opened(path: Path) -> Source:
    """The content of a file, which may be empty: in this text nothing was marked."""
    blank = path.is_file() and not (data := path.read_bytes()).strip()
    return Source(str(path), path.stem, data) if blank else open_source(path)


def _about(lines: list[str]) -> dict[str, dict[str, str]]:
    """Attributes and notes by the annotation that they are about."""
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        cells = line.rstrip("\r").split("\t")
        words = cells[1].split(" ") if len(cells) > 1 else []
        if line[:1] in ("A", "M") and len(words) > 1:
            found.setdefault(words[1], {})[words[0].casefold()] = " ".join(words[2:])
        elif line.startswith("#") and len(words) > 1 and len(cells) > 2:
            found.setdefault(words[1], {})["note"] = cells[2]
    return found
