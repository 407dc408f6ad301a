"""The benchmarks' judged captions, a module for each, and a reader of anybody's own file."""
