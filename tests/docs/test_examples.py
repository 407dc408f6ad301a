"""The examples of README and of every page of the site run, and print what the page shows."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "docs" / "run_examples.py"))
PAGES = [EXAMPLES["read"](path) for path in EXAMPLES["PAGES"]]
LONG = [page for page in PAGES if any(example.long for example in page.examples)]


def check(page: Any, folder: Path, *, long: bool) -> None:
    wrong, lacking = EXAMPLES["problems"](page, folder, long=long)
    assert not wrong, "\n\n".join(wrong)
    if lacking:
        pytest.skip(f"the rest ran; missing here: {', '.join(sorted(set(lacking)))}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_shows_what_its_examples_print(page: Any, tmp_path: Path) -> None:
    check(page, tmp_path, long=False)


@pytest.mark.long
@pytest.mark.parametrize("page", LONG, ids=lambda page: page.name)
def test_a_page_with_long_examples_does_too(page: Any, tmp_path: Path) -> None:
    check(page, tmp_path, long=True)


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("```\nsomething\n```", "neither run nor marked"),
        ("```\ncaptious doctor\n```", "neither run nor marked"),
        ("```python\nprint(1)\n```\n\n```\n2\n```", "-2\n+1"),
        ("```python\nimport captious\ncaptious.load_corpus('nowhere.json')\n```", "there is no such file"),
        ("```bash\ncaptious score --candidates nowhere.json\n```", "exits with 2"),
        ("```text\n$ captious --version\ncaptious 9\n```", "-captious 9\n+captious "),
        ("```text\ncaptious score [--no-such-option X]\n```", "there is no --no-such-option"),
        ("```json\n{\n```", "cannot be read"),
        ("<!-- run: echo 1 -->\n```\n2\n```", "-2\n+1"),
    ],
)
def test_what_a_page_says_wrongly_is_found(block: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(f"A page.\n\n{block}\n")
    (tmp_path / "run").mkdir()
    wrong, _ = EXAMPLES["problems"](EXAMPLES["read"](tmp_path / "page.md"), tmp_path / "run", long=True)
    assert said in "\n".join(wrong)


def test_what_a_page_leaves_out_or_makes_first_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(
        "`a.txt`\n\n```text\none\ntwo\nthree\n```\n\n```text\n$ cat a.txt\none\n…\n```\n\n"
        "```python\nprint(open('a.txt').read(), 3.14159)\n```\n\nprints\n\n```\n…\n 3.14…\n```\n\n"
        "<!-- exits with 3 -->\n```bash\nexit 3\n```\n\n<!-- not run: a drawing -->\n```\n<-->\n```\n"
    )
    (tmp_path / "run").mkdir()
    page = EXAMPLES["read"](tmp_path / "page.md")
    assert EXAMPLES["problems"](page, tmp_path / "run", long=True) == ([], [])
    assert [example.kind for example in page.examples] == [
        "file",
        "commands",
        "python",
        "commands",
        "not run",
    ]
