"""Where the work runs: in this process, or split over a pool of processes."""

from captious.engine.run import Run, run_metrics
from captious.progress import Report as Progress

__all__ = ["Progress", "Run", "run_metrics"]
