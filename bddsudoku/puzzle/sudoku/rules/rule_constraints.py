"""Functions that build constraints for rules: all-different, pairs of digits, automata, sums.

Variables are those of the empty board: ``cell * n + digit - 1``, which is also their position, for
n digits. The digits of which rules and automata speak are their values (:attr:`Layout.values`).

:class:`WordRule` makes rules of a start state, a step, and a test of the last state.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations, product
from math import comb
from operator import mul
from typing import Any, ClassVar, TypeAlias

from bddsudoku.errors import LimitReached
from bddsudoku.model.allocation import all_different as differ
from bddsudoku.model.constraints import Constraint, Linear, OneHot, rename_constraint
from bddsudoku.model.mdd import (
    Mdd,
    WidthLimit,
    empty_mdd,
    mdd_from_automaton,
    mdd_from_level_steps,
)
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places
from bddsudoku.puzzle.sudoku.rules.rule import FieldKind, FilledGrid, Rule

MAX_DIGIT_SETS = 4_000
"""Upper limit on the sets of digits that the states of an automaton distinguish."""


def has_few_digit_sets(n: int, length: int) -> bool:
    """Whether sets of at most ``length`` digits out of n are few enough to be automaton states."""
    return sum(comb(n, i) for i in range(length + 1)) <= MAX_DIGIT_SETS


def cell_variables(layout: Layout, place: Place) -> tuple[int, ...]:
    """The n variables of a cell, one for each digit, in ascending order."""
    first = layout.cell(place) * layout.digit_count
    return tuple(range(first, first + layout.digit_count))


def variable_by_digit(layout: Layout, place: Place) -> dict[int, int]:
    """The n variables of a cell by their digits, in ascending order."""
    return dict(zip(layout.values, cell_variables(layout, place), strict=True))


def are_in_one_house(layout: Layout, a: Place, b: Place) -> bool:
    """Whether two different cells share a house, so that their digits differ."""
    houses = layout.houses_by_cell[layout.cell(a)]
    return a != b and any(layout.cell(b) in house.cells for house in houses)


def at_most_one(rule: Rule, label: str, variables: Iterable[int], *, exact: bool = False) -> OneHot:
    """The constraint that at most one (or exactly one) of some variables is true."""
    return OneHot(rule.name, label, tuple(sorted(variables)), 1, not exact)


def forbid_variables(rule: Rule, label: str, variables: Iterable[int]) -> OneHot:
    """The constraint that none of some variables, given in ascending order, is true."""
    return OneHot(rule.name, label, tuple(variables), 0, True)


def contradiction(rule: Rule) -> OneHot:
    """A constraint that no grid satisfies."""
    return at_most_one(rule, rule.label, (), exact=True)


def constraint_of_rule(rule: Rule, constraint: Constraint, label_suffix: str = "") -> Constraint:
    """A copy of a constraint with a rule's name as family, and the rule's label plus a suffix."""
    return rename_constraint(constraint, rule.name, f"{rule.label} {label_suffix}".rstrip())


def all_different(
    rule: Rule, layout: Layout, places: Sequence[Place], label: str = ""
) -> Iterator[OneHot]:
    """Yield constraints that no digit repeats in cells and, in n cells, that none is missing."""
    if len(places) > 1:
        n, cells = layout.digit_count, map(layout.cell, places)
        complete = len(places) == n
        yield from differ(rule.name, label or rule.label, cells, SYMBOLS[:n], complete=complete)


def allowed_pairs(
    rule: Rule,
    layout: Layout,
    a: Place,
    b: Place,
    allowed: Callable[[int, int], bool],
    label: str = "",
) -> Iterator[OneHot]:
    """Yield constraints that allow two cells only the pairs of digits that ``allowed`` accepts."""
    values, label = layout.values, label or rule.label
    second = [*enumerate(cell_variables(layout, b))]
    fits = [[allowed(d, e) for e in values] for d in values]
    never = [v for e, v in second if not any(row[e] for row in fits)]
    if never:
        yield forbid_variables(rule, f"{label} never", never)
    for symbol, v, row in zip(SYMBOLS, cell_variables(layout, a), fits, strict=False):
        forbidden = [w for e, w in second if not row[e]]
        if not any(row):
            yield forbid_variables(rule, f"{label} {symbol}", [v])
        elif forbidden:
            yield at_most_one(rule, f"{label} {symbol}", [v, *forbidden])


def all_pairs_allowed(
    rule: Rule,
    layout: Layout,
    cells: Iterable[Place],
    allowed: Callable[[int, int], bool],
) -> list[Constraint]:
    """Constraints that any two cells, the earlier first, have digits that ``allowed`` accepts.

    If such digits always differ and their order makes no difference, one automaton reads the set
    of the digits, unless it would be too wide.
    """
    places, values = tuple(cells), layout.values
    table = frozenset(pair for pair in product(values, repeat=2) if allowed(*pair))
    if len(places) > 2 and all(a != b and (b, a) in table for a, b in table):
        if len(table) == len(values) * (len(values) - 1) and len(places) <= len(values):
            return [*all_different(rule, layout, places)]
        with suppress(LimitReached):
            limit = WidthLimit(MAX_DIGIT_SETS, "the sets of digits")
            start, step = frozenset[int](), _add_compatible
            mdd = word_mdd(values, len(places), start, step, accept_all, table, limit=limit)
            return [mdd_constraint(rule, layout, places, mdd, commutative=True)]
    return [
        constraint
        for a, b in combinations(places, 2)
        for constraint in allowed_pairs(rule, layout, a, b, allowed, f"{rule.label} {a} {b}")
    ]


def _add_compatible(
    read: frozenset[int], digit: int, table: Collection[tuple[int, int]]
) -> frozenset[int] | None:
    """The digits read, with one more; None if it stands in no pair of a table with one of them."""
    return read | {digit} if all((d, digit) in table for d in read) else None


def allowed_digits(
    rule: Rule, layout: Layout, place: Place, digits: Iterable[int]
) -> Iterator[OneHot]:
    """Yield the constraint that a cell takes only given digits; nothing if these are all digits."""
    kept = {*digits}
    never = [v for d, v in variable_by_digit(layout, place).items() if d not in kept]
    if never:
        yield forbid_variables(rule, f"{rule.label} {place}", never)


def accept_all(*state: Hashable) -> bool:
    """Always True: the acceptance test of an automaton that accepts in every state."""
    return True


def accept_empty(missing: Collection[object], *more: Hashable) -> bool:
    """Accept the states in which nothing is missing any more."""
    return not missing


@lru_cache(maxsize=4096)
def word_mdd(
    values: range,
    length: int,
    start: Any,
    step: Callable[..., Any],
    accepts: Callable[..., bool] = accept_all,
    *more: Hashable,
    limit: WidthLimit | None = None,
) -> Mdd:
    """The MDD of all digit sequences of a given length that an automaton accepts.

    Each digit is read by ``step(state, digit, *more)``. The result is remembered by the arguments,
    so ``step`` and ``accepts`` are functions of a module or a class.
    """
    return mdd_from_automaton(
        length,
        [None, *values],
        start,
        lambda s, digit: step(s, digit, *more),
        lambda s: accepts(s, *more),
        limit,
    )


def mdd_constraint(
    rule: Rule,
    layout: Layout,
    places: Sequence[Place],
    mdd: Mdd,
    *,
    commutative: bool = False,
    label: str = "",
) -> Automaton:
    """The constraint that an MDD accepts the digits of a sequence of cells, which may repeat."""
    cells = tuple(dict.fromkeys(places))
    if len(cells) < len(places):
        mdd = _mdd_of_distinct_cells(mdd, tuple(map(cells.index, places)))
    groups = tuple(cell_variables(layout, p) for p in cells)
    return Automaton(rule.name, label or rule.label, groups, mdd, commutative)


_RepeatedState: TypeAlias = "tuple[int, tuple[int, ...]]"
"""(MDD state, digits of the cells read so far; 0 for cells that are not read again)."""


@lru_cache(maxsize=256)
def _mdd_of_distinct_cells(mdd: Mdd, cell_ids: tuple[int, ...]) -> Mdd:
    """Convert the MDD of cells with repetitions to an equivalent MDD of distinct cells.

    ``cell_ids`` has the number of the cell at each position, in order of first appearance.
    """
    first = [cell_ids.index(cell) for cell in range(1 + max(cell_ids))]
    choices = [mdd.choices[place] for place in first]
    if mdd.is_empty:
        return empty_mdd(choices)
    ends = [*first[1:], len(cell_ids)]
    read_again = [[cell in cell_ids[end:] for cell in range(i + 1)] for i, end in enumerate(ends)]

    def step(level: int, state: _RepeatedState, digit: int) -> _RepeatedState | None:
        mdd_state, known = state[0], (*state[1], digit)
        for place in range(first[level], ends[level]):
            mdd_state = int(mdd.tables[place][mdd_state, known[cell_ids[place]]])
            if mdd_state < 0:
                return None
        return mdd_state, tuple(map(mul, known, read_again[level]))

    start: _RepeatedState = (0, ())
    return mdd_from_level_steps(choices, start, step)


def zero_sum(rule: Rule, label: str, weights: Mapping[int, int]) -> Linear:
    """The linear constraint that the weights of the true variables add up to 0."""
    variables = tuple(sorted(weights))
    return Linear(rule.name, label, variables, tuple(weights[v] for v in variables), 0, 0)


def digit_weights(layout: Layout, weights: Mapping[Place, int]) -> dict[int, int]:
    """The weight of each variable in a sum of digits, each of which a cell's weight multiplies."""
    return {
        v: weight * digit
        for place, weight in sorted(weights.items(), key=lambda item: layout.cell(item[0]))
        for digit, v in variable_by_digit(layout, place).items()
    }


def equal_sums(
    rule: Rule, layout: Layout, sides: Sequence[Sequence[Place]], *, pill: Sequence[Place] = ()
) -> list[Constraint]:
    """Linear constraints that the digits of several disjoint sets of cells have equal sums.

    The cells of ``pill``, a further side, are read as the digits of a decimal number.
    """
    weighted = [[(place, 10**i) for i, place in enumerate(reversed(pill))]] if pill else []
    weighted += [[(place, 1) for place in side] for side in sides]
    shortest, *others = sorted(weighted, key=len) or [[]]
    found: list[Constraint] = []
    for i, other in enumerate(others, 1):
        label = f"{rule.label} {i}" if len(others) > 1 else rule.label
        weights = dict(shortest) | {place: -weight for place, weight in other}
        found.append(zero_sum(rule, label, digit_weights(layout, weights)))
    return found


Digits: TypeAlias = "list[int]"
"""The digits of a word."""
DigitSet: TypeAlias = "frozenset[int]"
"""A set of digits that were read, as a state."""


class WordRule(Rule):
    """Base class of rules that demand of the digits in a sequence of cells that they form a word.

    The words are defined twice: by an automaton, whose functions also get :meth:`parameters`, and
    by :meth:`is_satisfied_by`, which shares nothing with it. The functions are static and see
    nothing else of the rule, so that rules on other cells share the automaton's diagram.

    Attributes:
        cells: the cells in the order of reading, unless :meth:`sequences` says otherwise.
        step: the state after a state and a digit; None if no word goes on like that.
        accepts: whether a word may end in a state.
        commutative: whether the order of the digits makes no difference.
    """

    cells: Places
    step: ClassVar[Callable[..., Any]]
    accepts: ClassVar[Callable[..., bool]] = staticmethod(accept_all)
    commutative: ClassVar[bool] = False

    @property
    def start(self) -> Any:
        """The automaton's first state: a class attribute, but where it depends on the rule."""
        return frozenset[int]()

    @abstractmethod
    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits of a word, in the order of reading, obey the rule.

        ``values`` are all digits of the board.
        """

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The sequences of cells that the rule is about, by the label of their constraint."""
        return {self.label: self.cells}

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """What the automaton's functions get besides state and digit; here numbers and words."""
        return tuple(
            getattr(self, key) for key, kind in self.fields.items() if kind is not FieldKind.PLACES
        )

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton for each sequence of cells."""
        automaton = (self.start, self.step, self.accepts, *self.parameters(layout))
        found: list[Constraint] = []
        for label, cells in self.sequences(layout).items():
            mdd = word_mdd(layout.values, len(cells), *automaton)
            found.append(
                mdd_constraint(self, layout, cells, mdd, commutative=self.commutative, label=label)
            )
        return found

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits of each sequence of cells obey the rule."""
        values = grid.layout.values
        return all(
            self.is_satisfied_by([grid[place] for place in places], values)
            for places in self.sequences(grid.layout).values()
        )
