"""Which small mistakes `mutants.py` plants in a module, each as a change of its text.

Comparisons, boolean and arithmetic operators are swapped, numbers are off by one, flags are turned round, a
`not` is lost, a condition or the branches of `a if b else c` are turned round, `return` gives None, and a
statement that acts (a call, a `raise`, a change in place) is dropped. Left alone are docstrings, annotations,
decorators, `__repr__`, what is written in messages (the arguments of `raise`, f-strings) and
`zip(..., strict=)`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
Changed = ast.expr | ast.stmt
UNTOUCHED = ("__repr__", "__str__")


@dataclass(frozen=True)
class Mutant:
    """One change: the bytes of a module from `start` to `end` become `text`."""

    path: str
    line: int
    column: int
    kind: str
    start: int
    end: int
    text: str
    change: str

    @property
    def key(self) -> str:
        """What tells this mutant from all others."""
        return f"{self.path}:{self.line}:{self.column} {self.kind} {self.change}"

    def apply(self, source: str) -> str:
        """The module's text with the mistake in it."""
        content = source.encode()
        return (content[: self.start] + self.text.encode() + content[self.end :]).decode()


def mutants_of(source: str, path: str) -> list[Mutant]:
    """All mutants of a module, in the order of its text.

    >>> [one.change for one in mutants_of("def f(a):\\n    return a < 1\\n", "f.py")]
    ['return a < 1 -> return None', 'a < 1 -> a <= 1', '1 -> 2']
    """
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for at in _nodes(ast.parse(source)):
        for kind, node, new in _changes(at):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            short = ast.unparse(new)
            text = f"({short})" if isinstance(new, ast.expr) else short
            change = f"{_short(ast.unparse(node))} -> {_short(short)}"
            found.append(Mutant(path, node.lineno, node.col_offset, kind, start, end, text, change))
    return found


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else f"{line[:67]}..."


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that may be changed below a node, in order."""
    for child in _children(node):
        if isinstance(child, ast.FunctionDef) and child.name in UNTOUCHED:
            continue
        yield child
        if not isinstance(child, ast.JoinedStr | ast.Raise):
            yield from _nodes(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    left_out = {"annotation", "returns", "decorator_list"}
    for name, value in ast.iter_fields(node):
        if name in left_out:
            continue
        for one in value if isinstance(value, list) else [value]:
            strict = isinstance(one, ast.keyword) and one.arg == "strict"
            if isinstance(one, ast.AST) and not strict:
                yield one


def _changes(node: ast.AST) -> Iterator[tuple[str, Changed, Changed]]:
    """What kind of mistake, what is replaced, and by what."""
    if isinstance(node, ast.If):
        yield from _turned(node.test)
    elif isinstance(node, ast.comprehension):
        for condition in node.ifs:
            yield from _turned(condition)
    elif isinstance(node, ast.expr):
        yield from ((kind, node, new) for kind, new in _expressions(node))
    elif isinstance(node, ast.stmt):
        yield from ((kind, node, new) for kind, new in _statements(node))


def _turned(condition: ast.expr) -> Iterator[tuple[str, Changed, Changed]]:
    """A condition turned round, where a swapped comparison or a lost `not` does not do it anyway."""
    if not isinstance(condition, ast.Compare | ast.UnaryOp):
        yield "condition", condition, ast.UnaryOp(ast.Not(), condition)


def _expressions(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare) and type(new.ops[0]) in OPERATORS:
        new.ops[0] = OPERATORS[type(new.ops[0])]()  # type: ignore[assignment]
        yield "comparison", new
    elif isinstance(new, ast.BoolOp | ast.BinOp) and type(new.op) in OPERATORS:
        new.op = OPERATORS[type(new.op)]()  # type: ignore[assignment]
        yield "operator", new
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not):
        yield "lost not", new.operand
    elif isinstance(new, ast.IfExp):
        new.body, new.orelse = new.orelse, new.body
        yield "swapped branches", new
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool):
        new.value = not new.value
        yield "flag", new
    elif isinstance(new, ast.Constant) and isinstance(new.value, int | float):
        new.value += 1
        yield "number", new


def _statements(node: ast.stmt) -> Iterator[tuple[str, ast.stmt]]:
    if isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "return", ast.Return(ast.Constant(None))
    elif isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        new = copy.deepcopy(node)
        new.op = OPERATORS[type(node.op)]()  # type: ignore[assignment]
        yield "operator", new
    elif isinstance(node, ast.Continue):
        yield "continue", ast.Break()
    if _acts(node):
        yield "dropped", ast.Pass()


def _acts(node: ast.stmt) -> bool:
    """Whether a statement is there for what it does: a call, a refusal, a change in place."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.Raise | ast.AugAssign)
