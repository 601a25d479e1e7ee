"""An unbiased estimate of the number of minimal puzzles, from random sequences of hint deletions.

A puzzle is *minimal* if its solution is the only one and no hint can go. Let N_k be the number of
minimal puzzles with k hints. Every order of deleting the other c - k hints of its solution, a grid
of c cells, is a way from that grid down to it on which all boards have one solution, for with more
hints there are no more solutions. So (c - k)! ways lead from grids to every minimal puzzle, and
N_k (c - k)! is the number of ways that end in minimal puzzles with k hints.

**One way.** From a grid drawn uniformly among all G, delete hints one at a time, each drawn
uniformly among the n_i that can go. A way has the probability 1/G Π 1/n_i; so G Π n_i, counted
where it ends with k hints, divided by (c - k)!, has the expectation N_k.

**Many ways (what is done here).** A population of boards with the same number of hints, each with a
weight w such that for any function f

    E[ 1/N Σ w f(board) ] = 1/G Σ over all ways to boards with that many hints of f(board).   (*)

* Grids have w = 1.
* *Leap:* M hints are deleted at once, a random set in random order: c!/(c - M)! ways of the same
  probability. Boards with more than one solution get w = 0, all others w times that number. This
  spares the many first steps, on which almost everything can go.
* *Step:* as above, w is multiplied by n, the number of hints that can go. Then (*) holds for boards
  with one hint less. Boards without such a hint, the minimal ones, get w = 0: they are the end of
  their way. Before that, they are counted: N_k is estimated by G/(c - k)! · 1/N Σ w over them.
* *Resampling:* N new boards are taken, each a copy of board i with a probability p_i of our choice
  (> 0 where w > 0); a copy has the weight w_i / (N p_i). The expected sum of weights of copies of i
  is w_i, whatever p_i is, so (*) stays true, and with it unbiasedness, given the population and so
  altogether. Here the copies are taken systematically (one random number, N equal steps), which
  keeps N p_i within one of the number of copies.
* Copies of one board delete different hints as long as there are different ones: by a random
  permutation of those that can go. Each copy's own hint is still uniform, and (*), a sum of
  expectations, needs no more.

p_i ∝ w_i h(board), where h guesses what is still to be counted below a board. A step divides what a
way is worth by c - k, some 50: a board with few hints that can go ends soon and is worth much more
than its neighbours, which are many times as many. So p_i ∝ w_i alone would see hardly any minimal
puzzle with many hints, and h falls with n: as (1 + n)^-a, where a fits what populations have shown
(:func:`classic_weight`). h changes the variance only.

Populations from grids of their own are independent: their means and the spread between them give
the intervals. Within a population all depends on all. Where boards have symmetric images in great
number, grids may be drawn up to symmetry: minimal puzzles below images are images.

Sources: D. Berthier, Unbiased Statistics of a CSP, 2009 (deleting hints, with weights; 3.1055e37
± 0.065 % for 9×9 cells); P. Del Moral, Feynman-Kac Formulae, 2004 (why populations are unbiased).
"""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard.hint_removal import removable_hints
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import F64, I64, U8, Flags
from bddsudoku.solver.bulk_solving import count_many

WeightFunction = Callable[[int, I64], F64]
"""The weight h of the module's docstring, from the number of hints left and of removable ones."""


class ClassicBoards:
    """Tests of many 9×9 boards at once for uniqueness and removable hints, on bitboards.

    Args:
        grids: the solutions, uint8, (n, 81).
        context: the time limit.
    """

    cells = 81

    def __init__(self, grids: U8, context: Context = UNLIMITED) -> None:
        self._grids = grids
        self._limits = context

    def unique(self, grids: I64, hints: Flags) -> Flags:
        """Test which boards (each given by a grid's index and flags of hints) have one solution."""
        boards = np.where(hints, self._grids[grids], np.uint8(0))
        return np.asarray(count_many(boards, 2, 1, context=self._limits) == 1)

    def removable(self, grids: I64, hints: Flags, tested: Flags) -> Flags:
        """Flag each tested hint without which the board still has exactly one solution.

        The result is bool, (boards, cells).

        Args:
            grids: (boards,).
            hints: (boards, cells).
            tested: the hints to test, (boards, cells); all others count as not removable.
        """
        boards = np.where(hints, self._grids[grids], np.uint8(0))
        return removable_hints(boards, tested, jobs=1, context=self._limits)


class TableBoardTests:
    """Tests of many small boards at once, by look-up in a table with all sets of hints.

    Args:
        tables: bool, (grids, 2^cells): whether a set of hints, as bits, has one solution.
    """

    def __init__(self, tables: Flags) -> None:
        self._tables = tables
        self.cells = tables.shape[1].bit_length() - 1
        self._bits = 1 << np.arange(self.cells)

    def unique(self, grids: I64, hints: Flags) -> Flags:
        """Test which boards (each given by a grid's index and flags of hints) have one solution."""
        found: Flags = self._tables[grids, hints @ self._bits]
        return found

    def removable(self, grids: I64, hints: Flags, tested: Flags) -> Flags:
        """Flag each tested hint without which the board still has exactly one solution.

        Arguments as for :meth:`ClassicBoards.removable`.
        """
        sets = (hints @ self._bits)[:, None] & ~self._bits
        found: Flags = tested & self._tables[grids[:, None], sets]
        return found


def classic_weight(hint_count: int, removable_counts: I64) -> F64:
    """The resampling weight of 9×9 boards, which falls with the number of removable hints."""
    fit = (min(hint_count, 31) - 18) / 3
    taper = min(max((50 - hint_count) / 19, 0.0), 1.0)
    return np.asarray((1.0 + removable_counts) ** (-max(fit, 0.0) * taper), dtype=np.float64)


def estimate_population(
    boards: ClassicBoards | TableBoardTests,
    grids: I64,
    rng: np.random.Generator,
    *,
    systematic: int = 0,
    weight: WeightFunction | None = None,
) -> F64:
    """Estimate how many minimal puzzles a grid has on average, for each number of hints.

    Args:
        boards: the tests of boards.
        grids: numbers of grids, each drawn uniformly, (N,); they need not be independent of each
            other.
        rng: the random numbers.
        systematic: number of hints that are deleted at once in the leap.
        weight: the weight h, by which boards are copied; by default 1 for all.

    Returns:
        float64, (cells + 1,): the estimate for every number of hints.

    Cost: some 0.25 ms a board of 9×9 cells, with a leap of 25.
    """
    cells, size = boards.cells, len(grids)
    found = np.zeros(cells + 1)
    hints = np.ones((size, cells), dtype=np.bool_)
    if systematic:
        order = rng.permuted(np.tile(np.arange(cells), (size, 1)), axis=1)
        hints[np.arange(size)[:, None], order[:, :systematic]] = False
    weights = boards.unique(grids, hints).astype(np.float64)
    scale = lgamma(cells + 1) - lgamma(cells - systematic + 1)
    """The true weights are ``weights`` times exp(scale)."""
    asked = hints & (weights > 0)[:, None]
    workspace = np.empty((size, cells))
    """Allocated once: new pages may cost more than the drawing."""
    for left in range(cells - systematic, -1, -1):
        asked = boards.removable(grids, hints, asked)
        goes = asked.sum(axis=1)
        ended = (goes == 0) & (weights > 0)
        found[left] = weights[ended].sum() / size * np.exp(scale - lgamma(cells - left + 1))
        weighted = np.where(goes > 0, weights, 0.0)
        if not weighted.any():
            break
        if weight is not None:
            weighted *= weight(left, goes)
        weighted /= weighted.sum()
        parents = _systematic_sample(weighted, size, rng)
        weights = weights[parents] * goes[parents] / (size * weighted[parents])
        grids, hints, asked = grids[parents], hints[parents], asked[parents]
        starts: I64 = np.flatnonzero(np.diff(parents, prepend=-1, append=size))
        last = np.zeros(size, dtype=np.int64)
        _draw_hints_to_delete(asked, starts, rng.random(out=workspace[: len(starts) - 1]), last)
        hints[np.arange(size), last] = False
        asked[np.arange(size), last] = False
        mean = weights.mean()
        weights /= mean
        scale += np.log(mean)
    return found


def _systematic_sample(weights: F64, size: int, rng: np.random.Generator) -> I64:
    """Draw ``size`` ascending indices in proportion to the weights by systematic sampling."""
    at = (np.arange(size) + rng.random()) / size
    ends = np.cumsum(weights)
    found = np.searchsorted(ends / ends[-1], at, side="right")
    parents: I64 = np.minimum(found, np.flatnonzero(weights)[-1])
    return parents


@kernel
def _draw_hints_to_delete(
    removable: Flags, group_starts: I64, random_numbers: F64, drawn_cells: I64
) -> None:
    """Draw for each board a removable hint; copies of one board get different hints if possible.

    Cells are drawn by ascending random numbers; when a group of copies has used all of its cells it
    begins again with the first. Drawn cells get 1 in ``random_numbers``.
    """
    for g in range(len(group_starts) - 1):
        taken = 0
        for i in range(group_starts[g], group_starts[g + 1]):
            best = -1
            least = 1.0
            for cell in range(random_numbers.shape[1]):
                if removable[i, cell] and random_numbers[g, cell] < least:
                    best = cell
                    least = random_numbers[g, cell]
            if best < 0:
                drawn_cells[i] = drawn_cells[i - taken]
                continue
            random_numbers[g, best] = 1.0
            drawn_cells[i] = best
            taken += 1
