"""A vision-language model as judge, by THumB's rubric."""

from captious.metrics.vlm_judge.metric import VlmJudge

__all__ = ["VlmJudge"]
