"""What metrics and groups of metrics are called, read without importing any: for completion in the shell."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

GROUPS = ("classic", "free", "offline", "all")
PLUGINS = "captious.metrics"  # the entry-point group of other packages' metrics
# What papers write, without case and signs, where it is not our name without them.
ALIASES = {
    "bleu": "bleu4",
    "ciderd": "cider",
    "rouge": "rouge_l",
    "clips": "clipscore",
    "refclips": "refclipscore",
    "pacs": "pacscore",
    "refpacs": "refpacscore",
}
_PACKAGE = "captious.metrics"
_REGISTERED = re.compile(r'^@register\("(\w+)"\)', re.MULTILINE)
_SIGNS = re.compile(r"[-_ @]")


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


def plain_name(asked: str) -> str:
    """Our name of a metric or group that is written as papers write it; options stay as they are.

    >>> [plain_name(one) for one in ("CIDEr", "BLEU-4", "bleu", "CIDEr-D[sigma=4]", "ROUGE-L", "my_own")]
    ['cider', 'bleu4', 'bleu4', 'cider[sigma=4]', 'rouge_l', 'my_own']
    """
    name, bracket, options = asked.strip().partition("[")
    return _by_spelling().get(_folded(name), name) + bracket + options


@cache
def _by_spelling() -> dict[str, str]:
    return {**ALIASES, **{_folded(name): name for name in (*metric_homes(), *GROUPS)}}


def _folded(name: str) -> str:
    return _SIGNS.sub("", name.strip().casefold())
