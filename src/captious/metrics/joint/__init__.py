"""Metrics by models that read an image and a caption together: ViLT, BLIP, ViLBERT, VSE++."""

from captious.metrics.joint.blip_itm import BlipMatch
from captious.metrics.joint.family import PairFamily
from captious.metrics.joint.vilbert_alignment import VilbertAlignment
from captious.metrics.joint.vilbertscore import VilbertScore
from captious.metrics.joint.vilt import ViltScore
from captious.metrics.joint.vsepp import Vsepp

__all__ = ["BlipMatch", "PairFamily", "VilbertAlignment", "VilbertScore", "ViltScore", "Vsepp"]
