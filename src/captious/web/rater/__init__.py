"""A rater's pages: the next task, its answer, what was answered before, and the same as JSON."""
