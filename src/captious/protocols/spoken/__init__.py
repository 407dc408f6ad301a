"""Spoken captions: raters describe images aloud, others correct the machine's transcript."""

from captious.protocols.spoken.rules import SpokenCaptions

__all__ = ["SpokenCaptions"]
