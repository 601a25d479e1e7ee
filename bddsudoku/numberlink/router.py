"""The heuristic router: A*, rip-up and reroute, and the perimeter rule.

It finds one solution or says "unknown"; it never proves that there is none. The search is that of
Ihara's article (Recruit Marketing Partners Advent Calendar 2015): every pair is joined by A* as if
alone; then all paths that overlap another are ripped up, the cells in dispute become dearer, and
the paths are searched again. The prices are those of negotiated congestion (McMurchie & Ebeling,
PathFinder, FPGA 1995): a price for the cell's history of disputes, and a growing one for paths that
are there now. When that gets stuck, it starts again with prices shaken at random.

Preprocessing by the outer boundary, after the section 外周に着目した経路決定法 of an article on
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

import heapq
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numberlink.board import Board
from bddsudoku.numberlink.links import Links


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


_HISTORY = 0.4
"""What a dispute adds to a cell's price for good."""
_PRESENT = 0.5
"""Price of a path that is in the cell now, in the first round; grows by this in each."""
_PATIENCE = 60
"""Rounds of one start."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the router did.

    Attributes:
        round: 0 before any rip-up; counts on over restarts.
        action: ``perimeter`` (joined along the boundary), ``forced`` (a terminal's only way),
            ``route``, ``rip-up``, ``blocked`` (no way left), ``restart``, ``fill`` (a detour over
            empty cells) or ``solved``.
        pair: number of the pair from 0; -1 where none is meant.
        cells: the path, the step, or the cells in dispute.
    """

    round: int
    action: str
    pair: int
    cells: tuple[int, ...]


@dataclass(frozen=True)
class Routed:
    """What the router answers.

    Attributes:
        links: a valid solution; None for "unknown".
        why: ``solved``; or why it gave up: ``blocked``, ``rounds``, ``time``.
        rounds: rounds of rip-up, over all starts.
        starts: how often it started.
        searches: A* searches.
        expanded: cells taken from A* queues.
        seconds: time spent.
        steps: the trace.
    """

    links: Links | None
    why: str
    rounds: int
    starts: int
    searches: int
    expanded: int
    seconds: float
    steps: tuple[Step, ...]

    @property
    def status(self) -> str:
        """``solved`` or ``unknown``."""
        return "unknown" if self.links is None else "solved"


class _Router:
    """One run; see :func:`route`."""

    def __init__(self, board: Board, seed: int, perimeter: bool) -> None:
        self.board = board
        self.rng = random.Random(seed)
        self.steps: list[Step] = []
        self.searches = self.expanded = self.rounds = 0
        pairs = range(len(board.pairs))
        self.heads: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
            ((a,), (b,)) for a, b in board.cell_pairs
        ]
        self.done = [False for _ in pairs]
        self.taken: set[int] = set()
        if perimeter:
            found = preprocess(board)
            self.heads = list(found.heads)
            self.done = list(found.joined)
            for what, k, cells in found.events:
                self.note("perimeter" if what == "joined" else what, k, cells)
        for first, second in self.heads:
            self.taken.update(first, second)
        self.goals = {
            k: (first[-1], second[-1])
            for k, (first, second) in enumerate(self.heads)
            if not self.done[k]
        }

    def note(self, action: str, pair: int, cells: Sequence[int]) -> None:
        self.steps.append(Step(self.rounds, action, pair, tuple(cells)))

    def search(self, k: int, price: Sequence[float], blocked: set[int]) -> list[int] | None:
        """The cheapest path between a pair's loose ends (A*, Manhattan distance)."""
        self.searches += 1
        board = self.board
        start, goal = self.goals[k]
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
            self.expanded += 1
            for near in board.neighbours[cell]:
                if near in closed or near in blocked or (near in self.taken and near != goal):
                    continue
                cost = best[cell] + price[near]
                if cost < best.get(near, float("inf")):
                    best[near] = cost
                    before[near] = cell
                    x, y = board.point(near)
                    distance = abs(x - gx) + abs(y - gy)
                    heapq.heappush(queue, (cost + distance, jitter(), near))
        return None

    def whole(self, k: int, middle: Sequence[int]) -> list[int]:
        """A pair's path with what the boundary settled at both ends."""
        first, second = self.heads[k]
        if self.done[k]:
            return list(first)
        return [*first[:-1], *middle, *reversed(second[:-1])]

    def finish(self, found: dict[int, list[int]]) -> Links | None:
        """The solution that disjoint paths make, mended as the rules ask; None if they do not."""
        paths = [self.whole(k, found.get(k, ())) for k in range(len(self.heads))]
        if self.board.no_touch:
            paths = [self._tightened(path) for path in paths]
        if self.board.rule == "cover":
            self._fill(paths)
        try:
            links = Links.of_paths(self.board, paths)
        except PuzzleFormatError:
            return None
        self.note("solved", -1, ())
        return links

    def _tightened(self, path: list[int]) -> list[int]:
        """The path without detours: where it touches itself, it takes the short cut."""
        out = [path[0]]
        at = 0
        while path[at] != path[-1]:
            near = self.board.neighbours[path[at]]
            at = max(i for i in range(at + 1, len(path)) if path[i] in near)
            out.append(path[at])
        return out

    def _fill(self, paths: list[list[int]]) -> None:
        """Detours over two empty cells beside an edge, until there is no room for another."""
        board = self.board
        empty = set(range(board.cell_count)).difference(*paths)
        changed = True
        while changed and empty:
            changed = False
            for k, path in enumerate(paths):
                i = 0
                while i + 1 < len(path):
                    a, b = path[i], path[i + 1]
                    sides = [
                        (c, d)
                        for c in board.neighbours[a]
                        if c in empty
                        for d in board.neighbours[b]
                        if d in empty and d in board.neighbours[c]
                    ]
                    if sides:
                        c, d = self.rng.choice(sides)
                        path[i + 1 : i + 1] = [c, d]
                        empty -= {c, d}
                        changed = True
                        self.note("fill", k, (c, d))
                    else:
                        i += 1

    def in_order(self, order: Sequence[int]) -> Links | None:
        """Plain A*: one pair after the other, each around those before it."""
        price = [1.0] * self.board.cell_count
        found: dict[int, list[int]] = {}
        blocked: set[int] = set()
        for k in order:
            path = self.search(k, price, blocked)
            if path is None:
                self.note("blocked", k, self.goals[k])
                return None
            self.note("route", k, path)
            found[k] = path
            blocked.update(path)
        return self.finish(found)

    def negotiated(self, most: int, stop: float | None) -> Links | None:
        """One start of rip-up and reroute."""
        cells = self.board.cell_count
        shake = 0.0 if self.rounds == 0 else 0.6
        history = [1.0 + shake * self.rng.random() for _ in range(cells)]
        use = [0] * cells
        found: dict[int, list[int]] = {}
        order = list(self.goals)
        for k in order:
            path = self.search(k, history, set())
            if path is None:
                self.note("blocked", k, self.goals[k])
                return None
            self.note("route", k, path)
            found[k] = path
            for cell in path:
                use[cell] += 1
        patience = min(_PATIENCE, most - self.rounds)
        for turn in range(1, patience + 1):
            dispute = [cell for cell in range(cells) if use[cell] > 1]
            if not dispute:
                links = self.finish(found)
                if links is not None:
                    return links
                return None
            if stop is not None and perf_counter() > stop:
                return None
            self.rounds += 1
            for cell in dispute:
                history[cell] += _HISTORY * (use[cell] - 1)
            torn = [k for k in order if any(use[cell] > 1 for cell in found[k])]
            self.note("rip-up", -1, dispute)
            self.rng.shuffle(torn)
            weight = _PRESENT * turn
            for k in torn:
                for cell in found[k]:
                    use[cell] -= 1
                price = [h * (1 + weight * u) for h, u in zip(history, use, strict=True)]
                path = self.search(k, price, set())
                assert path is not None  # it was there before, only dearer
                self.note("route", k, path)
                found[k] = path
                for cell in path:
                    use[cell] += 1
        return None


def route(
    board: Board,
    *,
    rip_up: bool = True,
    perimeter: bool = False,
    order: Sequence[int] | None = None,
    seed: int = 0,
    max_rounds: int = 600,
    time_limit: float | None = None,
) -> Routed:
    """Look for one solution.

    Args:
        board: the puzzle.
        rip_up: negotiate by rip-up and reroute; otherwise plain A* in one order.
        perimeter: settle first what the boundary settles (:mod:`.perimeter`).
        order: pairs in the order in which plain A* routes them; by default as given.
        seed: for ties and restarts; the same seed does the same.
        max_rounds: rounds of rip-up, over all starts.
        time_limit: seconds.

    Returns:
        A valid solution, or "unknown". Under ``cover`` disjoint paths are widened by detours over
        empty cells until the board is full, if that works out.

    Raises:
        ValueError: the perimeter rule under ``cover``, or an order that is none.
    """
    if perimeter and board.rule == "cover":
        raise ValueError("the perimeter rule may destroy the only solution under cover")
    if order is not None and sorted(order) != list(range(len(board.pairs))):
        raise ValueError(f"expected every pair 0 to {len(board.pairs) - 1} once, found {order}")
    began = perf_counter()
    stop = None if time_limit is None else began + time_limit
    router = _Router(board, seed, perimeter)
    starts = 1
    if not rip_up:
        given = range(len(board.pairs)) if order is None else order
        links = router.in_order([k for k in given if k in router.goals])
        why = "blocked"
    else:
        links = router.negotiated(max_rounds, stop)
        why = "rounds"
        while links is None:
            if router.steps and router.steps[-1].action == "blocked":
                why = "blocked"  # even without the other paths there is no way
                break
            if stop is not None and perf_counter() > stop:
                why = "time"
                break
            if router.rounds >= max_rounds:
                break
            router.rounds += 1
            starts += 1
            router.note("restart", -1, ())
            links = router.negotiated(max_rounds, stop)
    return Routed(
        links,
        "solved" if links is not None else why,
        router.rounds,
        starts,
        router.searches,
        router.expanded,
        perf_counter() - began,
        tuple(router.steps),
    )
