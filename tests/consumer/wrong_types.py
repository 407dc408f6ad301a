"""Mistakes that a type checker must find: one in each marked line."""

import captious


def theirs() -> None:
    """Nobody runs it."""
    captious.score(["a"], metric="bleu1")  # wrong
    captious.compute()  # wrong
    captious.Reward("cider")  # wrong
    number: int = captious.compute(["a"], [["a"]])  # wrong
    captious.load_corpus("a.json", duplicates="last")  # wrong
    captious.plan(power="0.8")  # wrong
    captious.agreement([[1]], level="high")  # wrong
    captious.no_such_name  # wrong
    print(number)
