"""Likert scales and pairwise choices that a YAML file describes."""

from captious.protocols.generic.rules import Generic

__all__ = ["Generic"]
