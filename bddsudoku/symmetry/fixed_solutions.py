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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import factorial, prod
from typing import Unpack

from bddsudoku.argument_types import check_types
from bddsudoku.context import SharedLimits, limited
from bddsudoku.engine.portfolio import count_model
from bddsudoku.model.allocation import allocate as allocate_variables
from bddsudoku.model.constraints import Constraint, OneHot, Variable, rename_constraint
from bddsudoku.model.mdd import mdd_from_level_steps
from bddsudoku.model.model import Model
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_model import allocate, known_keys
from bddsudoku.solver.answers import Answer, Count
from bddsudoku.solver.sources import PuzzleLike, as_puzzle
from bddsudoku.symmetry.conjugacy import classes_of_representatives, digit_maps
from bddsudoku.symmetry.puzzle_symmetries import (
    Permutation,
    PuzzleSymmetries,
    puzzle_symmetries,
)


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
    symmetries = puzzle_symmetries(puzzle)
    classes = classes_of_representatives(symmetries)
    found = []
    for done, (representative, size) in enumerate(classes):
        context.check_and_report(done, len(classes))
        fixed = count_fixed(symmetries, representative, context=context.without_progress)
        if fixed or not done:
            cycles = Counter(map(len, _cycles(representative[: puzzle.layout.cell_count])))
            text = " ".join(f"{length}^{cycles[length]}" for length in sorted(cycles))
            found.append(SymmetryClass(size, text, fixed))
    context.report_progress(len(classes), len(classes))
    return EssentialCount(
        sum(one.size * one.fixed for one in found) // symmetries.representatives,
        found[0].fixed * symmetries.relabellings,
        symmetries.order,
        tuple(found),
    )


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
    puzzle = symmetries.puzzle
    cells = puzzle.layout.cell_count
    moves, kept = representative[:cells], tuple(d - cells for d in representative[cells:])
    identity = tuple(range(puzzle.layout.digit_count))
    total = 0
    for digits, number in digit_maps(kept, symmetries.interchangeable):
        context.check()
        if not _fits_houses(puzzle, moves, digits):
            continue
        if digits == identity and moves == tuple(range(cells)):
            model, alike = allocate(puzzle), 1
        else:
            model, alike = _model_of_fixed(puzzle, moves, digits, symmetries.interchangeable)
        total += (count_model(model, context).count or 0) * alike * number
    return total // symmetries.relabellings


def _fits_houses(puzzle: Puzzle, moves: Sequence[int], digits: Sequence[int]) -> bool:
    """Whether a symmetry that maps a house with all digits to itself moves its cells as its digits.

    Only then does it keep any solution, as every digit stands in one cell of the house.
    """
    for house in puzzle.layout.houses:
        image, turned = house.cells, range(len(digits))
        while house.is_complete:
            image, turned = [moves[cell] for cell in image], [digits[d] for d in turned]
            if {*image} == {*house.cells}:
                within = [house.cells.index(cell) for cell in image]
                if sorted(map(len, _cycles(within))) != sorted(map(len, _cycles(turned))):
                    return False
                break
    return True


def _cycles(images: Sequence[int]) -> list[list[int]]:
    """The cycles of a permutation, each from its least point."""
    found = []
    seen: set[int] = set()
    for point in range(len(images)):
        if point not in seen:
            cycle = [point]
            while images[cycle[-1]] != point:
                cycle.append(images[cycle[-1]])
            seen.update(cycle)
            found.append(cycle)
    return found


def _model_of_fixed(
    puzzle: Puzzle,
    moves: Sequence[int],
    digits: tuple[int, ...],
    interchangeable: Sequence[Sequence[int]],
) -> tuple[Model, int]:
    """The model of the solutions that a symmetry keeps, and for how many each of its own stands.

    Relabellings that commute with the symmetry permute what it keeps. If there is a house with all
    digits, only the words there are allowed that are the first of those that they turn into each
    other.
    """
    n = puzzle.layout.digit_count
    base = allocate(Puzzle.trusted((0,) * len(moves), puzzle.layout, puzzle.rules))
    images = [moves[v // n] * n + digits[v % n] for v in range(n * len(moves))]
    tied = tied_model(base, images)
    house = next((h for h in puzzle.layout.houses if h.is_complete), None)
    alike = 1
    if house is not None and digits != tuple(range(n)):
        firsts = {min(cycle): cycle for cycle in _cycles(moves)}
        cells = [first for first, cycle in firsts.items() if not {*cycle}.isdisjoint(house.cells)]
        words, alike = _first_words(tied, cells, digits, interchangeable)
        tied = tied if words is None else replace(tied, constraints=(*tied.constraints, words))
    position = tied.position_by_key
    hints, struck = ([position[k] for k in keys if k in position] for keys in known_keys(puzzle))
    return allocate_variables(tied, hints, struck=struck), alike


def _first_words(
    model: Model,
    cells: Iterable[int],
    digits: tuple[int, ...],
    interchangeable: Sequence[Sequence[int]],
) -> tuple[Automaton | None, int]:
    """The constraint on cells that cycles of interchangeable digits appear in order, with firsts.

    Args:
        model: with the cells.
        cells: in each of its solutions they have a digit of every cycle of ``digits``.
        digits: the digit that replaces each digit.
        interchangeable: classes of digits.

    Returns: None if nothing is to be said; and how many relabellings commute with ``digits``.
    """
    class_of = {d: i for i, some in enumerate(interchangeable) for d in some}
    kinds: list[tuple[int, tuple[int, ...]]] = []
    cycle_of: dict[int, tuple[int, int]] = {}
    for number, cycle in enumerate(_cycles(digits)):
        kinds.append((len(cycle), tuple(sorted({class_of[d] for d in cycle}))))
        cycle_of |= {d: (number, phase) for phase, d in enumerate(cycle)}
    # Of a cycle of digits through several classes only turns that return to the class are alike.
    alike = prod(length // len(classes) for length, classes in kinds)
    alike *= prod(factorial(times) for times in Counter(kinds).values())
    if alike == 1:
        return None, 1
    before = [
        next((i for i in reversed(range(j)) if kinds[i] == kind), None)
        for j, kind in enumerate(kinds)
    ]
    groups = [[i for i, v in enumerate(model.variables) if v.cell == cell] for cell in cells]
    first = min(v.value for v in model.original.variables)
    read = [[model.variables[i].value - first for i in group] for group in groups]

    def step(level: int, seen: int, choice: int) -> int | None:
        if not choice:
            return None
        number, phase = cycle_of[read[level][choice - 1]]
        if seen >> number & 1:
            return seen
        previous = before[number]
        is_first = previous is None or seen >> previous & 1
        return seen | 1 << number if is_first and phase < len(kinds[number][1]) else None

    mdd = mdd_from_level_steps([1 + len(group) for group in groups], 0, step)
    return Automaton("first", "words", tuple(map(tuple, groups)), mdd), alike


def tied_model(model: Model, images: Sequence[int]) -> Model:
    """The model of those solutions of a model that a symmetry keeps.

    A variable stands for all to which the symmetry moves it: it has the cell and value of the
    first one. Those that would give a cell two values are left out.

    Args:
        model: of an empty board.
        images: of every variable, by position, that to which the symmetry moves it.
    """
    position: list[int] = [-1] * len(images)
    variables: list[Variable] = []
    false = set[int]()
    for orbit in _cycles(images):
        for v in orbit:
            position[v] = len(variables)
        if len({model.variables[v].cell for v in orbit}) < len(orbit):
            false.add(len(variables))
        variables.append(model.variables[orbit[0]])
    for c in model.one_hots:
        times = Counter(position[v] for v in c.variables)
        false.update(v for v, several in times.items() if several > c.total)
    kept = [v for v in range(len(variables)) if v not in false]
    renumbered = {v: i for i, v in enumerate(kept)}
    tie = _Tie(model, [renumbered.get(v, -1) for v in position], [variables[v] for v in kept])
    keeps_values = all(variables[position[v]].value == model.variables[v].value for v in range(len(position)))
    found: dict[object, Constraint] = {}
    for c in model.constraints:
        if isinstance(c, OneHot):
            house = c.house if keeps_values else ""  # else its constraints mix values
            c = tie.one_hot(c)._replace(house=house)
            found.setdefault((c.variables, c.total, c.at_most), c)
        else:
            c = tie.constraint(c)
            found.setdefault(rename_constraint(c, "", ""), c)
    return Model(tuple(tie.variables), (*found.values(), *tie.equalities))


class _Tie:
    """The constraints of a model on variables that stand for several of its own.

    Attributes:
        variables: the new variables.
        equalities: constraints of further cells, each a copy of one that a constraint reads twice.
    """

    def __init__(self, model: Model, position: list[int], variables: list[Variable]) -> None:
        self._model = model
        self._position = position
        self.variables = variables
        self.equalities: list[OneHot] = []
        self._copies: dict[int | None, dict[int, int]] = {}

    def one_hot(self, c: OneHot) -> OneHot:
        """A one-hot constraint, of whose variables no two that may be true are one."""
        held = {self._position[v] for v in c.variables} - {-1}
        return c._replace(variables=tuple(sorted(held)))

    def constraint(self, c: Constraint) -> Constraint:
        """Any other constraint; cells of which another one tells the value are read as copies."""
        false = {v: False for v in c.variables if self._position[v] < 0}
        c = c.restrict(false)
        of_cell: dict[int | None, list[int]] = {}
        for v in c.variables:
            of_cell.setdefault(self._model.variables[v].cell, []).append(v)
        moved: dict[int, int] = {}
        for cell, mine in of_cell.items():
            found = {v: self._position[v] for v in mine}
            if not {*moved.values()}.isdisjoint(found.values()):
                found = self._copy(cell)
            moved |= {v: found[v] for v in mine}
        return c.renumber(moved)

    def _copy(self, cell: int | None) -> dict[int, int]:
        """The variables of a copy of a cell, by those of the model."""
        if cell in self._copies:
            return self._copies[cell]
        mine = [
            v
            for v, variable in enumerate(self._model.variables)
            if variable.cell == cell and self._position[v] >= 0
        ]
        names = [self._model.variables[v] for v in mine]
        first = len(self.variables)
        number = 1 + max(v.cell or 0 for v in (*self.variables, *self._model.variables))
        key = 1 + max(v.key for v in (*self.variables, *self._model.variables))
        self.variables += [
            Variable(f"{v.name}'", key + i, number, v.value) for i, v in enumerate(names)
        ]
        copies = range(first, first + len(mine))
        self.equalities.append(OneHot("copy", f"{cell}", tuple(copies)))
        for copy, v in zip(copies, mine, strict=True):
            others = [self._position[w] for w in mine if w != v]
            label = self.variables[copy].name
            self.equalities.append(OneHot("copy", label, tuple(sorted([*others, copy])), 1, True))
        self._copies[cell] = dict(zip(mine, copies, strict=True))
        return self._copies[cell]
