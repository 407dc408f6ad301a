"""A Prolific of our own on loopback: the documented protocol, strictly, with faults on demand.

Written from the public API reference (docs.prolific.com/api-reference): names and types of fields,
states and transitions, limits. It is no part of Prolific and knows nothing of captious.
"""

from .faults import Fault
from .server import Service
from .world import World

__all__ = ["Fault", "Service", "World"]
