"""The rating game of Scott et al. (2023): raters predict the consensus, and score points."""

from captious.protocols.game.rules import RatingGame

__all__ = ["RatingGame"]
