"""SPICE against the reference implementation: its scores, its scene graphs, its parses."""
