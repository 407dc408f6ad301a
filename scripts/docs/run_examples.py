"""Run the examples of pages, each page in an empty folder, and compare what they print with what it shows.

python scripts/docs/run_examples.py docs/formats.md          # what differs
python scripts/docs/run_examples.py --write docs/formats.md  # put what is printed into the page
python scripts/docs/run_examples.py --list                   # what is not run, and why

`page_examples.py` says how a page is read.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from page_examples import PAGES, ROOT, Example, Page, read

from captious.errors import CaptiousError
from captious.files import cache_folder

NOT_INSTALLED = "Install it with: pip install"
OPERATORS = "|&;<>()"
DOCTEST = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
WRITTEN: dict[str, list[str]] = {}  # what was printed, by what a page shows in its place


class Run:
    """A page's folder, names and commands."""

    def __init__(self, folder: Path) -> None:
        self.here, tools = folder / "here", folder / "bin"
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.here.mkdir()
        tools.mkdir()
        for name, call in (("captious", "-m captious"), ("python", "")):
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
            (tools / name).chmod(0o755)
        own = ("CAPTIOUS_", "XDG_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(own)} | {
            "HOME": str(folder / "home"),
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONUNBUFFERED": "1",
            "CAPTIOUS_CACHE": str(cache_folder()),
        }

    def run(self, example: Example) -> list[str]:
        """What is wrong with an example; nothing, if it does as the page says."""
        data = {"CAPTIOUS_DATA": str(data_folder())} if "data" in example.needs else {}
        with contextlib.chdir(self.here), _environment(self.environment | data):
            try:
                found: list[str] = getattr(self, f"_{example.kind.replace(' ', '_')}")(example)
            except CaptiousError as error:
                return [f"{type(error).__name__}: {error}"]
            return found

    def _not_run(self, example: Example) -> list[str]:
        return []

    def _file(self, example: Example) -> list[str]:
        Path(example.name).write_text(example.text, encoding="utf-8")
        return []

    def _data(self, example: Example) -> list[str]:
        import yaml

        lines = example.text.splitlines()
        try:
            for text in lines if all(line.startswith("{") for line in lines) else [example.text]:
                yaml.safe_load(text)
        except yaml.YAMLError as error:
            return [f"cannot be read: {error}"]
        return []

    def _synopsis(self, example: Example) -> list[str]:
        found = []
        for use in re.sub(r"\n +", " ", example.text).splitlines():
            known, rest = options(use.partition("#")[0].split()[1:])
            wanted = re.findall(r"--[\w-]+", " ".join(rest))
            found += [f"{use}: there is no {one}" for one in wanted if one not in known]
        return found

    def _python(self, example: Example) -> list[str]:
        if example.text.startswith(">>> "):
            parse = doctest.DocTestParser().get_doctest
            test, told = parse(example.text + "\n", self.names, "page", None, example.line), io.StringIO()
            doctest.DocTestRunner(optionflags=DOCTEST).run(test, out=told.write, clear_globs=False)
            self.names |= test.globs
            return [told.getvalue()] if told.getvalue() else []
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * example.line + example.text, "page", "exec"), self.names)
        return difference(example.prints, printed.getvalue())

    def _commands(self, example: Example) -> list[str]:
        found: list[str] = []
        together = printed = ""
        several = list(commands(example.text))
        for place, (command, shown) in enumerate(several):
            printed, code = self._command(command)
            together += printed
            last = place == len(several) - 1
            told = shown if shown.strip() or not last else example.prints or ""
            expected = 2 if re.search("(?m)^error:", told) else 0
            if code != (example.code if last and example.code is not None else expected):
                found.append(f"{command}\nexits with {code}:\n{printed[-3000:]}")
            elif shown.strip():
                found += [f"{command}\n{one}" for one in difference(shown, printed)]
        # Of several commands the page may show what the last one prints, or what all print.
        return found or (difference(example.prints, printed) and difference(example.prints, together))

    def _command(self, command: str) -> tuple[str, int]:
        """What a command prints, and its exit code; those of ours run here, unless a shell is needed."""
        lexer = shlex.shlex(command, posix=True, punctuation_chars=OPERATORS)
        lexer.whitespace_split = True
        words = list(lexer)
        if words[:2] == ["captious", "serve"] and words[2:3] != ["token"]:
            return "it runs until it is stopped: mark it\n", 1
        if words[0] != "captious" or "$(" in command or any(set(word) <= set(OPERATORS) for word in words):
            shell = ["bash", "-euo", "pipefail", "-c", command]
            both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            done = subprocess.run(shell, **both, text=True, check=False)
            return done.stdout, done.returncode
        from captious.cli.main import main

        given = [os.path.expandvars(word) for word in words[1:]]
        files = {word: sorted(map(str, Path().glob(word))) for word in given if "*" in word}
        printed, code = io.StringIO(), 0
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                main([name for word in given for name in files.get(word, [word])])
            except SystemExit as stop:
                code = int(stop.code or 0)
        return printed.getvalue(), code


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of `$ ` lines, each with the lines that follow it."""
    for part in re.split(r"(?m)^\$ ", text)[1:]:
        command, _, shown = re.sub(r"\\\n\s*", "", part).partition("\n")
        yield command, shown


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def options(words: list[str]) -> tuple[set[str], list[str]]:
    """The options of the command that words begin with, and the words behind its name."""
    import typer.main

    from captious.cli.main import application

    command: Any = typer.main.get_command(application(words))
    while words and (found := getattr(command, "commands", {}).get(words[0].split("|")[0])) is not None:
        command, words = found, words[1:]
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)}, words


def difference(shown: str | None, printed: str) -> list[str]:
    """How what was printed differs from what the page shows; nothing where it shows nothing."""
    if shown is None or not shown.strip():
        return []
    want, have = _lines(shown), _lines(printed)
    if re.fullmatch("".join(map(_pattern, want)), "".join(f"{line}\n" for line in have)):
        return []
    with contextlib.suppress(ValueError):
        if _holds(json.loads(printed), json.loads(shown)):
            return []
    WRITTEN[shown] = have
    return ["\n".join(difflib.unified_diff(want, have, "the page shows", "is printed", lineterm="", n=2))]


def _pattern(line: str) -> str:
    if line.strip() == "…":
        return r"(?:.*\n)*?"
    if set(line.strip()) == {"─"}:  # as long as the table is wide, of which the page may show a part
        return r" ─+\n"
    return ".*".join(map(re.escape, line.split("…"))) + r"\n"


def _lines(text: str) -> list[str]:
    """Lines without what nobody sees: blanks at their ends, blank lines at both ends."""
    lines = [line.rstrip() for line in text.splitlines()]
    seen = [place for place, line in enumerate(lines) if line]
    return lines[seen[0] : seen[-1] + 1] if seen else []


def _holds(whole: Any, part: Any) -> bool:
    """Does a JSON value hold a part of it, written with fewer keys and list items?"""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _holds(whole[key], value) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(_holds, whole, part))
    return bool(whole == part)


def data_folder() -> Path | None:
    """Where the benchmark data are, as the tests look for them."""
    folder = Path(os.environ.get("CAPTIOUS_DATA", ROOT.parent / "shared" / "data")).resolve()
    return folder if folder.is_dir() else None


def problems(page: Page, folder: Path, *, long: bool) -> tuple[list[str], list[str]]:
    """What is wrong on a page, and what its examples need that is not here."""
    run, wrong, lacking = Run(folder), list(page.unknown), []
    for example in page.examples:
        gone = [one for one in example.needs if (data_folder() if one == "data" else find_spec(one)) is None]
        lacking += gone
        if gone or (example.long and not long):
            continue
        began = time.process_time()
        for one in run.run(example):
            (lacking if NOT_INSTALLED in one else wrong).append(f"{page.name}:{example.line}: {one}")
        if not example.long and (took := time.process_time() - began) > 1:
            print(f"{page.name}:{example.line} took {took:.1f} s of processor time")
    return wrong, lacking


def write(page: Page) -> None:
    """Put what was printed into the page; a part that it shows stays a part."""
    text = page.path.read_text(encoding="utf-8")
    for shown, have in WRITTEN.items():
        want, new = _lines(shown), have
        starts = [at for at in range(len(have)) if have[at : at + len(want)] == want]
        if starts and len(want) > 1:
            new = ["…"] * (starts[0] > 0) + want + ["…"] * (starts[0] + len(want) < len(have))
        text = text.replace(shown.rstrip("\n"), "\n".join(new))
    WRITTEN.clear()
    page.path.write_text(text, encoding="utf-8")


def main() -> None:
    """Run the pages that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    parser.add_argument("--write", action="store_true", help="put what is printed into the page")
    parser.add_argument("--list", action="store_true", help="what is not run, and why")
    parser.add_argument("--quick", action="store_true", help="leave out what is long")
    asked = parser.parse_args()
    pages = [read(path.resolve()) for path in asked.pages]
    if asked.list:
        every = [(page, example) for page in pages for example in page.examples]
        print(*Counter(example.kind for _, example in every if not example.hidden).items())
        print("hidden:", sum(example.hidden for _, example in every))
        print(
            "\n".join(f"{page.name}:{one.line}: {one.name}" for page, one in every if one.kind == "not run")
        )
        return
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            wrong, lacking = problems(page, Path(folder), long=not asked.quick)
        if asked.write:
            write(page)
        print("\n".join([f"{page.name}: {len(wrong)} wrong, missing {lacking}", *wrong]), flush=True)


if __name__ == "__main__":
    main()
