"""Mechanical Turk: ExternalQuestion HITs in its sandbox or in production."""

from captious.crowd.providers.mturk.provider import MechanicalTurk

__all__ = ["MechanicalTurk"]
