"""Raters against each other: the report on their agreement, and one value from several ratings."""
