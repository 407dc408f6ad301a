"""A benchmark's examples as rows, for a metric that is computed elsewhere."""

from __future__ import annotations

from typing import Any

from captious.benchmarks.protocol import Preferences, RatedExamples


def example_rows(data: RatedExamples | Preferences) -> dict[str, list[Any]]:
    """Columns of all examples that the protocol scores, with the ids that files of scores name them by.

    Where the protocol draws references, an example has a row for each `draw`.

    >>> from captious.benchmarks.protocol import Protocol, rated_examples
    >>> from captious.corpus import Corpus
    >>> corpus = Corpus.from_lists(["a dog", "a cat"], [["dog"], ["cat"]])
    >>> list(example_rows(rated_examples(Protocol("mine"), corpus, {"overall": [[4], [1]]}, ["a", "b"])))
    ['id', 'image', 'caption', 'references']
    """
    corpora = data.corpora if isinstance(data, Preferences) else [data.corpus]
    first = corpora[0]
    examples = [example for corpus in corpora for example in corpus]
    columns: dict[str, list[Any]] = {"id": data.keys() * len(corpora)}
    if len(corpora) > 1:
        columns["draw"] = [draw for draw, corpus in enumerate(corpora) for _ in range(len(corpus))]
    columns["image"] = [one.image_id for one in examples]
    if len(first.systems) > 1:
        columns["system"] = [one.system for one in examples]
    columns["caption"] = [one.caption for one in examples]
    if len(first.references):
        columns["references"] = [one.references for one in examples]
    if first.image_paths is not None:
        columns["image_path"] = [one.image_path for one in examples]
    if first.objects is not None:
        columns["objects"] = [one.objects for one in examples]
    return columns
