"""The teacher's older dependencies become those of the golden parses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TEACHER = Path(__file__).resolve().parents[3] / "training" / "caption_parser" / "teacher"


@pytest.mark.parametrize(
    ("tree", "edges", "golden"),
    [
        # Edges as the Stanford parser 3.3.1 gave them, relations as the golden parse has them.
        (
            "(ROOT (S (NP (DT the) (NN bus)) (VP (VBZ is) (PP (IN on) (NP (NN tour))))))",
            "det(bus-2, the-1) nsubj(is-3, bus-2) root(ROOT-0, is-3) prep(is-3, on-4) pobj(on-4, tour-5)",
            "det(2) nsubj(5) cop(5) case(5) root(0)",
        ),
        (
            "(ROOT (NP (NP (DT a) (NN dog)) (PP (IN in) (NP (DT the) (NN snow)))))",
            "det(dog-2, a-1) root(ROOT-0, dog-2) prep(dog-2, in-3) det(snow-5, the-4) pobj(in-3, snow-5)",
            "det(2) root(0) case(5) det(5) nmod(2)",
        ),
        (
            "(ROOT (S (NP (DT a) (NN dog)) (VP (VBZ runs) (ADVP (RB down) (NP (DT a) (NN path))))))",
            "det(dog-2, a-1) nsubj(runs-3, dog-2) root(ROOT-0, runs-3) prep(runs-3, down-4) "
            "det(path-6, a-5) pobj(down-4, path-6)",
            "det(2) nsubj(3) root(0) advmod(3) det(6) nmod:npmod(4)",
        ),
    ],
)
def test_conversion(tree: str, edges: str, golden: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not TEACHER.is_dir():
        pytest.skip("the training programs are not in this copy")
    monkeypatch.syspath_prepend(str(TEACHER))
    from convert import parse_of, read_dependencies

    (given,) = read_dependencies(edges.replace(") ", ")\n").splitlines())
    parse = parse_of(tree, given)
    assert parse is not None
    found = " ".join(f"{label}({head})" for label, head in zip(parse.labels, parse.heads, strict=True))
    assert found == golden
    sys.modules.pop("convert", None)
