"""The same work on a Ray cluster: blocks go to actors that load their metrics once."""

from captious.engine.ray.engine import RayEngine

__all__ = ["RayEngine"]
