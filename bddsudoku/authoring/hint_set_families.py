"""Families of sets of hints as ZDDs, and the decoder that turns a set of hints into a puzzle.

The minimal unavoidable sets of a small board come from a search that skips their supersets. It
fills the board cell by cell, in rows, and tries the given digit first. It keeps the set of given
cells that have another digit. Every grid that it reaches has a new such set; from then on it turns
back wherever the set has become a superset of one that is known. So it visits few of the board's
grids: of the 28,200,960 of a 6×6 board some thousand, in a tenth of a second.

A known set is a subset of the present one for the first time when its last cell gets another digit:
only sets with this last cell are compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.context import Context
from bddsudoku.diagrams.zdd import Diagram, diagram_of_rows
from bddsudoku.diagrams.zdd_apply import minimal
from bddsudoku.engine.protocol import choose_listing_engine
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I64, U8, U64, Flags
from bddsudoku.model.constraints import Linear
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, cell_name
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.decoder import Decoder

_BATCH = 8192
_MAX_ROWS_IN_MEMORY = 1 << 18
"""Least number of new rows after which duplicates are removed."""


def minimal_unavoidable_sets(
    puzzle: Puzzle,
    keys: I64,
    rules: Sequence[Rule],
    max_solutions: int,
    context: Context,
    *,
    max_hints: int | None = None,
) -> Diagram | None:
    """Find the minimal unavoidable sets: the minimal sets of hints whose removal adds a solution.

    Args:
        puzzle: of any layout, with any rules, without the hints.
        keys: the hints, ``cell * n + digit - 1``, and then a key for each rule.
        rules: rules that belong to the sets, too: those that a solution violates; the puzzle is
            without them.
        max_solutions: list at most this many solutions, where they have to be listed.
        max_hints: find only sets of at most this many hints.

    Returns:
        The family, without the empty set; None with more solutions than ``max_solutions``.

    Raises:
        LimitReached: the time, the memory or the nodes are used up.

    Cost: on small boards without rules see :func:`search_unavoidable`; elsewhere a microsecond for
    each solution.
    """
    if is_searchable(puzzle) and not rules and max_hints is None:
        rows = search_unavoidable(puzzle, keys, context)
        order = overlap_variable_order(rows)
        return diagram_from_flags(keys[order], rows[:, order])
    differences = _hints_violated_by_solutions(
        puzzle, keys, rules, max_solutions, context, max_hints
    )
    if differences is None:
        return None
    return minimal(diagram_from_flags(keys, differences), context=context)


def _hints_violated_by_solutions(
    puzzle: Puzzle,
    keys: I64,
    rules: Sequence[Rule],
    max_solutions: int,
    context: Context,
    max_hints: int | None,
) -> Flags | None:
    """For each solution, the set of hints that it violates; None above ``max_solutions`` solutions.

    Arguments as for :func:`minimal_unavoidable_sets`.
    """
    hints = keys[: len(keys) - len(rules)]
    columns, wanted = hints // puzzle.n, hints % puzzle.n + 1
    parts = [np.zeros((0, len(keys)), dtype=np.bool_)]
    seen = fresh = 0
    min_agreement = None if max_hints is None else (keys, len(columns) - max_hints)
    for rows in _solution_batches(puzzle, max_solutions + 1, context, min_agreement):
        seen += len(rows)
        if seen > max_solutions:
            return None
        violated = [
            [not rule.holds(grid) for rule in rules]
            for grid in (Puzzle(row.tolist(), puzzle.layout) for row in rows if rules)
        ]
        kept = np.array(violated, dtype=np.bool_).reshape(len(rows), len(rules))
        parts.append(np.concatenate([rows[:, columns] != wanted, kept], axis=1))
        fresh += len(rows)
        # so that every row is sorted only a few times
        if fresh > max(_MAX_ROWS_IN_MEMORY, len(parts[0])):
            parts, fresh = [distinct_rows(np.concatenate(parts))], 0
        context.check(f"after {seen:,} solutions")
        context.report_progress(seen, max_solutions)
    found = distinct_rows(np.concatenate(parts))
    return found[found.any(axis=1)]


def overlap_variable_order(sets: Flags) -> I64:
    """A variable order that puts variables together if they share many small sets of a family.

    The last variable is in the most small sets; before it stands the one that shares the most with
    those placed, and so on. The diagram of the hitting sets is often smaller by half.

    Args:
        sets: a family as rows of flags, (sets, variables).
    """
    weight = sets * 0.5 ** sets.sum(axis=1, keepdims=True)
    shared = sets.T @ weight / np.maximum(sets.sum(axis=0)[:, None], 1)
    waiting = np.ones(sets.shape[1], dtype=np.bool_)
    score = weight.sum(axis=0)
    order: list[int] = []
    for k in range(sets.shape[1]):
        order.append(int(np.argmax(np.where(waiting, score, -1))))
        waiting[order[-1]] = False
        score = shared[:, order[-1]] + (score if k else 0)
    return np.array(order[::-1], dtype=np.int64)


def distinct_rows(flags: Flags) -> Flags:
    """The distinct rows of an array of flags, in no particular order."""
    if not flags.shape[1]:
        return flags[:1]
    packed = np.ascontiguousarray(np.packbits(flags, axis=1))
    _, first = np.unique(packed.view(f"V{packed.shape[1]}").reshape(-1), return_index=True)
    return flags[first]


def _solution_batches(
    puzzle: Puzzle, limit: int, context: Context, min_agreement: tuple[I64, int] | None
) -> Iterator[U8]:
    """Yield a puzzle's solutions in batches, optionally only those with enough digits of a list.

    Args:
        puzzle: of any layout.
        limit: largest number of solutions.
        context: limits.
        min_agreement: keys of digits, and how many of these a solution must have at least.
    """
    model = allocate(puzzle)
    if min_agreement is not None:
        keys, low = {*min_agreement[0].tolist()}, min_agreement[1]
        held = tuple(i for i, v in enumerate(model.variables) if v.key in keys)
        low -= sum(v.key in keys for v in model.fixed)
        unchanged = Linear("unchanged", "cells", held, (1,) * len(held), low, None)
        model = Model(model.variables, (*model.constraints, unchanged), fixed=model.fixed)
    found = choose_listing_engine(model).solutions(model, context, limit=limit)
    while batch := list(islice(found, _BATCH)):
        yield (np.stack(batch) % puzzle.n + 1).astype(np.uint8)


def diagram_from_flags(labels: ArrayLike, flags: Flags) -> Diagram:
    """The ZDD of a family of sets given as a boolean array: a row per set, a column per level."""
    levels = flags.shape[1]
    width = int(flags.sum(axis=1).max(initial=0))
    table = np.argsort(~flags, axis=1, kind="stable")[:, :width]
    table[~np.take_along_axis(flags, table, axis=1)] = levels
    return diagram_of_rows(labels, table)


def hint_text(cell: int, digit: int, n: int) -> str:
    """The text of a hint on a board of side n, such as ``r1c1=4``."""
    return f"{cell_name(cell, n)}={SYMBOLS[digit - 1]}"


class HintDecoder(Decoder[Puzzle]):
    """A decoder from sets of a puzzle's hints to the puzzles that have exactly these hints.

    The key of "digit d is given in cell c" is ``c * n + d - 1``, as in sets of grids, but a member
    of the family is a puzzle, not a grid. The puzzle's rules stay, unless the sets are of rules,
    too: then the key of the i-th rule is ``n**3 + i``.

    Args:
        puzzle: all hints and rules.
        rules: whether the sets are of rules, too.
    """

    kind = "hints"

    def __init__(self, puzzle: Puzzle, rules: bool = False) -> None:
        self.puzzle = puzzle
        self.rules: tuple[Rule, ...] = puzzle.rules if rules else ()
        self.bare: Puzzle = puzzle.without(*puzzle.hints, *self.rules)

    @property
    def space(self) -> Hashable:
        """Identify the universe of possible hints; families with equal values can be combined."""
        return (self.kind, self.puzzle.layout, self.rules)

    def decode(self, keys: Sequence[int]) -> Puzzle:
        """The puzzle with exactly the hints and optional rules that have given keys."""
        n = self.puzzle.n
        hints: dict[int | tuple[int, int], int] = {
            int(k) // n: int(k) % n + 1 for k in keys if k < n**3
        }
        rules = [self.rules[int(k) - n**3] for k in keys if k >= n**3]
        return self.bare.with_hints(hints).with_rule(*rules)

    def encode(self, solution: Any) -> Iterable[int]:
        """The keys of the hints of a puzzle, given as Puzzle, text or array of digits.

        Raises:
            PuzzleFormatError: it is not a puzzle of this layout.
        """
        return SudokuDecoder(self.puzzle.layout).encode(solution)

    def to_dict(self) -> dict[str, Any]:
        """The decoder as JSON values: layout, puzzle line and rules."""
        found = SudokuDecoder(self.puzzle).to_dict() | {"kind": self.kind}
        return found | ({"of_rules": True} if self.rules else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HintDecoder:
        """Make a decoder from JSON values: the inverse of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: layout, puzzle or rules are missing or malformed.
        """
        return cls(SudokuDecoder.from_dict(data).puzzle, bool(data.get("of_rules")))


# -- small boards ----------------------------------------------------------------------------------

MAX_CELLS = 64
"""Greatest number of cells: sets of cells are bits of one word."""
_STEPS = 20_000_000
"""Steps between two checks of the limits, a fraction of a second."""
_DONE, _FULL, _PAUSED = range(3)
_GIVEN, _ALLOWED, _UNTRIED = range(3)
"""Rows of the digits of :func:`_continue_search`."""
_U0, _U1 = np.uint64(0), np.uint64(1)


def is_searchable(puzzle: Puzzle) -> bool:
    """Whether a board is small enough for the search and has no rules other than its houses."""
    return puzzle.layout.cell_count <= MAX_CELLS and not puzzle.rules


def search_unavoidable(puzzle: Puzzle, keys: I64, context: Context) -> Flags:
    """Find the minimal sets of given digits whose removal from a board adds a solution.

    Args:
        puzzle: the board without the given digits; :func:`is_searchable`.
        keys: the given digits, ``cell * n + digit - 1``.

    Returns:
        The minimal sets, without the empty one, as rows of flags: (sets, given digits).

    Raises:
        LimitReached: the time is used up.
    """
    layout = puzzle.layout
    cells = layout.cell_count
    widest = max(map(len, layout.houses_by_cell))
    number = {house: i for i, house in enumerate(layout.houses)}
    houses = np.empty((cells, widest), dtype=np.int64)
    for c, several in enumerate(layout.houses_by_cell):
        own = [number[house] for house in several]
        # Cells in fewer houses have some of their own, which exclude nothing.
        houses[c] = own + [len(number) + c * widest + k for k in range(widest - len(own))]
    digits = np.zeros((4, cells + 1), dtype=np.uint64)
    digits[_GIVEN, keys // puzzle.n] = 1 << keys % puzzle.n
    digits[_ALLOWED, :cells] = puzzle.masks
    digits[_UNTRIED, 0] = puzzle.masks[0]
    used = np.zeros(len(number) + cells * widest, dtype=np.uint64)
    place = np.zeros(2, dtype=np.int64)
    known = np.zeros((cells, 64), dtype=np.uint64)
    count = np.zeros(cells, dtype=np.int64)
    while True:
        status = _continue_search(houses, digits, used, place, known, count, _STEPS)
        if status == _DONE:
            break
        context.check(f"after {count.sum():,} unavoidable sets")
        if status == _FULL:
            known = np.concatenate([known, np.zeros_like(known)], axis=1)
    found = np.concatenate([row[:k] for row, k in zip(known, count, strict=True)])
    bits = found[:, None] >> (keys // puzzle.n).astype(np.uint64) & _U1
    order = np.argsort(bits.sum(axis=1), kind="stable")
    least = np.ones(len(found), dtype=np.bool_)
    _clear_nonminimal(found[order], least)
    minimal: Flags = bits[order][least].astype(np.bool_)
    return minimal


@kernel
def _continue_search(
    houses: I64,
    digits: U64,
    used: U64,
    progress: I64,
    known_sets: U64,
    known_counts: I64,
    steps: int,
) -> int:
    """Continue the search until all sets are found, the table is full or ``steps`` steps are done.

    Args:
        houses: the houses of each cell.
        digits: for each cell the bit of its given digit (0 where there is none), those of its
            candidates, those of the digits that are still to be tried, and that of its digit.
        used: bits of the digits in each house.
        progress: the number of filled cells, and the bits of those that differ.
        known_sets, known_counts: the known sets with the cell as the last one, and their number.
        steps: number of steps.
    """
    given, allowed, untried, chosen = digits
    cells = len(houses)
    depth: Any = progress[0]
    differ: Any = np.uint64(progress[1])
    status = _PAUSED
    for _ in range(steps):
        if depth == cells and differ != _U0:
            last = np.int64(63)
            while differ >> np.uint64(last) == _U0:
                last -= 1
            if known_counts[last] == known_sets.shape[1]:
                status = _FULL
                break
            known_sets[last, known_counts[last]] = differ
            known_counts[last] += 1
        if depth == cells or untried[depth] == _U0:
            # Another choice after the last cell that differs would leave a superset.
            to_differing = depth == cells and differ != _U0
            while depth > 0:
                depth -= 1
                for k in range(houses.shape[1]):
                    used[houses[depth, k]] ^= chosen[depth]
                differs = differ >> np.uint64(depth) & _U1 != _U0
                differ &= ~(_U1 << np.uint64(depth))
                if untried[depth] != _U0 and (differs or not to_differing):
                    break
                to_differing = to_differing and not differs
            else:
                status = _DONE
                break
        left: Any = untried[depth]
        digit: Any = left & given[depth]
        more = differ
        if digit == _U0:
            digit = left & ~(left - _U1)
            if given[depth] != _U0:
                more |= _U1 << np.uint64(depth)
                superset = False
                for i in range(known_counts[depth]):
                    if known_sets[depth, i] & ~more == _U0:
                        superset = True
                        break
                if superset:
                    untried[depth] = _U0
                    continue
        untried[depth] = left ^ digit
        chosen[depth] = digit
        differ = more
        taken = _U0
        for k in range(houses.shape[1]):
            used[houses[depth, k]] |= digit
        depth += 1
        if depth < cells:
            for k in range(houses.shape[1]):
                taken |= used[houses[depth, k]]
            untried[depth] = allowed[depth] & ~taken
    progress[0], progress[1] = depth, np.int64(differ)
    return status


@kernel
def _clear_nonminimal(sets: U64, is_minimal: Flags) -> None:
    """Clear the flag of every set that contains an earlier set; sets are ordered by size."""
    for i in range(len(sets)):
        for j in range(i):
            if is_minimal[j] and sets[j] & ~sets[i] == _U0:
                is_minimal[i] = False
                break
