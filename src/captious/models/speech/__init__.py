"""Spoken captions: recordings read and checked, and turned into text by a recogniser."""

from captious.models.speech.audio import Recording, read_wav, recording_problems
from captious.models.speech.recognise import RECOGNISERS, Recogniser, recogniser

__all__ = ["RECOGNISERS", "Recogniser", "Recording", "read_wav", "recogniser", "recording_problems"]
