"""Keep captions by their scores, over shards of any size."""

from captious.engine.filter.run import Filtered, filter_shards

__all__ = ["Filtered", "filter_shards"]
