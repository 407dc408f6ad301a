"""Metrics against people: coefficients, accuracies, their tables, and scores computed elsewhere."""
