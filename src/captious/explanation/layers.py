"""A layered layout of directed graphs from left to right, after Sugiyama et al. (1981).

Boxes are arranged in columns so that lines run to the right: cycles are broken, every box comes after
those that point to it, lines that pass a column get a place of their own in it, columns are sorted
to cross few lines, and boxes move to the middle of their neighbours as far as the others let them.
Where that is wider than a page, columns count steps from the middle of the graph instead, whichever
way the lines point. Nothing is random: the same graph always looks the same, and no two boxes
overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

COLUMN_GAP, ROW_GAP, PIECE_GAP = 28.0, 12.0, 26.0
NARROWEST_GAP = 16.0  # between columns, where the graph would be too wide
WIDEST = 664.0  # what a page shows beside a photograph
_LINE_ROOM = 4.0  # height of the place that a passing line takes in a column
_SWEEPS = 12
_MIDDLES = 6  # boxes that are tried as the middle of a graph

Edge = tuple[int, int]
Point = tuple[float, float]


class Size(NamedTuple):
    """Width and height of a box."""

    width: float
    height: float


class Arrangement(NamedTuple):
    """Top left corner of each box, the points of each line from its source, and the whole."""

    corners: list[Point]
    lines: list[list[Point]]
    width: float
    height: float


def arrange(sizes: Sequence[Size], edges: Sequence[Edge], widest: float = WIDEST) -> Arrangement:
    """Place boxes and lines within `widest` where that can be; no line joins a box with itself.

    >>> placed = arrange([Size(40, 20), Size(30, 20), Size(50, 20)], [(0, 1), (1, 2)])
    >>> [x for x, _ in placed.corners], placed.height
    ([0.0, 68.0, 126.0], 20.0)
    """
    corners: list[Point] = [(0.0, 0.0)] * len(sizes)
    lines: list[list[Point]] = [[] for _ in edges]
    left = top = depth = width = 0.0
    alone = False
    for members in _pieces(len(sizes), edges):
        own = [place for place, edge in enumerate(edges) if edge[0] in members]
        piece = _piece(members, [edges[place] for place in own], sizes, widest)
        first_alone = len(members) == 1 and not alone
        alone = len(members) == 1
        if left and (first_alone or left + piece.width > widest):
            left, top, depth = 0.0, top + depth + PIECE_GAP, 0.0
        for node in members:
            x, y = piece.corner(node)
            corners[node] = (x + left, y + top)
        for place, points in zip(own, piece.lines(), strict=True):
            lines[place] = [(x + left, y + top) for x, y in points]
        width = max(width, left + piece.width)
        depth = max(depth, piece.height)
        left += piece.width + PIECE_GAP
    return Arrangement(corners, lines, width, top + depth)


def _pieces(count: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Connected parts in the order of their first box, boxes that stand alone last."""
    part = list(range(count))
    for one, other in edges:
        old, new = part[other], part[one]
        part = [new if label == old else label for label in part]
    found: dict[int, list[int]] = {}
    for node, label in enumerate(part):
        found.setdefault(label, []).append(node)
    return sorted(found.values(), key=lambda members: len(members) == 1)


def _piece(members: list[int], edges: list[Edge], sizes: Sequence[Size], widest: float) -> _Piece:
    """A connected part in the direction of its lines, or round its middle where that is wide."""
    forward, turned = _without_cycles(members, edges)
    own = {node: sizes[node] for node in members}
    directed = _Piece(own, forward, turned, _columns(members, forward), widest)
    if directed.width <= widest:
        return directed
    tried = [directed]
    for column in _steps_from_middles(members, edges):
        turned = [column[one] > column[other] for one, other in edges]
        forward = [(b, a) if back else (a, b) for (a, b), back in zip(edges, turned, strict=True)]
        tried.append(_Piece(own, forward, turned, column, widest))
    return min(tried, key=lambda piece: (max(piece.width, widest), piece.height))


class _Piece:
    """One connected part, laid out from its own top left corner.

    `edges` lead to a column further right; those that were turned round for this are `turned`.
    """

    def __init__(
        self,
        sizes: dict[int, Size],
        edges: list[Edge],
        turned: list[bool],
        column: dict[int, int],
        widest: float,
    ) -> None:
        self.sizes, self.turned = dict(sizes), turned
        column = dict(column)
        self.paths = self._paths(edges, column)
        places: list[list[int]] = [[] for _ in range(max(column.values()) + 1)]
        for node, place in column.items():
            places[place].append(node)
        self.columns = _with_few_crossings(places, self.paths)
        self.middle = self._heights()
        self._measure(widest)

    def corner(self, node: int) -> Point:
        """Top left corner of a box; boxes stand in the middle of their column."""
        left, right = self.edges_of_column[self.column_of[node]]
        size = self.sizes[node]
        return (left + right - size.width) / 2, self.middle[node] - size.height / 2

    def lines(self) -> list[list[Point]]:
        """Points of each line, from where it leaves its source to where it meets its target."""
        found = []
        for path, turned in zip(self.paths, self.turned, strict=True):
            points: list[Point] = []
            for node in path:
                left, right = self.edges_of_column[self.column_of[node]]
                points += [(left, self.middle[node]), (right, self.middle[node])]
            (first, _), (last, _) = self.corner(path[0]), self.corner(path[-1])
            points[0] = (first + self.sizes[path[0]].width, points[0][1])
            points[-1] = (last, points[-1][1])
            found.append(points[::-1] if turned else points)
        return found

    def _paths(self, edges: list[Edge], column: dict[int, int]) -> list[list[int]]:
        """Boxes and passing places that each line goes through; passing places enter `column`."""
        paths, fresh = [], -1
        for one, other in edges:
            path = [one]
            for place in range(column[one] + 1, column[other]):
                column[fresh] = place
                self.sizes[fresh] = Size(0.0, _LINE_ROOM)
                path.append(fresh)
                fresh -= 1
            paths.append([*path, other])
        return paths

    def _heights(self) -> dict[int, float]:
        """Middle of each box: near its neighbours' middles, in order and apart from the others."""
        before, after = _neighbours(self.paths)
        middle: dict[int, float] = {}
        for column in self.columns:
            middle |= self._spread(column, [0.0] * len(column))
        both = {node: before.get(node, []) + after.get(node, []) for node in middle}
        for sweep in range(_SWEEPS):
            to_right = sweep % 2 == 0
            near = both if sweep >= _SWEEPS - 2 else before if to_right else after
            for column in self.columns if to_right else reversed(self.columns):
                wanted = [_mean([middle[n] for n in near.get(node, [])], middle[node]) for node in column]
                middle |= self._spread(column, wanted)
        highest = min(middle[node] - self.sizes[node].height / 2 for node in middle)
        return {node: value - highest for node, value in middle.items()}

    def _spread(self, column: list[int], wanted: list[float]) -> dict[int, float]:
        """Middles as near to the wanted ones as boxes that keep their order and a gap allow."""
        heights = [self.sizes[node].height for node in column]
        steps = [(a + b) / 2 + ROW_GAP for a, b in pairwise(heights)]
        offsets = list(accumulate(steps, initial=0.0))
        rising = _rising([w - offset for w, offset in zip(wanted, offsets, strict=True)])
        return {node: value + offset for node, value, offset in zip(column, rising, offsets, strict=True)}

    def _measure(self, widest: float) -> None:
        self.column_of = {node: k for k, column in enumerate(self.columns) for node in column}
        widths = [max(self.sizes[node].width for node in column) for column in self.columns]
        room = (widest - sum(widths)) / max(len(widths) - 1, 1)
        gap = min(max(room, NARROWEST_GAP), COLUMN_GAP)
        ends = list(accumulate(width + gap for width in widths))
        self.edges_of_column: list[Point] = [
            (end - gap - width, end - gap) for end, width in zip(ends, widths, strict=True)
        ]
        self.width = ends[-1] - gap
        self.height = max(self.middle[n] + self.sizes[n].height / 2 for n in self.middle)


def _without_cycles(members: list[int], edges: list[Edge]) -> tuple[list[Edge], list[bool]]:
    """Edges of which some are turned round so that none leads back, and which those are."""
    targets: dict[int, list[int]] = {}
    for one, other in edges:
        targets.setdefault(one, []).append(other)
    has_source = {other for one, other in edges if one != other}
    finished: dict[int, int] = {}
    entered: set[int] = set()
    for root in sorted(members, key=lambda node: node in has_source):
        stack = [(root, iter(targets.get(root, [])))] if root not in entered else []
        entered.add(root)
        while stack:
            node, rest = stack[-1]
            following = next((other for other in rest if other not in entered), None)
            if following is None:
                finished[node] = len(finished)
                stack.pop()
            else:
                entered.add(following)
                stack.append((following, iter(targets.get(following, []))))
    # In depth-first order only an edge that leads back ends at a box that is finished later.
    turned = [finished[one] <= finished[other] for one, other in edges]
    forward = [(b, a) if back else (a, b) for (a, b), back in zip(edges, turned, strict=True)]
    return forward, turned


def _columns(members: list[int], edges: list[Edge]) -> dict[int, int]:
    """Column of each box: after all that point to it, and just before the first it points to."""
    column = dict.fromkeys(members, 0)
    for _ in members:
        for one, other in edges:
            column[other] = max(column[other], column[one] + 1)
    pointed_to = {other for _, other in edges}
    for node in members:
        following = [column[other] for one, other in edges if one == node]
        if following and node not in pointed_to:
            column[node] = min(following) - 1
    return column


def _steps_from_middles(members: list[int], edges: list[Edge]) -> list[dict[int, int]]:
    """Steps of each box from those that are nearest to all, by lines in either direction.

    A step more is taken by a box that a line joins with its like, so that no line stays in its
    column.
    """
    near: dict[int, list[int]] = {node: [] for node in members}
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)

    def steps(start: int) -> dict[int, int]:
        found, waiting = {start: 0}, [start]
        for node in waiting:
            fresh = [other for other in dict.fromkeys(near[node]) if other not in found]
            found |= dict.fromkeys(fresh, found[node] + 1)
            waiting += fresh
        return found

    columns = sorted(map(steps, members), key=lambda far: (max(far.values()), sum(far.values())))
    for column in columns[:_MIDDLES]:
        for node in column:
            while any(column[other] == column[node] for other in near[node]):
                column[node] += 1
    return columns[:_MIDDLES]


def _with_few_crossings(columns: list[list[int]], paths: list[list[int]]) -> list[list[int]]:
    """Columns sorted by the mean place of their neighbours, to and fro; the best is kept."""
    before, after = _neighbours(paths)
    steps = [step for path in paths for step in pairwise(path)]
    best, fewest = columns, _crossings(columns, steps)
    for sweep in range(_SWEEPS):
        to_right = sweep % 2 == 0
        near = before if to_right else after
        columns = [list(column) for column in columns]
        for column in columns if to_right else reversed(columns):
            places = {node: k for other in columns for k, node in enumerate(other)}
            column.sort(key=lambda n, at=places: _mean([at[m] for m in near.get(n, [])], at[n]))  # type: ignore[misc]
        found = _crossings(columns, steps)
        if found < fewest:
            best, fewest = columns, found
    return best


def _crossings(columns: list[list[int]], steps: list[Edge]) -> int:
    place = {node: (k, at) for k, column in enumerate(columns) for at, node in enumerate(column)}
    drawn = [(place[a][0], place[a][1], place[b][1]) for a, b in steps]
    return sum(
        one[0] == other[0] and (one[1] - other[1]) * (one[2] - other[2]) < 0
        for number, one in enumerate(drawn)
        for other in drawn[:number]
    )


def _neighbours(paths: list[list[int]]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    before: dict[int, list[int]] = {}
    after: dict[int, list[int]] = {}
    for path in paths:
        for one, other in pairwise(path):
            before.setdefault(other, []).append(one)
            after.setdefault(one, []).append(other)
    return before, after


def _rising(values: list[float]) -> list[float]:
    """The nearest values, by squares, that never fall (pool adjacent violators).

    >>> _rising([1.0, 3.0, 2.0])
    [1.0, 2.5, 2.5]
    """
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, size = value, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    return [mean for mean, size in pools for _ in range(size)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
