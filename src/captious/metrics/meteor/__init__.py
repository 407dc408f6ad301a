"""METEOR 1.5: matchers, alignment and score, over all pairs of captions at once."""

from captious.metrics.meteor.metric import Meteor, align

__all__ = ["Meteor", "align"]
