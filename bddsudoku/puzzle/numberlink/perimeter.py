"""Preprocessing by the outer boundary, after the section 外周に着目した経路決定法 of an article on
Numberlink by Ihara (Recruit Marketing Partners Advent Calendar 2015).

Two terminals of a pair that follow each other on the outer boundary are joined along it, the path
is taken off the board, and the boundary is what is left. When no such pair is left, a terminal on
the boundary that has only one way to go is moved one step: the other ways would cut a pair apart,
or make pairs on the boundary cross. Then everything begins anew.

The steps of the second kind are forced. Those of the first kind are not: hugging the wall may take
a cell from a path that needed it, and under ``cover`` it may destroy the only solution. So this is
a heuristic for the router and takes no part in counting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bddsudoku.puzzle.numberlink.board import Board


@dataclass(frozen=True)
class Preprocessed:
    """What the boundary settles.

    Attributes:
        heads: for every pair the cells settled from its first terminal on, and from its second.
        joined: for every pair whether its path is complete (then the first list is all of it).
        events: (what, pair, cells) in the order in which things were settled; ``what`` is
            ``joined`` or ``forced``.
    """

    heads: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    joined: tuple[bool, ...]
    events: tuple[tuple[str, int, tuple[int, ...]], ...]


@dataclass
class Perimeter:
    """The part of a board that is still open.

    Attributes:
        board: the puzzle.
        region: open cells, terminals included.
        ends: for every open pair its two loose ends.
    """

    board: Board
    region: set[int]
    ends: dict[int, tuple[int, int]]
    settled: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def contours(self) -> Iterator[list[int]]:
        """The outer boundary of every connected part, clockwise, as cells side by side.

        A cell stands there once for every stretch of the boundary that it belongs to; cells at
        inner corners are put in, so that neighbours in the list are neighbours on the grid.
        """
        board, left = self.board, set(self.region)
        while left:
            start = min(left)
            part = {start}
            stack = [start]
            while stack:
                for near in board.neighbours[stack.pop()]:
                    if near in left and near not in part:
                        part.add(near)
                        stack.append(near)
            left -= part
            yield self._trace(part, start)

    def _trace(self, part: set[int], start: int) -> list[int]:
        """Follow the cell sides with the part on the right hand, from the top left cell on."""
        board = self.board
        # side 0 top (walking east), 1 right (south), 2 bottom (west), 3 left (north)
        ahead = ((1, 0), (0, 1), (-1, 0), (0, -1))

        def at(x: int, y: int) -> bool:
            inside = 0 <= x < board.width and 0 <= y < board.height
            return inside and board.cell(x, y) in part

        x, y = board.point(start)
        side = 0
        first = (x, y, side)
        cells = [start]
        while True:
            dx, dy = ahead[side]
            ux, uy = ahead[side - 1]  # outwards
            if not at(x + dx, y + dy):
                side = (side + 1) % 4
            elif not at(x + dx + ux, y + dy + uy):
                x, y = x + dx, y + dy
            else:
                cells.append(board.cell(x + dx, y + dy))
                x, y, side = x + dx + ux, y + dy + uy, (side - 1) % 4
            if (x, y, side) == first:
                break
            if cells[-1] != board.cell(x, y):
                cells.append(board.cell(x, y))
        if len(cells) > 1 and cells[-1] == cells[0]:
            cells.pop()
        return cells

    def owner(self) -> dict[int, int]:
        """The open pair of every loose end."""
        return {cell: k for k, pair in self.ends.items() for cell in pair}

    def possible(self) -> bool:
        """Whether no pair is cut apart and no two pairs cross on a boundary."""
        owner = self.owner()
        for k, (a, b) in self.ends.items():
            seen = {a}
            stack = [a]
            while stack and b not in seen:
                for near in self.board.neighbours[stack.pop()]:
                    if near not in seen and near in self.region and owner.get(near, k) == k:
                        seen.add(near)
                        stack.append(near)
            if b not in seen:
                return False
        for contour in self.contours():
            # cells that the boundary passes twice have no place of their own in its order
            order = [owner[c] for c in contour if c in owner and contour.count(c) == 1]
            stack = []
            both = {k for k in order if order.count(k) == 2}
            for k in order:
                if k in both:
                    if stack and stack[-1] == k:
                        stack.pop()
                    else:
                        stack.append(k)
            if stack:
                return False
        return True

    def neighbours_on_boundary(self) -> tuple[int, list[int]] | None:
        """A pair whose ends follow each other on a boundary, and the shortest path along it."""
        owner = self.owner()
        best: tuple[int, list[int]] | None = None
        for contour in self.contours():
            n = len(contour)
            places = [i for i, cell in enumerate(contour) if cell in owner]
            for here, there in zip(places, places[1:] + places[:1], strict=True):
                k = owner[contour[here]]
                if contour[here] == contour[there] or owner[contour[there]] != k:
                    continue
                walk = [contour[(here + d) % n] for d in range((there - here) % n + 1)]
                path: list[int] = []
                for cell in walk:  # a blind alley is walked in and out: cut it off
                    if cell in path:
                        del path[path.index(cell) + 1 :]
                    else:
                        path.append(cell)
                if best is None or len(path) < len(best[1]):
                    best = k, path
        return best

    def forced_step(self) -> tuple[int, int, int] | None:
        """A boundary terminal with one way to go: (pair, which end, the cell to go to)."""
        owner = self.owner()
        boundary = {cell for contour in self.contours() for cell in contour}
        for k, ends in list(self.ends.items()):
            for which, cell in enumerate(ends):
                if cell not in boundary:
                    continue
                other = ends[1 - which]
                ways: list[int] = []
                for near in self.board.neighbours[cell]:
                    if near == other:
                        ways = []
                        break
                    if near in self.region and near not in owner and self._fits(k, which, near):
                        ways.append(near)
                if len(ways) == 1:
                    return k, which, ways[0]
        return None

    def _fits(self, k: int, which: int, near: int) -> bool:
        ends = self.ends[k]
        moved = (near, ends[1]) if which == 0 else (ends[0], near)
        trial = Perimeter(self.board, self.region - {ends[which]}, {**self.ends, k: moved})
        return trial.possible()


def preprocess(board: Board) -> Preprocessed:
    """Settle what the boundary settles.

    Raises:
        ValueError: the board must be covered: hugging the wall may then destroy the only solution.
    """
    if board.rule == "cover":
        raise ValueError("the perimeter rule may destroy the only solution under cover")
    state = Perimeter(board, set(range(board.cell_count)), dict(enumerate(board.cell_pairs)))
    heads = [([a], [b]) for a, b in board.cell_pairs]
    joined = [False] * len(heads)
    events: list[tuple[str, int, tuple[int, ...]]] = []
    while state.ends and state.possible():
        found = state.neighbours_on_boundary()
        if found is not None:
            k, path = found
            trial = Perimeter(
                board,
                state.region - set(path),
                {j: ends for j, ends in state.ends.items() if j != k},
            )
            if trial.possible():
                if path[0] != state.ends[k][0]:
                    path.reverse()
                first, second = heads[k]
                heads[k] = ([*first[:-1], *path, *reversed(second[:-1])], [])
                joined[k] = True
                state = trial
                events.append(("joined", k, tuple(path)))
                continue
        step = state.forced_step()
        if step is None:
            break
        k, which, near = step
        cell = state.ends[k][which]
        heads[k][which].append(near)
        ends = (near, state.ends[k][1]) if which == 0 else (state.ends[k][0], near)
        state = Perimeter(board, state.region - {cell}, {**state.ends, k: ends})
        events.append(("forced", k, (cell, near)))
    return Preprocessed(tuple((tuple(a), tuple(b)) for a, b in heads), tuple(joined), tuple(events))
