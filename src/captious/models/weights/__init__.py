"""Weights of models: which are known, where they are, and how to get them."""

from captious.models.weights.find import Found, allowed, fetch, find, search
from captious.models.weights.known import KNOWN, Known, known
from captious.models.weights.verify import Status, Verified, status, verify

__all__ = [
    "KNOWN",
    "Found",
    "Known",
    "Status",
    "Verified",
    "allowed",
    "fetch",
    "find",
    "known",
    "search",
    "status",
    "verify",
]
