"""The heuristic router: A*, rip-up and reroute, and the perimeter rule.

It finds one solution or says "unknown"; it never proves that there is none. The search is that of
Ihara's article (Recruit Marketing Partners Advent Calendar 2015): every pair is joined by A* as if
alone; then all paths that overlap another are ripped up, the cells in dispute become dearer, and
the paths are searched again. The prices are those of negotiated congestion (McMurchie & Ebeling,
PathFinder, FPGA 1995): a price for the cell's history of disputes, and a growing one for paths that
are there now. When that gets stuck, it starts again with prices shaken at random.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.numberlink.board import Board
from bddsudoku.puzzle.numberlink.links import Links
from bddsudoku.puzzle.numberlink.perimeter import preprocess

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
