"""The files of the benchmarks: where they come from, where they are kept, how they are fetched."""
