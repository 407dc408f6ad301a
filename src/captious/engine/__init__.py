"""Where the work runs: in this process, or split over a pool of processes."""

from captious.engine.run import Progress, Run, run_metrics

__all__ = ["Progress", "Run", "run_metrics"]
