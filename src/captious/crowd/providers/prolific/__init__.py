"""Prolific: studies, submissions, payments and messages through its REST API."""

from captious.crowd.providers.prolific.provider import Prolific

__all__ = ["Prolific"]
