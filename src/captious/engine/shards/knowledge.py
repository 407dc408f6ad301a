"""What metrics must know of all shards before they score one: gathered as a tree.

Parts of blocks are joined two by two as they come, always the same two (block 0 with 1, 2 with 3,
then those two, …), so that there are never more parts in memory than the tree is high and the
result does not depend on the order of arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from captious.engine.shards.local import Failure
from captious.engine.shards.log import digest_of, identity
from captious.engine.shards.survey import Engine, Plan, SetAside, piece_name, renamed
from captious.engine.shards.work import collect
from captious.errors import InputError
from captious.metrics import Metric
from captious.metrics.document_frequency import CORPUS, DocumentFrequencies
from captious.progress import Report


class Tree:
    """Joins parts 0, 1, 2, … two by two, whatever order they come in.

    >>> tree = Tree(4, lambda pair: f"({pair[0]}{pair[1]})")
    >>> for place in (2, 0, 3, 1):
    ...     tree.add(place, "abcd"[place])
    >>> tree.root()
    '((ab)(cd))'
    """

    def __init__(self, size: int, join: Callable[[list[Any]], Any]) -> None:
        self.size, self.join = size, join
        self.waiting: dict[tuple[int, int], Any] = {}

    def add(self, place: int, part: Any) -> None:
        """Take a part, and join what is complete."""
        level, width = 0, self.size
        while width > 1:
            if place % 2 == 0 and place == width - 1:
                pass  # the last of an odd number goes up alone
            elif (level, place ^ 1) in self.waiting:
                other = self.waiting.pop((level, place ^ 1))
                part = self.join([part, other] if place % 2 == 0 else [other, part])
            else:
                self.waiting[level, place] = part
                return
            level, place, width = level + 1, place // 2, -(-width // 2)
        self.waiting[level, 0] = part

    def root(self) -> Any:
        """All parts as one."""
        (found,) = self.waiting.values()
        return found


def gather(plan: Plan, engine: Engine, progress: Report | None = None) -> Plan:
    """The plan with the knowledge of every metric that is corpus-wide; kept, and read again on resume.

    A block that cannot be read is set aside: it is neither known nor scored.
    """
    wide = {name: one for name, one in plan.work.metrics.items() if one.corpus_wide}
    knowledge = dict(_kept(plan, wide))
    left = {name: one for name, one in wide.items() if name not in knowledge}
    failed: dict[int, str] = {}
    if left:
        work = replace(plan.work, metrics=left)
        trees = {name: Tree(len(plan.pieces), _joining(one)) for name, one in left.items()}
        for done, (piece, found) in enumerate(engine.each(collect, work, plan.pieces)):
            if progress:
                progress(f"{', '.join(left)}, blocks", done, len(plan.pieces))
            if isinstance(found, Failure):
                failed[piece.number] = found.reason
            for name, tree in trees.items():
                tree.add(piece.number, None if isinstance(found, Failure) else found[name])
        for name, tree in trees.items():
            knowledge[name] = _known(left[name], tree.root(), failed)
            if not failed:
                _keep(plan, name, left[name], knowledge[name])
    work = replace(plan.work, knowledge={name: knowledge[name] for name in wide})
    return _without(replace(plan, work=work), failed)


def _without(plan: Plan, failed: dict[int, str]) -> Plan:
    """The plan without pieces that are not known; the others' scores depend on which these are."""
    if not failed:
        return plan
    missing = [plan.pieces[number].key for number in sorted(failed)]
    bad = [SetAside(piece_name(plan, plan.pieces[number]), failed[number]) for number in sorted(failed)]
    pieces = [
        piece._replace(key=(key := digest_of(piece.key, missing)), part=renamed(piece.part, key))
        for piece in plan.pieces
        if piece.number not in failed
    ]
    return replace(plan, pieces=pieces, set_aside=[*plan.set_aside, *bad])


def _joining(metric: Metric) -> Callable[[list[Any]], Any]:
    def join(pair: list[Any]) -> Any:
        known = [part for part in pair if part is not None]
        return metric.merge(known) if len(known) > 1 else (known or [None])[0]

    return join


def _known(metric: Metric, part: Any, failed: dict[int, str]) -> Any:
    if part is None:
        raise InputError(f"{metric.name}: no block could be read. The first: {failed[min(failed)]}")
    # A merge of one settles what a single part still leaves open.
    return metric.merge([part])


def _file(plan: Plan, name: str, metric: Metric) -> str:
    return f"work/knowledge-{digest_of(plan.digest, plan.work.corpus.duplicates, identity(name, metric))}.npz"


def _kept(plan: Plan, wide: dict[str, Metric]) -> Iterator[tuple[str, Any]]:
    for name, metric in wide.items():
        file = _file(plan, name, metric)
        if plan.work.folder.exists(file):
            import tempfile

            with tempfile.NamedTemporaryFile(suffix=".npz") as copy:
                Path(copy.name).write_bytes(plan.work.folder.read(file))
                yield name, replace(DocumentFrequencies.load(copy.name), source=CORPUS)


def _keep(plan: Plan, name: str, metric: Metric, knowledge: Any) -> None:
    if isinstance(knowledge, DocumentFrequencies):
        with plan.work.folder.writing(_file(plan, name, metric)) as path:
            knowledge.save(path)
