"""Progress, agreement and results of a running campaign."""
