"""A heuristic router for Numberlink: A*, rip-up and reroute, and the perimeter rule.

It finds one solution or says "unknown"; it never proves that there is none. The search is that of
Ihara's article (Recruit Marketing Partners Advent Calendar 2015): every pair is joined by A* as if
alone; then all paths that overlap another are ripped up, the cells in dispute become dearer, and
the paths are searched again. The prices are those of negotiated congestion (McMurchie & Ebeling,
PathFinder, FPGA 1995): a price for the cell's history of disputes, and a growing one for paths that
are there now. When that gets stuck, it starts again with prices shaken at random.

The perimeter rule is the article's, too (外周に着目した経路決定法). Two terminals of a pair that
follow each other on the outer boundary are joined along it, the path is taken off the board, and
the boundary is what is left. When no such pair is left, a terminal on the boundary that has only
one way to go is moved one step: the other ways would cut a pair apart, or make pairs on the
boundary cross. Then everything begins anew. The steps of the second kind are forced. Those of the
first kind are not: hugging the wall may take a cell from a path that needed it.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from time import perf_counter

from bddsudoku.numberlink import Board, Links

_HISTORY_PRICE = 0.4
"""Permanent increase of a cell's price by a dispute."""
_PRESENT_PRICE = 0.5
"""Price of a path that is in the cell now, in the first round; grows by this in each."""
_MAX_ROUNDS_PER_START = 60
"""Largest number of rounds in one start."""

PathEnds = list[tuple[list[int], list[int]]]
"""For every pair the cells fixed from its first terminal on, and from its second; where the path
is complete, the first list is all of it and the second is empty."""


# -- the perimeter rule --------------------------------------------------------------------------


@dataclass(frozen=True)
class Perimeter:
    """State of the perimeter rule: the cells of a board and the path ends that are left.

    Attributes:
        board: the puzzle.
        region: open cells, terminals included.
        ends: for every pair not joined yet, its two path ends.
    """

    board: Board
    region: Collection[int]
    ends: Mapping[int, tuple[int, int]]

    def after_joining(self, pair: int, path: Collection[int]) -> Perimeter:
        """The state after a pair has been joined by a path, whose cells are no longer open."""
        ends = {k: both for k, both in self.ends.items() if k != pair}
        return replace(self, region=set(self.region).difference(path), ends=ends)

    def after_moving(self, pair: int, which_end: int, cell: int) -> Perimeter:
        """The state after end 0 or 1 of a pair has moved on to a neighbouring cell."""
        old = self.ends[pair]
        ends = (old[0], cell) if which_end else (cell, old[1])
        region = set(self.region) - {old[which_end]}
        return replace(self, region=region, ends={**self.ends, pair: ends})

    def contours(self) -> Iterator[list[int]]:
        """Yield the outer boundary of every connected part of the region as cells, clockwise.

        A cell occurs once for every stretch of the boundary that it belongs to; cells at inner
        corners are inserted, so that neighbours in the list are neighbours on the grid.
        """
        left = set(self.region)
        while left:
            start = min(left)
            part = self._reachable_cells(start, left)
            left -= part
            yield self._trace_boundary(part, start)

    def _reachable_cells(self, start: int, inside: Collection[int]) -> set[int]:
        """The cells that can be reached from a cell without leaving ``inside``."""
        seen = {start}
        stack = [start]
        while stack:
            for near in self.board.neighbours[stack.pop()]:
                if near in inside and near not in seen:
                    seen.add(near)
                    stack.append(near)
        return seen

    def _trace_boundary(self, part: set[int], start: int) -> list[int]:
        """Trace the outer boundary of a connected part, clockwise from its top left cell."""
        at = {complex(*self.board.point(cell)): cell for cell in part}
        corner, ahead = (
            complex(*self.board.point(start)),
            1 + 0j,
        )  # along the top side, to the right
        first = corner, ahead
        cells = [start]
        while True:
            outwards = -1j * ahead
            if corner + ahead not in at:
                ahead *= 1j
            elif corner + ahead + outwards not in at:
                corner += ahead
            else:
                cells.append(at[corner + ahead])
                corner, ahead = corner + ahead + outwards, outwards
            if (corner, ahead) == first:
                break
            if cells[-1] != at[corner]:
                cells.append(at[corner])
        if len(cells) > 1 and cells[-1] == cells[0]:
            cells.pop()
        return cells

    @property
    def _pair_by_end(self) -> dict[int, int]:
        """The pair of every path end, by the end's cell."""
        return {cell: k for k, pair in self.ends.items() for cell in pair}

    def no_pair_cut_or_crossing(self) -> bool:
        """Whether each pair's ends are still connected, and no two pairs cross on a boundary."""
        owner = self._pair_by_end
        free = set(self.region).difference(owner)
        for pair in self.ends.values():
            if pair[1] not in self._reachable_cells(pair[0], free.union(pair)):
                return False
        for contour in self.contours():
            # cells that the boundary passes twice have no place of their own in its order
            order = [owner[c] for c in contour if c in owner and contour.count(c) == 1]
            stack: list[int] = []
            for k in order:
                if stack and stack[-1] == k:
                    stack.pop()
                elif order.count(k) == 2:
                    stack.append(k)
            if stack:
                return False
        return True

    def adjacent_boundary_pair(self) -> tuple[int, list[int]] | None:
        """A pair with consecutive ends on a boundary, and the boundary path that joins them.

        Of several such pairs, the one with the shortest path; None if there is none.
        """
        owner = self._pair_by_end
        best: tuple[int, list[int]] | None = None
        for contour in self.contours():
            n = len(contour)
            places = [i for i, cell in enumerate(contour) if cell in owner]
            for place, next_place in zip(places, places[1:] + places[:1], strict=True):
                k = owner[contour[place]]
                if contour[place] == contour[next_place] or owner[contour[next_place]] != k:
                    continue
                path: list[int] = []
                for d in range((next_place - place) % n + 1):
                    cell = contour[(place + d) % n]
                    if cell in path:  # a dead end is traced in and out: cut it off
                        del path[path.index(cell) + 1 :]
                    else:
                        path.append(cell)
                if best is None or len(path) < len(best[1]):
                    best = k, path
        return best

    def forced_step(self) -> tuple[int, int, int] | None:
        """The only possible step of some boundary terminal: (pair, end, cell to go to), or None."""
        owner = self._pair_by_end
        boundary = {cell for contour in self.contours() for cell in contour}
        for k, ends in self.ends.items():
            for which, cell in enumerate(ends):
                near = self.board.neighbours[cell]
                if cell not in boundary or ends[1 - which] in near:
                    continue
                ways = [
                    to
                    for to in near
                    if to in self.region
                    and to not in owner
                    and self.after_moving(k, which, to).no_pair_cut_or_crossing()
                ]
                if len(ways) == 1:
                    return k, which, ways[0]
        return None


def apply_perimeter_rule(board: Board) -> PathEnds:
    """Apply the perimeter rule as often as possible; return the cells fixed."""
    state = Perimeter(board, range(board.cell_count), dict(enumerate(board.cell_pairs)))
    heads: PathEnds = [([a], [b]) for a, b in board.cell_pairs]
    while state.ends and state.no_pair_cut_or_crossing():
        found = state.adjacent_boundary_pair()
        if found is not None and (rest := state.after_joining(*found)).no_pair_cut_or_crossing():
            k, path = found
            if path[0] != state.ends[k][0]:
                path.reverse()
            first, second = heads[k]
            heads[k] = ([*first[:-1], *path, *reversed(second[:-1])], [])
            state = rest
        elif (step := state.forced_step()) is not None:
            k, which, cell = step
            heads[k][which].append(cell)
            state = state.after_moving(k, which, cell)
        else:
            break
    return heads


# -- routing -------------------------------------------------------------------------------------


class _Router:
    """One run of the heuristic router: its random numbers, fixed cells, and rounds of rip-up."""

    def __init__(self, board: Board, seed: int, perimeter: bool) -> None:
        self.board = board
        self.rng = random.Random(seed)
        self.rounds = 0
        self.is_blocked = False
        self.heads: PathEnds = [([a], [b]) for a, b in board.cell_pairs]
        if perimeter:
            self.heads = apply_perimeter_rule(board)
        self.taken = {cell for both in self.heads for cells in both for cell in cells}
        self.goals = {k: (a[-1], b[-1]) for k, (a, b) in enumerate(self.heads) if b}

    def cheapest_path(self, pair: int, price: Sequence[float]) -> list[int] | None:
        """The cheapest path between a pair's ends, found by A*; None if there is none."""
        board = self.board
        start, goal = self.goals[pair]
        gx, gy = board.point(goal)
        closed: set[int] = set()
        best = {start: 0.0}
        before: dict[int, int] = {}
        jitter = self.rng.random
        queue = [(0.0, 0.0, start)]
        while queue:
            _, _, cell = heapq.heappop(queue)
            if cell == goal:
                path = [goal]
                while path[-1] != start:
                    path.append(before[path[-1]])
                path.reverse()
                return path
            if cell in closed:
                continue
            closed.add(cell)
            for near in board.neighbours[cell]:
                if near in closed or (near in self.taken and near != goal):
                    continue
                cost = best[cell] + price[near]
                if cost < best.get(near, float("inf")):
                    best[near] = cost
                    before[near] = cell
                    x, y = board.point(near)
                    distance = abs(x - gx) + abs(y - gy)
                    heapq.heappush(queue, (cost + distance, jitter(), near))
        self.is_blocked = True
        return None

    def joined(self, path_by_pair: Mapping[int, list[int]]) -> Links:
        """The solution of disjoint paths, together with the cells that the perimeter rule fixed."""
        paths = [
            [*first[:-1], *path_by_pair[k], *reversed(second[:-1])] if second else first
            for k, (first, second) in enumerate(self.heads)
        ]
        return Links.of_paths(self.board, paths)

    def route_each_pair(
        self, price: Sequence[float], disjoint: bool = False
    ) -> dict[int, list[int]] | None:
        """The cheapest path of each pair, disjoint if asked for; None if a pair has no path."""
        found: dict[int, list[int]] = {}
        for k in self.goals:
            path = self.cheapest_path(k, price)
            if path is None:
                return None
            found[k] = path
            if disjoint:
                self.taken.update(path)
        return found

    def route_in_order(self) -> Links | None:
        """Route the pairs one after the other by A*, each around the paths of those before."""
        found = self.route_each_pair([1.0] * self.board.cell_count, disjoint=True)
        return None if found is None else self.joined(found)

    def rip_up_and_reroute(self, max_rounds: int, deadline: float) -> Links | None:
        """Route all pairs, then reroute those that share cells until none do; None on failure."""
        cells = range(self.board.cell_count)
        shake = 0.0 if self.rounds == 0 else 0.6
        history = [1.0 + shake * self.rng.random() for _ in cells]
        found = self.route_each_pair(history)
        if found is None:
            return None
        use = [0] * len(cells)
        for cell in chain.from_iterable(found.values()):
            use[cell] += 1
        for round_number in range(1, min(_MAX_ROUNDS_PER_START, max_rounds - self.rounds) + 1):
            dispute = [cell for cell in cells if use[cell] > 1]
            if not dispute:
                return self.joined(found)
            if perf_counter() > deadline:
                return None
            self.rounds += 1
            for cell in dispute:
                history[cell] += _HISTORY_PRICE * (use[cell] - 1)
            torn = [k for k in self.goals if any(use[cell] > 1 for cell in found[k])]
            self.rng.shuffle(torn)
            weight = _PRESENT_PRICE * round_number
            for k in torn:
                for cell in found[k]:
                    use[cell] -= 1
                price = [h * (1 + weight * u) for h, u in zip(history, use, strict=True)]
                path = self.cheapest_path(k, price)
                assert path is not None  # a path exists without the higher price
                found[k] = path
                for cell in path:
                    use[cell] += 1
        return None


def route(
    board: Board,
    *,
    rip_up: bool = True,
    perimeter: bool = False,
    seed: int = 0,
    max_rounds: int = 600,
    time_limit: float = 20.0,
) -> Links | None:
    """Look for one solution of a board by heuristic routing; None for "unknown".

    Args:
        board: the puzzle; cells may stay empty.
        rip_up: negotiate by rip-up and reroute; otherwise plain A*, pairs in their order.
        perimeter: apply the perimeter rule first.
        seed: for ties and restarts; the same seed finds the same result.
        max_rounds: rounds of rip-up, over all starts.
        time_limit: seconds.
    """
    stop = perf_counter() + time_limit
    router = _Router(board, seed, perimeter)
    if not rip_up:
        return router.route_in_order()
    links = router.rip_up_and_reroute(max_rounds, stop)
    # where a pair has no way even without the other paths, nothing is left to negotiate
    while links is None and not router.is_blocked:
        if perf_counter() > stop or router.rounds >= max_rounds:
            break
        router.rounds += 1
        links = router.rip_up_and_reroute(max_rounds, stop)
    return links
