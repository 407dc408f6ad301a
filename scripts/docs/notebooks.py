"""Notebooks of the site: run them, and make pages of them.

python scripts/docs/notebooks.py    # run all of docs/notebooks and store their outputs
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


def page(notebook: Path) -> str:
    """A notebook as Markdown: code in fences, tables and pictures as they look in a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    top = f"Download this page as a notebook: [{notebook.name}]({notebook.name})"
    first, *others = [_cell(one) for one in cells]
    return "\n\n".join([first, top, *others]) + "\n"


def _cell(cell: dict[str, Any]) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    return "\n\n".join([f"```python\n{source}\n```", *map(_output, cell["outputs"])])


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        html = re.sub(r"\n\s*\n", "\n", "".join(data["text/html"]))  # a blank line would end the block
        return f'<div class="output">\n{html}\n</div>'
    return "```text\n" + "".join(data.get("text/plain") or output.get("text") or "").rstrip() + "\n```"


def run(notebook: Path, folder: Path) -> Any:
    """A notebook as it is after a run in a folder; an error in a cell is an error here."""
    import nbclient
    import nbformat

    content = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(content, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    for cell in content.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                output.metadata = {}
                if "execution_count" in output:
                    output.execution_count = None
    content.metadata = {"language_info": {"name": "python"}}
    return content


def main() -> None:
    import tempfile

    import nbformat

    for notebook in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(run(notebook, Path(folder)), notebook)
        print(notebook.name)


if __name__ == "__main__":
    main()
