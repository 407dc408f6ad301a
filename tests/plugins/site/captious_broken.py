"""A package that cannot be imported, whatever it tries first."""

from captious.protocols import register
from captious.protocols.tagging import Tagging

register("half_there")(type("Half", (Tagging,), {}))
raise RuntimeError("a library of mine is missing")
