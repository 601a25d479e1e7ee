"""The engine bitboard, and counts, solutions and true candidates of many classic boards.

True candidates are the digits of cells that stand in some solution. For every candidate left a
solution with it is searched for, unless one was met before: the solutions found for others are
witnesses for all that they hold. A candidate without a solution is taken away for good, and what
follows from that, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard.propagation import CELLS, DEAD, DIGITS, PLACE, STATE
from bddsudoku.engine.bitboard.search import (
    ALL,
    BOARD,
    COUNTED,
    FIRST,
    FOUND,
    NODES,
    WRITTEN,
    SolutionTally,
    copy_with_candidate,
    fill_states,
    new_resume_point,
    new_stack,
    propagate,
    run_bitboard_search,
    visit_node,
    write_solution,
)
from bddsudoku.engine.classic_board import candidate_masks, why_not_classic
from bddsudoku.engine.protocol import Search, SearchingEngine
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U8, U16, U64, AnyArray
from bddsudoku.model.model import Model
from bddsudoku.work.resources import CheckPoint, run_slices

Boards = U8 | U16
"""Digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d), (n, 81)."""

_ALL = (1 << DIGITS) - 1


def as_boards(boards: AnyArray, masks: bool | None = None) -> Boards:
    """Check boards and make them contiguous for the kernels, with the kernels' type.

    Args:
        boards: of shape (n, 81).
        masks: whether they are candidate masks or digits, of any integer type; None where they have
            the kernels' type already, which says what they are.

    Raises:
        PuzzleFormatError: another shape, another type, or a number that is none of the board's.
    """
    if boards.ndim != 2 or boards.shape[1] != CELLS:
        raise PuzzleFormatError(f"expected boards of shape (n, {CELLS}), found {boards.shape}")
    if masks is None:
        masks = boards.dtype == np.uint16
    what, most = ("candidate masks", _ALL) if masks else ("digits", DIGITS)
    if not np.issubdtype(boards.dtype, np.integer):
        raise PuzzleFormatError(f"expected {what} as integers, found {boards.dtype}")
    if len(boards) and not 0 <= boards.min() <= boards.max() <= most:
        strange = (boards < 0) | (boards > most)
        where, cell = divmod(int(np.argmax(strange)), CELLS)
        row, column = divmod(cell, 9)
        hint = "" if masks else " (candidate masks are asked for by masks=True)"
        raise PuzzleFormatError(
            f"board {where}, r{row + 1}c{column + 1}: expected {what} from 0 to {most}, found "
            f"{boards[where, cell]}{hint}"
        )
    kind: Any = np.uint16 if masks else np.uint8
    return np.ascontiguousarray(boards, dtype=kind)


def search_states(boards: Boards) -> U64:
    """The initial search states of boards, as an array of shape (n, 18)."""
    states = np.empty((len(boards), STATE), dtype=np.uint64)
    fill_states(boards, states)
    return states


BOARDS_PER_CALL = 40_000
"""Nodes between two returns to Python: some 10 ms."""


def count_many(
    boards: Boards,
    limit: int | None = None,
    *,
    max_nodes: int | None = None,
    jobs: int | None = None,
    context: Context = UNLIMITED,
    keep: int = COUNTED,
) -> SolutionTally:
    """Count the solutions of each of many boards.

    Costs 1 µs for most puzzles with one solution, up to 0.1 ms for the hardest known, and 0.3 µs
    for every solution of those with many; every further thread counts as many again.

    Args:
        boards: digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d), of
            shape (n, 81).
        limit: count no further than this (2 tells whether a solution is the only one).
        max_nodes: give a board up after so many nodes.
        jobs: threads; by default as many as there are cores.
        keep: :data:`.search.FIRST` to keep one solution of each, too.

    Raises:
        PuzzleFormatError: an array that is none of boards.
        LimitReached: the time is used up.
    """
    checked = as_boards(boards)
    size = len(checked)
    tally = SolutionTally.zeros(size, size if keep == FIRST else 0)

    def work(begin: int, end: int, pause: CheckPoint) -> None:
        mine = SolutionTally._make(known[begin:end] for known in tally)
        states, stack, at = search_states(checked[begin:end]), new_stack(), new_resume_point()
        while not run_bitboard_search(
            states, stack, at, mine, keep, limit or 0, max_nodes or 0, BOARDS_PER_CALL
        ):
            pause()

    if limit is not None and limit <= 0:
        return tally
    run_slices(size, work, jobs=jobs, context=context)
    return tally


solve_many = partial(count_many, keep=FIRST)
"""Find one solution of each of many boards, and count their solutions up to a limit."""

PROBE_NODES = 20_000
"""Nodes of a short search: some 5 ms, in which most puzzles with 17 and more hints are settled."""
_STEPS_PER_NODE = 130
"""Steps of a node (:attr:`bddsudoku.context.Context.work`)."""
_ROWS = 4096
"""Solutions written by a call of the kernel, at most."""


class BitboardSearch(Search):
    """A resumable search for the solutions of one board.

    Args:
        board: digits (uint8, 0 where open) or candidate masks (uint16), of shape (81,).
        names: the digits (from 0) by which those of the board are written as keys.

    Raises:
        PuzzleFormatError: an array that is no board.
    """

    method = "bit boards"

    def __init__(self, board: Boards, names: AnyArray | None = None) -> None:
        if board.shape != (CELLS,):
            raise PuzzleFormatError(f"expected a board of shape ({CELLS},), found {board.shape}")
        self._states = search_states(as_boards(board[None]))
        self._stack = new_stack()
        self._at = new_resume_point()
        self._tally = SolutionTally.zeros(1)
        self._names = np.arange(DIGITS) if names is None else names

    @property
    def done(self) -> bool:
        """Whether all solutions have been found."""
        return int(self._at[BOARD]) == 1

    @property
    def count(self) -> int:
        """The number of solutions found so far."""
        return int(self._tally.counts[0] if self.done else self._at[FOUND])

    @property
    def nodes(self) -> int:
        """Search nodes visited so far."""
        return int(self._tally.nodes[0] if self.done else self._at[NODES])

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return _STEPS_PER_NODE * self.nodes

    def _run(self, tally: SolutionTally, keep: int, nodes: int) -> None:
        run_bitboard_search(self._states, self._stack, self._at, tally, keep, 0, 0, nodes)

    def advance(self, max_found: int | None = None, max_nodes: int | None = None) -> None:
        """Go on counting for some 10 ms, or up to a total of nodes."""
        left = BOARDS_PER_CALL if max_nodes is None else max_nodes - self.nodes
        self._run(self._tally, COUNTED, min(BOARDS_PER_CALL, left))

    def next_rows(self, size: int = _ROWS, nodes: int = BOARDS_PER_CALL) -> U8:
        """Search at most ``nodes`` more nodes; return the next solutions, at most ``size`` of them.

        Shape (k, 81). None at all may come although there are more; :attr:`done` tells.
        """
        out = np.empty((size, CELLS), dtype=np.uint8)
        self._run(self._tally._replace(solutions=out), ALL, nodes)
        written = int(self._at[WRITTEN])
        self._at[WRITTEN] = 0
        return out[:written]

    def next_solutions(
        self, max_found: int | None = None, max_nodes: int | None = None
    ) -> Iterator[I64]:
        """Go on for some 10 ms; yield each solution as the ascending keys of its true variables."""
        for grid in self.next_rows(
            _ROWS if max_found is None else min(_ROWS, max_found - self.count)
        ):
            yield DIGITS * np.arange(CELLS) + self._names[grid - 1]


CANDIDATES = CELLS * DIGITS

AT_BOARD, AT_LEVEL, CANDIDATE = range(3)
"""Where the work stands: number of the board; level of the next node of the search under way, 0 if
there is none; its candidate, -1 if the board has not begun."""

U1 = np.uint64(1)


@subroutine
def _candidate_bit(candidate):  # type: ignore[no-untyped-def]
    """Return where a state keeps a candidate: digit, number of the digit's word (0 or 1), bit."""
    cell, digit = candidate // DIGITS, candidate % DIGITS
    return np.uint64(digit), np.uint64(PLACE[cell, 0]), U1 << np.uint64(PLACE[cell, 1])


@kernel
def find_true_candidates(states, stack, resume_at, solution, out, node_budget):  # type: ignore[no-untyped-def]
    """Find the candidates that stand in some solution; True when all boards are done.

    Args:
        states: uint64, (n, 18): the boards, by :func:`.search.fill_states`.
        stack: by :func:`.search.new_stack`; level 0 holds the candidates not yet refuted.
        resume_at: int64, (3,): where the work stands, at first 0, 0, -1.
        solution: uint8, (81,): working memory.
        out: bool, (n, 81, 9), False at first: the candidates, by cell and digit.
        node_budget: stop after so many nodes.
    """
    board, level, candidate = resume_at
    while board < len(states) and node_budget > 0:
        known = out[board]
        if candidate < 0:
            for word in range(STATE):
                stack[0, word] = states[board, word]
            candidate, level = 0, 0
            node_budget -= 1
            if propagate(stack, 0) == DEAD:
                candidate = CANDIDATES
        if level == 0:  # the next candidate to look for
            while candidate < CANDIDATES:
                digit, half, bit = _candidate_bit(candidate)
                if not known[candidate // DIGITS, digit] and stack[0, digit + digit + half] & bit:
                    copy_with_candidate(stack, 1, 0, digit, half, bit)
                    level = 1
                    break
                candidate += 1
            if candidate == CANDIDATES:
                board += 1
                candidate = -1
                continue
        solved = False
        while level > 0 and not solved and node_budget > 0:
            node_budget -= 1
            following, solved = visit_node(stack, level)
            if solved:
                write_solution(stack[level], solution)
                for cell in range(CELLS):
                    known[cell, solution[cell] - 1] = True
            level = following
        if solved:
            level = 0
            candidate += 1
        elif level == 0:
            digit, half, bit = _candidate_bit(candidate)
            stack[0, digit + digit + half] &= ~bit
            candidate = CANDIDATES if propagate(stack, 0) == DEAD else candidate + 1
    resume_at[AT_BOARD], resume_at[AT_LEVEL], resume_at[CANDIDATE] = board, level, candidate
    return board == len(states)


def true_candidates(
    boards: Boards, *, jobs: int | None = None, context: Context = UNLIMITED
) -> U16:
    """For each of many boards, find the candidates that occur in some solution.

    A solution found for one candidate is a witness for all that it holds; only what no witness
    holds is searched for, so that all solutions need not be visited.

    Args:
        boards: digits (uint8, 0 where open) or candidate masks (uint16), of shape (n, 81).
        jobs: threads; by default as many as there are cores.

    Returns:
        Masks, (n, 81): bit d - 1 is set if a solution has digit d in the cell; all 0 where there is
        no solution.

    Raises:
        PuzzleFormatError: an array that is none of boards.
        LimitReached: the time is used up.
    """
    checked = as_boards(boards)
    found = np.zeros((len(checked), CELLS, DIGITS), dtype=np.bool_)

    def work(begin: int, end: int, pause: CheckPoint) -> None:
        states, stack = search_states(checked[begin:end]), new_stack()
        at, grid = np.array([0, 0, -1]), np.empty(CELLS, np.uint8)  # no board has begun
        while not find_true_candidates(states, stack, at, grid, found[begin:end], BOARDS_PER_CALL):
            pause()

    run_slices(len(checked), work, jobs=jobs, context=context)
    return np.asarray(found @ (1 << np.arange(DIGITS)), dtype=np.uint16)


_LEAST_HINTS = 17
"""No classic board with fewer has one solution (McGuire et al., 2012)."""


class BitboardEngine(SearchingEngine):
    """The engine bitboard: depth-first search with millions of solutions a second."""

    name: ClassVar[str] = "bitboard"
    probe_nodes = PROBE_NODES

    def refuses(self, model: Model) -> str | None:
        """Refuse every model but the classic board."""
        return why_not_classic(model)

    def is_worth_a_probe(self, model: Model) -> bool:
        """Whether there are as many hints as a unique solution takes: fewer leave many solutions.

        Those are summed by bands, and the search's kernels are not even loaded.
        """
        masks = candidate_masks(model)
        return int((masks & (masks - 1) == 0).sum()) >= _LEAST_HINTS

    def start(self, model: Model, context: Context, seed: int | None = None) -> BitboardSearch:
        """Start a search; a seed permutes the digits, to vary the order of the solutions."""
        masks = candidate_masks(model)
        if seed is None:
            return BitboardSearch(masks)
        names = np.random.default_rng(seed).permutation(DIGITS)
        bits = masks[:, None] >> np.arange(DIGITS) & 1
        masks = (bits[:, names] << np.arange(DIGITS)).sum(axis=1).astype(np.uint16)
        return BitboardSearch(masks, names)
