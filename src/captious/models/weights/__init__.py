"""Weights of the image-text models: which are known, where they are, how they come here."""

from captious.models.weights.find import Found, allowed, fetch, find, search
from captious.models.weights.known import KNOWN, Known, known
from captious.models.weights.status import Status, status

__all__ = ["KNOWN", "Found", "Known", "Status", "allowed", "fetch", "find", "known", "search", "status"]
