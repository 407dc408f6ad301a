"""Hooks of the site: pages from the top of the repository, links to them, notebooks, every option."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import notebooks
import options

ROOT = Path(__file__).parents[2]
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def on_files(files: Files, config: Any) -> Files:
    for source, page in PAGES.items():
        text = re.sub(r"\]\(docs/", "](", (ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "commands/options.md", content=options.page()))
    for notebook in sorted(notebooks.FOLDER.glob("*.ipynb")):
        page = f"notebooks/{notebook.stem}.md"  # the notebook itself stays beside its page, to be downloaded
        files.append(File.generated(config, page, content=notebooks.page(notebook)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    for source, target in PAGES.items():
        markdown = markdown.replace(f"](../{source})", f"]({target})")
    return markdown
