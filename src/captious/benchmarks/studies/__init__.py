"""Studies: a paper's tables as a file, recomputed from its data or from your own."""
