"""Hooks of the site: generated pages, links to them, tables of the Python API, formulas."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import formulas
import names
import notebooks
import options

ROOT = Path(__file__).parents[2]
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def on_files(files: Files, config: Any) -> Files:
    for source, page in PAGES.items():
        text = re.sub(r"\]\(docs/", "](", (ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "commands/index.md", content=options.page()))
    for notebook in sorted(notebooks.FOLDER.glob("*.ipynb")):
        page = f"notebooks/{notebook.stem}.md"  # the notebook itself stays beside its page, to be downloaded
        files.append(File.generated(config, page, content=notebooks.page(notebook)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    folder = posixpath.dirname(page.file.src_uri)
    for source, target in PAGES.items():
        link = f"]({posixpath.relpath(target, folder or '.')}"
        markdown = re.sub(rf"\]\((?:\.\./)+{re.escape(source)}(?=[)#])", link, markdown)
    return names.with_tables(markdown)


def on_page_content(content: str, page: Any, config: Any, files: Files) -> str:
    return formulas.drawn(content)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Name the theme's search dialog for screen readers."""
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)
