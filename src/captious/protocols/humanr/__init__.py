"""HUMANr: head-to-head comparisons with human captions, and their analysis."""

from captious.protocols.humanr.rules import Humanr

__all__ = ["Humanr"]
