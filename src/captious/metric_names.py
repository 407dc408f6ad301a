"""What metrics and groups of metrics are called, read without importing any: for completion in the shell."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

GROUPS = ("classic", "free", "offline", "all")
PLUGINS = "captious.metrics"  # the entry-point group of other packages' metrics
_PACKAGE = "captious.metrics"
_REGISTERED = re.compile(r'^@register\("(\w+)"\)', re.MULTILINE)


@cache
def metric_homes() -> dict[str, str]:
    """Our modules by the metrics that they register, read from their text and not imported.

    >>> metric_homes()["cider"]
    'captious.metrics.cider'
    """
    root = Path(__file__).parent / "metrics"
    found = {}
    for path in sorted(root.rglob("*.py")):
        for name in _REGISTERED.findall(path.read_text(encoding="utf-8")):
            place = path.relative_to(root).with_suffix("").parts
            found[name] = ".".join([_PACKAGE, *place])
    return found
