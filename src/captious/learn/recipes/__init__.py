"""Metrics of papers, as settings of the trainer."""
