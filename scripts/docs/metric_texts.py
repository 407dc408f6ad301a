"""The table of `docs/metrics/README.md` that says how long a text each metric reads, from its declaration.

`python scripts/docs/metric_texts.py` writes it anew.
"""

from __future__ import annotations

from pathlib import Path

from captious.metrics import known_metrics
from captious.metrics.declared import HEADER, declared

PAGE = Path(__file__).parents[2] / "docs" / "metrics" / "README.md"
BEGIN, END = "<!-- begin: written by scripts/docs/metric_texts.py -->\n", "<!-- end of the table -->\n"


def table() -> str:
    """The table as Markdown, of the metrics of captious: a row for those that declare the same."""
    ours = {name: one for name, one in known_metrics().items() if one.__module__.startswith("captious.")}
    same: dict[tuple[str, ...], list[str]] = {}
    for name, *rest in declared(ours):
        same.setdefault(tuple(rest), []).append(f"`{name}`")
    rows = [HEADER, ("---",) * len(HEADER), *((" ".join(names), *rest) for rest, names in same.items())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_table(page: str) -> str:
    """The page with the table of today."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
