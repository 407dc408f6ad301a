"""The examples of a page: its blocks, what it says that they print, and the comments that steer them.

`python` blocks share their names; `bash` blocks and lines that begin with `$ ` are commands. A block right
below, or below a line that begins with "prints", is what they print: `…` stands for any text of a line, `…`
on a line of its own for any lines. A block below the name of a file (`mine.csv`) is that file. A text block
that begins with `captious` and has placeholders is a synopsis: its options must exist. Comments in the page,
right before a block:

<!-- not run: needs a Ray cluster -->   the only way past the test
<!-- long -->                           run by `make test-all`
<!-- needs: data, spacy -->             the benchmark data, a package
<!-- all need: data -->                 the same for this block and those below
<!-- exits with 1 -->                   of its last command; an output that begins with `error:` exits with 2
<!-- prints --> … <!-- end -->          Markdown that the block above prints
<!-- run: captious demo --files sample  commands that the reader does not see, to make files
     or to print the block below -->
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PIECE = re.compile(
    r"^(?P<indent> *)(?:```(?P<language>\w*)\n(?P<text>.*?)^ *```|<!-- (?P<comment>.*?) -->)$", re.M | re.S
)
FILE = re.compile(r"`([\w./-]+\.\w+)`:?")
MARK = re.compile(r"(not run|run|needs|all need): *(.*)|(long)|exits with (\d)", re.S)
PLACEHOLDER = re.compile(r"\[-|\[?\b[A-Z]{3,}\b(?![./])")
PRINTED = {"", "text", "json", "latex", "csv"}
KINDS = {"python": "python", "bash": "commands", "sh": "commands", "json": "data", "yaml": "data"}


@dataclass
class Example:
    """A block of a page, or commands that a comment holds, and what the page says they print."""

    kind: str  # python, commands, file, data, synopsis, not run
    text: str
    line: int
    hidden: bool = False
    long: bool = False
    needs: tuple[str, ...] = ()
    code: int | None = None
    name: str = ""  # of a file, or why it is not run
    prints: str | None = None


@dataclass
class Page:
    """The examples of a page, and blocks of which nobody knows what they are."""

    path: Path
    examples: list[Example] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)  # of the next block
    needs: str = ""  # of every block from here on

    @property
    def name(self) -> str:
        """The page's path in the repository."""
        return os.path.relpath(self.path, ROOT)

    def add(self, example: Example) -> None:
        """Take an example with the marks before it."""
        example.long = "long" in self.marks
        example.needs = tuple(re.findall(r"\w+", f"{self.marks.get('needs', '')} {self.needs}"))
        example.code = int(self.marks["exits"]) if "exits" in self.marks else None
        if example.kind == "not run":
            example.name = self.marks["not run"]
        self.examples.append(example)

    def comment(self, text: str, before: str, line: int) -> None:
        """Take what a comment says of the next block, or of the one above."""
        if text == "end" and self.examples:
            self.examples[-1].prints = before
        if (mark := MARK.match(text)) is None:
            return
        name = mark[1] or mark[3] or "exits"
        if name == "all need":
            self.needs = mark[2]
        elif name == "run":
            commands = re.sub(r"(?m)^ *(?=\S)", "$ ", re.sub(r"\\\n *", "", mark[2]))
            self.add(Example("commands", commands, line, hidden=True))
        else:
            self.marks[name] = mark[2] or mark[4] or ""

    def block(self, language: str, text: str, before: str, line: int) -> None:
        """Take a block, by the line before it."""
        last = self.examples[-1] if self.examples else Example("", "", 0)
        may_print = last.kind in ("python", "commands") and last.prints is None
        below = not before or (before.startswith("prints") and "\n" not in before)
        prints = language in PRINTED and not text.startswith("$ ") and "not run" not in self.marks
        if may_print and below and prints:
            last.prints = text
        elif (example := self._example(language, text, before.rpartition("\n")[2].strip(), line)) is None:
            self.unknown.append(f"{self.name}:{line}: neither run nor marked <!-- not run: why -->")
        else:
            self.add(example)
        self.marks.clear()

    def _example(self, language: str, text: str, before: str, line: int) -> Example | None:
        kind = KINDS.get(language)
        if "not run" in self.marks:
            return Example("not run", text, line)
        if name := FILE.fullmatch(before):
            return Example("file", text + "\n", line, name=name[1])
        if text.startswith("$ "):
            return Example("commands", text, line)
        if kind is not None:
            return Example(kind, re.sub(r"(?m)^(?=\S)", "$ ", text) if kind == "commands" else text, line)
        is_synopsis = text.startswith("captious ") and PLACEHOLDER.search(text)
        return Example("synopsis", text, line) if is_synopsis else None


def read(path: Path) -> Page:
    """The examples of a page in order."""
    page, text, end = Page(path), path.read_text(encoding="utf-8"), 0
    for found in PIECE.finditer(text):
        before, line = text[end : found.start()].strip(), text.count("\n", 0, found.start()) + 1
        end = found.end()
        if found["comment"] is not None:
            page.comment(found["comment"], before, line)
        else:
            lines = [one.removeprefix(found["indent"]) for one in found["text"].splitlines()]
            page.block(found["language"], "\n".join(lines), before, line)
    return page
