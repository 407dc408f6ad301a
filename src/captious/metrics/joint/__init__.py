"""Metrics by models that read an image and a caption together: ViLT, BLIP, ViLBERT, VSE++."""

from captious.metrics.joint.family import BlipMatch, PairFamily, VilbertAlignment, ViltScore, Vsepp
from captious.metrics.joint.vilbertscore import VilbertScore

__all__ = ["BlipMatch", "PairFamily", "VilbertAlignment", "VilbertScore", "ViltScore", "Vsepp"]
