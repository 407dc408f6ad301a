"""Memory that a process holds."""

from __future__ import annotations

import os
from pathlib import Path


def resident_bytes(process: int | str = "self") -> int:
    """Memory that a process holds now; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
