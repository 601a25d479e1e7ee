"""The number of essentially different solutions, by the lemma of Burnside.

Solutions are essentially the same if a symmetry of their puzzle (:mod:`.puzzle_symmetries`) turns
one into the other. There are as many classes of them as a symmetry keeps solutions on average. What
a symmetry keeps are the solutions of a model in which a cell's image has the image of its digit:
one cell stands for all that follow from it (:func:`tied_model`). Any engine counts them.

Russell & Jarvis, "Mathematics of Sudoku II" (2006), found in this way 5,472,730,538 classes of the
grids of the empty 9×9 board: of its symmetries, 27 of 275 classes keep any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import factorial, prod
from typing import TYPE_CHECKING, Any, Unpack

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, SharedLimits, limited
from bddsudoku.engine.portfolio import count_model
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model.allocation import allocate as allocate_variables
from bddsudoku.model.constraints import Constraint, OneHot, rename_constraint
from bddsudoku.model.mdd import mdd_from_level_steps
from bddsudoku.model.model import Model
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku.grid import Puzzle, empty_board
from bddsudoku.puzzle.sudoku.sudoku_model import allocate, known_keys
from bddsudoku.solver.answers import Answer, Count
from bddsudoku.solver.puzzle_lists import add_rules
from bddsudoku.solver.question import limit_record
from bddsudoku.solver.sources import PuzzleLike, as_puzzle
from bddsudoku.symmetry.conjugacy import classes_of_representatives, cycles, digit_maps
from bddsudoku.symmetry.puzzle_symmetries import (
    Permutation,
    PuzzleSymmetries,
    find_symmetries,
)

if TYPE_CHECKING:
    from bddsudoku.solver.puzzle_lists import RuleLines
    from bddsudoku.solver.sources import Chunk


@dataclass(frozen=True)
class SymmetryClass(Answer):
    """A class of conjugate symmetries, all relabellings of interchangeable digits taken as one.

    Attributes:
        size: how many permutations of cells (and of other digits) are in it.
        cycles: the lengths of their cycles of cells, as ``1^9 2^36``.
        fixed: how many solutions each of them keeps, up to these relabellings.
    """

    size: Count
    cycles: str
    fixed: Count


@dataclass(frozen=True)
class EssentialCount(Answer):
    """The number of essentially different solutions of a puzzle.

    Attributes:
        count: the number of classes of solutions.
        solutions: the number of solutions.
        symmetries: the number of symmetries of the puzzle.
        classes: those that keep a solution; the first is that of the identity.
    """

    count: Count
    solutions: Count
    symmetries: Count
    classes: tuple[SymmetryClass, ...]


@check_types
def count_up_to_symmetry(puzzle: PuzzleLike, **limits: Unpack[SharedLimits]) -> EssentialCount:
    """Count the solutions of a puzzle that none of its symmetries turns into each other.

    Args:
        puzzle: in any form, of any layout, with any rules.
        limits: ``max_memory``, ``time_limit``, ``progress``, ``context``: see
            :class:`bddsudoku.context.SharedLimits`.

    Raises:
        LimitReached: a limit ended the count.
        BddSudokuError: the puzzle has too many symmetries for their classes to be found.

    Cost: a count of the solutions, and one for every class of symmetries and of relabellings that
    may keep some: minutes for the empty 9×9 board.

    >>> count_up_to_symmetry("................").count
    2
    """
    context = limited(**limits)
    puzzle = as_puzzle(puzzle)
    symmetries = find_symmetries(puzzle)
    classes = classes_of_representatives(symmetries)
    found = []
    for done, (representative, size) in enumerate(classes):
        context.check_and_report(done, len(classes))
        try:
            fixed = count_fixed(symmetries, representative, context=context.without_progress)
        except LimitReached as stop:
            stop.details.pop("known", None)  # of what one symmetry keeps, not of the classes
            raise
        if fixed or not done:
            lengths = Counter(map(len, cycles(representative[: puzzle.layout.cell_count])))
            text = " ".join(f"{length}^{lengths[length]}" for length in sorted(lengths))
            found.append(SymmetryClass(size, text, fixed))
    context.report_progress(len(classes), len(classes))
    return EssentialCount(
        sum(one.size * one.fixed for one in found) // symmetries.representatives,
        found[0].fixed * symmetries.relabellings,
        symmetries.order,
        tuple(found),
    )


def count_classes_of_solutions(
    chunk: Chunk, context: Context = UNLIMITED, *, rules: RuleLines | None = None
) -> Iterator[dict[str, Any]]:
    """Count the essentially different solutions of each puzzle of a chunk; yield a record for each.

    Where a limit other than the time ended it, ``limit`` says so.

    Args:
        chunk: the puzzles.
        rules: a file of rules that all puzzles have.
    """
    for record in chunk:
        if record.saved is not None:
            raise BddSudokuError(f"{record.source}: the symmetries of a saved set are not known")
        puzzle = record.puzzle if rules is None else add_rules(record, rules).puzzle
        try:
            yield count_up_to_symmetry(puzzle, context=context).to_dict() | {"exact": True}
        except LimitReached as stop:
            if stop.limit == "time":
                raise
            yield limit_record(stop)


@check_types
def count_fixed(
    symmetries: PuzzleSymmetries, representative: Permutation, **limits: Unpack[SharedLimits]
) -> int:
    """Count the solutions that a symmetry keeps, up to relabelling of interchangeable digits.

    Args:
        symmetries: those of the puzzle.
        representative: one that keeps the order of interchangeable digits.
        limits: as for :func:`count_up_to_symmetry`.

    Raises:
        LimitReached: a limit ended the count.
    """
    context = limited(**limits)
    puzzle, n = symmetries.puzzle, symmetries.puzzle.layout.digit_count
    cells = puzzle.layout.cell_count
    identity = tuple(range(cells + n))
    moves, kept = representative[:cells], tuple(d - cells for d in representative[cells:])
    base = allocate(empty_board(puzzle.layout, puzzle.rules))
    known = known_keys(puzzle)
    total = 0
    for digits, number in digit_maps(kept, symmetries.interchangeable):
        context.check()
        if not _fits_houses(puzzle, moves, digits):
            continue
        if representative == identity and digits == kept:
            total += (count_model(allocate(puzzle), context).count or 0) * number
            continue
        model = tied_model(base, [moves[v // n] * n + digits[v % n] for v in range(cells * n)])
        house = next((h for h in puzzle.layout.houses if h.is_complete), None)
        if house and len(symmetries.interchangeable) == 1 and digits != tuple(range(n)):
            read = [turn[0] for turn in cycles(moves) if not {*turn}.isdisjoint(house.cells)]
            words, alike = _first_words(model, read, digits)
            model = replace(model, constraints=(*model.constraints, words))
            number *= alike
        position = model.position_by_key
        hints, struck = ([position[k] for k in keys if k in position] for keys in known)
        model = allocate_variables(model, hints, struck=struck)
        total += (count_model(model, context).count or 0) * number
    return total // symmetries.relabellings


def _fits_houses(puzzle: Puzzle, moves: Sequence[int], digits: Sequence[int]) -> bool:
    """Whether a symmetry that maps a house with all digits to itself moves its cells as its digits.

    Only then does it keep any solution, as every digit stands in one cell of the house.
    """
    for house in puzzle.layout.houses:
        image, turned = [*house.cells], [*range(len(digits))]
        while house.is_complete:
            image, turned = [moves[cell] for cell in image], [digits[d] for d in turned]
            if {*image} == {*house.cells}:
                within = [house.cells.index(cell) for cell in image]
                if sorted(map(len, cycles(within))) != sorted(map(len, cycles(turned))):
                    return False
                break
    return True


def _first_words(
    model: Model, cells: Sequence[int], digits: Sequence[int]
) -> tuple[Automaton, int]:
    """The constraint that cycles of digits appear in their order, each with its first digit.

    Args:
        model: of what a symmetry keeps, which has a digit of every cycle in these cells.
        cells: in the order in which they are read.
        digits: the digit that replaces each digit, by position.

    Returns: it, and how many relabellings commute with the symmetry. Exactly one of them turns the
        digits of a solution in these cells into a word that is allowed.
    """
    turns = cycles(digits)
    lengths = [*map(len, turns)]
    firsts = {turn[0]: i for i, turn in enumerate(turns)}
    number_of = {d: i for i, turn in enumerate(turns) for d in turn}
    groups = tuple(
        tuple(i for i, v in enumerate(model.variables) if v.cell == cell) for cell in cells
    )
    read = [[model.variables[i].key % len(digits) for i in group] for group in groups]

    def step(level: int, seen: frozenset[int], choice: int) -> frozenset[int] | None:
        digit = read[level][choice - 1]
        number = number_of[digit]
        if number in seen:
            return seen
        earlier = (i for i in range(number) if lengths[i] == lengths[number])
        return seen | {number} if digit in firsts and seen.issuperset(earlier) else None

    mdd = mdd_from_level_steps(
        [1 + len(group) for group in groups],
        frozenset[int](),
        lambda level, seen, choice: step(level, seen, choice) if choice else None,
    )
    alike = prod(lengths) * prod(map(factorial, Counter(lengths).values()))
    return Automaton("first", "words", groups, mdd), alike


def tied_model(model: Model, images: Sequence[int]) -> Model:
    """The model of those solutions of a model that a symmetry keeps.

    A variable stands for all to which the symmetry moves it. Those that would give a cell two
    values are left out. Where a constraint, other than a one-hot one, reads two cells of which one
    follows from the other, the second has variables of its own.

    Args:
        model: of an empty board.
        images: of every variable, by position, that to which the symmetry moves it.
    """
    cell_of = [v.cell for v in model.variables]
    first = [*range(len(images))]
    false = set[int]()
    for orbit in cycles(images):
        for v in orbit:
            first[v] = orbit[0]
        if len({cell_of[v] for v in orbit}) < len(orbit):
            false.add(orbit[0])
    for one_hot in model.one_hots:
        times = Counter(first[v] for v in one_hot.variables)
        false.update(v for v, several in times.items() if several > one_hot.total)
    mixes = any(model.variables[v].value != model.variables[w].value for v, w in enumerate(first))
    found: dict[object, Constraint] = {}
    copied: dict[int | None, list[int]] = {}
    for c in model.constraints:
        if isinstance(c, OneHot):
            held = tuple(sorted({first[v] for v in c.variables} - false))
            one = c._replace(variables=held, house="" if mixes else c.house)
            found.setdefault((held, c.total, c.at_most), one)
            continue
        left = c.restrict({v: False for v in c.variables if first[v] in false})
        moved: dict[int, int] = {}
        for cell, some in groupby(left.variables, cell_of.__getitem__):
            mine = {v: first[v] for v in some}
            if not {*moved.values()}.isdisjoint(mine.values()):
                mine = {v: v for v in mine}
                copied[cell] = [
                    v for v, of in enumerate(cell_of) if of == cell and first[v] not in false
                ]
            moved |= mine
        left = left.renumber(moved)
        found.setdefault(rename_constraint(left, "", ""), left)
    for cell, every in copied.items():
        found[cell] = OneHot("copy", f"{cell}", tuple(every))
        for v in every:
            beside = sorted({v, *(first[w] for w in every if w != v)})
            found[cell, v] = OneHot("copy", model.variables[v].name, tuple(beside), 1, True)
    kept = sorted({*first, *(v for every in copied.values() for v in every)} - false)
    position = {v: i for i, v in enumerate(kept)}
    constraints = tuple(c.renumber(position) for c in found.values())
    return Model(tuple(model.variables[v] for v in kept), constraints)
