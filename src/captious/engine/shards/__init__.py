"""Score shards of any size, block by block: resumable, and the same on one machine and on many."""

from captious.engine.shards.result import ShardedScores
from captious.engine.shards.run import score_shards

__all__ = ["ShardedScores", "score_shards"]
