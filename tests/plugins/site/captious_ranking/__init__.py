"""A package of somebody else's: a protocol and a metric for captious."""
