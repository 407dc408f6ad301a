"""A package of somebody else, with a metric."""
