from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.explanation.layers import ROW_GAP, Arrangement, Size, arrange


@st.composite
def graphs(draw) -> tuple[list[Size], list[tuple[int, int]]]:
    count = draw(st.integers(1, 14))
    sides = st.integers(10, 160)
    sizes = [Size(draw(sides), draw(sides)) for _ in range(count)]
    node = st.integers(0, count - 1)
    pairs = st.tuples(node, node).filter(lambda pair: pair[0] != pair[1])
    return sizes, draw(st.lists(pairs, max_size=20)) if count > 1 else []


def overlap(sizes: list[Size], placed: Arrangement) -> list[tuple[int, int]]:
    found = []
    for one, other in combinations(range(len(sizes)), 2):
        (x, y), (u, v) = placed.corners[one], placed.corners[other]
        beside = x + sizes[one].width <= u + 1e-6 or u + sizes[other].width <= x + 1e-6
        above = y + sizes[one].height <= v + 1e-6 or v + sizes[other].height <= y + 1e-6
        if not beside and not above:
            found.append((one, other))
    return found


@given(graphs(), st.sampled_from([60.0, 300.0, 720.0]))
def test_boxes_never_overlap_and_stay_inside(graph, widest: float) -> None:
    sizes, edges = graph
    placed = arrange(sizes, edges, widest)
    assert overlap(sizes, placed) == []
    for (x, y), size in zip(placed.corners, sizes, strict=True):
        assert x >= -1e-6 and y >= -1e-6
        assert x + size.width <= placed.width + 1e-6
        assert y + size.height <= placed.height + 1e-6


@given(graphs())
def test_lines_lead_from_the_side_of_their_source_to_that_of_their_target(graph) -> None:
    sizes, edges = graph
    placed = arrange(sizes, edges)
    for (source, target), points in zip(edges, placed.lines, strict=True):
        for node, (x, y) in ((source, points[0]), (target, points[-1])):
            left, top = placed.corners[node]
            assert min(abs(x - left), abs(x - left - sizes[node].width)) < 1e-6
            assert y == pytest.approx(top + sizes[node].height / 2)
        steps = [b[0] - a[0] for a, b in pairwise(points)]
        assert all(s >= -1e-6 for s in steps) or all(s <= 1e-6 for s in steps)


@given(graphs())
def test_lines_never_run_through_boxes_where_they_are_level(graph) -> None:
    sizes, edges = graph
    placed = arrange(sizes, edges)
    for edge, points in zip(edges, placed.lines, strict=True):
        for (x, y), (u, _) in list(pairwise(points))[::2]:
            for node, size in enumerate(sizes):
                left, top = placed.corners[node]
                within = top + 1e-6 < y < top + size.height - 1e-6
                across = min(x, u) < left + size.width - 1e-6 and max(x, u) > left + 1e-6
                assert node in edge or not (within and across)


@given(graphs())
def test_the_same_graph_is_always_laid_out_alike(graph) -> None:
    assert arrange(*graph) == arrange(*graph)


def test_subjects_stand_left_of_objects() -> None:
    sizes = [Size(50, 20)] * 4
    placed = arrange(sizes, [(3, 2), (2, 1), (1, 0)])
    assert [x for x, _ in placed.corners] == sorted((x for x, _ in placed.corners), reverse=True)


def test_a_cycle_is_drawn_with_one_line_back() -> None:
    placed = arrange([Size(50, 20)] * 3, [(0, 1), (1, 2), (2, 0)])
    backward = [points[0][0] > points[-1][0] for points in placed.lines]
    assert backward == [False, False, True]


def test_a_long_chain_is_folded_round_its_middle() -> None:
    chain = [(node, node + 1) for node in range(10)]
    sizes = [Size(100, 20)] * 11
    long = arrange(sizes, chain, widest=5000)
    folded = arrange(sizes, chain, widest=800)
    # Eleven boxes in a row, or the middle one and five columns on one side of it.
    assert long.width == 11 * 100 + 10 * 28
    assert folded.width == 6 * 100 + 5 * 28
    assert arrange(sizes, chain, widest=700).width == 700  # columns stand closer
    assert folded.height == 20 + 20 + ROW_GAP


def test_lines_that_need_not_cross_do_not() -> None:
    # 0 and 1 point to 2 and 3 crosswise as listed; sorted they run side by side.
    placed = arrange([Size(40, 20)] * 5, [(4, 0), (4, 1), (0, 3), (1, 2)])
    y = [corner[1] for corner in placed.corners]
    assert (y[0] - y[1]) * (y[3] - y[2]) > 0


def test_boxes_without_lines_fill_rows() -> None:
    placed = arrange([Size(100, 20)] * 5, [], widest=300)
    rows = sorted({y for _, y in placed.corners})
    assert len(rows) == 3
    assert placed.width <= 300
