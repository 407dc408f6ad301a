"""Raters that a program plays, for dry runs and the demo."""
