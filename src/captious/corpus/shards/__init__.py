"""Corpora that are too large for memory: shards of captions, read in blocks."""

from captious.corpus.shards.dataset import ShardedCorpus, open_shards

__all__ = ["ShardedCorpus", "open_shards"]
