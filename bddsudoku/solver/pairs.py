"""Pairs of open cells that are always equal, or always different, over all solutions.

A set on a diagram tells by passes over it. A set without one (far too large for a diagram) is
asked for a few hundred uniform samples, which refute nearly all pairs; each of the rest is then
decided by search: is there a solution in which the two cells differ, or agree? So the answer is
exact either way, or it is left open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Context
from bddsudoku.engine.protocol import searcher_for
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import cell_name

SAMPLES = 512
"""A pair that agrees in 1 % of the solutions escapes so many samples once in 170 times."""
SEARCH_NODES = 100_000
"""Search nodes for one question (some 0.05 s); one that needs more leaves the answer open."""
QUESTIONS = 2_000
"""More questions than these leave the answer open, too."""


class _OpenError(Exception):
    """A search came to its limit before its end."""


def pair_answers(puzzle: Puzzle, solutions: Any) -> dict[str, Any]:
    """Pairs of open, unsettled cells that share no house.

    Returns:
        ``always_equal``, ``always_different``: lists of [cell, cell] by name; both None where
        that stayed open or there is no solution, and then ``pairs_open`` says why.
    """
    if not solutions.count():
        return _left_open("there is no solution")
    if hasattr(solutions, "always_equal"):
        found = solutions.always_equal(), solutions.always_different()
    else:
        try:
            found = _searched(puzzle, solutions)
        except _OpenError as stop:
            return _left_open(str(stop))
    settled = solutions.backbone().reshape(-1) != 0
    n = puzzle.n

    def named(found: Any) -> list[list[str]]:
        pairs = np.asarray(found, dtype=np.int64).reshape(-1, 2)
        pairs = pairs[~settled[pairs].any(axis=1)]
        return [
            [cell_name(a, n), cell_name(b, n)]
            for a, b in sorted(map(tuple, pairs.tolist()))
            if not _share_house(puzzle, a, b)
        ]

    return {"always_equal": named(found[0]), "always_different": named(found[1])}


def _left_open(why: str) -> dict[str, Any]:
    return {"always_equal": None, "always_different": None, "pairs_open": why}


def _share_house(puzzle: Puzzle, a: int, b: int) -> bool:
    houses = puzzle.layout.houses_of
    return any(house in houses[b] for house in houses[a])


def _searched(puzzle: Puzzle, solutions: Any) -> tuple[list[Any], list[Any]]:
    """Both lists for a set that can be sampled."""
    rows = solutions.sample(SAMPLES, 0)
    live = solutions.true_candidates().reshape(len(puzzle.cells), puzzle.n)
    free = [cell for cell in puzzle.open_cells if live[cell].sum() > 1]
    asked: list[tuple[int, int, float, list[tuple[int, int]]]] = []
    questions = 0
    for i, a in enumerate(free):
        agree = (rows[:, [a]] == rows[:, free[i + 1 :]]).mean(axis=0)
        for b, share in zip(free[i + 1 :], agree.tolist(), strict=True):
            if 0 < share < 1 or _share_house(puzzle, a, b):
                continue
            # Only the digits that both cells can have make a question.
            ways = [
                (d + 1, e + 1)
                for d, e in product(_digits(live[a]), _digits(live[b]))
                if (d == e) == (share == 0)
            ]
            asked.append((a, b, share, ways))
            questions += len(ways)
            if questions > QUESTIONS:
                raise _OpenError(f"more than {QUESTIONS:,} searches would be needed")
    together = None
    if puzzle.is_ordinary:
        together = _exist(puzzle, [(a, d, b, e) for a, b, _, ways in asked for d, e in ways])
    equal: list[tuple[int, int]] = []
    different: list[tuple[int, int]] = []
    for a, b, share, ways in asked:
        if together is None:
            found = _until_found(_exists(puzzle.with_hints({a: d, b: e})) for d, e in ways)
        else:
            found = list(islice(together, len(ways)))
        if any(found):
            continue
        if None in found:
            raise _OpenError(f"a search went beyond {SEARCH_NODES:,} nodes")
        (equal if share else different).append((a, b))
    return equal, different


def _digits(live: NDArray[np.bool_]) -> list[int]:
    return [int(d) for d in np.nonzero(live)[0]]


def _until_found(answers: Iterable[bool | None]) -> list[bool | None]:
    """Answers up to the first that is not False."""
    found: list[bool | None] = []
    for answer in answers:
        found.append(answer)
        if answer is not False:
            break
    return found


def _exists(puzzle: Puzzle) -> bool | None:
    """Whether a puzzle has a solution; None if the search took too many nodes."""
    model = allocate(puzzle, Allocation.CANDIDATES)
    searcher = searcher_for(model)
    try:
        found = next(searcher.solutions(model, Context(), limit=1, node_limit=SEARCH_NODES), None)
    except LimitReached:
        return None
    return found is not None


def _exist(puzzle: Puzzle, hints: Sequence[tuple[int, int, int, int]]) -> Iterator[bool | None]:
    """The same for an ordinary board with (cell, digit, cell, digit) more, all side by side."""
    from bddsudoku.engine.bitboard import count_many

    boards = np.repeat(np.array([puzzle.masks], dtype=np.uint16), len(hints), axis=0)
    for board, (a, d, b, e) in zip(boards, hints, strict=True):
        board[a], board[b] = 1 << d - 1, 1 << e - 1
    tally = count_many(boards, 1, max_nodes=SEARCH_NODES)
    for count, exact in zip(tally.counts.tolist(), tally.exact.tolist(), strict=True):
        yield True if count else False if exact else None
