"""THumB: rubric scores in two stages, extra rounds, its analysis and its file format."""

from captious.protocols.thumb.rules import Thumb

__all__ = ["Thumb"]
